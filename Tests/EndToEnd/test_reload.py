"""SIGHUP and its relatives: what changes while the daemon runs, and what no signal may do."""

import asyncio
import os
import pathlib
import re
import signal
import tempfile
import unittest

from case import DaemonTestCase, eventually
from device import Disconnected
from raw import Ended, RawClient
from rest import LongPoll, Rest
from test_activation import Notifications

WEB = """
[keyset web]
subscribe_key = sub-web
"""
APP = """
[keyset app]
subscribe_key = sub-app
"""
GUARDED = APP + "access_control = yes\nsecret_key = of-app\n"


class ReloadTestCase(DaemonTestCase):
    """A daemon with a configuration file that the test rewrites."""

    def start(self, text, may_be_absent=False, **options):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "sync.ini")
        self.write(text)
        self.reloads = 0
        return self.start_daemon("--config", "-" * may_be_absent + self.path, **options)

    def write(self, text):
        """None takes the file away."""
        if text is None:
            os.unlink(self.path)
        else:
            pathlib.Path(self.path).write_text(text, encoding="utf-8")

    async def reload(self, daemon, text, outcome="Configuration reloaded."):
        """Rewrites the file and returns what the log says about it."""
        before = len(daemon.log())
        self.write(text)
        daemon.process.send_signal(signal.SIGHUP)
        await eventually(lambda: outcome in daemon.log()[before:], repr(outcome))
        return daemon.log()[before:]


