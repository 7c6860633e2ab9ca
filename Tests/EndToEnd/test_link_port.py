"""Links that are slow, stopped or surrounded by strangers: who has nothing to say costs nobody."""

import asyncio
import contextlib
import secrets
import signal
import socket
import threading

from case import DaemonTestCase
from daemon import Daemon, cluster, free_port
from detour import Detour
from device import Disconnected
from disk import metric, readiness
from postgres import PostgresServer
from waiting import until


class Two(DaemonTestCase):
    """One daemon orders, and one follows it by a detour."""

    def setUp(self):
        super().setUp()
        self.server = PostgresServer().start()
        self.addCleanup(self.server.discard)
        self.key = f"{self.server.directory}/key"
        with open(self.key, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32))
        arguments = self.arguments()
        self.port = int(arguments[-3].rpartition(":")[2])
        self.detour = Detour(self.port)
        self.addCleanup(self.detour.close)
        self.orders = self.daemon(*arguments, "--cluster-advertise", self.detour.address)
        self.follows = self.daemon(*self.arguments())

    def daemon(self, *arguments):
        """One that keeps its address when it begins anew."""
        daemon = Daemon(*arguments, listen=f"127.0.0.1:{free_port()}")
        self.addCleanup(daemon.discard)
        self.addCleanup(lambda: self._notes.append(daemon.log_tail()))
        daemon.start()
        return daemon

    def arguments(self):
        return ["--store", "postgres", "--store-url", self.server.url, *cluster(self.key)]

    async def soon(self, condition, what):
        await asyncio.to_thread(until, condition, what)

    async def test_strangers_take_their_places_from_themselves(self):
        strangers = [self.stranger() for _ in range(40)]
        self.addCleanup(lambda: [stranger.set() for stranger in strangers])
        await self.soon(lambda: "the oldest is sent away" in self.orders.log(), "a warning")
        self.detour.cut()
        await self.soon(lambda: "has ended" in self.follows.log(), "the link's end")
        await self.soon(
            lambda: self.follows.log().count("Ready.") == 2, "the daemon follows again")
        ada, bob = await self.device(self.orders, "ada"), await self.device(self.follows, "bob")
        await bob.subscribe({"name": "room", "cursor": "0"})
        told = await ada.publish("room", "here")
        await bob.reach("room", told)

    def stranger(self):
        """Somebody who says nothing, and comes again when they are sent away."""
        ends = threading.Event()

        def stay():
            while not ends.is_set():
                with contextlib.suppress(OSError), \
                        socket.create_connection(("127.0.0.1", self.port), timeout=1) as guest:
                    while not ends.is_set():
                        with contextlib.suppress(TimeoutError):
                            # Its challenge, and then nothing but the end.
                            if not guest.recv(4096):
                                break
                ends.wait(0.05)

        threading.Thread(target=stay, daemon=True).start()
        return ends

    async def test_who_is_stopped_for_a_moment_keeps_the_link(self):
        bob = await self.device(self.follows, "bob")
        for daemon in (self.follows, self.orders):
            for _ in range(3):
                daemon.process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(0.2)
                daemon.process.send_signal(signal.SIGCONT)
                await bob.publish("room", "still there")
        self.assertEqual(metric(self.orders, "cluster_followers"), 1)
        self.assertNotIn("has ended", self.follows.log())

    async def test_what_comes_too_late_is_no_link(self):
        ada = await self.device(self.follows, "ada")
        await ada.publish("room", "before")
        self.detour.late = 1
        await self.soon(
            lambda: metric(self.follows, "cluster_lag_milliseconds") >= 2000, "it is seen")
        self.assertNotIn("has ended", self.follows.log())
        # Signs of life come all the time, and all of them are late.
        self.detour.late = 4
        await self.soon(
            lambda: "came over 5 seconds late" in self.follows.log(), "the link is given up")
        with self.assertRaises(Disconnected):
            while True:
                await ada.command("ping")
                await asyncio.sleep(0.05)

    async def test_who_follows_a_ledger_that_stands_still_says_so(self):
        ada = await self.device(self.follows, "ada")
        await ada.publish("room", "before")
        self.server.freeze()
        self.addCleanup(self.server.thaw)
        waiting = asyncio.create_task(ada.publish("room", "waits"))
        await self.soon(
            lambda: "ledger_stalled" in readiness(self.follows)[1], "the follower says so")
        self.assertIn("Look at the daemon that orders", readiness(self.follows)[1])
        self.server.thaw()
        await waiting
        await self.soon(lambda: readiness(self.follows)[0] == 200, "it goes on")
