"""Three daemons over one PostgreSQL that all serve clients: one orders, the others follow it."""

import asyncio
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from case import DaemonTestCase
from daemon import Daemon, cluster, free_port
from device import Refused
from lanes import under_load
from postgres import PostgresServer
from raw import RawClient
from waiting import until

ROUNDS = int(os.environ.get("LINK_ROUNDS", "6"))
WRITERS = 3


class Cluster:
    """Daemons as clients see them: each connection goes to the next one."""

    def __init__(self, test, server, schema, count=3, more=()):
        self.test, self.server, self.schema, self.more = test, server, schema, more
        key = self.key()
        self.daemons = [self.daemon(key) for _ in range(count)]
        self._turns = itertools.cycle(self.daemons)
        #: The same, for somebody else.
        self.turns = itertools.cycle(self.daemons[1:] + self.daemons[:1])
        for daemon in self.daemons:
            daemon.start()

    def key(self):
        """A file with a new one."""
        folder = tempfile.TemporaryDirectory(prefix="syncdaemon-link-")
        self.test.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "key"
        path.write_text(secrets.token_hex(32) + "\n")
        path.chmod(0o600)
        return str(path)

    def daemon(self, key):
        """One that was not started, with an address that it keeps."""
        daemon = Daemon(
            "--store", "postgres", "--store-url", self.server.url, "--store-schema", self.schema,
            *cluster(key), *self.more, listen=f"127.0.0.1:{free_port()}")
        self.test.addCleanup(daemon.discard)
        self.test.addCleanup(lambda: self.test._notes.append(daemon.log_tail()))
        return daemon

    @property
    def url(self):
        return next(self._turns).url

    @property
    def address(self):
        """Where the daemon that orders lets others in."""
        return self.server.sql(f"SELECT address FROM {self.schema}.seat")

    @property
    def orders(self):
        """The daemon that orders."""
        address = self.address
        return next(it for it in self.daemons if address in it.arguments)

    @property
    def followers(self):
        orders = self.orders
        return [it for it in self.daemons if it is not orders]

    def stop(self):
        for daemon in self.followers:
            daemon.stop()
        self.orders.stop()


