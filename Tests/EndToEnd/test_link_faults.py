"""Three daemons over a primary and its standby: what dies, freezes and is cut, under load.

Clients of both kinds are on all daemons and move between them. `LINK_FAULTS` says how often each
fault comes, as in "kill=20 cut=10"; those that it does not name do not come.
"""

import asyncio
import os
import signal
import sys
import threading
import time

from case import DaemonTestCase
from daemon import Daemon, cluster, free_port
from detour import Detour
from lanes import under_load
from postgres import PostgresServer
from test_link import Cluster, Wanderer
from waiting import until

#: `test_link` has others.
FAULTS = os.environ.get("LINK_FAULTS", "cut=1 follower=1 promote=1")
WRITERS = 3
#: Devices that read, and go to another daemon again and again.
ROAMERS = 3


class Servers:
    """A primary and its standby, either of which may be the one that is written to."""

    #: As Patroni's strict mode has it, also for whichever is promoted.
    OPTIONS = ("-c", "synchronous_standby_names=*")

    def __init__(self):
        self.primary = PostgresServer().start()
        self.standby = self.primary.standby()
        self.url = (
            f"host={self.primary.directory},{self.standby.directory} port=5432,5432 user=postgres"
            " dbname=postgres")
        self.standby.kill()
        self.standby.start(*self.OPTIONS)

    def sql(self, text):
        """What the one that is written to says."""
        return self.primary.sql(text)

    def fail_over(self):
        """The primary dies, its standby takes its place, and then has a standby of its own."""
        self.primary.kill()
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary
        until(lambda: self.sql("SELECT pg_is_in_recovery()") == "f", "a primary")
        self.standby.rejoin(self.primary)
        self.standby.kill()
        self.standby.start(*self.OPTIONS)

    def discard(self):
        """Ends both."""
        self.primary.discard()
        self.standby.discard()


class Machines(Cluster):
    """Daemons that are started again when they end, as systemd does, each behind a detour."""

    def __init__(self, test, servers, schema):
        self.detours = {}
        self.starts = 0
        super().__init__(test, servers, schema)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()

    def daemon(self, key):
        arguments = cluster(key)
        detour = Detour(int(arguments[1].rpartition(":")[2]))
        self.test.addCleanup(detour.close)
        daemon = Daemon(
            "--store", "postgres", "--store-url", self.server.url, "--store-schema", self.schema,
            "--store-require-standby", *arguments, "--cluster-advertise", detour.address,
            listen=f"127.0.0.1:{free_port()}")
        self.detours[daemon] = detour
        self.test.addCleanup(daemon.discard)
        self.test.addCleanup(lambda: self.test._notes.append(daemon.log_tail()))
        return daemon

    def _supervise(self):
        while not self._ends.wait(0.1):
            for daemon in self.daemons:
                if not daemon.is_running and not self._ends.is_set():
                    daemon.process.stdout.close()
                    daemon.spawn()
                    self.starts += 1

    def stop(self):
        self._ends.set()
        self._thread.join()
        super().stop()


class Pulse:
    """The longest time without an acknowledged write since it was asked last."""

    def __init__(self, lanes):
        self._lanes = lanes
        self._longest = 0
        self._seen, self._since = self.count, time.monotonic()

    @property
    def count(self):
        """Writes that were acknowledged so far."""
        return sum(lane.acknowledged for lane in self._lanes)

    async def watch(self):
        """Until it is cancelled."""
        while True:
            await asyncio.sleep(0.01)
            now, seen = time.monotonic(), self.count
            if seen != self._seen:
                self._longest = max(self._longest, now - self._since)
                self._seen, self._since = seen, now

    def gap(self):
        """Seconds; begins anew."""
        longest, self._longest = self._longest, 0
        return longest


