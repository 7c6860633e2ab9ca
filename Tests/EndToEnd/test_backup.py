"""`syncdaemon backup` and `syncdaemon restore`, without a service manager."""

import asyncio
import contextlib
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import tempfile

from case import DaemonTestCase
from daemon import ROOT, run_to_end
from manual import blocks


class Backup(DaemonTestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-backup-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.copy = self.scratch / "copy.db"

    def back_up(self, daemon, target=None):
        return run_to_end("backup", "--data-dir", daemon.data_dir, str(target or self.copy))

    def restore(self, daemon, source=None):
        return run_to_end("restore", "--data-dir", daemon.data_dir, str(source or self.copy))

    def refused(self, result, *words):
        """It failed with a sentence that says these, and left nothing half done."""
        code, said, error = result
        self.assertEqual((code, said), (1, ""), error)
        for word in words:
            self.assertIn(word, error)
        self.assertEqual(list(self.scratch.glob("*.part*")), [])

    def database(self, daemon):
        return pathlib.Path(daemon.data_dir) / "syncdaemon.db"

    def sql(self, path, statement):
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute(statement).fetchall()

    async def texts(self, daemon):
        async with await self.device(daemon, "reader") as reader:
            return [it["payload"] for it in await reader.all_messages("room")]

    async def test_a_backup_under_load_is_a_state_that_was(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "writer")
        acknowledged, enough = [], asyncio.Event()

        async def write(lane):
            number = 0
            while not enough.is_set():
                await writer.publish("room", f"{lane}/{number}")
                acknowledged.append((lane, number))
                number += 1

        writing = [asyncio.create_task(write(lane)) for lane in range(20)]
        while len(acknowledged) < 200:
            await asyncio.sleep(0)
        before = list(acknowledged)
        code, said, error = await asyncio.to_thread(self.back_up, daemon)
        enough.set()
        await asyncio.gather(*writing)

        self.assertEqual((code, error), (0, ""))
        self.assertIn(str(self.copy), said)
        self.assertEqual(self.copy.stat().st_mode & 0o777, 0o600)
        kept = {tuple(map(int, it[0].strip('"').split("/")))
                for it in self.sql(self.copy, "SELECT payload FROM message")}
        self.assertLessEqual(set(before), kept)
        # Each lane waits for its reply: a state that was has no gap in any of them.
        for lane, number in kept:
            self.assertTrue(number == 0 or (lane, number - 1) in kept)

    async def test_what_is_restored_is_what_was_backed_up(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        ada.heals = True
        first = await ada.publish("room", "kept")
        await ada.add("room", first, "👍", mutation="m1")
        self.assertEqual(self.back_up(daemon)[0], 0)
        await ada.subscribe({"name": "room", "cursor": "0"})
        await ada.publish("room", "lost")
        await ada.add("room", first, "🔥", mutation="m2")
        daemon.stop()

        code, said, error = self.restore(daemon)
        self.assertEqual((code, error), (0, ""))
        self.assertIn("1 messages and 1 reactions", said)
        self.assertIn("syncdaemon.db.replaced", said)
        self.assertTrue(said.startswith(f"Restored into {daemon.data_dir}: "), said)
        self.assertNotIn("No --data-dir", said)
        self.assertTrue(self.copy.exists())
        daemon.start()
        await ada.connect()
        self.assertEqual(await self.texts(daemon), ["kept"])
        await ada.until(lambda: len(ada.rows["room"].action_rows()) == 1, "the repair")

        # What was replaced can be put back in turn.
        daemon.stop()
        replaced = f"{self.database(daemon)}.replaced"
        self.assertEqual(self.restore(daemon, replaced)[0], 0)
        self.assertTrue(os.path.exists(replaced + "-2"))
        daemon.start()
        self.assertEqual(await self.texts(daemon), ["kept", "lost"])

    async def test_a_running_daemon_keeps_its_data(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "kept")
        self.assertEqual(self.back_up(daemon)[0], 0)
        self.refused(self.restore(daemon), daemon.data_dir, "systemctl stop")
        self.assertEqual(await self.texts(daemon), ["kept"])

    async def test_the_log_of_a_killed_daemon_is_not_lost_with_what_is_replaced(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        self.assertEqual(self.back_up(daemon)[0], 0)
        await ada.publish("room", "only in the log")
        daemon.kill()
        self.assertEqual(self.restore(daemon)[0], 0)
        self.assertEqual(self.restore(daemon, f"{self.database(daemon)}.replaced")[0], 0)
        daemon.start()
        self.assertEqual(await self.texts(daemon), ["only in the log"])

    def test_nothing_is_overwritten(self):
        daemon = self.start_daemon()
        self.copy.write_bytes(b"precious")
        self.refused(self.back_up(daemon), str(self.copy), "exists already")
        self.assertEqual(self.copy.read_bytes(), b"precious")

    def test_what_is_no_backup_is_refused_and_the_data_stays(self):
        daemon = self.start_daemon()
        self.assertEqual(self.back_up(daemon)[0], 0)
        daemon.stop()
        before = self.database(daemon).read_bytes()

        text = self.scratch / "text"
        text.write_text("not a database " * 1000, encoding="utf-8")
        self.refused(self.restore(daemon, text), "text", "no database of syncdaemon")
        other = self.scratch / "other.db"
        self.sql(other, "CREATE TABLE t(x)")
        self.refused(self.restore(daemon, other), "other.db", "no database of syncdaemon")
        self.refused(self.restore(daemon, self.scratch / "absent"), "absent", "no such file")
        newer = self.scratch / "newer.db"
        newer.write_bytes(self.copy.read_bytes())
        self.sql(newer, "PRAGMA user_version = 999")
        self.refused(self.restore(daemon, newer), "newer.db", "999")

        self.assertEqual(self.database(daemon).read_bytes(), before)
        self.assertEqual([it.name for it in self.database(daemon).parent.iterdir()
                          if "replaced" in it.name], [])

    async def test_a_damaged_backup_is_refused(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        for number in range(200):
            await ada.publish("room", f"{number} " + "x" * 500)
        self.assertEqual(self.back_up(daemon)[0], 0)
        daemon.stop()
        size = self.copy.stat().st_size
        with open(self.copy, "r+b") as copy:
            copy.seek(size // 2 // 4096 * 4096)
            copy.write(b"\x00" * 8192)
        self.refused(self.restore(daemon), "copy.db", "damaged")
        daemon.start()
        self.assertEqual(len(await self.texts(daemon)), 200)

    def test_a_restore_without_a_directory_says_where_it_went(self):
        daemon = self.start_daemon()
        self.assertEqual(self.back_up(daemon)[0], 0)
        home = self.scratch / "home"
        code, said, error = run_to_end(
            "restore", str(self.copy), environment={"HOME": str(home), "XDG_STATE_HOME": ""})
        self.assertEqual(code, 0, error)
        self.assertTrue(said.startswith(f"Restored into {home}/.local/state/syncdaemon: "), said)
        self.assertIn("No --data-dir said where", said)

    def first_release_file(self, path):
        """A file of the first release with one message; its tables are those of MigrationTests."""
        tests = ROOT / "Tests/SyncDaemonTests/Store/MigrationTests.swift"
        tables = re.search(
            r'firstTables = """\n(.*?)"""', tests.read_text(encoding="utf-8"), re.DOTALL)[1]
        path.parent.mkdir()
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript(
                "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;" + tables + """
                INSERT INTO meta VALUES ('epoch', '0123456789abcdef');
                INSERT INTO channel VALUES (7, 'default', 'room');
                INSERT INTO message VALUES (1, 7, 'ada', '"old"', NULL, NULL);
                UPDATE clock SET last = 5;
                PRAGMA user_version=1;""")
            return list(database.iterdump())

    async def test_the_documented_way_back_from_an_upgrade(self):
        """What the earlier release gets is its own file, to the row; it has no `restore` itself."""
        data = self.scratch / "data"
        old = self.first_release_file(data / "syncdaemon.db")
        daemon = self.start_daemon(data_dir=str(data))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "new")
        daemon.stop()
        self.assertNotEqual(self.sql(self.database(daemon), "PRAGMA user_version"), [(1,)])

        lines, = blocks("Upgrade")
        restore, = [line for line in lines.splitlines() if " restore " in line]
        words = shlex.split(
            restore.replace("/var/lib/syncdaemon", str(data)).replace("schema-N", "schema-1"))
        code, said, error = run_to_end(*words[1:])
        self.assertEqual((code, error), (0, ""))
        self.assertIn("1 messages", said)
        self.assertEqual(self.sql(self.database(daemon), "PRAGMA user_version"), [(1,)])
        with contextlib.closing(sqlite3.connect(self.database(daemon))) as database:
            self.assertEqual(list(database.iterdump()), old)
        # The new one takes it up again, and its own file is kept.
        self.assertEqual(
            len(self.sql(data / "syncdaemon.db.replaced", "SELECT * FROM message")), 2)
        daemon.start()
        self.assertEqual(await self.texts(daemon), ["old"])

    def test_a_memory_store_has_nothing_to_copy(self):
        code, _, error = run_to_end("backup", "--store", "memory", str(self.copy))
        self.assertEqual(code, 1)
        self.assertIn("memory", error)

    def test_usage(self):
        for command in ("backup", "salvage", "restore"):
            code, _, error = run_to_end(command)
            self.assertEqual(code, 2)
            self.assertIn(f"syncdaemon {command} FILE", error)
            code, said, _ = run_to_end(command, "--help")
            self.assertEqual(code, 0)
            self.assertIn("Exit codes:", said)
            self.assertEqual(run_to_end(command, "one", "two")[0], 2)

    async def test_a_full_disk_leaves_no_copy(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small disk takes root")
        small = self.scratch / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=True)
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        for number in range(50):
            await ada.publish("room", f"{number} " + "x" * 4000)
        self.refused(self.back_up(daemon, small / "copy.db"), "copy.db", "no room")
        self.assertEqual(list(small.iterdir()), [])
