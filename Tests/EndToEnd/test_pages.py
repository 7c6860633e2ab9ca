"""Pages in a real browser: foreign ones read nothing and write nothing, listed ones work."""

import http.server
import json
import threading
import unittest

import attacks
from browser import Browser, Pages
from case import DaemonTestCase
from rest import Rest

#: The browser takes these names for addresses of this machine, as a hostile name server would.
NAMES = "MAP evil.example 127.0.0.1, MAP shop.example 127.0.0.2"
#: Whether a browser lets pages near the machine at all is its own affair, and not asked here.
OFF = "LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessChecks"


class BlankPages:
    """Serves an empty page on a free port of an address."""

    def __init__(self, host):
        class Handler(http.server.BaseHTTPRequestHandler):
            """The same page at every path."""

            def do_GET(self):
                page = b"<!doctype html><title>A page</title><script>isReady = true</script>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer((host, 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class PageCase(DaemonTestCase):
    """A browser, and what a daemon holds afterwards."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.browser = Browser(f"--host-resolver-rules={NAMES}", f"--disable-features={OFF}")
        self.addAsyncCleanup(self.browser.close)
        await self.browser.start()

    def pages(self, host):
        pages = BlankPages(host)
        self.addCleanup(pages.close)
        return pages

    def seed(self, daemon):
        """One message and one reaction, which are to stay alone."""
        with Rest(daemon, "ada") as web:
            sent = web.publish("room", "secret")
            web.add("room", sent, "👍")
        return sent

    def holds(self, daemon):
        """The messages, the reactions and the groups that are there."""
        with Rest(daemon, "ada") as web:
            page = web.ok("/v3/history/sub-key/{sub}/channel/room")
            messages = [it["message"] for it in page["channels"].get("room", [])]
            values = [it["value"] for it in web.actions("room")[0]]
            groups = web.ok("/v1/channel-registration/sub-key/{sub}/channel-group")
        return messages, values, groups["payload"]["groups"]

    async def attack(self, page, daemon, message, url=None, make=attacks.script):
        """Tries each way; returns those that read something."""
        url = url or "http://{}:{}".format(*daemon.address)
        seen = {}
        for name, way in {**attacks.REQUESTS, "WebSocket": attacks.WEB_SOCKET}.items():
            read = await page.run(make(url, way, message))
            if read is not None:
                seen[name] = read
        return seen


class ForeignPages(PageCase):
    """Nobody listed these."""

    async def test_a_page_of_another_address(self):
        daemon = self.start_daemon()
        message = self.seed(daemon)
        for origin in ("http://127.0.0.2", "http://shop.example"):
            with self.subTest(origin):
                page = await self.browser.page(f"{origin}:{self.pages('127.0.0.2').port}/")
                self.assertEqual(await self.attack(page, daemon, message), {})
                self.assertEqual(self.holds(daemon), (["secret"], ["👍"], []))

    async def test_a_page_without_an_origin(self):
        """A sandboxed frame, also one in a page that may ask."""
        daemon = self.start_daemon()
        message = self.seed(daemon)
        page = await self.browser.page(f"http://127.0.0.1:{self.pages('127.0.0.1').port}/")
        seen = await self.attack(page, daemon, message, make=attacks.sandboxed)
        self.assertEqual(seen, {})
        self.assertEqual(self.holds(daemon), (["secret"], ["👍"], []))

    async def test_a_page_without_an_origin_where_null_is_listed(self):
        """Whoever lists it lets everybody in: so the test above can fail."""
        daemon = self.start_daemon("--allowed-origins", "null")
        message = self.seed(daemon)
        page = await self.browser.page(f"http://127.0.0.2:{self.pages('127.0.0.2').port}/")
        seen = await self.attack(page, daemon, message, make=attacks.sandboxed)
        self.assertGreaterEqual(
            set(seen), {"fetch that publishes", "fetch of the history", "deletion", "WebSocket"})

    async def test_a_name_that_was_pointed_here(self):
        """DNS rebinding: to the browser, page and daemon are of one origin."""
        daemon = self.start_daemon()
        message = self.seed(daemon)
        url = f"http://evil.example:{daemon.port}"
        # The empty page before it is complete, too.
        page = await self.browser.page(
            f"{url}/time/0",
            ready=f"origin === '{url}' && document.readyState === 'complete'")
        seen = await self.attack(page, daemon, message, url)
        self.assertTrue(seen, "The page reads the refusals, which are for it.")
        for name, text in seen.items():
            self.assertTrue(text.startswith("421 "), f"{name}: {text}")
            self.assertIn("allowed_hosts", text)
        self.assertEqual(self.holds(daemon), (["secret"], ["👍"], []))

    async def test_the_same_attacks_from_a_page_of_this_machine(self):
        """They would do harm: so the tests above can fail."""
        daemon = self.start_daemon()
        message = self.seed(daemon)
        page = await self.browser.page(f"http://127.0.0.1:{self.pages('127.0.0.1').port}/")
        seen = await self.attack(page, daemon, message)
        self.assertGreaterEqual(set(seen), {
            "fetch that publishes", "fetch with a preflight", "fetch of the history", "deletion",
            "beacon", "WebSocket"})
        self.assertNotIn("metrics", seen, "They are for no page.")
        messages, values, groups = self.holds(daemon)
        self.assertNotIn("secret", messages, "The deletion.")
        self.assertNotIn("👍", values)
        self.assertEqual(groups, ["team"])
        for way in ("img", "script", "link", "iframe"):
            self.assertIn(f"{attacks.LOOT}: {way}", messages)
        self.assertIn(attacks.LOOT + "=", messages, "The form.")


class ListedPages(PageCase):
    """Those of `allowed_origins`."""

    async def test_the_web_client(self):
        pages = Pages("127.0.0.2")
        self.addCleanup(pages.close)
        daemon = self.start_daemon("--allowed-origins", pages.origin)
        native = await self.device(daemon, "nat")
        page = await self.browser.page(f"{pages.origin}/tests/page.html")
        await page.run(f"start({json.dumps({'url': daemon.url, 'userId': 'ada'})})")
        sent = await native.publish("room", "hello")
        await page.until(f"room.items.some((it) => it.timetoken === '{sent}')", "the message")

    async def test_an_sdks_requests(self):
        """As PubNub's JavaScript makes them: fetch, with a preflight before bodies of JSON."""
        pages = self.pages("127.0.0.2")
        origin = f"http://shop.example:{pages.port}"
        daemon = self.start_daemon("--allowed-origins", origin)
        message = self.seed(daemon)
        page = await self.browser.page(f"{origin}/")
        url = "http://{}:{}".format(*daemon.address)
        for way in ("fetch that publishes", "fetch with a preflight", "fetch of the history"):
            with self.subTest(way):
                read = await page.run(attacks.script(url, attacks.REQUESTS[way], message))
                self.assertTrue(read.startswith("200 "), read)
        refused = await page.run(
            f"fetch('{url}/publish/pub/sub/0/room/0/%7B').then((it) => it.status)")
        self.assertEqual(refused, 400, "It reads errors, too.")
        messages, _, _ = self.holds(daemon)
        self.assertEqual(
            messages, ["secret", f"{attacks.LOOT}: fetch", attacks.LOOT])
        # Whoever does without CORS says no origin, and is not known for one of them.
        await page.run(attacks.script(url, attacks.REQUESTS["picture"], message))
        self.assertEqual(len(self.holds(daemon)[0]), 3)

    async def test_a_page_of_a_named_host(self):
        """As behind a proxy that passes Host on: the page's origin has to be listed, too."""
        # Which a browser trusts like https: it says how near the page is.
        daemon = self.start_daemon("--allowed-hosts", "chat.localhost")
        url = f"http://chat.localhost:{daemon.port}"
        page = await self.browser.page(f"{url}/time/0", ready="document.readyState === 'complete'")
        message = self.seed(daemon)
        seen = await self.attack(page, daemon, message, url)
        for name, text in seen.items():
            self.assertTrue(text.startswith("403 "), f"{name}: {text}")
        self.assertEqual(self.holds(daemon), (["secret"], ["👍"], []))


if __name__ == "__main__":
    unittest.main()