class Faults(DaemonTestCase):
    async def test_nothing_is_lost_or_comes_twice_whatever_ends(self):
        random = self.random()
        servers = await asyncio.to_thread(Servers)
        self.addCleanup(servers.discard)
        machines = await asyncio.to_thread(Machines, self, servers, "faults")
        plan = [name for name, count in (it.split("=") for it in FAULTS.split())
                for _ in range(int(count))]
        random.shuffle(plan)
        wanderers = [Wanderer(machines), Wanderer(machines)]
        roamers = []
        for number in range(ROAMERS):
            roamer = await self.device(machines, f"roamer-{number}")
            await roamer.subscribe({"name": "room", "cursor": "0"})
            roamer.keep_connected()
            roamers.append(roamer)
        gaps = {}
        async with under_load(self, machines, random, WRITERS) as (lanes, watcher):
            for wanderer in wanderers:
                await asyncio.to_thread(wanderer.__enter__)
            moving = asyncio.create_task(self.move(random, [*roamers, lanes[0].device]))
            pulse = Pulse(lanes)
            watching = asyncio.create_task(pulse.watch())
            for name in plan:
                await self.goes_on(pulse, lanes)
                await asyncio.sleep(random.uniform(0.2, 1))
                pulse.gap()
                await asyncio.to_thread(getattr(self, name), machines)
                await self.goes_on(pulse, lanes)
                gaps.setdefault(name, []).append(pulse.gap())
            for task in (moving, watching):
                task.cancel()
        writes = pulse.count
        await self.check_polls(machines, wanderers)
        rows = watcher.rows["room"].action_rows()
        for roamer in roamers:
            await roamer.until(
                lambda it=roamer: it.online.is_set() and it.rows["room"].action_rows() == rows,
                "all reactions")
            self.assertEqual(sorted(roamer.rows["room"].messages),
                             sorted(watcher.rows["room"].messages))
        self.check_order(lanes)
        term = servers.sql("SELECT term FROM faults.seat")
        print(f"{writes} acknowledged writes in {term} terms; {machines.starts} starts;"
              f" {sum(it.polls for it in wanderers)} polls", file=sys.stderr)
        for name, seconds in sorted(gaps.items()):
            found = sorted(seconds)
            print(f"{name}: {len(found)} times, seconds without an answer: median"
                  f" {found[len(found) // 2]:.2f}, at most {found[-1]:.2f}", file=sys.stderr)
        await asyncio.to_thread(machines.stop)

    @staticmethod
    async def move(random, devices):
        """Has one of them go to another daemon, again and again."""
        while True:
            await asyncio.sleep(0.5)
            device = random.choice(devices)
            if device.online.is_set():
                await device.cut()

    @staticmethod
    async def goes_on(pulse, lanes):
        """It does, whoever orders now."""
        before = pulse.count
        await asyncio.to_thread(
            until, lambda: pulse.count > before + 50, "writes",
            lambda: sum(lane.device.frames for lane in lanes))

    async def check_polls(self, machines, wanderers):
        """Nothing twice, in one order, and every message since."""
        # Some daemon may still begin anew, after what was done to it last.
        ada = self.offline_device(machines, "ada")
        ada.keep_connected()
        await ada.settle("publish", channel="room", payload="the end")
        stored = {int(it["timetoken"]): it["payload"] for it in await ada.all_messages("room")}
        for wanderer in wanderers:
            await asyncio.to_thread(wanderer.hears, "the end")
            await asyncio.to_thread(wanderer.__exit__)
            places = [place for place, _, _ in wanderer.heard]
            self.assertEqual(places, sorted(set(places)))
            self.assertEqual(
                {place: text for place, kind, text in wanderer.heard if kind == 0},
                {place: text for place, text in stored.items() if place > wanderer.begun})

    def check_order(self, lanes):
        """What a lane wrote later has a later place, whoever ordered it."""
        for lane in lanes:
            places = list(map(int, lane.published))
            self.assertEqual(places, sorted(places), lane.name)

    # Faults: each returns when what it does is over, not what it has for consequences.

    @staticmethod
    def kill(machines):
        """Whoever orders dies."""
        machines.orders.process.kill()

    @staticmethod
    def freeze(machines):
        """Whoever orders is put out, wakes, finds that out, and ends."""
        gone = machines.orders
        process, address = gone.process, machines.address
        process.send_signal(signal.SIGSTOP)
        try:
            until(lambda: machines.address != address, "another one orders", pause=0.1)
        finally:
            process.send_signal(signal.SIGCONT)

    @staticmethod
    def terminate(machines):
        """The server ends the session of whoever orders."""
        machines.server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
            " 'syncdaemon ledger'")

    @staticmethod
    def cut(machines):
        """The links of all that follow end."""
        machines.detours[machines.orders].cut()

    @staticmethod
    def silence(machines):
        """Nothing comes through them, and nothing says so."""
        detour = machines.detours[machines.orders]
        detour.is_silent = True
        time.sleep(7)
        detour.is_silent = False
        detour.cut()

    @staticmethod
    def follower(machines):
        """One that follows dies."""
        machines.followers[0].process.kill()

    @staticmethod
    def standby(machines):
        """Nothing is on two machines for a while."""
        machines.server.standby.freeze()
        time.sleep(5)
        machines.server.standby.thaw()

    @staticmethod
    def promote(machines):
        """The primary dies, and its standby takes its place."""
        machines.server.fail_over()
