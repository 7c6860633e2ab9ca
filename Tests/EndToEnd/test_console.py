"""The console: where it is and for whom, devices that are broken and heal, a race, what operators
see, and each action as somebody would write it.

CONSOLE_ROUNDS says how many rounds the race has."""

import asyncio
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import websockets

from browser import PAGES, Browser, Pages
from case import DaemonTestCase, eventually
from daemon import ROOT, binary, clean_environment
from hands import Hands
from test_web_ui import PATHS
from test_web_ui_access import AXE, TAGS
from waiting import PATIENCE, WORK_ALONE_MAX

KEY = "k" * 40
ROUNDS = int(os.environ.get("CONSOLE_ROUNDS", "10"))
#: Paths that have to be no way out of the directory, or to what is not for a page.
FOREIGN = ["/console/../Makefile", "/console/%2e%2e/web/syncclient.js", "/console/.", "/web/",
           "/console/tests/console.test.mjs", "/web/tests/page.html", "/web/README.md",
           "/web/package.json", "/console//main.js", "/console/lib/", "/web/core"]
#: Two tenants, of which the second asks for a publish key.
TENANTS = """
[keyset a]
subscribe_key = sub-a
[keyset b]
subscribe_key = sub-b
publish_key = pub-b
"""
#: The languages of "Copy as" that need no compiler.
WRITERS = ("JavaScript", "Python", "curl", "syncctl")
#: The composer of the first device.
COMPOSER = "all('iframe')[0].contentDocument.querySelector('sync-composer')"
#: What is said in a list, or above the devices.
SAID = "texts('main > section:not([hidden]) [role=status]').join(' ')"
ALERT = "texts('main > section:not([hidden]) > [role=alert]').join(' ')"


