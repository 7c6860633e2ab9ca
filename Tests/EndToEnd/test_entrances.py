"""Who may ask at which listener, header by header: origins, hosts, and what operators see."""

import os
import unittest

from case import DaemonTestCase, eventually
from raw import RawClient

PUBLISH = "/publish/pub/sub/0/room/0/%22x%22"
HISTORY = "/v3/history/sub-key/sub/channel/room"
FOREIGN = "Origin: https://evil.example"
CROSS_SITE = "Sec-Fetch-Site: cross-site"


class EntranceCase(DaemonTestCase):
    """Single requests, each on a connection of its own."""

    def ask(self, daemon, target, *lines, host=None, method="GET", address=None, version="1.1"):
        """One answer; `host` may be another than the daemon's, or empty for no line at all."""
        address = address or ("127.0.0.1", daemon.port)
        named = "{}:{}".format(*address) if host is None else host
        head = [f"{method} {target} HTTP/{version}", *([f"Host: {named}"] if named else []), *lines]
        with RawClient(address) as client:
            client.send("\r\n".join(head).encode() + b"\r\n\r\n")
            return client.answer()

    def upgrade(self, daemon, *lines, host=None, address=None):
        """The answer to a request for a WebSocket."""
        return self.ask(
            daemon, "/v1/sync?userId=eve&deviceId=e", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", *lines,
            host=host, address=address)

    def both(self, daemon, *lines, **options):
        """What a publish and a WebSocket hear."""
        return (self.ask(daemon, PUBLISH, *lines, **options).status,
                self.upgrade(daemon, *lines, **options).status)

    def count(self, daemon):
        return len(self.ask(daemon, HISTORY).json()["channels"].get("room", []))


class Origins(EntranceCase):
    """By either door the same."""

    def test_foreign_pages_are_refused_before_anything_is_done(self):
        daemon = self.start_daemon()
        for lines in ((FOREIGN,), ("Origin: null",), (CROSS_SITE,), (FOREIGN, CROSS_SITE),
                      ("Origin: http://127.0.0.2",), ("Sec-Fetch-Site: x",)):
            with self.subTest(lines):
                self.assertEqual(self.both(daemon, *lines), (403, 403))
        for method in ("POST", "DELETE", "PATCH", "OPTIONS"):
            for target in (PUBLISH, HISTORY, "/nowhere", "/metrics"):
                answer = self.ask(daemon, target, FOREIGN, "Content-Length: 0", method=method)
                self.assertEqual(answer.status, 403, (method, target))
                self.assertIn(b"allowed_origins", answer.body)
                self.assertFalse(
                    [it for it in answer.headers if it.startswith("access-control")], answer)
        self.assertEqual(self.count(daemon), 0)
        for target in ("/healthz", "/readyz"):
            self.assertEqual(self.ask(daemon, target, FOREIGN, CROSS_SITE).status, 200)

    def test_a_page_that_may_ask_is_told_so_by_its_name(self):
        daemon = self.start_daemon("--allowed-origins", "https://chat.example,null")
        for origin in ("https://chat.example", "http://localhost:5173", "null"):
            with self.subTest(origin):
                for method, target in (("GET", PUBLISH), ("OPTIONS", PUBLISH), ("GET", "/v2/x")):
                    headers = self.ask(
                        daemon, target, f"Origin: {origin}", CROSS_SITE, method=method).headers
                    if target == PUBLISH:
                        self.assertEqual(headers["access-control-allow-origin"], origin)
                        self.assertEqual(headers["vary"], "Origin")
                self.assertEqual(self.upgrade(daemon, f"Origin: {origin}").status, 101)
        plain = self.ask(daemon, PUBLISH).headers
        self.assertNotIn("access-control-allow-origin", plain)
        self.assertEqual(plain["vary"], "Origin", "A cache must not show it to a page.")

    def test_a_refusal_of_what_is_too_long_can_be_read_by_who_may_ask(self):
        daemon = self.start_daemon("--allowed-origins", "https://chat.example")
        for origin in ("https://chat.example", "https://evil.example"):
            answer = self.ask(
                daemon, "/publish/pub/sub/0/room/0", f"Origin: {origin}",
                "Content-Length: 9999999", method="POST")
            is_foreign = origin != "https://chat.example"
            self.assertEqual(answer.status == 403, is_foreign, answer)
            self.assertGreaterEqual(answer.status, 400)
            self.assertNotEqual("access-control-allow-origin" in answer.headers, is_foreign)

    def test_programs_are_no_pages(self):
        daemon = self.start_daemon()
        self.assertEqual(self.both(daemon), (200, 101))
        self.assertEqual(self.both(daemon, "Sec-Fetch-Site: none"), (200, 101))

    def test_two_origins(self):
        daemon = self.start_daemon("--allowed-origins", "https://chat.example")
        lines = ("Origin: https://chat.example", "Origin: https://chat.example")
        self.assertEqual(self.both(daemon, *lines), (400, 400))


