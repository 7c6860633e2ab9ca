"""`[archive]`, `syncdaemon restore --at` and `syncdaemon verify`: any moment comes back as it was."""

import asyncio
import contextlib
import gzip
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

from archive import Load, bases, is_right, pieces, restored
from case import eventually
from daemon import binary, clean_environment, run_to_end
from disk import SmallDisk, cannot_mount, metric, readiness
from prometheus import WatchedTestCase
from raw import RawClient


class Archive(WatchedTestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-archive-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.archive = self.scratch / "archive"
        self.archive.mkdir()

    def start(self, *arguments, archive=None, **options):
        return self.start_daemon(
            "--store", "sqlite", "--archive-directory", str(archive or self.archive),
            "--archive-seconds", "1", *arguments, **options)

    def restore(self, moment=None, name="restored"):
        at = ["--at", str(moment)] if moment else []
        return run_to_end(
            "restore", "--data-dir", str(self.scratch / name), *at, str(self.archive))

    def verify(self, what=None):
        return run_to_end("verify", str(what or self.archive))

    async def test_random_moments_under_load_and_kills_are_what_was_told_then(self):
        random = self.random()
        daemon = self.start()
        loads = []
        for life in range(3):
            await eventually(lambda: len(bases(self.archive)) > life, "a copy of the database")
            load = Load(daemon, random.randrange(1 << 30))
            loads.append((bases(self.archive)[life], load))
            await eventually(lambda: load.written > 800, "writes")
            load.stop()
            newest = load.places()[-1]
            if life == 1:
                await eventually(lambda: pieces(self.archive)[-1] >= newest, "the last piece")
                daemon.kill()
                daemon.start()
            else:
                daemon.stop()
                # What was acknowledged is in the archive when the daemon has ended.
                self.assertGreaterEqual(pieces(self.archive)[-1], newest)
                daemon.start()
        await eventually(lambda: len(bases(self.archive)) == 4, "the last copy")
        daemon.stop()
        for life, (base, load) in enumerate(loads):
            places = [place for place in load.places() if place >= base]
            for moment in [*random.sample(places, 3), places[-1]]:
                with self.subTest(life=life, moment=moment):
                    last, state = restored(self.archive, moment, self.scratch / str(moment))
                    self.assertTrue(
                        is_right(load, moment, last, state),
                        f"{moment - last} ticks before: {state}, not {load.expected(last)}")
        code, said, error = self.verify()
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(said.count(" is sound: any moment from "), 4)

    async def test_a_device_that_saw_what_is_gone_is_made_equal(self):
        daemon = self.start()
        ada, bob = [await self.device(daemon, name) for name in ("ada", "bob")]
        for device in (ada, bob):
            device.heals = True
            await device.subscribe({"name": "room", "cursor": "0"})
        await eventually(lambda: bases(self.archive), "a copy of the database")
        message = await ada.publish("room", "kept")
        await ada.add("room", message, "👍")
        moment = max(int(push["t"]["t"]) for push in bob.pushes + ada.pushes)
        time.sleep(0.01)
        await ada.publish("room", "an accident")
        await bob.until(lambda: len(bob.rows["room"].messages) == 2, "the accident")
        await asyncio.to_thread(daemon.stop)
        code, said, error = run_to_end(
            "restore", "--data-dir", daemon.data_dir, "--at", str(moment), str(self.archive))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("1 messages and 1 reactions", said)
        daemon.start()
        await bob.connect()
        await bob.until(lambda: len(bob.rows["room"].messages) == 1, "the restored state")
        self.assertEqual(len(bob.rows["room"].action_rows()), 1)
        self.assertFalse(bob.rows["room"].is_wrong)

    async def test_an_archive_of_another_store_is_left_alone_and_operators_are_told(self):
        first = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        first.stop()
        files = sorted(self.archive.rglob("*"))
        second = self.start()
        await eventually(lambda: "archive_failing" in str(readiness(second)), "the trouble")
        status, troubles = readiness(second)
        # Clients lack nothing.
        self.assertEqual(status, 200)
        self.assertIn("another store's archive is there", str(troubles))
        with RawClient(second.address) as client:
            client.hello().command("publish", channel="room", payload=1)
        self.assertEqual(sorted(self.archive.rglob("*")), files)

    async def test_a_directory_that_comes_back_gets_everything(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        away = self.archive.with_name("away")
        self.archive.rename(away)
        with RawClient(daemon.address) as client:
            client.hello()
            for number in range(5):
                newest = int(client.command(
                    "publish", channel="room", payload=number)["timetoken"])
            await eventually(lambda: "archive_failing" in str(readiness(daemon)), "the trouble")
        waiting = pathlib.Path(daemon.data_dir) / "archive"
        await eventually(lambda: list(waiting.glob("*.log")), "a piece")
        away.rename(self.archive)
        await eventually(lambda: pieces(self.archive)[-1:] >= [newest], "what waited")
        await eventually(lambda: "archive_failing" not in str(readiness(daemon)), "the end of it")
        daemon.stop()
        self.assertEqual(list(waiting.glob("*.log")), [])
        self.assertEqual(len(list(self.archive.glob("*/"))), 1)
        code, said, error = self.restore()
        self.assertEqual((code, error), (0, ""))
        self.assertIn("5 messages", said)

    async def test_a_disk_that_is_not_mounted_is_not_taken_for_an_empty_archive(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        away = self.archive.with_name("away")
        for restart in (False, True):
            with self.subTest(restart=restart):
                self.archive.rename(away)
                self.archive.mkdir()
                if restart:
                    await asyncio.to_thread(daemon.stop)
                    daemon.start()
                with RawClient(daemon.address) as client:
                    client.hello().command("publish", channel="room", payload=1)
                await eventually(lambda: "Mount its disk" in str(readiness(daemon)), "the trouble")
                self.assertEqual(list(self.archive.iterdir()), [])
                code, _, errors = run_to_end(
                    "config", "check", "--data-dir", daemon.data_dir, "--archive-directory",
                    str(self.archive))
                self.assertEqual(code, 2)
                self.assertIn("Mount its disk", errors)
                self.archive.rmdir()
                away.rename(self.archive)
                await eventually(
                    lambda: "archive_failing" not in str(readiness(daemon)), "the end of it")
        await asyncio.to_thread(daemon.stop)
        code, _, error = self.verify()
        self.assertEqual((code, error), (0, ""))

    @unittest.skipIf(cannot_mount(), cannot_mount())
    async def test_what_waits_leaves_the_data_its_disk(self):
        with SmallDisk(112 << 20) as disk:
            daemon = self.start(
                archive=self.scratch / "absent", data_dir=os.path.join(disk.path, "data"))
            with RawClient(daemon.address) as client:
                client.hello()
                for _ in range(2500):
                    client.command("publish", channel="room", payload="x" * 4000)
            self.assertGreaterEqual(metric(daemon, "archive_gaps_total"), 1)
            self.assertGreater(shutil.disk_usage(disk.path).free, 32 << 20)
            self.assertNotIn("disk_full", str(readiness(daemon)))
            await asyncio.to_thread(daemon.stop)

    @unittest.skipIf(cannot_mount(), cannot_mount())
    async def test_where_nothing_may_wait_from_the_start_operators_are_told(self):
        with SmallDisk(48 << 20) as disk:
            daemon = self.start(data_dir=os.path.join(disk.path, "data"))
            with RawClient(daemon.address) as client:
                client.hello().command("publish", channel="room", payload="kept")
            await eventually(lambda: "archive_failing" in str(readiness(daemon)), "the trouble")
            status, troubles = readiness(daemon)
            self.assertEqual(status, 200)
            self.assertIn("less than 64 MiB left", str(troubles))
            self.assertEqual(list(self.archive.glob("*/base-*")), [])
            await asyncio.to_thread(daemon.stop)

    async def test_an_operators_checkpoint_makes_no_gap_and_the_last_write_is_there(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        with RawClient(daemon.address) as client:
            client.hello()
            for number in range(3):
                newest = int(client.command(
                    "publish", channel="room", payload=number)["timetoken"])
                subprocess.run(
                    [binary("syncctl"), "admin", "checkpoint", "--data-dir", daemon.data_dir],
                    check=True, stdout=subprocess.DEVNULL)
        await eventually(lambda: pieces(self.archive)[-1:] >= [newest], "the last write")
        self.assertEqual(metric(daemon, "archive_gaps_total"), 0)
        await asyncio.to_thread(daemon.stop)
        code, said, error = self.restore()
        self.assertEqual((code, error), (0, ""))
        self.assertIn("3 messages", said)
        self.assertNotIn("The archive ends there", said)

    async def test_after_a_gap_a_quiet_daemon_s_last_write_comes_to_the_archive(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        path = pathlib.Path(daemon.data_dir) / "syncdaemon.db"
        with RawClient(daemon.address) as client:
            client.hello().command("publish", channel="room", payload=1)
            with contextlib.closing(sqlite3.connect(path)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            newest = int(client.command("publish", channel="room", payload=2)["timetoken"])
        await eventually(lambda: bases(self.archive)[-1:] >= [newest], "the next copy")
        # The thread counts it a moment later.
        await eventually(lambda: metric(daemon, "archive_gaps_total") == 1, "the gap")
        await asyncio.to_thread(daemon.stop)
        code, said, error = self.restore()
        self.assertEqual((code, error), (0, ""))
        self.assertIn("2 messages", said)

    async def test_what_is_missing_is_told_and_nothing_else_is_put_in_its_place(self):
        daemon = self.start()
        places = []
        for life in range(3):
            await eventually(lambda: len(bases(self.archive)) > life, "a copy of the database")
            with RawClient(daemon.address) as client:
                client.hello()
                for number in range(2):
                    newest = int(client.command(
                        "publish", channel="room", payload=number)["timetoken"])
                    await eventually(
                        lambda newest=newest: pieces(self.archive)[-1:] >= [newest], "a piece")
                    places.append(newest)
            await asyncio.to_thread(daemon.stop)
            if life < 2:
                daemon.start()
        self.assertEqual(self.verify()[0], 0)
        runs = sorted(self.archive.glob("2*/"))
        away = self.scratch / "away"
        gap, piece = "has a gap there", "is missing"
        for lost, moment, words, verified in (
                (next(runs[1].glob("00000000-*")), places[3], "the piece 0 is missing", piece),
                (next(runs[1].glob("base-*")), places[2], gap, "A gap: "),
                (runs[1], places[2], gap, "A gap: "),
                (sorted(runs[1].glob("*.log.gz"))[-1], places[3], gap, piece)):
            with self.subTest(lost=lost.name):
                lost.rename(away)
                code, said, error = self.restore(moment)
                self.assertEqual((code, said), (1, ""))
                self.assertIn(words, error)
                code, said, error = self.verify()
                self.assertIn(verified, said + error)
                # What does not need it is there.
                code, said, error = self.restore(places[1], name=f"before-{lost.name}")
                self.assertEqual((code, error), (0, ""))
                self.assertIn("2 messages", said)
                away.rename(lost)
        with self.subTest("the newest run"):
            runs[2].rename(away)
            code, said, error = self.restore(places[5])
            self.assertEqual((code, said), (1, ""))
            self.assertIn(gap, error)
            _, said, _ = self.verify()
            self.assertIn(f"{runs[2].name}, the newest run that came here, is missing", said)
            self.assertIn("A gap: ", said)
            code, said, error = self.restore(name="before-the-newest")
            self.assertEqual((code, error), (0, ""))
            self.assertIn("4 messages", said)
            self.assertIn("of what was written later it has nothing", said)
            away.rename(runs[2])
        with self.subTest("a link in a run's place"):
            link = self.archive / "20261201T000000000000Z-1f"
            link.symlink_to(runs[0])
            for code, said, error in (self.verify(), self.restore(places[3])):
                self.assertEqual((code, said), (1, ""))
                self.assertIn("it is a link, and no run of this archive", error)
            link.unlink()
        with self.subTest("a copy with more in it than there is room for"):
            own, = runs[1].glob("base-*")
            bytes_before = own.stat().st_size
            os.truncate(own, 1 << 42)
            code, said, error = self.restore(places[3])
            self.assertEqual((code, said), (1, ""))
            self.assertIn("There is no room", error)
            os.truncate(own, bytes_before)
        with self.subTest("a copy of another run"):
            own, = runs[1].glob("base-*")
            other, = runs[0].glob("base-*")
            own.rename(away)
            shutil.copy(other, runs[1])
            for code, said, error in (self.verify(), self.restore(places[3])):
                self.assertEqual(code, 1)
                self.assertIn("it is a copy of another time than its run", error)
            (runs[1] / other.name).unlink()
            away.rename(own)
        code, said, error = self.restore(places[3], name="all")
        self.assertEqual((code, error), (0, ""))
        self.assertIn("4 messages", said)

    async def test_a_copy_of_another_store_is_refused_where_a_daemon_was_killed(self):
        others = self.scratch / "others"
        others.mkdir()
        first, second = self.start(), None
        for archive in (self.archive, others):
            daemon = first if second is None else second
            await eventually(lambda archive=archive: bases(archive), "a copy of the database")
            with RawClient(daemon.address) as client:
                place = int(client.hello().command(
                    "publish", channel="room", payload=1)["timetoken"])
            await eventually(
                lambda archive=archive, place=place: place in pieces(archive), "a piece")
            if second is None:
                first.kill()
                second = self.start(archive=others)
        second.stop()
        self.assertEqual(self.verify()[0], 0)
        copy, = others.glob("*/base-*")
        run, = self.archive.glob("2*/")
        shutil.copy(copy, run)
        code, said, error = self.restore(bases(others)[0])
        self.assertEqual((code, said), (1, ""))
        self.assertIn("it is a copy of another time than its run", error)
        self.assertEqual(self.verify()[0], 1)

    async def test_a_backup_has_one_moment(self):
        daemon = self.start()
        backup = str(self.scratch / "backup.db")
        self.assertEqual(run_to_end("backup", "--data-dir", daemon.data_dir, backup)[0], 0)
        code, said, error = run_to_end(
            "restore", "--data-dir", str(self.scratch / "r"), "--at", "2026-11-30T09:30:00Z",
            backup)
        self.assertEqual((code, said), (1, ""))
        self.assertIn("a backup has one moment", error)
        self.assertFalse((self.scratch / "r" / "syncdaemon.db").exists())

    async def test_a_copy_of_a_store_does_not_write_into_its_archive(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        self.assertEqual(self.restore(name="copy")[0], 0)
        before = sorted(self.archive.glob("*/base-*"))
        copy = self.start(data_dir=str(self.scratch / "copy"))
        await eventually(lambda: "another copy of this store" in str(readiness(copy)), "trouble")
        with RawClient(copy.address) as client:
            client.hello().command("publish", channel="room", payload="of the copy")
        await asyncio.to_thread(copy.stop)
        self.assertEqual(sorted(self.archive.glob("*/base-*")), before)
        with RawClient(daemon.address) as client:
            client.hello().command("publish", channel="room", payload="kept")
        await asyncio.to_thread(daemon.stop)
        code, said, _ = self.restore(name="again")
        self.assertEqual(code, 0)
        self.assertIn("1 messages", said)

    async def test_a_copied_directory_does_not_write_into_the_archive_either(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        # What waits for the archive goes there meanwhile.
        shutil.copytree(daemon.data_dir, self.scratch / "copied",
                        ignore=shutil.ignore_patterns("*.sock", "*.log", "*.mark", "*.part"))
        arguments = ("--archive-directory", str(self.archive), "--data-dir",
                     str(self.scratch / "copied"))
        code, _, errors = run_to_end("config", "check", *arguments)
        self.assertEqual(code, 2)
        self.assertIn("the archive of another data directory. Name a directory", errors)
        copy = self.start(data_dir=str(self.scratch / "copied"))
        await eventually(lambda: "another copy of this store" in str(readiness(copy)), "trouble")
        with RawClient(copy.address) as client:
            client.hello()
            client.command("publish", channel="room", payload="the copy's")
        with RawClient(daemon.address) as client:
            client.hello()
            newest = client.command("publish", channel="room", payload="ours")["timetoken"]
        daemon.stop()
        code, said, errors = self.restore(newest)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("1 messages", said)
        self.assertNotIn("ends there", said)
        # Whoever has the same name all the same, by a snapshot of the disk, is seen by the run.
        owner = self.archive / "syncdaemon-archive"
        epoch, writer, run = owner.read_text(encoding="utf-8").split()
        owner.unlink()
        owner.write_text(f"{epoch}\n{writer}\n20990101T000000000000Z-1\n", encoding="utf-8")
        daemon.start()
        await eventually(lambda: "another daemon's" in str(readiness(daemon)), "the other run")
        owner.write_text(f"{epoch}\n{writer}\n{run}\n", encoding="utf-8")
        await eventually(lambda: "archive" not in str(readiness(daemon)), "the end of it")
        await eventually(lambda: len(bases(self.archive)) == 2, "the next copy")

    async def test_where_no_run_can_begin_operators_are_told(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        daemon.stop()
        newest = pathlib.Path(daemon.data_dir) / "archive/newest"
        newest.write_text("9223372036854775807", encoding="ascii")
        daemon.start()
        await eventually(lambda: "it says no moment: remove it" in str(readiness(daemon)), "trouble")
        self.assertEqual(metric(daemon, "archive_gaps_total"), 0)
        newest.unlink()
        newest.mkdir()
        await eventually(lambda: "it is no file" in str(readiness(daemon)), "the other trouble")
        newest.rmdir()
        await eventually(lambda: "archive" not in str(readiness(daemon)), "the end of it")
        await eventually(lambda: len(bases(self.archive)) == 2, "the next copy")

    async def test_a_moment_that_a_kill_left_out_is_refused(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        with RawClient(daemon.address) as client:
            newest = int(client.hello().command(
                "publish", channel="room", payload=1)["timetoken"])
        daemon.kill()
        daemon.start()
        await eventually(lambda: len(bases(self.archive)) > 1, "another copy")
        await asyncio.to_thread(daemon.stop)
        if newest not in pieces(self.archive):
            code, said, error = self.restore(newest + 1)
            self.assertEqual((code, said), (1, ""))
            self.assertIn("has a gap there", error)
            self.assertIn("A gap: ", self.verify()[1])
        code, said, _ = self.restore()
        self.assertEqual(code, 0)
        self.assertIn("1 messages", said)
        self.assertIn("Its last commit is ", said)

    async def test_alerts(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        prometheus = await self.watch(daemon)
        path = pathlib.Path(daemon.data_dir) / "syncdaemon.db"
        with RawClient(daemon.address) as client:
            client.hello().command("publish", channel="room", payload=1)
            # Two that open it: the last one that closes it copies the log.
            with contextlib.closing(sqlite3.connect(path)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            client.command("publish", channel="room", payload=2)
        await self.fires(prometheus, "ArchiveGap")
        self.archive.rename(self.archive.with_name("away"))
        waiting = pathlib.Path(daemon.data_dir) / "archive"
        with RawClient(daemon.address) as client:
            client.hello()
            # A new run begins some seconds after the gap.
            await eventually(
                lambda: client.command("publish", channel="room", payload=2)
                and "archive_failing" in str(readiness(daemon)) and list(waiting.glob("*.log")),
                "the trouble")
        await self.fires(prometheus, "ArchiveStuck")

    async def test_what_cannot_be_restored_is_said(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        with RawClient(daemon.address) as client:
            client.hello()
            for number in range(20):
                client.command("publish", channel="room", payload="x" * 1000 * number)
        daemon.stop()
        piece = sorted(self.archive.glob("*/*.log.gz"))[0]
        whole = piece.read_bytes()
        for code, said, error in (
                self.restore("2001-01-01T00:00:00Z"),
                run_to_end("restore", "--data-dir", str(self.scratch / "r"), str(self.scratch)),
                run_to_end("verify", str(self.scratch / "nothing"))):
            self.assertEqual((code, said), (1, ""))
            self.assertTrue(error)
        self.assertIn("The first moment that it has is", self.restore("2001-01-01T00:00:00Z")[2])
        piece.write_bytes(whole[:-200])
        for code, said, error in (self.verify(), self.restore()):
            self.assertEqual(code, 1)
            self.assertIn(str(piece), error)
            self.assertIn("cut off", error)
        self.assertFalse((self.scratch / "restored" / "syncdaemon.db").exists())
        piece.unlink()
        piece.with_suffix("").write_bytes(gzip.decompress(whole))
        code, said, error = self.verify()
        self.assertEqual((code, error), (0, ""))
        self.assertIn("20 messages", said)
        self.assertEqual(list(self.archive.glob("*verify*")), [])

    @unittest.skipIf(cannot_mount(), cannot_mount())
    async def test_where_verify_has_no_room_nothing_is_said_against_the_archive(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        daemon.stop()
        with SmallDisk(64 << 10) as disk:
            code, said, errors = run_to_end(
                "verify", str(self.archive), environment={"TMPDIR": disk.path})
        self.assertEqual(code, 1)
        self.assertIn("could not be read: There is no room for " + disk.path, said)
        self.assertIn("There is no room for " + disk.path, errors)
        self.assertNotIn("not what was archived", said + errors)

    @unittest.skipIf(os.geteuid(), "Only root can be another user.")
    async def test_who_may_not_look_is_told_that(self):
        daemon = self.start()
        await eventually(lambda: bases(self.archive), "a copy of the database")
        daemon.stop()
        with tempfile.TemporaryDirectory(prefix="syncdaemon-nobody-") as place:
            os.chmod(place, 0o777)
            program = shutil.copy(binary(), place)
            # Who may look and not write has no room for a copy there, and is told that.
            os.chmod(self.scratch, 0o755)
            for path in (self.archive, *self.archive.rglob("*")):
                os.chmod(path, 0o755 if path.is_dir() else 0o644)
            done = subprocess.run(
                [program, "verify", str(self.archive)], capture_output=True, text=True,
                check=False, user="nobody", group="nogroup", extra_groups=[],
                env=clean_environment())
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("permission denied", done.stderr)
            os.chmod(self.archive, 0o700)
            for command in (["verify"], ["restore", "--data-dir", f"{place}/data"]):
                with self.subTest(command):
                    done = subprocess.run(
                        [program, *command, str(self.archive)], capture_output=True, text=True,
                        check=False, user="nobody", group="nogroup", extra_groups=[],
                        env=clean_environment())
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertIn("permission denied", done.stderr)
                    self.assertIn("as root, or as the daemon's user", done.stderr)

    def test_flags(self):
        for arguments, mentions in (
                (["restore", "--at"], "--at"), (["restore", "--at", "noon", "x"], "2026-11-30T"),
                (["restore", "--at", "2026-02-30T00:00:00Z", "x"], "2026-11-30T"),
                (["restore", "--at", "1", "--at", "2", "x"], "--at"), (["verify"], "verify"),
                (["backup", "--at", "2026-11-30T09:30:00Z", "x"], "--at"),
                (["serve", "--archive-seconds", "0"], "archive")):
            with self.subTest(arguments=arguments):
                code, said, error = run_to_end(*arguments)
                self.assertEqual((code, said), (2, ""))
                self.assertIn(mentions, error)


if __name__ == "__main__":
    unittest.main()
