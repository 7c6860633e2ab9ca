"""Two daemons over one PostgreSQL, of which one waits in reserve; and commits on two machines."""

import asyncio
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

from case import DaemonTestCase
from daemon import Daemon, binary, clean_environment, cluster
from device import Disconnected, Refused
from disk import metric, readiness
from lanes import under_load
from postgres import PostgresServer
from test_admin import LocalConnection
from waiting import until

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "6"))
WRITERS = 3


class Pair:
    """Two daemons, as clients see what stands in front of them: one address that works."""

    def __init__(self, test, *arguments):
        self.daemons = []
        for _ in range(2):
            daemon = Daemon(*arguments, "--store-reserve")
            test.addCleanup(daemon.discard)
            test.addCleanup(lambda it=daemon: test._notes.append(it.log_tail()))
            self.daemons.append(daemon)
        self.serving, self.reserve = self.daemons
        self.serving.start()
        self.reserve.spawn()

    @property
    def url(self):
        return self.serving.url

    def change(self, end):
        """Ends the daemon that serves; returns the seconds until the other one does."""
        begun = time.monotonic()
        end(self.serving)
        self.reserve.listens()
        seconds = time.monotonic() - begun
        self.serving, self.reserve = self.reserve, self.serving
        return seconds


class Wire:
    """A way to a server on which nothing comes any more when it is silent."""

    def __init__(self, server):
        self.place = f"{server.directory}/.s.PGSQL.{server.port}"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = (f"host=127.0.0.1 port={self.listener.getsockname()[1]} user=postgres"
                    " dbname=postgres sslmode=disable gssencmode=disable")
        self.is_silent = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.place)
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, target):
        try:
            while data := source.recv(65536):
                while self.is_silent:
                    time.sleep(0.05)
                target.sendall(data)
        except OSError:
            pass
        target.close()

    def close(self):
        self.is_silent = False
        self.listener.close()


class Reserve(DaemonTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PostgresServer().start()
        cls.addClassCleanup(cls.server.discard)

    def arguments(self, schema):
        return "--store", "postgres", "--store-url", self.server.url, "--store-schema", schema

    def terminate_backend(self, daemon):
        """Ends its session on the server; it may not know that until it writes."""
        ended = self.server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
            " 'syncdaemon ledger'")
        self.assertEqual(ended, "t")
        self.assertEqual(daemon.wait(), 1)

    async def test_the_other_one_serves_and_nothing_is_lost(self):
        random = self.random()
        pair = await asyncio.to_thread(Pair, self, *self.arguments("pair"))
        ends = [Daemon.kill, self.freeze, self.terminate_backend, Daemon.stop]
        seconds = {}
        async with under_load(self, pair, random, WRITERS) as (lanes, _):
            for number in range(ROUNDS):
                await asyncio.sleep(random.uniform(0.1, 0.6))
                end = ends[number % len(ends)]
                took = await asyncio.to_thread(pair.change, end)
                seconds.setdefault(end.__name__, []).append(round(took, 2))
                await asyncio.to_thread(self.replace, pair)
        writes = sum(lane.acknowledged for lane in lanes)
        print(f"{writes} acknowledged writes; seconds to the next: {seconds}", file=sys.stderr)
        self.assertGreater(writes, ROUNDS)
        terms = self.server.sql("SELECT term FROM pair.seat")
        self.assertEqual(int(terms), ROUNDS + 1)
        for daemon in pair.daemons:
            await asyncio.to_thread(daemon.stop)

    @staticmethod
    def freeze(daemon):
        daemon.process.send_signal(signal.SIGSTOP)

    def replace(self, pair):
        """Whoever served before is in reserve again."""
        gone = pair.reserve
        if gone.is_running:
            # Frozen: it wakes, finds its session gone, and acknowledges nothing more.
            gone.process.send_signal(signal.SIGCONT)
            self.assertEqual(gone.wait(), 1)
            self.assertIn("The daemon stops here.", gone.log())
        gone.spawn()

    async def test_who_cannot_reach_the_server_any_more_goes(self):
        wire = Wire(self.server)
        self.addCleanup(wire.close)
        serving = self.start_daemon(
            "--store", "postgres", "--store-url", wire.url, "--store-schema", "wire",
            "--store-reserve")
        other = Daemon(*self.arguments("wire"), "--store-reserve")
        self.addCleanup(other.discard)
        other.spawn()
        ada = await self.device(serving, "ada")
        await ada.publish("room", "before")
        # Connections stay, and new ones are taken: nothing says that nobody listens.
        wire.is_silent = True
        begun = time.monotonic()
        await asyncio.to_thread(other.listens)
        self.assertEqual(await asyncio.to_thread(serving.wait), 1)
        print(f"both knew after {time.monotonic() - begun:.1f} s", file=sys.stderr)
        self.assertIn("did not answer within 5000 ms", serving.log())
        bob = await self.device(other, "bob")
        texts = [it["payload"] for it in await bob.all_messages("room")]
        self.assertEqual(texts, ["before"])
        await asyncio.to_thread(other.stop)

    async def test_one_in_reserve_serves_nobody_and_ends_when_it_is_told(self):
        pair = await asyncio.to_thread(Pair, self, *self.arguments("calm"))
        while "In reserve: another daemon serves." not in pair.reserve.log():
            await asyncio.sleep(0.05)
        # The lock of a reader, or of a copy, is none of its business either.
        await asyncio.sleep(1)
        self.assertIsNone(pair.reserve.port)
        await asyncio.to_thread(pair.reserve.stop)
        ada = await self.device(pair, "ada")
        await ada.publish("room", "hello")
        await ada.close()
        await asyncio.to_thread(pair.serving.stop)