class Hosts(EntranceCase):
    """Names that the daemon goes by."""

    def test_a_name_that_somebody_pointed_to_loopback(self):
        daemon = self.start_daemon()
        for host in ("evil.example", f"evil.example:{daemon.port}", "10.0.2.2", "localhost."):
            with self.subTest(host):
                self.assertEqual(self.both(daemon, host=host), (421, 421))
                for target in ("/metrics", "/readyz", "/healthz", "/nowhere"):
                    answer = self.ask(daemon, target, host=host)
                    self.assertEqual(answer.status, 421, answer)
                    self.assertIn(b"allowed_hosts", answer.body)
        self.assertEqual(self.count(daemon), 0)
        for host in ("localhost", "LocalHost:1", "127.0.0.1", "[::1]:8080"):
            self.assertEqual(self.both(daemon, host=host), (200, 101), host)

    def test_a_target_that_names_another_host(self):
        daemon = self.start_daemon()
        self.assertEqual(self.ask(daemon, "http://evil.example" + PUBLISH).status, 421)
        answer = self.ask(
            daemon, "http://evil.example/v1/sync?userId=eve&deviceId=e", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13")
        self.assertEqual(answer.status, 421)
        self.assertEqual(
            self.ask(daemon, "http://localhost" + HISTORY, host="evil.example").status, 200)
        self.assertEqual(self.count(daemon), 0)
        # A Host that says nothing is no name of the daemon's either.
        self.assertEqual(self.both(daemon, "Host:", host=""), (421, 421))

    def test_http_1_0_without_a_host(self):
        daemon = self.start_daemon()
        self.assertEqual(self.ask(daemon, "/healthz", host="", version="1.0").status, 200)

    def test_named_hosts(self):
        daemon = self.start_daemon("--allowed-hosts", "chat.example")
        self.assertEqual(self.both(daemon, host="Chat.example:443"), (200, 101))
        self.assertEqual(self.both(daemon, host="www.chat.example"), (421, 421))

    def test_an_address_that_others_reach(self):
        daemon = self.start_daemon("--insecure", listen="0.0.0.0:0")
        self.assertEqual(self.both(daemon, host="whatever.example"), (200, 101))
        self.assertEqual(self.both(daemon, "Origin: http://localhost"), (403, 403))
        named = self.start_daemon(
            "--insecure", "--allowed-hosts", "chat.example", listen="0.0.0.0:0")
        self.assertEqual(self.both(named, host="whatever.example"), (421, 421))
        self.assertEqual(self.both(named, host="chat.example"), (200, 101))


class Admin(EntranceCase):
    """What is for operators, and where."""

    def test_on_loopback_metrics_are_with_the_rest(self):
        daemon = self.start_daemon()
        self.assertEqual(self.ask(daemon, "/metrics").status, 200)
        self.assertNotIn("/metrics", daemon.log())

    def test_an_address_that_others_reach_shows_no_metrics(self):
        daemon = self.start_daemon("--insecure", listen="0.0.0.0:0")
        self.assertEqual(self.ask(daemon, "/metrics").status, 404)
        self.assertNotIn(b"metrics", self.ask(daemon, "/nowhere").body)
        self.assertEqual(self.ask(daemon, "/readyz").status, 200)
        self.assertRegex(daemon.log(), r"notice .*/metrics is not shown there.*admin_listen")

    def test_an_address_for_operators(self):
        for arguments in ((), ("--insecure",)):
            listen = "0.0.0.0:0" if arguments else "127.0.0.1:0"
            with self.subTest(listen):
                daemon = self.start_daemon(
                    "--admin-listen", "127.0.0.1:0", *arguments, listen=listen)
                admin = daemon.admin_address
                answer = self.ask(daemon, "/metrics", address=admin)
                self.assertEqual(answer.status, 200)
                self.assertIn(b"syncdaemon_ready 1", answer.body)
                for target in ("/healthz", "/readyz"):
                    self.assertEqual(self.ask(daemon, target, address=admin).status, 200)
                self.assertEqual(self.ask(daemon, "/metrics").status, 404)
                # No client has business there, and no page.
                self.assertEqual(self.both(daemon, address=admin), (404, 404))
                self.assertEqual(
                    self.ask(daemon, "/metrics", "Origin: http://localhost", address=admin).status,
                    403)
                self.assertEqual(
                    self.ask(daemon, "/metrics", host="evil.example", address=admin).status, 421)
                self.assertNotIn("/metrics is not shown", daemon.log())

    def test_operators_come_in_when_clients_have_taken_every_place(self):
        daemon = self.start_daemon("--admin-listen", "127.0.0.1:0", "--connections", "1")
        with RawClient(daemon.address) as client:
            client.hello()
            answer = self.ask(daemon, "/metrics", address=daemon.admin_address)
        self.assertEqual(answer.status, 200)

    async def test_troubles_are_named_to_operators_alone(self):
        """The data's directory is gone: that is said everywhere, and where it was here only."""
        for listen in ("0.0.0.0:0", "127.0.0.1:0"):
            with self.subTest(listen):
                await self.check_troubles(listen)

    async def check_troubles(self, listen):
        daemon = self.start_daemon(
            "--admin-listen", "127.0.0.1:0", "--insecure", listen=listen)
        # The writer has the file open, and two readers: what a reader cannot open is the end.
        files = f"/proc/{daemon.process.pid}/fd"
        await eventually(lambda: 3 <= sum(
            os.readlink(f"{files}/{it}").endswith("syncdaemon.db")
            for it in os.listdir(files) if os.path.islink(f"{files}/{it}")), "the readers")
        os.rename(daemon.data_dir, daemon.data_dir + ".gone")
        await eventually(lambda: self.ask(daemon, "/readyz").status == 503, "the trouble")
        self.assertEqual(self.ask(daemon, "/readyz").body, b"not ready\n")
        told = self.ask(daemon, "/readyz", address=daemon.admin_address)
        self.assertEqual(told.status, 503)
        self.assertIn(daemon.data_dir.encode(), told.body)
        os.rename(daemon.data_dir + ".gone", daemon.data_dir)


if __name__ == "__main__":
    unittest.main()
