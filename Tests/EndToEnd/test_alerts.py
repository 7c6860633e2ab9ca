"""Each alert of contrib/ fires when what it is for is caused, and the dashboard shows something."""

import asyncio
import contextlib
import errno
import json
import os
import re
import sqlite3
import subprocess
import unittest

from daemon import ROOT
from disk import DiskTestCase, Faults, SmallDisk, cannot_mount, database, readiness
from prometheus import RULES, WatchedTestCase
from raw import RawClient

DASHBOARD = ROOT / "contrib/grafana/syncdaemon.json"


class Files(unittest.TestCase):
    """What promtool says of them."""

    def promtool(self, *arguments, **options):
        done = subprocess.run(
            ["promtool", *arguments], capture_output=True, text=True, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_rules_are_right(self):
        self.promtool("check", "rules", str(RULES))

    def test_each_alert_fires_when_it_is_to_and_only_then(self):
        self.promtool("test", "rules", str(RULES.with_name("syncdaemon.tests.yml")))


class Alerts(WatchedTestCase, DiskTestCase):
    async def test_what_the_daemon_says_is_right(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.add("room", await ada.publish("room", "hi"), "👍")
        async with self.refused(400, "invalid_field"):
            await ada.command("history", channel="room", limit=-1)
        status, _ = await asyncio.to_thread(readiness, daemon, "/v1/nothing")
        self.assertEqual(status, 404)
        text = await asyncio.to_thread(self.metrics, daemon)
        self.assertIn('syncdaemon_errors_total{code="http_404"} 1', text)
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('syncdaemon_errors_total{code="invalid_field"} 1', text)
        self.assertIn('syncdaemon_read_wait_seconds_count{kind="history"}', text)

    async def test_writes_and_deliveries_are_timed(self):
        daemon = self.start_daemon()
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        await ada.publish("elsewhere", "nobody follows it")
        self.assertIn("syncdaemon_delivery_seconds_count 0\n", self.metrics(daemon))
        await bob.subscribe("room")
        for number in range(5):
            await ada.publish("room", number)
        text = await asyncio.to_thread(self.metrics, daemon)
        self.assertIn("syncdaemon_write_wait_seconds_count 6\n", text)
        # A reactor may tell of several commits at once.
        told = int(re.search(r"^syncdaemon_delivery_seconds_count (\d+)$", text, re.M)[1])
        self.assertTrue(1 <= told <= 5, told)

    @staticmethod
    def metrics(daemon):
        with RawClient(daemon.address) as client:
            return client.get("/metrics").body.decode()

    async def test_a_healthy_daemon_and_its_dashboard(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.subscribe("room")
        prometheus = await self.watch(daemon)
        for _ in range(10):
            await ada.publish("room", "hi")
            await ada.command("history", channel="room")
            async with self.refused(400, "invalid_field"):
                await ada.command("history", channel="room", limit=-1)
            await asyncio.sleep(0.2)
        panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
        # There is no webhook here, and no session was closed.
        silent = {"syncdaemon_webhook", "syncdaemon_closes"}
        for panel in panels:
            for target in panel["targets"]:
                query = target["expr"].replace("$__rate_interval", "10s").replace(
                    "$instance", ".*")
                found = await asyncio.to_thread(prometheus.query, query)
                if not any(it in query for it in silent):
                    self.assertTrue(found, f"{panel['title']}: {query}")
        if await asyncio.to_thread(self.free_bytes, daemon) > 2e9:
            self.assertEqual(await asyncio.to_thread(prometheus.firing), set())

    @staticmethod
    def free_bytes(daemon):
        facts = os.statvfs(daemon.data_dir)
        return facts.f_bavail * facts.f_frsize

    async def test_a_daemon_that_is_gone(self):
        daemon = self.start_daemon()
        prometheus = await self.watch(daemon)
        await asyncio.to_thread(daemon.stop)
        await self.fires(prometheus, "Down")

    @unittest.skipIf(cannot_mount(), "it takes root to mount a small disk")
    async def test_a_full_disk(self):
        disk = SmallDisk(10 << 20)
        self.addCleanup(disk.close)
        daemon = self.start_daemon(data_dir=disk.data_dir)
        ada = await self.device(daemon, "ada")
        prometheus = await self.watch(daemon)
        await self.fires(prometheus, "DiskFills")
        disk.fill()
        while "error" not in await ada.request("publish", channel="room", payload="x" * 20_000):
            pass
        await self.fires(prometheus, "NotReady")
        await self.fires(prometheus, "WritesRefused")

    async def test_a_disk_that_hangs(self):
        faults = Faults()
        self.addCleanup(faults.discard)
        daemon = self.start_daemon(**faults.options)
        ada = await self.device(daemon, "ada")
        prometheus = await self.watch(daemon)
        await ada.publish("room", "hi")
        faults.set("sync", 0, "syncdaemon.db-wal")
        writes = [asyncio.create_task(ada.request("publish", channel="room", payload=n))
                  for n in range(3)]
        await self.fires(prometheus, "LedgerStalled")
        faults.clear("sync")
        await asyncio.gather(*writes)

    async def test_a_disk_that_cannot_be_read(self):
        faults = Faults()
        self.addCleanup(faults.discard)
        daemon = self.start_daemon(**faults.options)
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "before")
        await self.stop_settled(daemon, ada)
        await asyncio.to_thread(daemon.start)
        ada = await self.device(daemon, "ada", "tablet")
        prometheus = await self.watch(daemon)
        faults.set("read", errno.EIO, ".db")
        async with self.refused(423, "store_damaged"):
            await ada.command("history", channel="room")
        await self.fires(prometheus, "Damage")
        await self.fires(prometheus, "NotReady")
        faults.clear("read")

    async def test_slow_consumers_and_connections_that_are_turned_away(self):
        daemon = self.start_daemon("--connections", "20", "--connections-per-address", "20")
        ada = await self.device(daemon, "ada")
        prometheus = await self.watch(daemon)
        with contextlib.ExitStack() as many:
            slow = many.enter_context(RawClient(daemon.address, receive_buffer=4096))
            await asyncio.to_thread(slow.hello, "slow", "slow-phone")
            await asyncio.to_thread(
                lambda: slow.command("subscribe", channels=[{"name": "room"}]))
            await ada.settle_all(
                [("publish", {"channel": "room", "payload": [n, "x" * 30_000]})
                 for n in range(600)])
            await self.fires(prometheus, "SlowConsumers")
            # Prometheus keeps the connection that it has.
            for _ in range(60):
                with contextlib.suppress(OSError):
                    many.enter_context(RawClient(daemon.address))
            await self.fires(prometheus, "ConnectionsShed")

    async def test_devices_that_are_not_equal(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.subscribe({"name": "room", "cursor": "0"})
        await ada.reach("room", await ada.publish("room", "hi"))
        prometheus = await self.watch(daemon)
        ada.heals = True
        for _ in range(15):
            await ada.subscribe({
                "name": "room", "cursor": str(ada.rows["room"].cursor),
                "epoch": ada.welcome["epoch"], "count": 1, "digest": "0" * 32})
            await asyncio.sleep(0.1)
        await self.fires(prometheus, "Divergence")

    async def test_a_log_that_cannot_shrink(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "hi")
        prometheus = await self.watch(daemon)
        with contextlib.closing(sqlite3.connect(database(daemon))) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM message").fetchone()
            for _ in range(10):
                await ada.settle_all(
                    [("publish", {"channel": "room", "payload": [n, "x" * 30_000]})
                     for n in range(900)])
            await self.fires(prometheus, "LogGrows")