class Replicated(DaemonTestCase):
    """A server and its synchronous standby."""

    def setUp(self):
        super().setUp()
        self.primary = PostgresServer().start()
        self.addCleanup(self.primary.discard)
        self.other = self.primary.standby()
        self.addCleanup(self.other.discard)


class Standby(Replicated):
    """What was acknowledged is on two machines, or was not acknowledged."""

    def arguments(self, server, *more):
        return "--store", "postgres", "--store-url", server.url, *more

    async def test_what_was_acknowledged_is_there_when_the_standby_takes_over(self):
        daemon = self.start_daemon(*self.arguments(self.primary, "--store-require-standby"))
        random = self.random()
        async with under_load(self, daemon, random, WRITERS) as (lanes, _):
            await asyncio.sleep(random.uniform(0.5, 1.5))
            await asyncio.to_thread(self.primary.kill)
            self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
            before = sum(lane.acknowledged for lane in lanes)
            await asyncio.to_thread(self.other.promote)
            # The other one has no standby of its own yet.
            daemon.arguments = list(self.arguments(self.other))
            await asyncio.to_thread(daemon.start)
            await asyncio.sleep(0.5)
        self.assertGreater(before, 0)

    async def test_a_standby_that_is_away_is_waited_for(self):
        daemon = self.start_daemon(*self.arguments(self.primary, "--store-require-standby"))
        publish = "http://{}:{}/publish/pub/sub/0/room/0/%22on%20two%20machines%22?uuid=ada"

        def patient():
            with urllib.request.urlopen(publish.format(*daemon.address), timeout=300) as answer:
                return json.load(answer)

        ada = await self.device(daemon, "ada")
        await ada.publish("room", "before")
        self.other.freeze()
        self.addCleanup(self.other.thaw)
        waiting = asyncio.create_task(asyncio.to_thread(patient))
        # For longer than a server may say nothing that does not wait.
        await asyncio.sleep(35)
        self.assertFalse(waiting.done())
        # What nobody could say when it is done is refused at once.
        with self.assertRaises(Refused) as caught:
            await ada.publish("room", "soon")
        self.assertEqual(caught.exception.code, "overloaded")
        self.assertIn("The ledger stands still: writes wait. Look whether a standby is away",
                      daemon.log())
        self.other.thaw()
        answer = await waiting
        self.assertEqual(answer[:2], [1, "Sent"])
        await ada.settle("publish", channel="room", payload="after")
        texts = [it["payload"] for it in await ada.all_messages("room")]
        self.assertEqual(texts, ["before", "on two machines", "after"])
        self.assertTrue(daemon.is_running)
        while "The ledger goes on." not in daemon.log():
            await asyncio.sleep(0.1)

    async def test_a_daemon_that_follows_refuses_too_while_it_is_away(self):
        key = pathlib.Path(self.primary.directory) / "key"
        key.write_text("k" * 44)
        key.chmod(0o600)
        orders, follows = (
            self.start_daemon(
                *self.arguments(self.primary, "--store-require-standby"), *cluster(str(key)))
            for _ in range(2))
        bob, eve = await self.device(follows, "bob"), await self.device(orders, "eve")
        await bob.publish("room", "before")
        self.other.freeze()
        self.addCleanup(self.other.thaw)
        waiting = asyncio.create_task(bob.publish("room", "waits"))
        await asyncio.to_thread(
            until, lambda: metric(orders, "store_wait_seconds") >= 3, "the standby is missed")
        ada = await self.device(follows, "ada")
        for device in (ada, eve):
            for op, payload in (("publish", "soon"), ("signal", 1)):
                with self.subTest(op=op, user=device.user), self.assertRaises(Refused) as caught:
                    await device.command(op, channel="room", payload=payload)
                self.assertEqual(caught.exception.code, "overloaded")
        self.assertFalse(waiting.done())
        self.other.thaw()
        await waiting
        await ada.settle("publish", channel="room", payload="after")
        texts = [it["payload"] for it in await eve.all_messages("room")]
        self.assertEqual(texts, ["before", "waits", "after"])

    async def test_a_start_waits_for_a_standby_and_says_so_or_ends_when_it_is_told(self):
        daemon = self.start_daemon(*self.arguments(self.primary, "--store-require-standby"))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "before")
        await ada.close()
        await asyncio.to_thread(daemon.stop)
        self.addCleanup(self.other.thaw)

        async def waits(count):
            self.other.freeze()
            await asyncio.to_thread(daemon.spawn)
            while daemon.log().count("The database server lets the start wait.") < count:
                self.assertTrue(daemon.is_running)
                await asyncio.sleep(0.1)

        await waits(1)
        self.other.thaw()
        await asyncio.to_thread(daemon.listens)
        await ada.connect()
        await ada.publish("room", "after")
        texts = [it["payload"] for it in await ada.all_messages("room")]
        self.assertEqual(texts, ["before", "after"])
        await ada.close()
        await asyncio.to_thread(daemon.stop)
        await waits(2)
        await asyncio.to_thread(daemon.stop)
        self.assertIn("Stopped before it served.", daemon.log())

    async def test_an_operator_sees_who_is_there(self):
        arguments = self.arguments(
            self.primary, "--store-require-standby", "--store-reserve", "--store-schema", "chat")
        serving = self.start_daemon(*arguments)
        reserve = Daemon(*arguments)
        self.addCleanup(reserve.discard)
        reserve.spawn()
        while "In reserve: another daemon serves." not in reserve.log():
            await asyncio.sleep(0.05)

        def look():
            connection = LocalConnection(f"{serving.data_dir}/admin.sock")
            connection.request("GET", "/admin/v1/cluster")
            answer = connection.getresponse()
            found = json.loads(answer.read())
            connection.close()
            self.assertEqual(answer.status, 200, found)
            return found

        found = await asyncio.to_thread(look)
        self.assertEqual(
            (found["schema"], found["term"], found["servesHere"]), ("chat", 1, True))
        self.assertEqual([it["role"] for it in found["daemons"]], ["serves", "reserve"])
        standby, = found["standbys"]
        self.assertEqual((standby["state"], standby["sync"]), ("streaming", "sync"))
        self.other.freeze()
        self.addCleanup(self.other.thaw)
        ada = await self.device(serving, "ada")
        waiting = asyncio.create_task(ada.publish("room", "on two machines"))
        while [it["waitsFor"] for it in found["daemons"]] != ["SyncRep", ""]:
            await asyncio.sleep(0.05)
            found = await asyncio.to_thread(look)
        self.other.thaw()
        await waiting

    async def test_without_any_standby_it_does_not_start(self):
        await asyncio.to_thread(self.other.kill)
        while self.primary.sql("SELECT count(*) FROM pg_stat_replication") != "0":
            await asyncio.sleep(0.05)
        daemon = Daemon(*self.arguments(self.primary, "--store-require-standby"))
        self.addCleanup(daemon.discard)
        daemon.spawn()
        self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
        self.assertIn("its commits wait for a standby, and none is connected", daemon.log())

    async def test_a_commit_that_was_told_not_to_wait_is_not_acknowledged(self):
        daemon = self.start_daemon(*self.arguments(self.primary, "--store-require-standby"))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "on two machines")
        self.other.freeze()
        self.addCleanup(self.other.thaw)
        publishing = asyncio.create_task(ada.publish("room", "on one"))
        ledger = "FROM pg_stat_activity WHERE application_name = 'syncdaemon ledger'"
        while self.primary.sql(f"SELECT wait_event {ledger}") != "SyncRep":
            await asyncio.sleep(0.02)
        # Whoever stands in front sends its clients elsewhere meanwhile.
        while (ready := await asyncio.to_thread(readiness, daemon))[0] == 200:
            await asyncio.sleep(0.1)
        self.assertEqual(ready[0], 503)
        self.assertIn("ledger_stalled", ready[1])
        self.assertFalse(publishing.done())
        # The server says COMMIT then, and warns.
        self.assertEqual(self.primary.sql(f"SELECT pg_cancel_backend(pid) {ledger}"), "t")
        with self.assertRaises((Refused, Disconnected)):
            await publishing
        self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
        self.assertIn("a commit may be on one machine only", daemon.log())
        # It was committed, and is served once it is on two machines.
        self.other.thaw()
        await asyncio.to_thread(daemon.start)
        await ada.connect()
        texts = [it["payload"] for it in await ada.all_messages("room")]
        self.assertEqual(texts, ["on two machines", "on one"])

    async def test_without_a_standby_nothing_is_acknowledged(self):
        arguments = self.arguments(self.primary, "--store-require-standby")
        daemon = self.start_daemon(*arguments)
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "on two machines")
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        self.primary.sql("SELECT pg_reload_conf()")
        with self.assertRaises((Refused, Disconnected)):
            await asyncio.sleep(0.3)
            await ada.publish("room", "on one")
        self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
        self.assertIn("require_standby is on", daemon.log())
        done = subprocess.run(
            [binary(), "serve", "--data-dir", daemon.data_dir, "--listen", "127.0.0.1:0",
             *arguments],
            capture_output=True, text=True, env=clean_environment(), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("require_standby is on", done.stderr)
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.sql("SELECT pg_reload_conf()")
        await asyncio.to_thread(daemon.start)
        await ada.connect()
        texts = [it["payload"] for it in await ada.all_messages("room")]
        self.assertEqual(texts[0], "on two machines")


if __name__ == "__main__":
    unittest.main()