class ConsoleCase(DaemonTestCase):
    def start_console(self, *arguments, admin="127.0.0.1:0", **options):
        """A daemon with a console where operators ask."""
        scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        key = scratch / "admin.key"
        key.write_text(KEY, encoding="ascii")
        key.chmod(0o600)
        return self.start_daemon(
            "--admin-listen", admin, "--admin-key-file", str(key),
            "--console", str(ROOT / "clients"), *arguments, **options)

    def start_of_two(self):
        scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.configuration = scratch / "sync.ini"
        self.configuration.write_text(TENANTS, encoding="utf-8")
        return self.start_console("--config", str(self.configuration))

    @staticmethod
    def get(address, path, method="GET", body=None, **headers):
        """(status, headers, body); a header's name with _ for -."""
        connection = http.client.HTTPConnection(*address, timeout=PATIENCE * WORK_ALONE_MAX)
        try:
            connection.request(
                method, path, body, {name.replace("_", "-"): it for name, it in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


class Served(ConsoleCase):
    async def test_it_is_where_operators_ask(self):
        daemon = self.start_console()
        status, headers, _ = self.get(daemon.admin_address, "/console")
        self.assertEqual((status, headers["Location"]), (307, "/console/"))
        status, headers, body = self.get(daemon.admin_address, "/console/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(body, (ROOT / "clients/console/index.html").read_bytes())
        for path in ("/console/main.js", "/web/syncclient.js", "/web/example.html", "/web/ui/"):
            self.assertEqual(self.get(daemon.admin_address, path)[0], 200, path)
        status, _, body = self.get(daemon.admin_address, "/console/daemon.json")
        self.assertEqual(json.loads(body), {"port": daemon.port})
        for path in ("/console", "/console/", "/console/main.js", "/web/syncclient.js"):
            self.assertEqual(self.get(daemon.address, path)[0], 404, path)

    async def test_a_link_of_another_page_is_refused_as_the_document_says(self):
        daemon = self.start_console()
        said = (ROOT / "docs/CONSOLE.md").read_text(encoding="utf-8")
        words, = re.findall(r"a link from another page ends in (\d+) \(`(\w+)`: \"(.*?)\"\)", said)
        for site in ("cross-site", "same-site"):
            status, _, body = self.get(daemon.admin_address, "/console/", Sec_Fetch_Site=site)
            error = json.loads(body)["error"]
            self.assertEqual((str(status), error["code"]), words[:2], site)
            self.assertIn(words[2], error["message"])
        self.assertEqual(
            self.get(daemon.admin_address, "/console/", Sec_Fetch_Site="none")[0], 200)

    async def test_nothing_else_of_the_disk_is(self):
        daemon = self.start_console()
        for path in FOREIGN:
            self.assertIn(self.get(daemon.admin_address, path)[0], (400, 404), path)

    async def test_links_of_its_directory_are_followed(self):
        """As docs/CONSOLE.md says: the plots' library is one."""
        scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        outside = scratch / "outside"
        outside.mkdir()
        (outside / "there.js").write_text("// There.\n", encoding="utf-8")
        (scratch / "console").mkdir()
        (scratch / "console" / "index.html").write_text("<!doctype html>", encoding="utf-8")
        (scratch / "console" / "file.js").symlink_to(outside / "there.js")
        (scratch / "console" / "folder").symlink_to(outside)
        (scratch / "web").symlink_to(PAGES)
        daemon = self.start_daemon("--console", str(scratch))
        for path in ("/console/file.js", "/console/folder/there.js"):
            status, _, body = self.get(daemon.address, path)
            self.assertEqual((status, body), (200, b"// There.\n"), path)
        self.assertEqual(self.get(daemon.address, "/web/syncclient.js")[0], 200)

    async def test_a_link_from_another_page_does_not_lead_there(self):
        daemon = self.start_console()
        for site, status in (("none", 200), ("same-origin", 200), ("cross-site", 403)):
            found = self.get(daemon.admin_address, "/console/", Sec_Fetch_Site=site,
                             Sec_Fetch_Mode="navigate")
            self.assertEqual(found[0], status, site)

    async def test_it_is_off_unless_told(self):
        daemon = self.start_daemon("--admin-listen", "127.0.0.1:0")
        for address in (daemon.address, daemon.admin_address):
            for path in ("/console", "/console/", "/web/syncclient.js"):
                self.assertEqual(self.get(address, path)[0], 404, path)
        # And no page may ask at all.
        host, port = daemon.admin_address
        status, _, _ = self.get((host, port), "/metrics", Origin=f"http://{host}:{port}")
        self.assertEqual(status, 403)

    async def test_without_an_address_of_operators_it_is_where_this_machine_asks(self):
        daemon = self.start_daemon("--console", str(ROOT / "clients"))
        self.assertEqual(self.get(daemon.address, "/console/")[0], 200)
        _, _, body = self.get(daemon.address, "/console/daemon.json")
        self.assertEqual(json.loads(body), {})
        self.assertEqual(self.get(daemon.address, "/admin/v1/status")[0], 404)

    async def test_where_others_reach_it_it_has_to_be_allowed(self):
        settings = ["--console", str(ROOT / "clients"), "--insecure"]
        daemon = self.start_daemon(*settings, listen="0.0.0.0:0")
        address = ("127.0.0.1", daemon.port)
        self.assertEqual(self.get(address, "/console/")[0], 404)
        self.assertIn("There is no console", daemon.log())
        daemon = self.start_daemon(*settings, "--console-for-clients", listen="0.0.0.0:0")
        address = ("127.0.0.1", daemon.port)
        self.assertEqual(self.get(address, "/console/")[0], 200)
        self.assertEqual(self.get(address, "/admin/v1/status")[0], 404)
        self.assertEqual(self.get(address, "/metrics")[0], 404)

    async def test_a_directory_that_is_none_is_told_and_ends_nothing(self):
        daemon = self.start_daemon("--console", "/nowhere")
        self.assertIn("There is no /nowhere/console.", daemon.log())
        self.assertEqual(self.get(daemon.address, "/console/")[0], 404)

    async def test_a_browser_fetches_once_what_stays(self):
        daemon = self.start_console()
        _, headers, _ = self.get(daemon.admin_address, "/console/main.js")
        self.assertEqual(headers["Cache-Control"], "no-cache")
        tag = headers["ETag"]
        status, headers, body = self.get(
            daemon.admin_address, "/console/main.js", If_None_Match=f'"other", {tag}')
        self.assertEqual((status, headers["ETag"], body), (304, tag, b""))
        status, _, body = self.get(
            daemon.admin_address, "/console/main.js", If_None_Match='"other"')
        self.assertEqual((status, body != b""), (200, True))

    async def test_its_policy(self):
        daemon = self.start_console()
        for path in ("/console/", "/console/device.html", "/web/example.html"):
            _, headers, body = self.get(daemon.admin_address, path)
            policy = headers["Content-Security-Policy"]
            self.assertEqual(policy, (
                f"default-src 'self'; connect-src 'self' ws://127.0.0.1:{daemon.port}"
                f" ws://localhost:{daemon.port}; base-uri 'none'; form-action 'none';"
                " frame-ancestors 'self'"))
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertNotIn(b"<style", body)
            self.assertNotRegex(body.decode(), r"<script(?![^>]*src=)")

    async def test_only_its_own_pages_may_ask(self):
        daemon = self.start_console()
        host, port = daemon.admin_address
        own = f"http://{host}:{port}"
        bearer = f"Bearer {KEY}"
        for status, headers in (
                (200, {"Origin": own}), (200, {"Sec_Fetch_Site": "same-origin"}),
                (200, {"Sec_Fetch_Site": "none"}), (403, {"Sec_Fetch_Site": "same-site"}),
                (403, {"Sec_Fetch_Site": "cross-site"}), (403, {"Origin": "null"}),
                (403, {"Origin": f"http://{host}:{daemon.port}"}),
                (403, {"Origin": f"https://{host}:{port}"}),
                (403, {"Origin": f"http://localhost:{port}"}),
                (403, {"Origin": "https://evil.example"}),
                # Its own, says a page by a name that was pointed here.
                (421, {"Origin": f"http://evil.example:{port}", "Host": f"evil.example:{port}"}),
                (421, {"Sec_Fetch_Site": "same-origin", "Host": f"evil.example:{port}"})):
            with self.subTest(**headers):
                for path in ("/metrics", "/admin/v1/status"):
                    found = self.get((host, port), path, Authorization=bearer, **headers)[0]
                    self.assertEqual(found, status, path)
        # And the key is needed all the same.
        self.assertEqual(self.get((host, port), "/admin/v1/status", Origin=own)[0], 401)


class InBrowser(ConsoleCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.browser = Browser()
        self.addAsyncCleanup(self.browser.close)
        await self.browser.start()

    async def console(self, daemon, channel="room", more="", context=None, **screen):
        """A person at the console, when its devices are verified."""
        host, port = daemon.admin_address
        page = await self.browser.page(
            f"http://{host}:{port}/console/#key={KEY}&channel={channel}{more}",
            context or await self.browser.context())
        hands = Hands(page)
        await hands.be(**{"width": 1440, "height": 1000, **screen})
        await page.run(PATHS)
        # What happens is frames of the devices.
        await page.run("window.seen = { get length() { return bench.devices.reduce((sum, it) => "
                       "sum + it.link.count, bench.witness.link.count); } }; true")
        await self.until_equal(page)
        return hands

    async def until_equal(self, page):
        await page.until("bench.devices.every((it) => it.isSettled) && "
                         "texts('[aria-label=\"Equal?\"] .head .pill')[0] === 'all equal'",
                         "all to be equal")


class Bench(InBrowser):
    async def test_a_reaction_crosses(self):
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        self.assertEqual(await page.run("location.hash"), "#channel=room")
        await page.run("bench.devices[0].room.publish({ text: 'Shall we meet at noon?' })")
        await page.until("bench.devices[1].room.items[0]?.timetoken")
        await page.run("bench.devices[1].room.toggle("
                       "bench.devices[1].room.items[0].timetoken, '👍')")
        await page.until("bench.devices[0].room.items[0].actions[0]?.uuid === 'bob'")
        await self.until_equal(page)
        # What was said is listed, and a click shows the frame.
        await page.until("texts('[aria-label=\"What it took\"] td').some((it) => "
                         "it === '→ addAction 👍')")
        await page.run("[...document.querySelectorAll('td button')].find((it) => "
                       "it.textContent === '→ addAction 👍').click()")
        await page.until("one('dialog[open] pre')?.textContent.includes('\"addAction\"')")
        self.assertEqual(await page.run("bench.devices.flatMap((it) => it.problems)"), [])

    async def test_a_damaged_row_heals(self):
        daemon = self.start_console()
        writer = await self.device(daemon, "zoe")
        messages = [await writer.publish("room", n) for n in range(120)]
        for it in messages[:40]:
            await writer.add("room", it, "👍")
        hands = await self.console(daemon)
        page = hands.page
        await page.run("""(async () => {
            const [device] = bench.devices.slice(1);
            window.healed = device.damage(Math.random, () => new Promise((go) => window.go = go));
        })()""")
        # It is seen: in words, and as one cell.
        await page.until("texts('[aria-label=\"Equal?\"] .head .pill')[0] === '1 device differs'")
        self.assertEqual(await page.run("all('.cells .differs').length"), 1)
        damaged = await page.run("bench.devices[1].damaged")
        await hands.look("console-damaged")
        await page.run("go(), healed.then(() => true)")
        await self.until_equal(page)
        await page.until("bench.repairs.all[0]?.snapshot")
        repair = await page.run("bench.repairs.all.map(({ device, ...it }) => it)[0]")
        self.assertEqual(repair["rows"], 1, damaged)
        self.assertIsNone(repair["needed"], "The first were enough, so the daemon said nothing.")
        self.assertIn(f"≤ {repair['symbols']}", await page.run("texts('[aria-label=Repairs] td')"))
        self.assertLess(repair["bytes"], repair["snapshot"] / 2)
        self.assertEqual(await page.run("all('.cells .differs').length"), 0)

    async def test_nothing_is_called_equal_while_nobody_knows(self):
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        pills = "texts('[aria-label=\"Equal?\"] .pill')"
        self.assertEqual(await page.run(pills), ["all equal", "equal", "equal"])
        # One that is away, and one that has something unsent, may be equal to something old.
        await page.run("bench.devices[1].setOffline(true)")
        await page.until(f"{pills}.join() === 'not known yet,equal,not known'")
        await page.run("bench.devices[1].room.publish({ text: 'Anybody?' })")
        await page.until("texts('.device .pill')[1] === 'offline, 1 unsent'")
        self.assertEqual(await page.run(pills), ["not known yet", "equal", "not known"])
        await page.run("bench.devices[1].setOffline(false)")
        await self.until_equal(page)
        self.assertGreater(await page.run("all('.cells i').length"), 0)
        daemon.kill()
        await page.until(f"{pills}.join() === 'not known: no answer,not known,not known'")
        self.assertEqual(await page.run("texts('[aria-label=\"Equal?\"] dd')[0]"), "…")
        self.assertEqual(await page.run("all('.cells i').length"), 0)
        await page.run("bench.devices[0].room.publish({ text: 'Nobody.' })")
        await page.until("texts('.device .pill')[0].endsWith(', 1 unsent')")
        self.assertEqual(await page.run("all('[aria-label=\"Equal?\"] .good').length"), 0)

    async def test_switches(self):
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        press = ("(text) => [...document.querySelectorAll('.device')[1]"
                 ".querySelectorAll('.switches button')].find((it) => it.textContent === text)")
        state = "texts('.device .pill')[1]"
        await page.run(f"({press})('Offline').click()")
        await page.until(f"{state} === 'offline'")
        await page.run("bench.devices[0].room.publish({ text: 'Where are you?' })")
        await page.until("bench.devices[0].client.waiting === 0")
        self.assertEqual(await page.run("bench.devices[1].room.items.length"), 0)
        await page.run(f"({press})('Offline').click()")
        await self.until_equal(page)
        self.assertEqual(await page.run("bench.devices[1].room.items.length"), 1)
        # What it has outlives it.
        await page.run(f"({press})('Kill').click()")
        await page.until(f"{state} === 'off' && all('iframe').length === 1")
        await page.until("bench.devices[1].cache?.messages.size === 1")
        await page.run(f"({press})('Start').click()")
        await self.until_equal(page)
        self.assertEqual(await page.run("bench.devices[1].room.sync.snapshots"), 0)
        # And nothing outlives a wipe.
        device = await page.run("bench.devices[1].client.deviceId")
        await page.run(f"({press})('Wipe').click()")
        await page.until(f"bench.devices[1].client && "
                         f"![{json.dumps(device)}, ''].includes(bench.devices[1].client.deviceId)")
        await self.until_equal(page)
        # Slow is slow, and right.
        await page.run(f"({press})('Slow').click()")
        await page.run("bench.devices[1].room.publish({ text: 'From far away.' })")
        await page.until("bench.devices[0].room.items.length === 2")
        await self.until_equal(page)

    async def test_a_window_holds_the_newest(self):
        daemon = self.start_console()
        writer = await self.device(daemon, "zoe")
        for n in range(200):
            await writer.publish("room", n)
        hands = await self.console(daemon)
        await hands.page.run("""(() => {
            const select = document.querySelectorAll('.device select')[1];
            select.value = '50';
            select.dispatchEvent(new Event('change'));
        })()""")
        await hands.page.until("all('.cells .not-held').length > 0")
        await self.until_equal(hands.page)

    async def test_what_cannot_be_done_is_told(self):
        daemon = self.start_console()
        page = (await self.console(daemon)).page
        await page.run("bench.race.run(1, 1)")
        await page.until("texts('[aria-label=Race] .pill')[0] === '0 unequal'")
        for rounds in ("0", "-3", "99999", ""):
            await page.run(f"""(() => {{
                all('[aria-label=Race] input')[0].value = '{rounds}';
                all('[aria-label=Race] button')[0].click();
            }})()""")
            self.assertEqual(await page.run("texts('[aria-label=Race] .pill, .verdict')"),
                             ["not run", "Rounds are 1 to 10,000."], rounds)
        # A channel that nobody wrote in yet has nothing to damage.
        page = (await self.console(daemon, "empty")).page
        device = await page.run("bench.devices[1].client.stats.connections")
        await page.run("all('.device')[1].querySelectorAll('.switches button')[3].click()")
        await page.until("texts('.device .refusal')[0]?.startsWith('There is no row to damage')")
        self.assertEqual(await page.run("bench.devices[1].client.stats.connections"), device)
        await page.run("bench.devices[0].room.publish({ text: 'Now' })")
        # All were equal before it, too.
        await page.until("bench.devices[1].room.items[0]?.timetoken", "the message")
        await self.until_equal(page)
        await page.run("all('.device')[1].querySelectorAll('.switches button')[3].click()")
        await page.until("bench.repairs.all.length === 1")
        await self.until_equal(page)
        self.assertEqual(await page.run("all('.refusal').length"), 0)

    async def test_a_race_ends_equal(self):
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        await page.run("bench.add()")
        await page.run("bench.devices[0].room.publish({ text: 'Ready, steady' })")
        await self.until_equal(page)
        seed = random.randrange(2 ** 31)
        await page.run(f"void (window.raced = bench.race.run({ROUNDS}, {seed}))")
        await page.until("!bench.race.isRunning", f"the race of seed {seed}")
        verdicts = await page.run("raced")
        self.assertEqual([it for it in verdicts if not it["isEqual"]], [], seed)
        self.assertEqual(len(verdicts), ROUNDS)
        self.assertEqual(await page.run("texts('[aria-label=Race] .pill')"), ["0 unequal"])
        # The daemon agrees with the devices about what there is.
        writer = await self.device(daemon, "zoe")
        rows = len(await writer.all_actions("room")) + len(await writer.all_messages("room"))
        self.assertEqual(await page.run("bench.devices.map((it) => it.cache.state.n)"), [rows] * 3)


class Where(InBrowser):
    """Which channel of which daemon, and whose devices."""

    async def test_an_address_that_is_none_is_told_and_ends_nothing(self):
        daemon = self.start_console()
        for asked, word in (("a%2Cb", "comma"), ("news.*", "that is many"), ("", "255 bytes"),
                            ("x" * 256, "255 bytes"), ("room&url=foo", "not foo")):
            with self.subTest(asked):
                page = (await self.console(daemon, asked)).page
                self.assertIn(word, await page.run(ALERT))
                self.assertIn("· room", await page.run("texts('#place')[0]"))
                # It is no question of the devices, and stays until somebody has read it.
                await page.run("all('[role=alert] button')[0].click()")
                self.assertEqual(await page.run(ALERT), "")
        # What a tab kept before is no better.
        await page.run("""sessionStorage.setItem('syncdaemon-console-place',
            '{"channel":"a,b","url":"foo"}'), history.replaceState(null, '', location.pathname)""")
        await page.reload()
        await page.run(PATHS)
        await self.until_equal(page)
        self.assertIn("comma", await page.run(ALERT))

    async def test_devices_connect_from_an_ipv6_address(self):
        """Found by an attack: no policy can name one, so no device ever connected."""
        daemon = self.start_console(admin="[::1]:0", listen="[::1]:0")
        page = (await self.console(daemon)).page
        self.assertEqual(await page.run("location.hostname"), "[::1]")
        self.assertEqual(await page.run("texts('#place')[0]"), f"localhost:{daemon.port} · room")

    async def test_what_is_secret_leaves_the_address_and_nothing_else(self):
        daemon = self.start_console()
        page = (await self.console(daemon, "heavy", more="&token=tell-nobody")).page
        for _ in range(2):
            self.assertEqual(await page.run("location.hash"), "#channel=heavy")
            self.assertIn("· heavy", await page.run("texts('#place')[0]"))
            self.assertEqual(await page.run("admin.key"), KEY)
            await page.run("all('#place')[0].click()")
            self.assertEqual(
                await page.run("all('dialog input[name=token]')[0].value"), "tell-nobody")
            await page.reload()
            await page.run(PATHS)
            await self.until_equal(page)
        # So it is in a tab where the console is open already.
        await page.run("window.isReady = false, location.hash = 'channel=other&token=T'")
        await page.until("window.isReady && location.hash === '#channel=other'")

    async def test_no_daemon_hears_what_was_given_for_another(self):
        daemon = self.start_console()
        pages = Pages(folder=ROOT / "clients")
        self.addCleanup(pages.close)
        heard, asked = [], []

        async def listen(socket):
            async for frame in socket:
                heard.append(frame)

        async def note(reader, writer):
            asked.append(await reader.readline())
            writer.close()

        other = await websockets.serve(listen, "127.0.0.1", 0, subprotocols=["sync.v1.json"])
        self.addCleanup(other.close)
        admin = await asyncio.start_server(note, "127.0.0.1", 0)
        self.addCleanup(admin.close)
        ports = [it.sockets[0].getsockname()[1] for it in (other, admin)]
        page = await self.browser.page(
            f"{pages.origin}/console/?daemon=127.0.0.1:{daemon.port}"
            f"#key={KEY}&token=tell-nobody&keyset=default")
        await page.run(PATHS)
        await page.until("texts('#ready')[0] === 'not known'")
        # As a link in the same tab leads there.
        link = f"{pages.origin}/console/?daemon=127.0.0.1:{ports[0]}"
        await page.run("window.isReady = false, location.href = "
                       f"'{link}&admin=http://127.0.0.1:{ports[1]}'")
        await eventually(lambda: len(heard) >= 3, "the devices to say hello")
        await page.until("window.isReady")
        await page.run(PATHS)
        self.assertIn(f"Not used: the token, which was given for ws://127.0.0.1:{daemon.port}/",
                      await page.run(ALERT))
        await page.until("texts('#ready')[0] === 'not known'")
        self.assertNotIn("tell-nobody", "".join(heard))
        self.assertEqual(asked, [])
        await page.run("all('#place')[0].click()")
        self.assertEqual(await page.run("all('dialog input[name=token]')[0].value"), "")
        # Nor does who writes another address there.
        await page.browser.command("Page.navigate", page.session,
                                   url=link.replace(str(ports[0]), str(daemon.port)))
        await page.until("window.isReady")
        await page.run(PATHS)
        await page.run("""(() => {
            all('#place')[0].click();
            const url = all('dialog input[name=url]')[0];
            window.before = all('dialog input[name=token]')[0].value;
            url.value = 'ws://h:1/v1/sync';
            url.dispatchEvent(new Event('input'));
        })()""")
        self.assertEqual(
            await page.run("[before, all('dialog input[name=token]')[0].value]"),
            ["tell-nobody", ""])

    async def test_the_dialog_refuses_them(self):
        daemon = self.start_console()
        page = (await self.console(daemon)).page
        for name, value in (("channel", "a,b"), ("channel", "news.*"), ("channel", "x" * 256),
                            ("channel", ""), ("url", "foo")):
            with self.subTest(value):
                await page.run(f"""(() => {{
                    all('#place')[0].click();
                    all('dialog input[name={name}]')[0].value = {json.dumps(value)};
                    all('dialog [type=submit]')[0].click();
                }})()""")
                await page.until("texts('dialog[open] [role=alert]')[0] !== ''")
        self.assertIsNone(await page.run("sessionStorage.getItem('syncdaemon-console-place')"))
        await page.run("""(() => {
            all('dialog input[name=url]')[0].value = '';
            all('dialog input[name=channel]')[0].value = 'other';
            all('dialog [type=submit]')[0].click();
        })()""")
        await page.until("document.querySelector('#place')?.textContent.includes('· other')")
        await page.run(PATHS)
        await self.until_equal(page)

    async def test_two_tabs_have_devices_of_their_own(self):
        daemon = self.start_console()
        context = await self.browser.context()
        first = (await self.console(daemon, context=context)).page
        await first.run("bench.devices[0].room.publish({ text: 'One of them' })")
        await self.until_equal(first)
        second = (await self.console(daemon, context=context)).page
        ids = "bench.devices.map((it) => it.client.deviceId)"
        devices = [await it.run(ids) for it in (first, second)]
        self.assertEqual(len(set(sum(devices, []))), 4, devices)
        # A cut is of one tab, and so is what it has.
        await first.run("bench.devices[0].setOffline(true)")
        await second.run("bench.devices[0].room.publish({ text: 'And another' })")
        await self.until_equal(second)
        self.assertEqual(await first.run("bench.devices[0].room.items.length"), 1)
        # Nothing is drawn where nobody looks.
        settled = "bench.devices.length === 2 && bench.devices.every((it) => it.isSettled)"
        await first.reload()
        await first.until(settled)
        self.assertEqual(await first.run(ids), devices[0])
        # A copy of a tab has its memory, but not its devices.
        tab = await first.run("sessionStorage.getItem('syncdaemon-console-tab')")
        await second.run(f"sessionStorage.setItem('syncdaemon-console-tab', '{tab}')")
        await second.reload()
        await second.until(settled)
        self.assertEqual(set(await second.run(ids)) & set(devices[0]), set())
        # What no tab has any more is gone: the devices that the second one had at first.
        await second.run("""void (async () => {
            while ((await indexedDB.databases()).filter((it) =>
                it.name.startsWith('console-tab-')).length > 4) {
                await new Promise((done) => setTimeout(done, 20));
            }
            window.isSwept = true;
        })()""")
        await second.until("window.isSwept")


class Writes(InBrowser):
    async def test_what_is_refused_is_told_and_given_back(self):
        daemon = self.start_of_two()
        page = (await self.console(daemon, more="&keyset=sub-b")).page
        await page.run(f"{COMPOSER}.value = 'Let me in', {COMPOSER}.send()")
        await page.until("texts('.device .refusal')[0]?.startsWith('Refused: a message')")
        self.assertEqual(await page.run(f"{COMPOSER}.value"), "Let me in")
        self.assertEqual(await page.run("all('.refusal').length"), 1)
        # With the key it is taken.
        page = (await self.console(daemon, more="&keyset=sub-b&publishKey=pub-b")).page
        await page.run(f"{COMPOSER}.value = 'Let me in', {COMPOSER}.send()")
        await page.until("bench.devices[1].room.items[0]?.timetoken")
        self.assertEqual(await page.run("all('.refusal').length"), 0)
        self.assertEqual(await page.run(f"{COMPOSER}.value"), "")

    async def test_fill_outlives_a_kill(self):
        daemon = self.start_console()
        page = (await self.console(daemon)).page
        fill = "[...document.querySelectorAll('.head button')].find((it) => " \
               "it.textContent === 'Fill')"
        await page.run(f"{fill}.click()")
        await page.until("bench.devices[0].room.items.length > 50")
        await page.run("bench.devices[0].kill()")
        await page.until(f"!{fill}.disabled")
        self.assertIn("killed amid Fill", await page.run(ALERT))
        # By who is left, and each of the newest has its reaction.
        await page.run(f"{fill}.click()")
        await page.until(f"!{fill}.disabled")
        counts = await page.run("bench.devices[1].room.items.slice(-201)"
                                ".map((it) => it.actions.length)")
        self.assertEqual(counts, [0] + [1] * 200)
        await page.run("bench.devices[1].kill()")
        await page.run(f"{fill}.click()")
        await page.until(f"{ALERT}.includes('needs a device that runs')")
        # What was wrong is not said any more when all is well.
        await page.run("Promise.all(bench.devices.map((it) => it.start()))")
        await self.until_equal(page)
        await page.until(f"{ALERT} === ''")

    async def test_a_device_that_starts_while_the_daemon_is_away_begins_when_it_is_back(self):
        """Found by an attack: its page had not loaded, so it never began, nor did a race end."""
        daemon = self.start_console()
        page = (await self.console(daemon)).page
        await page.run("bench.devices[0].room.publish({ text: 'go' })")
        await self.until_equal(page)
        host, port = daemon.admin_address
        daemon.listen = f"127.0.0.1:{daemon.port}"
        daemon.arguments[daemon.arguments.index("--admin-listen") + 1] = f"{host}:{port}"
        await asyncio.to_thread(daemon.stop)
        await page.run("bench.devices[0].kill().then(() => void bench.devices[0].start())")
        await page.until("bench.devices[0].state === 'starting'")
        await page.run("void (window.raced = bench.race.run(1, 7))")
        await asyncio.sleep(1)
        await asyncio.to_thread(daemon.start)
        await page.until("!bench.race.isRunning", "the race")
        self.assertEqual([it["isEqual"] for it in await page.run("raced")], [True])
        await self.until_equal(page)

    async def test_no_message_is_a_stop_between_the_list_and_the_composer(self):
        daemon = self.start_console()
        writer = await self.device(daemon, "zoe")
        for n in range(40):
            await writer.publish("room", {"text": f"One of many: {n}"})
        hands = await self.console(daemon)
        page = hands.page
        where = "all('iframe')[0].contentDocument.activeElement.localName"
        await page.until("all('iframe')[0].contentDocument.querySelector('sync-messages')"
                         ".shadowRoot.querySelectorAll('[part=react]').length > 5")
        await page.run("""(() => {
            const { contentWindow, contentDocument } = all('iframe')[0];
            contentWindow.focus();
            contentDocument.querySelector('sync-messages').shadowRoot.querySelector('[role=log]')
                .focus();
        })()""")
        await hands.press("Tab")
        self.assertEqual(await page.run(where), "sync-composer")
        # In a message its own is one.
        await hands.press("Tab", shift=True)
        await hands.press("ArrowUp")
        await hands.press("Tab")
        self.assertEqual(await page.run(where), "sync-messages")
        self.assertEqual(await page.run(
            "all('iframe')[0].contentDocument.activeElement.shadowRoot.activeElement"
            ".getAttribute('part')"), "react")
        await hands.press("Tab")
        self.assertEqual(await page.run(where), "sync-composer")


class Policy(InBrowser):
    """What the pages do is what their policy lets them."""

    async def test_no_page_breaks_it(self):
        daemon = self.start_console()
        page = await self.browser.page("about:blank", await self.browser.context(), "true")
        await page.browser.command("Page.enable", page.session)
        await page.browser.command(
            "Page.addScriptToEvaluateOnNewDocument", page.session, source="""
                top.broken ??= [];
                addEventListener('securitypolicyviolation', (it) => top.broken.push(
                    `${it.violatedDirective} ${it.blockedURI} ${it.sourceFile}`));
                addEventListener('error', (it) => top.broken.push(it.message));
                addEventListener('unhandledrejection', (it) => top.broken.push(`${it.reason}`));""")
        host, port = daemon.admin_address
        at = f"http://{host}:{port}"
        for address, ready, act, done in (
                (f"{at}/console/#key={KEY}", "window.isReady && bench.devices[1].isSettled", """
                    (async () => {
                        const [{ room }] = bench.devices;
                        await room.publish({ text: 'Cake!' });
                        await room.whenVerified();
                        const frame = document.querySelector('iframe').contentDocument;
                        frame.querySelector('sync-messages').openPicker(room.items[0],
                            frame.querySelector('sync-composer'));
                        for (const it of document.querySelectorAll('nav button')) it.click();
                    })()""", "document.querySelectorAll('.charts > section').length === 12"),
                (f"{at}/web/example.html?daemon=127.0.0.1:{daemon.port}",
                 "window.isReady", "document.querySelector('input').value = 'More cake!'",
                 "document.querySelectorAll('li').length === 2"),
                (f"{at}/web/ui/", "window.docs", "true",
                 "docs.messages.shadowRoot.querySelector('[part=text]')")):
            with self.subTest(address):
                await page.browser.command("Page.navigate", page.session, url=address)
                await page.until(ready)
                await page.run(act)
                await page.until(done)
                self.assertEqual(await page.run("broken"), [])


class Operators(InBrowser):
    async def view(self, hands, title):
        await hands.page.run(f"[...document.querySelectorAll('nav button')].find((it) => "
                             f"it.textContent === '{title}').click()")

    async def test_lists_and_figures(self):
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        await page.until("texts('#ready')[0] === 'ready'")
        self.assertIn("/metrics", await page.run("(all('nav button').at(-1).click(), "
                                                 "all('.plain button')[0].click(), "
                                                 "texts('dialog pre')[0])"))
        await page.run("all('dialog')[0].close()")
        await page.run("bench.devices[0].room.publish({ text: 'Anybody?' })")
        for title, word in (("Channels", "room"), ("Sessions", "ada"), ("Tenants", "default"),
                            ("Queues", "ledger")):
            await self.view(hands, title)
            await page.until(f"texts('main > section:not([hidden]) td').includes('{word}')", title)
        await self.view(hands, "Metrics")
        await page.until("all('.charts > section').length === 12")
        library = (ROOT / "clients/console/lib/chart.min.js").exists()
        await page.until(f"all('.charts canvas').length === {12 if library else 0}")
        await hands.look("console-metrics")
        # A session is ended, and its device comes again.
        await page.run("window.confirm = (it) => window.asked = it")
        await self.view(hands, "Sessions")
        await page.until("all('main > section:not([hidden]) td .button').length > 0")
        before = await page.run("bench.devices[0].client.stats.connections")
        await page.run("""(() => {
            const rows = [...document.querySelectorAll('main > section:not([hidden]) tr')];
            // A device's id, sixteen bytes as digits, may have ada in it as well.
            rows.find((row) => [...row.cells].some((it) => it.textContent === 'ada'))
                .querySelector('.button').click();
        })()""")
        await page.until(f"bench.devices[0].client.stats.connections > {before}")
        self.assertRegex(await page.run("asked"), r"^Kick: keyset default, user ada, id \S+\?$")

    async def test_a_daemon_that_hangs_is_no_ready_one(self):
        """Found by an attack: it was ready, with its last figures, for as long as it hung."""
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        await self.view(hands, "Sessions")
        await page.until("all('td .button').length > 0 && texts('#ready')[0] === 'ready'")
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            await page.until("texts('#ready.bad')[0] === 'no answer'")
            await page.until(f"{SAID}.includes('The daemon gives no answer')")
            self.assertEqual(await page.run("[texts('td'), texts('.scroll > .empty')]"),
                             [[], ["Not known."]])
            self.assertEqual(await page.run("[...document.querySelectorAll('.strip .big')].at(2)"
                                            ".textContent"), "–")
            # One that was never looked at has nothing to say, either.
            await self.view(hands, "Queues")
            self.assertEqual(await page.run("texts('.scroll > .empty')"), ["Not known yet."])
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        await page.until("texts('#ready')[0] === 'ready' && all('td .button').length === 0"
                         " && texts('td').includes('ledger')")

    async def test_a_question_that_fails_has_no_rows(self):
        """Found by an attack: those of the one before stood there, with what may be done."""
        daemon = self.start_console()
        hands = await self.console(daemon)
        page = hands.page
        ask = """((keyset) => {
            const input = all('main > section:not([hidden]) input[name=keyset]')[0];
            input.value = keyset;
            input.dispatchEvent(new Event('input'));
        })"""
        foot = "one('main > section:not([hidden]) .card > .form').innerText.trim()"
        for title in ("Sessions", "Channels"):
            await self.view(hands, title)
            await page.run("bench.devices[0].room.publish({ text: 'There' })")
            await page.until("all('td .button').length > 0")
            await page.run(f"{ask}('nobody')")
            await page.until(f"{SAID}.includes('is no keyset')", title)
            self.assertEqual(await page.run(f"[texts('td'), texts('.scroll > .empty'), {foot}]"),
                             [[], ["Not known."], ""])
            await page.run(f"{ask}('')")
            await page.until("all('td .button').length > 0")

    async def test_a_keyset_that_is_gone_is_told(self):
        """Found by an attack: a code of a connection was all that its devices said."""
        daemon = self.start_of_two()
        hands = await self.console(daemon)
        page = hands.page
        self.configuration.write_text(TENANTS.replace("sub-a", "sub-c"), encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        await page.until(f"{ALERT}.includes('Load the page again, or choose another keyset')")
        await self.view(hands, "Tenants")
        cells = "all('tr:has(td)').map((it) => [...it.cells].slice(0, 2)" \
                ".map((one) => one.textContent).join(' '))"
        await page.until(f"{cells}.includes('sub-a yes')")
        self.assertEqual(sorted(await page.run(cells)), ["sub-a yes", "sub-b ", "sub-c "])

    async def test_who_has_no_key_is_told(self):
        daemon = self.start_console()
        hands = await self.console(daemon)
        for key in ("", "wrong", "ключ"):
            await hands.page.run(f"admin.key = '{key}'")
            await self.view(hands, "Channels")
            await hands.page.until(f"{SAID}.includes('address in the head')")
            self.assertEqual(await hands.page.run("texts('.scroll > .empty')"), ["Not known."])
            await self.view(hands, "Metrics")
            await hands.page.until("texts('main > section:not([hidden]) .soft')"
                                   ".some((it) => it.includes('address in the head'))")

    async def test_a_purge_takes_the_channel_of_its_list(self):
        daemon = self.start_of_two()
        keys = {"sub-a": None, "sub-b": "pub-b"}
        writers = {keyset: await self.device(daemon, "zoe", keyset=keyset, publish_key=key)
                   for keyset, key in keys.items()}
        for it in writers.values():
            await it.publish("room", "Mine")
        hands = await self.console(daemon, "other")
        page = hands.page
        await page.run("window.asked = [], window.confirm = (it) => asked.push(it)")
        await self.view(hands, "Channels")
        cells = "texts('main > section:not([hidden]) tr:has(td) td:nth-child(-n + 3)').join()"
        # Whose list it is stands there, also where nobody asked for one.
        await page.until(f"{cells}.includes('sub-a,room,1')")
        await page.until("texts('main > section:not([hidden]) .form')"
                         ".some((it) => it.startsWith('Channels of keyset sub-a: '))")
        await page.run("""(() => {
            const input = all('main > section:not([hidden]) input[name=keyset]')[0];
            input.value = 'sub-b';
            input.dispatchEvent(new Event('input'));
        })()""")
        await page.until(f"{cells}.includes('sub-b,room,1')")
        # With the keyboard: the button keeps the focus, and the list is a new one all the same.
        await page.run("""(() => {
            const button = [...document.querySelectorAll('main > section:not([hidden]) tr')]
                .find((it) => it.textContent.includes('room')).querySelector('.button');
            button.focus();
            button.click();
        })()""")
        await page.until(f"{cells}.includes('sub-b,room,0')")
        self.assertIn("Purged 1 message.", await page.run(SAID))
        self.assertEqual(await page.run("asked"), ["Purge: keyset sub-b, channel room?"])
        self.assertEqual(await writers["sub-b"].all_messages("room"), [])
        self.assertEqual(len(await writers["sub-a"].all_messages("room")), 1)

    async def test_a_list_goes_on(self):
        daemon = self.start_console()
        writer = await self.device(daemon, "zoe")
        for n in range(42):
            await writer.publish(f"all {n:02}", n)
        hands = await self.console(daemon)
        page = hands.page
        await self.view(hands, "Channels")
        names = "texts('main > section:not([hidden]) td:nth-child(2)')"
        count = "texts('main > section:not([hidden]) .card > .form > span')[0]"
        press = ("(text) => all('main > section:not([hidden]) .card > .form button').find((it) => "
                 "it.textContent === text).click()")
        for first, said in ((0, "1 to 20, and more"), (20, "21 to 40, and more"),
                            (40, "41 to 42")):
            await page.until(f"{count} === 'Channels of keyset default: {said}'", said)
            self.assertEqual((await page.run(names))[:1], [f"all {first:02}"])
            if first < 40:
                await page.run(f"({press})('More')")
        self.assertEqual(await page.run(names), ["all 40", "all 41"])
        await page.run(f"({press})('Previous')")
        await page.until(f"{names}[0] === 'all 20'")
        # Another question begins at the beginning.
        await page.run("""(() => {
            const input = all('main > section:not([hidden]) input[name=prefix]')[0];
            input.value = 'all 0';
            input.dispatchEvent(new Event('input'));
        })()""")
        await page.until(f"{count} === 'Channels of keyset default: 10'")
        # Sessions, too: three of the console and the writer's, in pages of two.
        await page.run("kinds.find((it) => it.title === 'Sessions').limit = 2")
        await self.view(hands, "Sessions")
        await page.until(f"{count} === 'Sessions: 1 to 2, and more'")
        await page.run(f"({press})('More')")
        await page.until(f"{count} === 'Sessions: 3 to 4'")


class Snippets(InBrowser):
    """What "Copy as" gives is run as it is."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_console()
        self.writer = await self.device(self.daemon, "zoe")
        self.message = await self.writer.publish("room", "It's \"noon\"")
        self.page = (await self.console(self.daemon)).page

    async def snippets(self, act):
        await self.page.run(f"dialogs.showSnippets({json.dumps(act)})")
        return {it: await self.chosen(it) for it in ("Swift", *WRITERS)}

    async def chosen(self, language):
        """What the window that is open has for a language."""
        return await self.page.run(f"""(() => {{
            [...document.querySelectorAll('dialog .languages button')].find((it) =>
                it.textContent === '{language}').click();
            return document.querySelector('dialog pre').textContent;
        }})()""")

    def run_snippet(self, language, text):
        admin = " --data-dir " + self.daemon.data_dir if "syncctl admin" in text else ""
        command = {"curl": ["sh", "-c", text], "syncctl": ["sh", "-c", text + admin],
                   "Python": [sys.executable, "-c", text],
                   "JavaScript": ["node", "--experimental-websocket", "--no-warnings",
                                  "--input-type=module", "--eval", text]}[language]
        tools = pathlib.Path(binary("syncctl")).parent
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            cwd=PAGES, timeout=PATIENCE * WORK_ALONE_MAX, env=clean_environment(
                SYNC_ADMIN_KEY=KEY, PATH=f"{tools}:{os.environ['PATH']}"))
        self.assertEqual(done.returncode, 0, f"{language}: {text}\n{done.stdout}{done.stderr}")
        self.assertNotIn('"error"', done.stdout, text)
        return done.stdout

    async def test_writes(self):
        text = "It's \"noon\" C:\\foo\\bar $HOME `id` ü 👍 a\u202ebc \u2028 \x1b \t"
        publish = {"op": "publish", "as": "o'neil", "fields": {
            "channel": "a\u202eb", "payload": {"text": text}, "meta": {"to": text},
            "messageType": "it's"}}
        snippets = await self.snippets(publish)
        for language in WRITERS:
            self.run_snippet(language, snippets[language])
        said = await self.writer.all_messages("a\u202eb")
        self.assertEqual([(it["uuid"], it["payload"], it["meta"], it["messageType"])
                          for it in said], [("o'neil", {"text": text}, {"to": text}, "it's")] * 4)
        fields = {"channel": "room", "messageTimetoken": self.message, "value": "👍"}
        for language in WRITERS:
            for op, count in (("addAction", 1), ("removeAction", 0)):
                found = await self.snippets({"op": op, "as": "ada", "fields": fields})
                self.run_snippet(language, found[language])
                self.assertEqual(len(await self.writer.all_actions("room")), count, language)
        self.assertIn("import SyncClient", snippets["Swift"])

    async def test_a_reply_is_copied_as_one(self):
        """As the device sent it, whose frame somebody clicks on."""
        await self.page.run(f"bench.devices[0].room.publish('Me, too', {{ parent: '{self.message}'"
                            " })")
        await self.page.until("bench.devices[0].client.waiting === 0")
        await self.page.until("texts('td button').some((it) => it.startsWith('→ publish'))")
        await self.page.run("all('td button').find((it) => "
                            "it.textContent.startsWith('→ publish')).click()")
        await self.page.run("all('dialog .form button')[0].click()")
        for n, language in enumerate(("JavaScript", "Python", "curl"), 2):
            text = await self.chosen(language)
            self.run_snippet(language, text)
            replies = [it for it in await self.writer.all_messages("room")
                       if it.get("parent") == self.message and it["payload"] == "Me, too"]
            self.assertEqual([it["uuid"] for it in replies], ["ada"] * n, language)
        text = await self.chosen("syncctl")
        self.assertIn("# syncctl has no option for parent", text)
        self.run_snippet("syncctl", text)

    async def test_edits_and_deletions(self):
        """As the device sent them, whose frame somebody clicks on."""
        room = "bench.devices[0].room"
        for n in range(5):
            await self.page.run(f"{room}.publish('Number {n}')")
        await self.page.until("bench.devices.every((it) => it.isSettled && "
                              "it.room.items.length === 6)")
        messages = await self.page.run(f"{room}.items.slice(1).map((it) => it.timetoken)")

        async def copy(call, op):
            await self.page.run(call)
            await self.page.until(f"texts('td button').some((it) => it.startsWith('→ {op}'))")
            await self.page.run(f"all('td button').find((it) => "
                                f"it.textContent.startsWith('→ {op}')).click()")
            await self.page.run("all('dialog .form button')[0].click()")
            texts = [(it, await self.chosen(it)) for it in WRITERS]
            await self.page.run("all('dialog')[0].close()")
            return texts

        text = "It's \"later\" " * 9
        edited = json.dumps({"text": text})
        snippets = await copy(f"{room}.edit('{messages[0]}', {edited})", "editMessage")
        for message, (language, snippet) in zip(messages[1:], snippets):
            self.run_snippet(language, snippet.replace(messages[0], message))
            found = {it["timetoken"]: it.get("edited") for it in
                     await self.writer.all_messages("room")}
            self.assertEqual(found[message]["payload"], {"text": text}, language)
        snippets = await copy(f"{room}.delete('{messages[0]}')", "deleteMessage")
        for message, (language, snippet) in zip(messages[1:], snippets):
            self.run_snippet(language, snippet.replace(messages[0], message))
            found = [it["timetoken"] for it in await self.writer.all_messages("room")]
            self.assertNotIn(message, found, language)

    async def test_writes_where_a_publish_key_is_asked_for(self):
        self.daemon = self.start_of_two()
        self.writer = await self.device(self.daemon, "zoe", keyset="sub-b", publish_key="pub-b")
        message = await self.writer.publish("-room", "It's noon")
        self.page = (await self.console(
            self.daemon, "-room", more="&keyset=sub-b&publishKey=pub-b")).page
        fields = {"channel": "-room", "messageTimetoken": message, "value": "yes", "type": "vote"}
        publish = await self.snippets(
            {"op": "publish", "as": "ada", "fields": {"channel": "-room", "payload": "-1"}})
        for n, language in enumerate(WRITERS, 1):
            self.run_snippet(language, publish[language])
            self.assertEqual(len(await self.writer.all_messages("-room")), 1 + n, language)
            for op, count in (("addAction", 1), ("removeAction", 0)):
                found = await self.snippets({"op": op, "as": "ada", "fields": fields})
                self.run_snippet(language, found[language])
                actions = await self.writer.all_actions("-room")
                self.assertEqual(["vote" in it for it in actions], [True] * count, language)
        purge = await self.snippets({"admin": "channels purge", "isChange": True,
                                     "fields": {"keyset": "sub-b", "channel": "-room"}})
        self.run_snippet("syncctl", purge["syncctl"])
        self.assertEqual(await self.writer.all_messages("-room"), [])

    async def test_swift_compiles(self):
        on = {"channel": "room", "messageTimetoken": self.message}
        room = {"channel": "room"}
        acts = [{"op": op, "as": "o'neil", "fields": fields} for op, fields in (
            ("publish", {**room, "payload": {"text": "\"noon\" \\ \u0007 👍"}}),
            ("publish", {**room, "payload": "C:\\foo\\bar \u202e", "parent": self.message,
                         "meta": {"lang": "en"}, "messageType": "text"}),
            ("addAction", {**on, "value": "👍"}), ("addAction", {**on, "value": "👍", "score": 5}),
            ("removeAction", {**on, "value": "yes", "type": "vote"}),
            ("editMessage", {**on, "payload": {"text": "\"noon\" \u200b"}}), ("deleteMessage", on),
            ("history", room), ("follow", room))]
        acts += [{"admin": "channels purge", "isChange": True, "fields": {"channel": "a b"}},
                 {"admin": "sessions", "fields": {}}, {"admin": "metrics", "fields": {}}]
        products = pathlib.Path(binary("syncdaemon")).parent
        maps = [*pathlib.Path(ROOT, "Sources").glob("*/module.modulemap"),
                *products.glob("*.build/module.modulemap")]
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "main.swift")
            for act in acts:
                path.write_text((await self.snippets(act))["Swift"] + "\n", encoding="utf-8")
                done = subprocess.run(
                    ["swiftc", "-typecheck", "-swift-version", "6", "-I", products / "Modules",
                     *(word for it in maps for word in ("-Xcc", f"-fmodule-map-file={it}")), path],
                    capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, path.read_text() + done.stderr)

    async def test_questions(self):
        snippets = await self.snippets({"op": "history", "fields": {"channel": "room"}})
        for language in WRITERS:
            self.assertIn("noon", self.run_snippet(language, snippets[language]))

    async def test_operators(self):
        channels = await self.snippets({"admin": "channels", "fields": {"prefix": "ro"}})
        for language in ("Python", "curl", "syncctl", "JavaScript"):
            self.assertIn("room", self.run_snippet(language, channels[language]))
        figures = await self.snippets({"admin": "metrics", "fields": {}})
        for language in ("Python", "curl", "JavaScript"):
            self.assertIn("syncdaemon_ready 1", self.run_snippet(language, figures[language]))
        for n, language in enumerate(("Python", "curl", "syncctl", "JavaScript")):
            await self.writer.publish(f"old {n}", "gone")
            purge = await self.snippets({"admin": "channels purge", "isChange": True,
                                         "fields": {"channel": f"old {n}"}})
            self.assertNotIn(KEY, "".join(purge.values()))
            self.run_snippet(language, purge[language])
            self.assertEqual(await self.writer.all_messages(f"old {n}"), [], language)


class Access(InBrowser):
    """Read by axe, the devices' pages too, and looked at by people."""

    async def violations(self, page):
        tree = await page.browser.command("Page.getFrameTree", page.session)
        frames = [tree["frameTree"], *tree["frameTree"].get("childFrames", [])]
        self.assertEqual(len(frames), 3)
        found = []
        for frame in frames:
            # A world of its own, which the page's policy does not concern.
            world = await page.browser.command(
                "Page.createIsolatedWorld", page.session, frameId=frame["frame"]["id"])
            for script in (AXE.read_text(encoding="utf-8") + "; true", f"""
                    axe.run(document, {{ runOnly: {{ type: 'tag', values: {json.dumps(TAGS)} }},
                        iframes: false }}).then(({{ violations, passes }}) => [passes.length,
                        violations.flatMap(({{ id, nodes }}) => nodes.map(({{ target,
                            failureSummary }}) => `${{id}} ${{target}} ${{failureSummary}}`))])"""):
                reply = await page.browser.command(
                    "Runtime.evaluate", page.session, expression=script, awaitPromise=True,
                    returnByValue=True, contextId=world["executionContextId"])
            passes, wrong = reply["result"]["value"]
            self.assertGreater(passes, 10)
            found += wrong
        return found

    async def test_in_light_and_dark(self):
        daemon = self.start_console()
        writer = await self.device(daemon, "zoe")
        for n in range(100):
            message = await writer.publish("room", {"text": f"One of many: {n}"})
        await writer.add("room", message, "👍")
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                hands = await self.console(daemon, scheme=scheme)
                page = hands.page
                await page.run("bench.devices[1].damage(Math.random)")
                await self.until_equal(page)
                await page.until("bench.repairs.all[0]?.snapshot")
                await page.until("texts('#ready')[0] === 'ready'")
                await page.run("new Promise((done) => requestAnimationFrame(() => "
                               "requestAnimationFrame(done)))")
                await hands.look(f"console-{scheme}")
                self.assertEqual(await self.violations(page), [], scheme)
                for title in ("Channels", "Sessions", "Tenants", "Queues", "Metrics"):
                    await page.run(f"[...document.querySelectorAll('nav button')].find((it) => "
                                   f"it.textContent === '{title}').click()")
                    await page.until(
                        "all('main > section:not([hidden]) :is(td, .charts > section, .empty)')"
                        ".length > 0")
                    self.assertEqual(await self.violations(page), [], f"{scheme} {title}")
                await page.run("dialogs.showSnippets("
                               "{ op: 'history', fields: { channel: 'room' } })")
                await page.until("one('dialog[open]')")
                await hands.look(f"console-{scheme}-copy")
                self.assertEqual(await self.violations(page), [], f"{scheme} copy")


if __name__ == "__main__":
    unittest.main()
