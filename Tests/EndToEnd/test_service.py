"""The life of the service under a real systemd: installed, restarted, killed, reloaded, restored.

SERVICE_ROUNDS says how many restarts and kills one run has; `make faults` has more than `make test`.
"""

import asyncio
import contextlib
import os
import sqlite3
import sys
import unittest

from device import Refused
from disk import table_pages, zero
from lanes import check_lanes, start_lanes
from machine import PATIENCE
from manual import blocks
from service import CONFIGURATION, DATABASE, UNIT, Knocker, ServiceCase
from waiting import Patience

RESTARTS = int(os.environ.get("SERVICE_ROUNDS", "4"))
KILLS = max(2, RESTARTS // 4)
RELOADS = 5


class Service(ServiceCase):
    async def test_the_documented_lines_install_back_up_and_restore(self):
        self.install()
        ada = await self.device(self.daemon, "ada")
        first = await ada.publish("room", "kept")
        await ada.add("room", first, "👍", mutation="m1")

        backup, = blocks("Backup")
        said = self.machine.shell(backup).stdout
        self.assertIn("1 messages and 1 reactions", said)
        copy = self.inside("/var/backups/syncdaemon.db")
        self.assertEqual(copy.stat().st_mode & 0o777, 0o600)
        again = self.machine.run("bash", "-c", backup, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("exists already", again.stderr)

        await ada.subscribe({"name": "room", "cursor": "0"})
        await ada.add("room", first, "🔥", mutation="m2")
        await ada.publish("room", "lost")
        running = self.machine.run(
            "syncdaemon", "restore", "--data-dir", "/var/lib/syncdaemon",
            "/var/backups/syncdaemon.db", check=False)
        self.assertEqual(running.returncode, 1)
        self.assertIn("systemctl stop", running.stderr)

        ada.heals = True
        restore, = blocks("Restore")
        self.machine.shell(restore)
        await self.until(self.is_active, "the service to be active")
        await ada.connect()
        stored = await ada.all_messages("room")
        self.assertEqual([it["payload"] for it in stored], ["kept"])
        self.assertEqual([row[2] for row in await ada.all_actions("room")], ["👍"])
        await ada.publish("room", "written after the restore")
        owner = self.inside(DATABASE).stat()
        self.assertEqual(owner.st_mode & 0o777, 0o600)
        self.assertNotEqual(owner.st_uid, 0, "the daemon's user must own its data")
        self.assertTrue(self.inside(DATABASE + ".replaced").exists())

    def kill(self):
        """Ends the daemon as a crash would; the whole control group may be gone under systemctl."""
        self.machine.run("systemctl", "kill", "--kill-whom=main", "-s", "KILL", UNIT)

    async def test_restarts_kills_and_reloads_refuse_and_lose_nothing(self):
        self.install()
        random = self.random()
        watcher = await self.device(self.daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        watcher.keep_connected()
        lanes = await start_lanes(self, self.daemon, random, writers=2)
        knocker, enough = Knocker(), asyncio.Event()
        running = [asyncio.create_task(lane.run(enough)) for lane in lanes]
        running.append(asyncio.create_task(knocker.run()))

        async def acknowledged(more):
            goal = sum(lane.acknowledged for lane in lanes) + more
            await self.until(lambda: sum(lane.acknowledged for lane in lanes) >= goal, "writes")

        for _ in range(RESTARTS):
            await acknowledged(50)
            await asyncio.to_thread(self.machine.run, "systemctl", "restart", UNIT)
        for _ in range(KILLS):
            await acknowledged(50)
            await asyncio.to_thread(self.kill)
            await self.until(self.is_active, "the service after kill -9")
        await acknowledged(50)
        process = self.machine.state(UNIT, "MainPID")
        quiet = await self.device(self.daemon, "quiet")
        for _ in range(RELOADS):
            await asyncio.to_thread(self.machine.run, "systemctl", "reload", UNIT)
            await acknowledged(10)
        self.assertEqual(self.machine.state(UNIT, "MainPID"), process)
        await quiet.command("ping")
        enough.set()
        knocker.stop()
        await asyncio.gather(*running)

        print(f"{RESTARTS} restarts, {KILLS} kills, {RELOADS} reloads,"
              f" {sum(lane.acknowledged for lane in lanes)} acknowledged writes,"
              f" {knocker.tried} connections tried, {knocker.refused} refused", file=sys.stderr)
        self.assertEqual([it for lane in lanes for it in lane.surprises], [])
        self.assertEqual(knocker.refused, 0)
        await check_lanes(self, lanes, watcher)

    async def test_a_wrong_configuration_is_said_and_the_service_comes_back_with_the_mend(self):
        self.install()
        configuration = self.inside(CONFIGURATION)
        right = configuration.read_text(encoding="utf-8")
        configuration.write_text("[server]\nlisten_at = 1\n", encoding="utf-8")
        self.machine.run("systemctl", "restart", UNIT, check=False)
        knocker = Knocker()
        knocking = asyncio.create_task(knocker.run())
        before = self.restarts()
        await self.until(lambda: self.restarts() >= before + 3, "three more starts")
        self.assertEqual(self.machine.state("syncdaemon.socket", "ActiveState"), "active")
        self.assertIn(f"{CONFIGURATION}:2", self.machine.journal(UNIT, "--priority=err"))

        waiting = asyncio.create_task(self.device(self.daemon, "patient"))
        configuration.write_text(right, encoding="utf-8")
        device = await waiting
        await device.command("ping")
        knocker.stop()
        await knocking
        self.assertEqual(knocker.refused, 0)
        await self.until(self.is_active, "the service to be active")

    async def test_a_file_of_a_newer_release_is_said_and_left_alone(self):
        self.install()
        ada = await self.device(self.daemon, "ada")
        await ada.publish("room", "kept")
        await ada.close()
        self.machine.run("systemctl", "stop", "syncdaemon.socket", UNIT)
        version, = self.sql("PRAGMA user_version")
        self.sql("PRAGMA user_version = 999")
        self.machine.run("systemctl", "start", UNIT, check=False)
        await self.until(lambda: self.restarts() >= 2, "two more starts")
        said = self.machine.journal(UNIT, "--priority=err")
        self.assertIn("schema 999", said)
        self.assertIn(f"up to {version[0]}", said)
        self.assertEqual(self.sql("PRAGMA user_version"), [(999,)])

        self.sql(f"PRAGMA user_version = {version[0]}")
        await self.until(self.is_active, "the service")
        bob = await self.device(self.daemon, "bob")
        self.assertEqual([it["payload"] for it in await bob.all_messages("room")], ["kept"])

    async def test_the_documented_lines_rescue_a_damaged_file(self):
        self.install()
        ada = await self.device(self.daemon, "ada")
        for number in range(200):
            await ada.publish("room", f"{number:05}" + "x" * 300)
        await ada.close()
        self.machine.run("systemctl", "stop", "syncdaemon.socket", UNIT)
        path = str(self.inside(DATABASE))
        pages = table_pages(path, "message", b"00100x")
        zero(path, pages)
        lines, = blocks("When the file is damaged")
        said = self.machine.shell("mkdir -p /var/backups\n" + lines).stdout
        self.assertRegex(said, r"Lost: \d+ rows of the table message")
        self.assertIn("Restored into /var/lib/syncdaemon: ", said)
        await self.until(self.is_active, "the service")
        bob = await self.device(self.daemon, "bob")
        kept = [it["payload"][:5] for it in await bob.all_messages("room")]
        self.assertIn("00000", kept)
        self.assertIn("00199", kept)
        self.assertNotIn("00100", kept)
        self.assertGreater(len(kept), 180)
        await bob.publish("room", "goes on")

    async def test_the_advice_about_a_secret_keeps_the_service_up(self):
        self.install()
        check, _ = blocks("Configuration")[0].splitlines()
        check = check.split("#")[0]
        configuration = self.inside(CONFIGURATION)
        keyset = "[keyset a]\nsubscribe_key = default\n"
        configuration.write_text(keyset + "secret_key = hush\n", encoding="utf-8")
        configuration.chmod(0o644)
        told = self.machine.run("bash", "-c", check)
        self.assertIn("LoadCredential=NAME:/PATH", told.stderr)
        self.assertNotIn("chmod", told.stderr)
        # The old advice: now neither a check nor a reload approves of it.
        configuration.chmod(0o640)
        told = self.machine.run("bash", "-c", check, check=False)
        self.assertEqual(told.returncode, 2, told.stderr)
        self.assertIn("the daemon could not start again", told.stderr)
        self.machine.run("systemctl", "reload", UNIT)
        await self.until(
            lambda: "The configuration was not reloaded" in
            self.machine.journal(UNIT, "--priority=err"), "the refusal")
        self.assertIn("Permission denied", self.machine.journal(UNIT, "--priority=err"))
        await self.until(self.is_active, "the service to be active")

        # What the documentation says instead survives a restart.
        secret = self.inside("/etc/syncdaemon/web.secret")
        secret.write_text("hush\n", encoding="utf-8")
        secret.chmod(0o600)
        unit = self.inside("/etc/systemd/system/syncdaemon.service.d")
        unit.mkdir()
        (unit / "override.conf").write_text(
            "[Service]\nLoadCredential=web:/etc/syncdaemon/web.secret\n", encoding="utf-8")
        configuration.write_text(keyset + "secret_key_file = credential:web\n", encoding="utf-8")
        configuration.chmod(0o644)
        self.assertEqual(self.machine.run("bash", "-c", check).returncode, 0)
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", UNIT)
        await (await self.device(self.daemon, "ada")).command("ping")

    async def test_an_address_that_the_socket_makes_unused_is_a_remark(self):
        self.install()
        check, _ = blocks("Configuration")[0].splitlines()
        configuration = self.inside(CONFIGURATION)
        configuration.write_text("[server]\nlisten = 192.0.2.1:9\n", encoding="utf-8")
        told = self.machine.run("bash", "-c", check.split("#")[0], check=False)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("192.0.2.1:9", told.stderr)
        self.assertIn("syncdaemon.socket is enabled", told.stderr)
        self.machine.run("systemctl", "reload", UNIT)
        await self.until(
            lambda: "Configuration reloaded" in self.machine.journal(UNIT), "the reload")
        self.machine.run("systemctl", "restart", UNIT)
        await (await self.device(self.daemon, "ada")).command("ping")
        # Without the socket it is an address that cannot be.
        self.machine.run("systemctl", "disable", "syncdaemon.socket")
        told = self.machine.run("bash", "-c", check.split("#")[0], check=False)
        self.assertEqual(told.returncode, 2, told.stderr)

    async def test_a_full_disk_at_the_start_serves_reads_and_recovers_by_itself(self):
        self.machine.shell(
            "mkdir -p -m 700 /var/lib/private; mount -t tmpfs -o size=24m,mode=700 tmpfs"
            " /var/lib/private")
        self.install()
        ada = await self.device(self.daemon, "ada")
        first = await ada.publish("room", "kept")
        self.machine.run("bash", "-c", "dd if=/dev/zero of=/var/lib/private/filler bs=4k", check=False)
        self.kill()
        bob = await self.device(self.daemon, "bob")
        self.assertEqual([it["payload"] for it in await bob.all_messages("room")], ["kept"])
        async with self.refused(507, "store_full"):
            # Its own log gave some room back at the start.
            for _ in range(2000):
                await bob.publish("den", "there is no room" * 512)
        process = self.machine.state(UNIT, "MainPID")
        self.machine.run("rm", "/var/lib/private/filler")

        patience = Patience(seconds=PATIENCE)
        while True:
            try:
                reply = await bob.add("room", first, "👍")
                break
            except Refused as refusal:
                self.assertEqual(refusal.code, "store_full")
                patience.check("room on the disk to be found")
                await asyncio.sleep(0.1)
        self.assertEqual(reply["applied"], "added")
        self.assertEqual(self.machine.state(UNIT, "MainPID"), process)

    async def test_the_documented_stop_closes_the_socket_and_a_start_opens_both(self):
        self.install()
        ada = await self.device(self.daemon, "ada")
        self.machine.run("systemctl", "stop", "syncdaemon.socket", UNIT)
        self.assertEqual(await ada.closed(), 1001)
        with self.assertRaises(OSError):
            await ada.open()
        self.assertEqual(self.machine.state(UNIT, "ActiveState"), "inactive")
        self.machine.run("systemctl", "start", UNIT)
        await ada.connect()
        self.assertEqual(self.machine.state("syncdaemon.socket", "ActiveState"), "active")

    def sql(self, statement):
        with contextlib.closing(sqlite3.connect(self.inside(DATABASE))) as database:
            return database.execute(statement).fetchall()


if __name__ == "__main__":
    unittest.main()