class Wanderer:
    """An SDK's long polls of the room, each at the next daemon: what it hears, and when again."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.cursor = self.begun = None
        self.heard = []
        self.polls = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        while self.cursor is None:
            self._poll()
        #: Where it began to listen.
        self.begun = int(self.cursor)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def _run(self):
        while not self._ends.is_set():
            self._poll()

    def _poll(self):
        host, port = next(self.cluster.turns).address
        path = f"/v2/subscribe/sub/room/0?uuid=wanderer&tt={self.cursor or 0}&tr=1"
        try:
            with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=20) as answer:
                found = json.load(answer)
        except (OSError, http.client.HTTPException, TypeError):
            # That daemon is not there: the next one has what comes.
            time.sleep(0.05)
            return
        self.polls += 1
        self.cursor = found["t"]["t"]
        self.heard += [(int(it["p"]["t"]), it.get("e", 0), it["d"]) for it in found["m"]]

    def hears(self, message):
        """Waits until a message has come."""
        until(lambda: message in [text for _, kind, text in self.heard if kind == 0],
              message, lambda: len(self.heard))


class Member:
    """Somebody who is in the hall for as long as the connection lives."""

    def __init__(self, daemon, user):
        self.client = RawClient(daemon.address)
        self.client.hello(user)
        self.client.command("subscribe", channels=[{"name": "hall", "presence": True}])

    def close(self):
        self.client.socket.close()


class Linked(DaemonTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PostgresServer().start()
        cls.addClassCleanup(cls.server.discard)

    async def cluster(self, schema, count=3, more=()):
        return await asyncio.to_thread(Cluster, self, self.server, schema, count, more)

    @staticmethod
    def ask(daemon, path):
        """An SDK's request."""
        host, port = daemon.address
        with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=30) as answer:
            return json.load(answer)

    async def test_what_one_device_does_shows_on_those_of_other_daemons(self):
        cluster = await self.cluster("crossing")
        first, second, third = cluster.daemons
        self.assertIs(cluster.orders, first)
        ada = await self.device(first, "ada")
        bob = await self.device(second, "bob")
        eve = await self.device(third, "eve")
        self.assertEqual({it.welcome["epoch"] for it in (ada, bob, eve)}, {ada.welcome["epoch"]})
        for device in (ada, bob, eve):
            await device.subscribe({"name": "room", "cursor": "0"})
        message = await bob.publish("room", {"text": "from the second"})
        await eve.command("addAction", channel="room", messageTimetoken=message, value="👍")
        reply = await ada.command("addAction", channel="room", messageTimetoken=message, value="🎉")
        last = int(reply["action"]["actionTimetoken"])
        for device in (ada, bob, eve):
            await device.reach("room", last)
        rows = [it.rows["room"].action_rows() for it in (ada, bob, eve)]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0], rows[2])
        self.assertEqual(len(rows[0]), 2)
        # What is not stored has a place in the same order.
        await bob.command("signal", channel="room", payload="typing")
        for device in (ada, eve):
            await device.until(
                lambda it=device: any("typing" in str(push) for push in it.pushes), "a signal")
        await asyncio.to_thread(cluster.stop)

    async def test_polls_of_one_daemon_hear_what_comes_to_another(self):
        cluster = await self.cluster("polls")
        path = "/v2/subscribe/sub/{}/0?uuid=ada&tt={}&tr=1"
        cursor = "0"
        for number, daemon in zip(range(12), itertools.cycle(cluster.daemons)):
            if cursor == "0":
                cursor = self.ask(daemon, path.format("lobby", 0))["t"]["t"]
            # The next one may not be as far as the one that gave the cursor.
            other = cluster.daemons[(number + 1) % 3]
            waiting = asyncio.create_task(
                asyncio.to_thread(self.ask, other, path.format("lobby", cursor)))
            text = urllib.parse.quote(json.dumps(f"number {number}"))
            sent = await asyncio.to_thread(
                self.ask, daemon, f"/publish/pub/sub/0/lobby/0/{text}?uuid=bob")
            self.assertEqual(sent[:2], [1, "Sent"])
            answer = await waiting
            self.assertEqual([it["d"] for it in answer["m"]], [f"number {number}"])
            cursor = answer["t"]["t"]
        await asyncio.to_thread(cluster.stop)

    async def test_who_is_where_is_known_to_all(self):
        cluster = await self.cluster("presence")
        for number, daemon in enumerate(cluster.daemons):
            member = Member(daemon, f"user-{number}")
            self.addCleanup(member.close)
        watcher = await self.device(cluster.followers[0], "watcher")
        found = await watcher.command("hereNow", channel="hall")
        self.assertEqual(
            sorted(it["userId"] for it in found["users"]), ["user-0", "user-1", "user-2"])
        # A daemon that dies takes its users with it, once they had time to come back.
        gone = cluster.followers[1]
        number = cluster.daemons.index(gone)
        await asyncio.to_thread(gone.kill)
        left = sorted({"user-0", "user-1", "user-2"} - {f"user-{number}"})
        # Looks are counted, not seconds: they take longer on a loaded machine.
        for _ in range(240):
            found = await watcher.command("hereNow", channel="hall")
            here = sorted(it["userId"] for it in found["users"])
            if here == left:
                break
            await asyncio.sleep(0.5)
        self.assertEqual(here, left)

    async def test_a_tenant_may_have_no_more_of_three_daemons_than_of_one(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "sync.ini"
        path.write_text("[keyset small]\nsubscribe_key = small\nconnections_max = 3\n"
                        "[keyset busy]\nsubscribe_key = busy\ncommands_per_second_max = 50\n")
        cluster = await self.cluster("quotas", more=("--config", str(path)))
        first, second, third = cluster.daemons
        _, bob, _ = [await self.device(it, "ada", f"{n}", keyset="small")
                       for n, it in enumerate((first, second, second))]

        async def comes(daemon):
            """Whether one more may come, which then goes."""
            device = self.offline_device(daemon, "eve", keyset="small")
            try:
                await device.connect()
            except Refused as refusal:
                self.assertEqual(refusal.code, "quota_exceeded")
                return False
            finally:
                await device.close()
            return True

        # They tell each other twice a second: looks are counted.
        async def eventually(daemon, expected):
            for _ in range(60):
                if await comes(daemon) == expected:
                    return
                await asyncio.sleep(0.5)
            self.fail("It is not told what the others have.")

        await eventually(third, False)
        await eventually(first, False)
        await bob.close()
        await eventually(third, True)
        await self.check_rate(cluster)
        await asyncio.to_thread(cluster.stop)

    async def check_rate(self, cluster):
        """What three daemons carry out for a tenant is what one would, but for the beginning."""
        devices = [await self.device(it, "ada", f"{n}", keyset="busy")
                   for n, it in enumerate(cluster.daemons)]
        begun = time.monotonic()
        done = 0
        while time.monotonic() < begun + 10:
            answers = await asyncio.gather(
                *(it.command("ping") for it in devices for _ in range(20)), return_exceptions=True)
            done += sum(isinstance(it, dict) for it in answers)
            for answer in answers:
                if not isinstance(answer, dict):
                    self.assertEqual(answer.code, "rate_limited")
            await asyncio.sleep(0.05)
        seconds = time.monotonic() - begun
        # Three bursts, and what was carried out before the last time that they were told.
        self.assertLess(done, 50 * (seconds + 3 + 2))

    async def test_nobody_comes_or_goes_because_another_daemon_orders(self):
        cluster = await self.cluster("terms")
        gone, (second, third) = cluster.orders, cluster.followers
        address = cluster.address
        for daemon, user in ((second, "ada"), (third, "bob"), (second, "eve")):
            self.addCleanup(Member(daemon, user).close)
        beat = "/v2/presence/sub-key/sub/channel/hall/heartbeat?uuid=sdk&heartbeat=300"
        await asyncio.to_thread(self.ask, third, beat)
        state = "/v2/presence/sub-key/sub/channel/hall/uuid/sdk/data?state=%7B%22a%22%3A1%7D"
        await asyncio.to_thread(self.ask, third, state)
        await asyncio.to_thread(gone.kill)
        await asyncio.to_thread(until, lambda: cluster.address != address, "another one")
        watcher = self.offline_device(second, "watcher")
        watcher.keep_connected()
        await watcher.until(watcher.online.is_set, "a connection")
        await watcher.subscribe("hall-pnpres")
        # None of them has come back yet.
        found = await watcher.settle("hereNow", channel="hall", states=True)
        self.assertEqual(
            {it["userId"]: it.get("state") for it in found["users"]},
            {"ada": None, "bob": None, "eve": None, "sdk": {"a": 1}})
        for daemon, user in ((third, "ada"), (third, "bob")):
            back = await asyncio.to_thread(until, lambda at=(daemon, user): self.comes(*at), user)
            self.addCleanup(back.close)

        def events():
            return [(it["d"]["action"], it["d"]["uuid"]) for push in watcher.pushes
                    for it in push["m"] if push["c"] == "hall-pnpres"]

        for _ in range(240):
            if events():
                break
            await asyncio.sleep(0.5)
        self.assertEqual(events(), [("timeout", "eve")])
        # One of them began anew in its place, and `ps` calls it what it did.
        names = {pathlib.Path(f"/proc/{it.process.pid}/comm").read_text() for it in (second, third)}
        self.assertEqual(names, {"syncdaemon\n"})
        await asyncio.to_thread(cluster.daemons[0].start)
        await asyncio.to_thread(cluster.stop)

    @staticmethod
    def comes(daemon, user):
        """A member, once the daemon serves."""
        with contextlib.suppress(OSError):
            return Member(daemon, user)
        return None

    async def test_daemons_die_and_nothing_is_lost(self):
        random = self.random()
        cluster = await self.cluster("faults")
        ends = [self.kill_who_orders, self.kill_a_follower, self.freeze_who_orders,
                self.stop_who_orders, self.cut_who_orders]
        wanderer = Wanderer(cluster)
        async with under_load(self, cluster, random, WRITERS) as (lanes, _):
            await asyncio.to_thread(wanderer.__enter__)
            for number in range(ROUNDS):
                await asyncio.sleep(random.uniform(0.2, 1))
                before = sum(lane.acknowledged for lane in lanes)
                end = ends[number % len(ends)]
                gone = await asyncio.to_thread(end, cluster)
                if gone is not None:
                    await asyncio.to_thread(gone.start)
                # It goes on, whoever orders now.
                await asyncio.to_thread(
                    until, lambda: sum(lane.acknowledged for lane in lanes) > before + 50,
                    "writes", lambda: sum(lane.device.frames for lane in lanes))
        ada = await self.device(cluster, "ada")
        await ada.settle("publish", channel="room", payload="the end")
        await asyncio.to_thread(wanderer.hears, "the end")
        await asyncio.to_thread(wanderer.__exit__)
        # Nothing twice, in one order, and every message since.
        places = [place for place, _, _ in wanderer.heard]
        self.assertEqual(places, sorted(set(places)))
        stored = {int(it["timetoken"]): it["payload"] for it in await ada.all_messages("room")}
        self.assertEqual(
            {place: text for place, kind, text in wanderer.heard if kind == 0},
            {place: text for place, text in stored.items() if place > wanderer.begun})
        writes = sum(lane.acknowledged for lane in lanes)
        term = self.server.sql("SELECT term FROM faults.seat")
        print(f"{writes} acknowledged writes in {term} terms; {wanderer.polls} polls",
              file=sys.stderr)
        await asyncio.to_thread(cluster.stop)

    @staticmethod
    def kill_who_orders(cluster):
        gone = cluster.orders
        gone.kill()
        return gone

    @staticmethod
    def kill_a_follower(cluster):
        gone = cluster.followers[0]
        gone.kill()
        return gone

    @staticmethod
    def stop_who_orders(cluster):
        gone = cluster.orders
        gone.stop()
        return gone

    @staticmethod
    def freeze_who_orders(cluster):
        """It is put out, wakes, finds that out, and ends."""
        gone = cluster.orders
        gone.process.send_signal(signal.SIGSTOP)
        try:
            address = cluster.address
            until(lambda: cluster.address != address, "another one orders", pause=0.1)
        finally:
            gone.process.send_signal(signal.SIGCONT)
        assert gone.wait() == 1, "It went on though another one orders."
        return gone

    def cut_who_orders(self, cluster):
        """The server ends its session."""
        gone = cluster.orders
        self.server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
            " 'syncdaemon ledger'")
        assert gone.wait() == 1, "It went on without its session."
        return gone

    async def test_nobody_without_the_key_is_let_in(self):
        cluster = await self.cluster("keys", count=1)
        stranger = cluster.daemon(cluster.key())
        stranger.spawn()
        await asyncio.to_thread(
            until, lambda: "[cluster] key_file is to be the same" in stranger.log(), "a refusal")
        await asyncio.to_thread(
            until, lambda: "without the cluster's key" in cluster.daemons[0].log(), "a warning")
        await asyncio.to_thread(stranger.stop)
        # Nor does who says nothing of sense keep anybody from anything.
        host, port = cluster.address.split(":")
        for junk in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 100_000):
            with socket.create_connection((host, int(port)), timeout=30) as guest:
                with contextlib.suppress(OSError):
                    guest.sendall(junk)
                    guest.shutdown(socket.SHUT_WR)
                    while guest.recv(65536):
                        pass
        ada = await self.device(cluster.daemons[0], "ada")
        await ada.publish("room", "hello")
        await asyncio.to_thread(cluster.stop)
