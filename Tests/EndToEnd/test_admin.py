"""Operating a running daemon: `syncctl admin` and its socket, over all reactors."""

import asyncio
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile
import unittest
import warnings

from pubnub.pnconfiguration import PNConfiguration
from pubnub.pubnub import PubNub

from case import DaemonTestCase, eventually
from daemon import ROOT, Daemon, binary, clean_environment, run_to_end
from disk import SmallDisk, cannot_mount
from raw import RawClient
from receiver import Receiver
from rest import LongPoll
from waiting import PATIENCE, WORK_ALONE_MAX, until

KEY = "k" * 40
SECRET = "sec-of-the-tenant"
GUARDED = f"""
[keyset app]
subscribe_key = sub-app
secret_key = {SECRET}
access_control = yes
"""


class LocalConnection(http.client.HTTPConnection):
    """HTTP over a socket at a path."""

    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE * WORK_ALONE_MAX)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class AdminTestCase(DaemonTestCase):
    def start(self, *arguments, text="", **options):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = pathlib.Path(directory.name)
        self.configuration = self.scratch / "sync.ini"
        self.configuration.write_text(text, encoding="utf-8")
        return self.start_daemon(
            "--config", str(self.configuration), "--reactors", "3", *arguments, **options)

    @staticmethod
    def socket(daemon):
        return os.path.join(daemon.data_dir, "admin.sock")

    def ask(self, daemon, path, body=None, **headers):
        """(status, JSON) of a request to the socket: a POST when there is a body."""
        connection = LocalConnection(self.socket(daemon))
        try:
            method = "GET" if body is None else "POST"
            data = None if body is None else json.dumps(body)
            connection.request(method, f"/admin/v1/{path}", data, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def tool(self, daemon, *arguments, stdin="", **options):
        return subprocess.run(
            [binary("syncctl"), "admin", *arguments, "--data-dir", daemon.data_dir],
            capture_output=True, text=True, check=False, input=stdin, env=clean_environment(),
            timeout=PATIENCE * WORK_ALONE_MAX, **options)

    def told(self, daemon, *arguments, **options):
        """What the tool says, as JSON."""
        done = self.tool(daemon, *arguments, "--json", **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return json.loads(done.stdout)

    def failed(self, done, code, mentions):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(mentions, done.stderr)

    async def off(self, work, *arguments, **options):
        """Has a thread wait for an answer, while devices go on."""
        return await asyncio.to_thread(work, *arguments, **options)


class Sessions(AdminTestCase):
    async def pages(self, daemon, limit, **fields):
        """All connections, page by page, each place once."""
        found, after = [], None
        while True:
            query = {**fields, "limit": limit, **({"after": after} if after else {})}
            text = "&".join(f"{name}={value}" for name, value in query.items())
            status, page = await self.off(self.ask, daemon, f"sessions?{text}")
            self.assertEqual(status, 200, page)
            self.assertNotIn("missingReactors", page)
            self.assertLessEqual(len(page["sessions"]), limit)
            found += page["sessions"]
            after = page.get("next")
            if after is None:
                return found

    async def test_all_reactors_are_listed_page_by_page_while_others_come_and_go(self):
        daemon = self.start()
        stable = [await self.device(daemon, f"user-{number}") for number in range(12)]
        for number, device in enumerate(stable):
            await device.subscribe("room", f"room-{number % 3}")
        isOver = False

        async def churn(number):
            while not isOver:
                device = self.offline_device(daemon, f"guest-{number}", "d")
                await device.connect()
                await device.subscribe("room")
                await device.cut()

        churning = [asyncio.create_task(churn(number)) for number in range(4)]
        for _ in range(20):
            found = await self.pages(daemon, 5, channel="room")
            users = [it["user"] for it in found if it["user"].startswith("user-")]
            self.assertEqual(sorted(users), sorted(it.user for it in stable))
            self.assertEqual(len({it["id"] for it in found}), len(found))
        isOver = True
        await asyncio.gather(*churning)

        found = await self.pages(daemon, 1000)
        mine = {it["user"]: it for it in found if it["user"].startswith("user-")}
        self.assertEqual({it["id"].split("-")[0] for it in mine.values()}, {"0", "1", "2"})
        self.assertEqual(
            {name: mine["user-4"][name] for name in
             ("kind", "keyset", "device", "address", "tls", "subscriptions", "queuedBytes")},
            {"kind": "websocket", "keyset": "default", "device": "user-4-phone",
             "address": "127.0.0.1", "tls": False, "subscriptions": 2, "queuedBytes": 0})
        for fields, count in (({"user": "user-3"}, 1), ({"channel": "room-1"}, 4),
                              ({"channel": "room-1", "user": "user-0"}, 0),
                              ({"address": "127.0.0.0/8", "user": "user-0"}, 1),
                              ({"address": "192.0.2.1"}, 0), ({"keyset": "default"}, 12),
                              ({"id": mine["user-7"]["id"]}, 1)):
            with self.subTest(fields):
                self.assertEqual(len(await self.pages(daemon, 100, **fields)), count)

    async def test_who_is_kicked_is_closed_and_nobody_else(self):
        daemon = self.start()
        devices = [await self.device(daemon, f"user-{number}") for number in range(9)]
        for device in devices:
            await device.subscribe("room" if device.user != "user-8" else "den")

        one = await self.off(self.told, daemon, "sessions", "kick", "--user", "user-2")
        self.assertEqual(one, {"kicked": 1})
        self.assertEqual(await devices[2].closed(), 1001)
        self.assertIn("operator", devices[2].close_reason)
        some = await self.off(self.told, daemon, "sessions", "kick", "--channel", "room")
        self.assertEqual(some, {"kicked": 7})
        for device in devices[:8]:
            self.assertEqual(await device.closed(), 1001)
        await devices[8].publish("den", "still here")
        self.assertIsNone(devices[8].close_code)
        # It comes again, as any device does.
        await devices[2].connect()
        rest = await self.off(self.told, daemon, "sessions", "kick", "--all")
        self.assertEqual(rest, {"kicked": 2})
        self.assertRegex(
            daemon.log(), r'notice  An operator changes something\. operation="sessions kick" '
            rf'by="uid {os.getuid()} pid \d+" with="user=user-2" outcome=done')
        self.assertRegex(daemon.log(), r"info .*An operator ends a connection\. .*user=user-2")
        self.failed(self.tool(daemon, "sessions", "kick"), 1, 'The field "all"')

    async def test_polls_and_streams_are_there_too(self):
        daemon = self.start()
        poll = LongPoll(daemon, "ada", "room").handshake()
        self.addCleanup(poll.rest.close)
        poll.begin()
        stream = socket.create_connection(daemon.address)
        self.addCleanup(stream.close)
        stream.sendall(b"GET /v1/stream?channel=den&as=bob HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

        def kinds():
            found = self.ask(daemon, "sessions")[1]["sessions"]
            return sorted((it["kind"], it.get("user")) for it in found)

        await eventually(
            lambda: kinds() == [("poll", "ada"), ("stream", "bob")], "a poll and a stream")
        self.assertEqual(len(self.ask(daemon, "sessions?channel=room")[1]["sessions"]), 1)
        self.assertEqual(self.ask(daemon, "sessions/kick", {"user": "bob"}), (200, {"kicked": 1}))
        stream.settimeout(PATIENCE)
        while stream.recv(65536):
            pass
        await eventually(lambda: kinds() == [("poll", "ada")], "the stream to be gone")


class Channels(AdminTestCase):
    async def test_a_purge_is_heard_and_leaves_equal_digests(self):
        daemon = self.start()
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        await ada.subscribe({"name": "room", "cursor": "0"})
        messages = [await bob.publish("room", number) for number in range(30)]
        for message in messages[:10]:
            await bob.add("room", message, "👍")
        await bob.publish("other", "stays")
        await ada.until(lambda: len(ada.rows["room"].messages) == 30
                        and len(ada.rows["room"].actions) == 10, "all rows")

        before = await self.off(self.told, daemon, "channels", "--channel", "room")
        (state,) = before["channels"]
        self.assertEqual(
            {name: state[name] for name in ("messages", "actions", "first", "last", "followers")},
            {"messages": 30, "actions": 10, "first": messages[0], "last": messages[-1],
             "followers": 1})
        purged = await self.off(self.told, daemon, "channels", "purge", "room")
        self.assertEqual(purged["messages"], 30)
        self.assertGreater(int(purged["timetoken"]), int(messages[-1]))
        # The device takes the deletion as any other, and compares digests by itself.
        await ada.until(lambda: not ada.rows["room"].messages, "the purge")
        self.assertEqual(len(ada.rows["room"].actions), 0)
        later = await bob.publish("room", "anew")
        await ada.reach("room", later)
        self.assertEqual([it["timetoken"] for it in await ada.all_messages("room")], [later])

        after = await self.off(self.told, daemon, "channels")
        self.assertEqual(
            [(it["channel"], it["messages"], it["actions"]) for it in after["channels"]],
            [("other", 1, 0), ("room", 1, 0)])
        late = await self.device(daemon, "late")
        await late.subscribe({"name": "room", "cursor": "0"})
        await late.reach("room", later)
        self.assertRegex(
            daemon.log(), r'operation="channels purge" by="uid \d+ pid \d+" with="channel=room"')

    async def test_what_is_no_channel_is_not_purged_and_not_made(self):
        daemon = self.start(text="[keyset web]\nsubscribe_key = sub-web\nchannels_max = 2\n")
        ada = await self.device(daemon, "ada", keyset="sub-web")
        await ada.publish("room", 1)
        for name in ("a,b", "", "x" * 1000, "chat.*", "room-pnpres", "a\u0007"):
            with self.subTest(name):
                status, answer = await self.off(
                    self.ask, daemon, "channels/purge", {"channel": name})
                self.assertEqual(status, 400)
                self.assertIn(answer["error"]["code"], ("invalid_channel", "invalid_field"))
        for name in ("a,b", "chat.*", "x" * 300):
            self.failed(
                self.tool(daemon, "channels", "--channel", name), 1, "channel name")
        for name in ("none", "roo", "room2"):
            status, answer = await self.off(self.ask, daemon, "channels/purge", {"channel": name})
            self.assertEqual((status, answer["error"]["code"]), (404, "not_found"))
        names = [it["channel"] for it in
                 (await self.off(self.told, daemon, "channels"))["channels"]]
        self.assertEqual(names, ["room"])
        self.assertEqual(
            (await self.off(self.told, daemon, "channels", "purge", "room"))["messages"], 1)
        await ada.publish("second", 1)

    async def test_a_removed_keyset_is_called_so_and_can_be_emptied(self):
        kept = "[keyset a]\nsubscribe_key = sub-a\n"
        daemon = self.start(text=kept + "[keyset b]\nsubscribe_key = sub-b\n")
        ada = await self.device(daemon, "ada", keyset="sub-b")
        await ada.publish("room", 1)
        # What changes one of several has to say which: the first is the wrong one here.
        for command in (["channels", "purge", "room"], ["grants", "revoke"],
                        ["tokens", "revoke", "--token", "x"]):
            self.failed(self.tool(daemon, *command), 1, "there are several, which tenants lists")
        self.configuration.write_text(kept)
        await self.off(self.told, daemon, "reload")
        tenants = {it["keyset"]: it for it in self.told(daemon, "tenants")["tenants"]}
        self.assertEqual([key for key in sorted(tenants) if tenants[key].get("removed")], ["sub-b"])
        (state,) = self.told(daemon, "channels", "--keyset", "sub-b")["channels"]
        self.assertEqual((state["channel"], state["messages"]), ("room", 1))
        purged = self.told(daemon, "channels", "purge", "room", "--keyset", "sub-b")
        self.assertEqual(purged["messages"], 1)
        (state,) = self.told(daemon, "channels", "--keyset", "sub-b")["channels"]
        self.assertEqual(state["messages"], 0)
        for command in (["channels"], ["channels", "purge", "room"], ["sessions"],
                        ["sessions", "kick"], ["grants"]):
            self.failed(
                self.tool(daemon, *command, "--keyset", "sub-x"), 1, "There is no keyset")

    async def test_names_are_listed_by_prefix_and_in_pages(self):
        daemon = self.start()
        ada = await self.device(daemon, "ada")
        for name in ("a", "chat.1", "chat.2", "chat.2x", "chat.é", "dog"):
            await ada.publish(name, 1)
        names, after = [], None
        while True:
            page = await self.off(
                self.told, daemon, "channels", "--prefix", "chat.", "--limit", "1",
                *(["--after", after] if after else []))
            names += [it["channel"] for it in page["channels"]]
            after = page.get("next")
            if after is None:
                break
        self.assertEqual(names, ["chat.1", "chat.2", "chat.2x", "chat.é"])

    async def test_what_clients_may_not_delete_operators_may(self):
        daemon = self.start(text="[keyset web]\nsubscribe_key = sub-web\ndelete = no\n")
        ada = await self.device(daemon, "ada", keyset="sub-web")
        await ada.publish("room", 1)
        async with self.refused(403, "deleting_disabled"):
            await ada.command("deleteMessages", channel="room", through="99999999999999999")
        await self.off(self.told, daemon, "channels", "purge", "room", "--keyset", "sub-web")
        self.assertEqual(await ada.all_messages("room"), [])
        self.failed(
            self.tool(daemon, "channels", "purge", "room", "--keyset", "x"), 1, "no keyset")
        self.failed(self.tool(daemon, "channels", "purge", "$users"), 1, "director")


class Process(AdminTestCase):
    async def test_a_reload_says_that_it_takes_a_level_back(self):
        daemon = self.start(text="[log]\nlevel = info\n")
        await self.off(self.told, daemon, "log", "set", "debug")
        changed = (await self.off(self.told, daemon, "reload"))["changed"]
        self.assertEqual(changed, ["the log's level, which an operator had set"])
        self.assertEqual((await self.off(self.told, daemon, "log"))["level"], "info")
        self.assertEqual((await self.off(self.told, daemon, "reload"))["changed"], [])

    async def test_a_frozen_daemon_is_not_waited_for_without_end(self):
        daemon = self.start()
        daemon.process.send_signal(signal.SIGSTOP)
        self.addCleanup(daemon.process.send_signal, signal.SIGCONT)
        # On a loaded machine its threads run on for a moment.
        tasks = pathlib.Path(f"/proc/{daemon.process.pid}/task")
        await self.off(until, lambda: all(
            "State:\tT" in (it / "status").read_text() for it in tasks.iterdir()), "all to stop")
        tries = await asyncio.gather(
            self.off(self.tool, daemon, "status"), self.off(self.tool, daemon, "compact"))
        for done in tries:
            self.failed(done, 1, "has not answered")

    async def test_reload_says_what_came_of_it(self):
        daemon = self.start(text="[log]\nlevel = info\n")
        self.configuration.write_text("[log]\nlevel = warning\n[server]\nreaders = 3\n")
        self.assertEqual(
            await self.off(self.told, daemon, "reload"),
            {"changed": ["[log] level"], "needRestart": ["[server] readers"]})
        self.configuration.write_text("[sever]\nreaders = 3\n")
        done = await self.off(self.tool, daemon, "reload")
        self.failed(done, 1, "sync.ini:2: there is no section [sever]")
        self.assertEqual(self.told(daemon, "log"), {"level": "warning"})

    async def test_the_level_of_the_log(self):
        daemon = self.start()
        self.assertEqual(self.told(daemon, "log"), {"level": "info"})
        self.assertEqual(
            self.told(daemon, "log", "set", "debug"), {"level": "debug", "before": "info"})
        await self.device(daemon, "ada")
        await eventually(lambda: "Session began." in daemon.log(), "a line of debug")
        self.failed(self.tool(daemon, "log", "set", "loud"), 1, '"level" must be one of')

    async def test_checkpoint_and_compact(self):
        daemon = self.start()
        ada = await self.device(daemon, "ada")
        for _ in range(40):
            await asyncio.gather(*(ada.publish("room", "x" * 20_000) for _ in range(10)))
        log = pathlib.Path(daemon.data_dir, "syncdaemon.db-wal")
        answer = await self.off(self.told, daemon, "checkpoint")
        self.assertEqual((answer["logBytes"], answer["isEmpty"]), (0, True))
        self.assertEqual(log.stat().st_size, 0)
        await self.off(self.told, daemon, "channels", "purge", "room")
        answer = await self.off(self.told, daemon, "compact")
        self.assertGreater(answer["databaseBytesBefore"], 8_000_000)
        # Some is kept for what comes next.
        self.assertLess(answer["databaseBytes"], answer["databaseBytesBefore"] - 3_000_000)

    async def test_compact_on_a_full_disk_says_so_and_harms_nothing(self):
        if reason := cannot_mount():
            self.skipTest(reason)
        disk = SmallDisk(24 << 20)
        self.addCleanup(disk.close)
        daemon = self.start(data_dir=disk.data_dir)
        ada = await self.device(daemon, "ada")
        kept = await ada.publish("kept", "here")
        for _ in range(20):
            await asyncio.gather(*(ada.publish("room", "x" * 20_000) for _ in range(10)))
        await self.off(self.told, daemon, "channels", "purge", "room")
        disk.fill()
        await eventually(
            lambda: self.told(daemon, "status")["troubles"] or not disk.fill(), "the full disk")
        for _ in range(2):
            done = await self.off(self.tool, daemon, "compact")
            if done.returncode:
                self.failed(done, 1, "disk is full")
            disk.fill()
        self.assertTrue(daemon.is_running)
        self.assertEqual(
            [it["timetoken"] for it in await ada.all_messages("kept")], [kept])
        disk.empty()
        answer = await self.off(self.told, daemon, "compact")
        self.assertLess(answer["databaseBytes"], 8_000_000)
        await ada.settle("publish", channel="kept", payload="goes on")

    async def test_a_backup_can_be_restored(self):
        daemon = self.start()
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", "kept")
        await ada.add("room", message, "👍")
        copy = self.scratch / "copy.db"
        answer = await self.off(self.told, daemon, "backup", str(copy))
        self.assertEqual(
            {name: answer[name] for name in ("path", "bytes", "messages", "actions")},
            {"path": str(copy), "bytes": copy.stat().st_size, "messages": 1, "actions": 1})
        self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)
        await ada.publish("room", "later")
        self.failed(self.tool(daemon, "backup", str(copy)), 1, "exists already")
        self.failed(self.tool(daemon, "backup", "copy.db"), 1, "absolute path")
        self.failed(self.tool(daemon, "backup", "/nowhere/copy.db"), 1, "no such directory")

        place = str(self.scratch / "restored")
        code, _, errors = run_to_end("restore", "--data-dir", place, str(copy))
        self.assertEqual(code, 0, errors)
        other = self.start_daemon(data_dir=place)
        reader = await self.device(other, "bob")
        messages = await reader.all_messages("room", actions=True)
        self.assertEqual([it["timetoken"] for it in messages], [message])
        self.assertEqual(len(await reader.all_actions("room")), 1)

    async def test_a_store_in_memory_has_no_files(self):
        daemon = self.start(
            "--store", "memory", "--admin-socket", os.path.join("/tmp", f"a-{os.getpid()}.sock"))
        path = os.path.join("/tmp", f"a-{os.getpid()}.sock")
        for command, lack in ((["checkpoint"], "a log to empty"),
                              (["compact"], "a file that could shrink"),
                              (["backup", "/tmp/x"], "anything to back up")):
            done = self.tool(daemon, *command, "--socket", path)
            self.failed(
                done, 1, f"The store is no file. With [store] kind = memory there is not {lack}.")

    async def test_a_drain_has_an_answer_and_code_0(self):
        daemon = self.start()
        ada = await self.device(daemon, "ada")
        self.assertEqual(await self.off(self.told, daemon, "drain"), {"draining": True})
        self.assertEqual(await ada.closed(), 1001)
        self.assertEqual(await self.off(daemon.wait), 0)
        self.assertRegex(daemon.log(), "Stopping.*an operator's drain")
        self.assertNotRegex(daemon.log(), "Stopping.*signal")
        self.assertFalse(os.path.exists(self.socket(daemon)))
        daemon.start()

    async def test_status_and_tenants(self):
        daemon = self.start(text="[keyset a]\nsubscribe_key = sub-a\nconnections_max = 2\n"
                            "[keyset b]\nsubscribe_key = sub-b\n")
        for name in ("one", "two"):
            await self.device(daemon, "ada", name, keyset="sub-a")
        status = self.told(daemon, "status")
        self.assertEqual(
            (status["pid"], status["serves"], status["reactors"], status["troubles"]),
            (daemon.process.pid, True, 3, []))
        tenants = {it["keyset"]: it for it in self.told(daemon, "tenants")["tenants"]}
        self.assertEqual(
            tenants["sub-a"]["connections"], {"held": 2, "quota": 2, "refused": 0})
        self.assertEqual(tenants["sub-b"]["connections"]["held"], 0)
        shown = self.tool(daemon, "tenants").stdout
        self.assertRegex(shown, r"(?m)^sub-a +2/2 +0/")


class Rights(AdminTestCase):
    async def test_tokens_are_taken_back(self):
        daemon = self.start(text=GUARDED)

        def token(*arguments):
            done = subprocess.run(
                [binary("syncctl"), "token", *arguments], capture_output=True, text=True,
                check=True, env={**clean_environment(), "SYNCCTL_URL": daemon.url,
                                 "SYNCCTL_SECRET": SECRET})
            return done.stdout.split()[0]

        made = await self.off(
            token, "grant", "10", "channel:room=read,write", "--keyset", "sub-app")

        def history():
            with RawClient(daemon.address) as client:
                return client.get(f"/v1/history?channel=room&keyset=sub-app&token={made}").status

        self.assertEqual(history(), 200)
        self.assertEqual(self.told(daemon, "tokens"), {"revoked": []})
        self.assertEqual(
            await self.off(
                self.told, daemon, "tokens", "revoke", "--token", "-", stdin=made + "\n"),
            {"revoked": True})
        self.assertIn(history(), (401, 403))
        self.assertEqual(len(self.told(daemon, "tokens")["revoked"]), 1)
        self.assertNotIn(made, daemon.log())
        self.assertIn('with="token=***"', daemon.log())
        self.failed(
            self.tool(daemon, "tokens", "revoke", "--token", "nonsense"), 1, "nothing to take back")
        self.assertEqual(self.told(daemon, "grants"), {"grants": []})
        self.failed(
            self.tool(daemon, "grants", "revoke", "--channel", "room"), 1, "Nothing is granted so")

    async def test_grants_are_taken_back(self):
        daemon = self.start(text=GUARDED + "publish_key = pub-app\n")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Access management v2", DeprecationWarning)
            settings = PNConfiguration()
            settings.publish_key, settings.subscribe_key = "pub-app", "sub-app"
            settings.secret_key, settings.uuid = SECRET, "backend"
            settings.origin, settings.ssl = f"127.0.0.1:{daemon.address[1]}", False
            await self.off(
                PubNub(settings).grant().channels(["room"]).auth_keys(["key-of-ada"])
                .read(True).ttl(10).sync)

        def history():
            with RawClient(daemon.address) as client:
                return client.get(
                    "/v3/history/sub-key/sub-app/channel/room?uuid=ada&auth=key-of-ada").status

        self.assertEqual(history(), 200)
        (grant,) = self.told(daemon, "grants", "--channel", "room")["grants"]
        self.assertEqual(
            {name: grant[name] for name in ("level", "name", "authKey", "rights")},
            {"level": "channel", "name": "room", "authKey": "key-of-ada", "rights": "r"})
        self.assertEqual(
            await self.off(self.told, daemon, "grants", "revoke", "--channel", "room",
                           "--auth-key", "key-of-ada"), {"revoked": True})
        self.assertEqual(history(), 403)
        self.assertEqual(self.told(daemon, "grants"), {"grants": []})
        self.assertNotIn("key-of-ada", daemon.log())

    async def test_webhooks(self):
        receiver = Receiver("x" * 40).start()
        self.addCleanup(receiver.stop)
        secret = pathlib.Path(tempfile.mkdtemp()) / "secret"
        secret.write_text("x" * 40)
        secret.chmod(0o600)
        daemon = self.start(
            text=f"[webhook hook]\nurl = {receiver.url}\nsecret_file = {secret}\n")
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)

        def delivered():
            return self.told(daemon, "webhooks")["webhooks"][0]["delivered"]

        await eventually(lambda: delivered() == 1, "a delivery")
        self.assertEqual(self.told(daemon, "webhooks", "replay", "hook"), {"events": 0})
        self.failed(self.tool(daemon, "webhooks", "replay", "x"), 1, "no webhook")

        receiver.behave = lambda *_: 500
        await ada.publish("room", 2)
        await eventually(
            lambda: self.told(daemon, "webhooks")["webhooks"][0]["waiting"] == 1, "an event")
        self.configuration.write_text("")
        self.told(daemon, "reload")
        await eventually(
            lambda: self.told(daemon, "webhooks")["webhooks"][0].get("removed"), "its end")
        for command in ("retry", "replay"):
            self.failed(self.tool(daemon, "webhooks", command, "hook"), 1,
                        "[webhook hook] again and reload")

    async def test_configured_webhooks_are_there_from_the_start(self):
        secret = pathlib.Path(tempfile.mkdtemp()) / "secret"
        secret.write_text("x" * 40)
        secret.chmod(0o600)
        daemon = self.start(
            text=f"[webhook hook]\nurl = https://127.0.0.1:1/\nsecret_file = {secret}\n")
        for _ in range(8):
            self.assertEqual(self.ask(daemon, "webhooks/replay", {"name": "hook"})[0], 200)
            await self.off(daemon.restart)


class Sockets(AdminTestCase):
    async def test_only_its_owner_may_open_it(self):
        daemon = self.start()
        path = self.socket(daemon)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        if os.getuid() != 0:
            self.skipTest("Only root can be somebody else.")
        # Also where they may look into the directory.
        os.chmod(daemon.scratch, 0o755)
        os.chmod(daemon.data_dir, 0o755)
        done = self.tool(daemon, "status", user=65534, group=65534, extra_groups=[])
        self.failed(done, 1, f"You may not open {path}.")
        self.assertIn("admin_socket_group", done.stderr)

    async def test_a_group_may_open_it(self):
        if os.getuid() != 0:
            self.skipTest("Only root can be somebody else.")
        daemon = self.start("--admin-socket-group", "nogroup")
        os.chmod(daemon.scratch, 0o755)
        os.chmod(daemon.data_dir, 0o755)
        status = os.stat(self.socket(daemon))
        self.assertEqual((stat.S_IMODE(status.st_mode), status.st_gid), (0o660, 65534))
        done = self.tool(daemon, "status", user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 0, done.stderr)
        other = Daemon("--admin-socket-group", "no-such-group")
        self.addCleanup(other.discard)
        other.spawn()
        self.assertEqual(await self.off(other.wait), 2)
        self.assertIn("There is no group no-such-group", other.log())

    async def test_what_a_dead_daemon_left_is_replaced_and_a_living_ones_is_not(self):
        daemon = self.start()
        daemon.kill()
        self.assertTrue(os.path.exists(self.socket(daemon)))
        self.failed(self.tool(daemon, "status"), 1, "the daemon that made it is gone")
        daemon.start()
        self.assertTrue(self.told(daemon, "status")["serves"])

        other = Daemon("--admin-socket", self.socket(daemon))
        self.addCleanup(other.discard)
        other.spawn()
        self.assertEqual(await self.off(other.wait), 1)
        self.assertIn("A running daemon listens at", other.log())
        self.assertEqual(self.told(daemon, "status")["pid"], daemon.process.pid)
        daemon.stop()
        self.failed(self.tool(daemon, "status"), 1, "There is no socket at")
        pathlib.Path(self.socket(daemon)).write_text("not a socket")
        daemon.arguments += ["--admin-socket", self.socket(daemon)]
        daemon.spawn()
        self.assertEqual(await self.off(daemon.wait), 1)
        self.assertIn("is no socket", daemon.log())
        os.unlink(self.socket(daemon))
        daemon.start()

    async def test_one_that_was_removed_is_made_anew_by_a_reload(self):
        daemon = self.start()
        os.unlink(self.socket(daemon))
        daemon.process.send_signal(signal.SIGHUP)
        await eventually(
            lambda: "The socket of operators was gone, and is there again." in daemon.log(),
            "the socket")
        self.assertEqual(stat.S_IMODE(os.stat(self.socket(daemon)).st_mode), 0o600)
        for _ in range(3):
            self.assertTrue((await self.off(self.told, daemon, "status"))["serves"])
        before = daemon.log().count("The socket of operators")
        await self.off(self.told, daemon, "reload")
        self.assertEqual(daemon.log().count("The socket of operators"), before)
        daemon.stop()
        self.assertFalse(os.path.exists(self.socket(daemon)))

    async def test_config_check_finds_what_serve_would_fail_of(self):
        place = pathlib.Path(tempfile.mkdtemp())
        (place / "plain").write_text("no socket")
        for arguments, words in (
                (["--admin-socket-group", "no-such-group"], "There is no group no-such-group"),
                (["--admin-socket", str(place / "plain")], "is no socket"),
                (["--admin-socket", str(place / "none" / "admin.sock")], "Cannot listen at"),
                (["--data-dir", "/proc/x"], "the kernel's")):
            with self.subTest(arguments):
                if "--data-dir" not in arguments:
                    arguments = ["--data-dir", str(place / "data"), *arguments]
                code, _, errors = run_to_end(
                    "config", "check", "--listen", "127.0.0.1:0", *arguments)
                self.assertEqual(code, 2, errors)
                self.assertIn(words, errors)
        self.start("--admin-socket", str(place / "admin.sock"))
        code, _, errors = run_to_end(
            "config", "check", "--listen", "127.0.0.1:0", "--data-dir", str(place / "data"),
            "--admin-socket", str(place / "admin.sock"))
        self.assertEqual(code, 0, errors)

    async def test_none_is_made_where_none_is_wanted(self):
        daemon = self.start("--admin-socket", "no")
        self.assertFalse(os.path.exists(self.socket(daemon)))

    async def test_places_are_counted_and_clients_have_theirs(self):
        daemon = self.start()
        ada = await self.device(daemon, "ada")
        held = []
        for _ in range(64):
            connection = LocalConnection(self.socket(daemon))
            connection.request("GET", "/admin/v1/log")
            self.assertEqual(connection.getresponse().read(), b'{"level":"info"}\n')
            held.append(connection)
        done = await self.off(self.tool, daemon, "status")
        self.assertEqual(done.returncode, 1)
        await ada.publish("room", 1)
        held.pop().close()

        def is_open():
            return self.tool(daemon, "status").returncode == 0

        await eventually(is_open, "a free place")
        for connection in held:
            connection.close()

    async def test_no_page_and_no_client_gets_there(self):
        daemon = self.start()
        for headers in ({"Origin": "http://localhost"}, {"Origin": "https://evil.example"},
                        {"Sec-Fetch-Site": "cross-site"}):
            self.assertEqual(self.ask(daemon, "sessions/kick", {"all": True}, **headers)[0], 403)
        self.assertEqual(self.ask(daemon, "status", Host="evil.example")[0], 421)
        with RawClient(daemon.address) as client:
            self.assertEqual(client.get("/admin/v1/status").status, 404)
        self.assertEqual(self.ask(daemon, "sessions/kick")[0], 405)
        shapes = (("nothing", None, {}, 404, "not_found", "/admin/v1/"),
                  ("sessions/kick", None, {}, 405, "method_not_allowed", "POST"),
                  ("status", None, {"Origin": "http://localhost"}, 403, "forbidden", "No page"),
                  ("status", None, {"Host": "evil.example"}, 421, "unknown_host", "Host"),
                  ("log/set", {"level": "x" * 70_000}, {}, 413, "too_large", "bytes"))
        for path, body, headers, status, code, words in shapes:
            with self.subTest(code):
                found, answer = self.ask(daemon, path, body, **headers)
                self.assertEqual(
                    (found, answer["error"]["status"], answer["error"]["code"]),
                    (status, status, code))
                self.assertIn(words, answer["error"]["message"])
                self.assertNotIn("allowed_origins", answer["error"]["message"])
        for path, body in (("sessions/kick", {"user": 5}), ("sessions/kick", {"all": "true"}),
                           ("sessions?limit=0", None), ("sessions?user=a&user=b", None),
                           ("sessions?after=x", None), ("sessions?address=here", None),
                           ("status?x=1", None), ("backup", {}), ("log/set", {"level": [1]}),
                           ("log/set", [])):
            with self.subTest(path):
                status, answer = self.ask(daemon, path, body)
                self.assertEqual((status, answer["error"]["code"]), (400, "invalid_field"))

    async def test_with_a_key_it_is_at_admin_listen(self):
        key = pathlib.Path(tempfile.mkdtemp()) / "admin.key"
        key.write_text(KEY + "\n")
        key.chmod(0o600)
        daemon = self.start("--admin-listen", "127.0.0.1:0", text="")

        def ask(*lines):
            with RawClient(daemon.admin_address) as client:
                client.send("\r\n".join([
                    "GET /admin/v1/status HTTP/1.1", "Host: localhost", *lines, "", ""]).encode())
                return client.answer()

        self.assertEqual(ask(f"Authorization: Bearer {KEY}").status, 404)
        daemon.stop()
        daemon.arguments += ["--admin-key-file", str(key)]
        daemon.start()
        self.assertEqual(ask().status, 401)
        self.assertEqual(ask("Authorization: Bearer " + "l" * 40).status, 401)
        answer = ask(f"Authorization: Bearer {KEY}")
        self.assertEqual((answer.status, answer.json()["serves"]), (200, True))
        self.assertFalse([it for it in answer.headers if it.startswith("access-control")])
        self.assertEqual(
            ask(f"Authorization: Bearer {KEY}", "Origin: http://localhost").status, 403)
        key.write_text("n" * 40)
        self.assertEqual(self.told(daemon, "reload")["changed"], ["the operators' key"])
        self.assertEqual(ask(f"Authorization: Bearer {KEY}").status, 401)
        self.assertEqual(ask("Authorization: Bearer " + "n" * 40).status, 200)

    async def test_without_the_key_nothing_at_admin_listen_is_answered(self):
        """Every row of the operators' table, and what else is there."""
        key = pathlib.Path(tempfile.mkdtemp()) / "admin.key"
        key.write_text(KEY + "\n")
        key.chmod(0o600)
        receiver = Receiver(SECRET).start()
        self.addCleanup(receiver.stop)
        secret = key.parent / "secret"
        secret.write_text("s" * 32)
        secret.chmod(0o600)
        daemon = self.start(
            "--admin-listen", "127.0.0.1:0",
            text=f"[webhook hook]\nurl = {receiver.url}\nsecret_file = {secret}\n")

        def ask(method, path, *lines):
            with RawClient(daemon.admin_address) as client:
                client.send(client.request(method, path, "Content-Length: 0", *lines))
                return client.answer().status

        table = (ROOT / "Sources/SyncDaemon/Administration/AdminOperation.swift").read_text()
        rows = [("POST" if kind == "change" else "GET", "/admin/v1/" + name.replace(" ", "/"))
                for kind, name in re.findall(r'\b(query|change)\(\s*"([a-z ]+)"', table)]
        self.assertGreater(len(rows), 15)
        own = [("GET", "/metrics"), ("GET", "/webhooks"), ("POST", "/webhooks/hook/replay")]

        # Without a key of its own it only tells; what changes something is at the socket.
        self.assertEqual([ask(*it) for it in own], [200, 200, 404])
        self.assertEqual({ask(*it) for it in rows}, {404})
        daemon.stop()
        daemon.arguments += ["--admin-key-file", str(key)]
        daemon.start()
        for lines in ([], ["Authorization: Bearer " + "l" * 40], ["Authorization: Basic " + KEY]):
            for method, path in rows + own:
                with self.subTest(path, lines=lines):
                    self.assertEqual(ask(method, path, *lines), 401)
        shown = f"Authorization: Bearer {KEY}"
        self.assertEqual([ask(*it, shown) for it in own], [200, 200, 202])
        # What asks whether it is well has none.
        self.assertEqual([ask("GET", it) for it in ("/healthz", "/readyz")], [200, 200])
        self.assertTrue(daemon.is_running)

    async def test_a_key_without_its_address_is_a_mistake(self):
        key = pathlib.Path(tempfile.mkdtemp()) / "admin.key"
        key.write_text(KEY)
        key.chmod(0o600)
        for arguments, words in (
                ([], "admin_key_file is for [server] admin_listen on loopback"),
                (["--admin-listen", "0.0.0.0:0"], "admin_key_file is for [server] admin_listen")):
            code, _, errors = run_to_end(
                "config", "check", "--listen", "127.0.0.1:0", "--data-dir", str(key.parent / "d"),
                "--admin-key-file", str(key), *arguments)
            self.assertEqual(code, 2)
            self.assertIn(words, errors)
        key.write_text("short")
        code, _, errors = run_to_end(
            "config", "check", "--listen", "127.0.0.1:0", "--data-dir", str(key.parent / "d"),
            "--admin-key-file", str(key), "--admin-listen", "127.0.0.1:0")
        self.assertEqual(code, 2)
        self.assertIn("32 to 256 visible ASCII characters", errors)


if __name__ == "__main__":
    unittest.main()