class Reload(ReloadTestCase):
    async def test_limits_and_level_change_and_nobody_is_disconnected(self):
        daemon = self.start("[log]\nlevel = notice\n")
        device = await self.device(daemon, "ada")
        await device.subscribe("room")
        with RawClient(daemon.address) as page:
            page.send(page.upgrade_request("Origin: https://a.example"))
            self.assertEqual(page.answer().status, 403)

        log = await self.reload(daemon, """
[log]
level = warning
[server]
allowed_origins = https://a.example
allowed_hosts = chat.example
[limits]
commands_per_second = 3
""")

        # The line comes before the level holds for it: an administrator asked for it.
        self.assertIn('changed="[server] allowed_origins, [server] allowed_hosts, [log] level, '
                      '[limits] commands_per_second"', log)
        with RawClient(daemon.address) as page:
            page.upgrade("Origin: https://a.example")
        with RawClient(daemon.address) as proxy:
            proxy.address = ("chat.example", 443)
            self.assertEqual(proxy.get("/metrics").status, 200)
        refused = 0
        for _ in range(20):
            reply = await device.request("history", channel="room")
            refused += reply.get("error", {}).get("code") == "rate_limited"
        self.assertGreater(refused, 0, "The session that was open has the new rate.")
        self.assertIsNone(device.close_code)

    async def test_a_wrong_configuration_changes_nothing(self):
        daemon = self.start("[limits]\ncommands_per_second = 4000\n")
        device = await self.device(daemon, "ada")

        log = await self.reload(
            daemon, "[limits]\ncommands_per_second = none\n[sever]\nreaders = 2\n[log]\nlevel=debug\n",
            outcome="The configuration was not reloaded: the old one holds.")

        self.assertRegex(log, r"Z error   \S+/sync.ini:2: commands_per_second cannot be \"none\"")
        self.assertRegex(log, r"Z error   \S+/sync.ini:4: there is no section \[sever\]")
        self.assertNotIn("Configuration reloaded", log)
        await device.publish("room", "still here")
        self.assertNotIn("debug", log)
        log = await self.reload(daemon, "[limits]\ncommands_per_second = 4000\n")
        self.assertIn("changed=nothing", log)

    async def test_what_needs_a_restart_is_named(self):
        daemon = self.start("[server]\nreactors = 1\n")

        log = await self.reload(
            daemon, "[server]\nreactors = 2\nreaders = 3\nconnections = 1\n"
            "admin_listen = 127.0.0.1:0\n[log]\nformat = text\n")

        self.assertRegex(
            log, r"Z warning These settings have changed and need a restart\. "
            r'settings="\[server\] admin_listen, \[server\] reactors, \[server\] readers, \[log\] format"')
        self.assertIn('changed="[server] connections"', log)
        with RawClient(daemon.address) as first:
            self.assertEqual(first.get().status, 200)
            with RawClient(daemon.address) as second:
                with self.assertRaises(Ended):
                    second.get()

    async def test_other_machines_stay_out(self):
        """The socket is that of the start: what would not have been allowed then is not now."""
        daemon = self.start("[server]\ninsecure = yes\n", listen="0.0.0.0:0")

        log = await self.reload(
            daemon, "[server]\ninsecure = no\n",
            outcome="The configuration was not reloaded: the old one holds.")

        self.assertIn("--listen: other machines can reach 0.0.0.0:0", log)

    async def test_a_revoked_key_ends_its_sessions_and_polls_only(self):
        daemon = self.start(WEB + APP)
        web = await self.offline_device(daemon, "ada", "phone", "sub-web").connect()
        app = await self.offline_device(daemon, "ada", "phone", "sub-app").connect()
        await web.subscribe("room")
        poll = LongPoll(daemon, "ada", "room", keys=("pub", "sub-app")).handshake()
        self.addCleanup(poll.rest.close)
        kept = LongPoll(daemon, "ada", "room", keys=("pub", "sub-web")).handshake()
        self.addCleanup(kept.rest.close)
        poll.begin()
        kept.begin()
        await self.polls_are_open(daemon, 2)

        log = await self.reload(daemon, WEB)

        self.assertIn('changed="[keyset app]"', log)
        self.assertEqual(await app.closed(), 1008)
        refusal = await asyncio.to_thread(poll.rest.http.answer)
        self.assertEqual(refusal.status, 400)
        self.assertIn(b"Invalid Subscribe Key", refusal.body)
        with self.assertRaises((Disconnected, Exception)) as caught:
            await self.offline_device(daemon, "ada", "phone", "sub-app").connect()
        self.assertEqual(caught.exception.code, "unknown_keyset")
        await web.publish("room", "still here")
        self.assertEqual(
            [it["d"] for it in await asyncio.to_thread(kept.finish)], ["still here"])

    async def test_who_was_in_the_last_keyset_is_not_in_the_one_of_all(self):
        daemon = self.start(WEB)
        web = await self.offline_device(daemon, "ada", "phone", "sub-web").connect()
        await web.subscribe("room")
        poll = LongPoll(daemon, "ada", "room", keys=("pub", "sub-web")).handshake()
        self.addCleanup(poll.rest.close)
        poll.begin()
        await self.polls_are_open(daemon, 1)

        await self.reload(daemon, "")

        self.assertEqual(await web.closed(), 1008)
        refusal = await asyncio.to_thread(poll.rest.http.answer)
        self.assertEqual(refusal.status, 400)
        self.assertIn(b"Invalid Subscribe Key", refusal.body)

    async def test_the_last_access_control_stays_whatever_becomes_of_the_file(self):
        daemon = self.start("", may_be_absent=True)
        for text in (GUARDED, WEB + GUARDED):
            await self.reload(daemon, text)
            for emptied in ("", WEB, APP, None):
                with self.subTest(emptied):
                    log = await self.reload(
                        daemon, emptied, "The configuration was not reloaded: the old one holds.")
                    self.assertRegex(log, r"Z error   No \[keyset\] has access_control any more")
                    with Rest(daemon, "ada", keys=("pub", "sub-app")) as rest:
                        self.assertEqual(rest.get("/publish/pub/sub-app/0/room/0/1").status, 403)

    async def test_a_proxy_that_is_gone_from_the_file_brings_strangers_all_the_same(self):
        daemon = self.start("[server]\nproxy_protocol_from = 127.0.0.9\n" + GUARDED + WEB
                            + "access_control = yes\nsecret_key = of-web\n")

        log = await self.reload(
            daemon, GUARDED + WEB, "The configuration was not reloaded: the old one holds.")

        self.assertRegex(
            log, r"other machines can reach 127\.0\.0\.1:\d+ through the proxies of proxy_protocol_from")
        with Rest(daemon, "ada", keys=("pub", "sub-web")) as rest:
            self.assertEqual(rest.get("/publish/pub/sub-web/0/room/0/1").status, 403)

    async def polls_are_open(self, daemon, count):
        def are_open():
            with RawClient(daemon.address) as client:
                text = client.get("/metrics").body.decode()
            return re.search(rf"(?m)^\S*polls\S* {count}$", text) is not None

        await eventually(are_open, f"{count} polls to be open")

    async def test_presence_that_is_switched_off_ends_at_once(self):
        daemon = self.start(WEB)
        where = "/v2/presence/sub-key/{sub}/channel/room"
        with Rest(daemon, "ada", keys=("pub", "sub-web")) as rest:
            rest.ok(f"{where}/heartbeat")
            self.assertEqual(rest.ok(where)["occupancy"], 1)

            await self.reload(daemon, WEB + "presence = no\n")
            self.assertEqual(rest.ok(where)["occupancy"], 0)
            rest.ok(f"{where}/heartbeat")
            self.assertEqual(rest.ok(where)["occupancy"], 0)

            await self.reload(daemon, WEB)
            rest.ok(f"{where}/heartbeat")
            self.assertEqual(rest.ok(where)["occupancy"], 1)

    async def test_a_new_keyset_is_there_at_once(self):
        daemon = self.start(WEB)
        await self.reload(daemon, WEB + APP + "delete = no\n")

        device = await self.offline_device(daemon, "ada", "phone", "sub-app").connect()
        await device.publish("room", "hello")

    async def test_reloads_under_load_lose_nothing(self):
        daemon = self.start(WEB)
        device = await self.offline_device(daemon, "ada", "phone", "sub-web").connect()
        await device.subscribe("room")
        publishing = asyncio.create_task(device.settle_all(
            [("publish", {"channel": "room", "payload": n}) for n in range(1000)]))
        for number in range(5):
            await self.reload(daemon, WEB + f"retention_hours = {number + 1}\n")

        replies = await publishing

        last = max(int(it["timetoken"]) for it in replies)
        await device.until(lambda: device.rows["room"].cursor >= last, "the last message")
        self.assertEqual(len(device.rows["room"].messages), 1000)
        self.assertIsNone(device.close_code)

    async def test_systemd_hears_of_it(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"syncdaemon-reload-{os.getpid()}")
        notifications = Notifications(path)
        self.addCleanup(os.unlink, path)
        self.addCleanup(notifications.close)
        daemon = self.start(WEB, environment={"NOTIFY_SOCKET": path})
        notifications.wait_for("READY=1")

        await self.reload(daemon, WEB + APP)

        heard = await asyncio.to_thread(notifications.wait_for, "READY=1", 2)
        begun = heard.index("RELOADING=1")
        self.assertRegex(heard[begun + 1], r"^MONOTONIC_USEC=\d+$")
        self.assertIn("READY=1", heard[begun:])


class OtherSignals(DaemonTestCase):
    async def test_no_signal_kills_silently(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            line = f"This signal means nothing here. SIGHUP reloads. signal={number.value}"
            daemon.process.send_signal(number)
            await eventually(lambda: line in daemon.log(), line)
        daemon.process.send_signal(signal.SIGHUP)
        await eventually(lambda: "Configuration reloaded. changed=nothing" in daemon.log(), "a line")
        await device.publish("room", "still here")

    def test_quit_drains(self):
        daemon = self.start_daemon()
        daemon.process.send_signal(signal.SIGQUIT)
        self.assertEqual(daemon.wait(), 0)
        self.assertIn("Stopped.", daemon.log())


if __name__ == "__main__":
    unittest.main()
