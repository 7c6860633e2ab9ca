"""`syncdaemon backup` and `syncdaemon restore`, without a service manager."""

import asyncio
import contextlib
import fcntl
import os
import pathlib
import pwd
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

from case import DaemonTestCase
from daemon import ROOT, binary, clean_environment, run_to_end
from disk import Faults
from manual import blocks
from waiting import until


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

    async def test_what_segments_are_is_verified_by_the_rows_in_them(self):
        daemon = self.start_daemon()
        async with await self.device(daemon, "ada") as ada:
            for number in range(300):
                await ada.add("room", await ada.publish("room", number), "👍")
        self.assertEqual(self.back_up(daemon)[0], 0)
        code, said, error = run_to_end("verify", str(self.copy))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("is sound", said)
        # All but the last, which says what the whole channel comes to.
        count = self.sql(self.copy, "SELECT count(*) FROM segment")[0][0]
        self.assertGreater(count, 3)
        for column in ("lane0", "lane1", "messages", "count", "timetokens"):
            with self.subTest(column):
                with contextlib.closing(sqlite3.connect(self.copy)) as database, database:
                    change = (f"UPDATE segment SET {column} = {column} {{}} 1 WHERE after = "
                              "(SELECT after FROM segment ORDER BY after LIMIT 1 OFFSET 1)")
                    database.execute(change.format("+"))
                    database.commit()
                    code, _, error = run_to_end("verify", str(self.copy))
                    self.assertEqual(code, 1)
                    self.assertIn('channel "room" do not come to what its segments are', error)
                    database.execute(change.format("-"))
        self.assertEqual(run_to_end("verify", str(self.copy))[0], 0)

    async def test_rows_of_no_channel_are_no_sound_copy(self):
        daemon = self.start_daemon()
        async with await self.device(daemon, "ada") as ada:
            await ada.add("room", await ada.publish("room", 1), "👍")
        self.assertEqual(self.back_up(daemon)[0], 0)
        with contextlib.closing(sqlite3.connect(self.copy)) as database, database:
            database.execute("DELETE FROM channel")
        code, _, error = run_to_end("verify", str(self.copy))
        self.assertEqual(code, 1)
        self.assertIn("2 rows are in no channel", error)

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

    async def test_messages_whose_deletion_was_lost_come_back_with_the_repair(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        ada.heals = True
        sent = [await ada.publish("room", f"text {n}") for n in range(20)]
        for message in sent:
            await ada.add("room", message, "👍")
        await ada.subscribe({"name": "room", "cursor": "0"})
        await ada.reach("room", await ada.publish("room", "before"))
        self.assertEqual(self.back_up(daemon)[0], 0)
        await ada.command("deleteMessages", channel="room", after=sent[4], through=sent[6])
        await ada.until(lambda: int(sent[6]) not in ada.rows["room"].messages, "the deletion")
        daemon.stop()
        self.assertEqual(self.restore(daemon)[0], 0)
        daemon.start()
        await ada.connect()
        await ada.until(lambda: int(sent[6]) in ada.rows["room"].messages, "the repair")
        (answer,) = [it for it in ada.repairs["room"] if "rows" in it]
        self.assertEqual([it["timetoken"] for it in answer["messages"]], sent[5:7])
        self.assertEqual(len(ada.rows["room"].messages), 21)
        self.assertEqual(len(ada.rows["room"].action_rows()), 20)
        self.assertFalse(ada.rows["room"].is_wrong)

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

    def test_what_no_daemon_could_serve_is_refused(self):
        daemon = self.start_daemon()
        self.assertEqual(self.back_up(daemon)[0], 0)
        daemon.stop()
        before = self.database(daemon).read_bytes()
        for change, words in {
                "DELETE FROM meta WHERE name = 'secret'": "secret is missing",
                "UPDATE meta SET value = 'x'": "epoch",
                "UPDATE meta SET value = 'x' WHERE name = 'deletion_floor'": "deletion_floor",
                "UPDATE clock SET last = 9223372036854775807": "clock",
                "UPDATE clock SET ticks = ticks + 1": "clock",
                "DELETE FROM clock": "clock",
                "DROP INDEX action_by_change": "index action_by_change",
                "ALTER TABLE message ADD COLUMN evil NOT NULL DEFAULT 1": "table message",
                "ALTER TABLE age RENAME TO old; CREATE VIEW age AS SELECT * FROM old": "table age",
                "CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM channel; END":
                    'trigger "t"',
                "CREATE TRIGGER message AFTER INSERT ON action BEGIN DELETE FROM channel; END":
                    'trigger "message"',
                "PRAGMA writable_schema=1; INSERT INTO sqlite_schema VALUES ('trigger',"
                " 'sqlite_t', 'message', 0, 'CREATE TRIGGER sqlite_t AFTER INSERT ON message"
                " BEGIN DELETE FROM channel; END')": 'trigger "sqlite_t"',
                "PRAGMA writable_schema=1; INSERT INTO sqlite_schema VALUES ('table',"
                " 'sqlite_t', 'message', 0, 'CREATE TRIGGER sqlite_t AFTER INSERT ON message"
                " BEGIN DELETE FROM channel; END')": "malformed database schema",
                "CREATE UNIQUE INDEX i ON message(uuid)": 'index "i"',
                "CREATE INDEX i ON message(hex(zeroblob(100000000)))": 'index "i"',
                "CREATE INDEX i ON message(uuid) WHERE length(hex(uuid)) > 1": 'index "i"',
                "CREATE VIRTUAL TABLE v USING fts5(x)": 'table "v"',
        }.items():
            with self.subTest(change):
                wrong = self.scratch / "wrong.db"
                shutil.copyfile(self.copy, wrong)
                with contextlib.closing(sqlite3.connect(wrong)) as file:
                    file.executescript(change)
                self.refused(self.restore(daemon, wrong), "wrong.db ", words)
                self.assertEqual(self.database(daemon).read_bytes(), before)
        # What `.recover` adds is nobody's harm, nor is an index of the operator's own.
        self.sql(self.copy, "CREATE TABLE lost_and_found(x)")
        self.sql(self.copy, "ANALYZE")
        self.sql(self.copy, "CREATE INDEX mine ON message(uuid)")
        self.assertEqual(self.restore(daemon)[0], 0)
        daemon.start()

    async def test_a_file_of_an_earlier_layout_is_compared_with_that(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "kept")
        self.assertEqual(self.back_up(daemon)[0], 0)
        daemon.stop()
        # The last one whose rows had no checksums.
        self.sql(self.copy, "PRAGMA user_version = 7")
        self.refused(self.restore(daemon), "missing or another")
        for table in ("clock", "mutation"):
            self.sql(self.copy, f"ALTER TABLE {table} DROP COLUMN sum")
        for what in ("TABLE clearing", "TABLE hidden_clearing", "INDEX action_score",
                      "INDEX action_version", "INDEX message_by_parent", "TABLE thread",
                     "TRIGGER reply_added", "TRIGGER reply_deleted", "TABLE action_count",
                     "TRIGGER action_added", "TRIGGER action_added_again", "TRIGGER action_removed",
                     "TRIGGER action_deleted", "TABLE key_grant", "TABLE revoked_token",
                     "TRIGGER message_use", "TRIGGER action_use", "TABLE keyset_use",
                     "TABLE segment", "TABLE read_mark", "INDEX message_by_entry",
                     "TABLE outbox", "TABLE dead_letter", "TABLE push_device",
                     "TABLE file"):
            self.sql(self.copy, f"DROP {what}")
        for table, column in (("message", "parent"), ("action", "score")):
            self.sql(self.copy, f"ALTER TABLE {table} DROP COLUMN {column}")
        for column in ("count", "lane0", "lane1"):
            self.sql(self.copy,
                     f"ALTER TABLE channel ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
        code, _, error = self.restore(daemon)
        self.assertEqual(code, 0, error)
        daemon.start()
        self.assertEqual(await self.texts(daemon), ["kept"])

    def test_a_name_that_looks_like_a_uri_is_a_name(self):
        daemon = self.start_daemon()
        for name in ("file:bk.db", "file:bk.db?mode=memory"):
            done = subprocess.run(
                [binary(), "backup", "--data-dir", daemon.data_dir, name], cwd=self.scratch,
                capture_output=True, check=False, env=clean_environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater((self.scratch / name).stat().st_size, 0)
        daemon.stop()
        done = subprocess.run(
            [binary(), "restore", "--data-dir", daemon.data_dir, "file:bk.db"], cwd=self.scratch,
            capture_output=True, check=False, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(it.name for it in self.scratch.iterdir()),
                         ["file:bk.db", "file:bk.db?mode=memory"])

    def test_two_backups_to_one_name(self):
        daemon = self.start_daemon()
        part = self.scratch / "copy.db.part"
        with open(part, "w", encoding="ascii") as file:
            file.write("half of it")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX)
            code, said, error = self.back_up(daemon)
            self.assertEqual((code, said), (1, ""))
            self.assertIn("Another command is writing", error)
            self.assertEqual(part.read_text(encoding="ascii"), "half of it")
        # What one left that was killed is in nobody's way.
        self.assertEqual(self.back_up(daemon)[0], 0)
        self.assertFalse(part.exists())
        self.assertEqual(self.sql(self.copy, "PRAGMA integrity_check"), [("ok",)])

    def test_errors_name_the_file_and_what_to_do(self):
        daemon = self.start_daemon()
        absent = self.scratch / "no" / "such" / "copy.db"
        self.refused(self.back_up(daemon, absent), str(absent), "no such directory", "Make it")
        self.assertEqual(self.back_up(daemon)[0], 0)
        code, _, error = run_to_end("backup", "--data-dir", str(self.scratch), str(absent))
        self.assertEqual(code, 1)
        self.assertIn("no syncdaemon.db in", error)
        self.assertIn("--data-dir", error)
        daemon.stop()
        pipe = self.scratch / "pipe"
        os.mkfifo(pipe)
        for source in ("/etc", pipe):
            self.refused(self.restore(daemon, source), f"{source} is not a file", "backup")

    def test_a_backup_that_is_interrupted_leaves_nothing(self):
        if shutil.which("cc") is None:
            self.skipTest("There is no cc to build the faults with.")
        daemon = self.start_daemon()
        faults = Faults()
        self.addCleanup(faults.discard)
        for number in (signal.SIGINT, signal.SIGTERM):
            faults.set("write", 0, ".part")
            with subprocess.Popen(
                    [binary(), "backup", "--data-dir", daemon.data_dir, str(self.copy)],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    env=clean_environment(**faults.options["environment"])) as backup:
                # From then on signals are its own.
                threads = pathlib.Path(f"/proc/{backup.pid}/task")
                until(lambda: any(it.read_text() == "signals\n" for it in threads.glob("*/comm")),
                      "the backup to begin")
                backup.send_signal(number)
                said, error = backup.communicate()
            self.assertEqual((backup.returncode, said), (128 + number, b""), error)
            self.assertIn(b"Interrupted", error)
            self.assertEqual(list(self.scratch.iterdir()), [])
            faults.clear("write")
        self.assertEqual(self.back_up(daemon)[0], 0)

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

    @unittest.skipIf(os.geteuid(), "Only root works where others may put something in its way.")
    def test_what_others_put_beside_the_data_has_root_neither_wait_nor_change_it(self):
        daemon = self.start_daemon()
        self.assertEqual(self.back_up(daemon)[0], 0)
        daemon.stop()
        data, nobody = self.database(daemon), pwd.getpwnam("nobody")
        victim = self.scratch / "victim"
        victim.write_bytes(b"root's own" * 4)
        before = victim.stat()
        for path in (data.parent, data):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        for end in ("-journal", "-wal", "-shm"):
            for plant in (os.mkfifo, lambda path: os.link(victim, path)):
                for command in (
                        ["backup", str(self.scratch / "again.db")],
                        ["salvage", str(self.scratch / "saved.db")], ["restore", str(self.copy)]):
                    planted = pathlib.Path(f"{data}{end}")
                    planted.unlink(missing_ok=True)
                    plant(planted)
                    with self.subTest(end=end, plant=plant, command=command[0]):
                        code, said, error = run_to_end(
                            command[0], "--data-dir", daemon.data_dir, command[1])
                        after = victim.stat()
                        self.assertEqual(victim.read_bytes(), b"root's own" * 4)
                        self.assertEqual((after.st_uid, after.st_mode), (0, before.st_mode))
                        # What is replaced need not be readable, and -shm need not be opened.
                        if command[0] != "restore" and end != "-shm":
                            self.assertEqual((code, said), (1, ""), error)
                            self.assertTrue(error)
                    planted.unlink(missing_ok=True)
                    for left in self.scratch.glob("*.db"):
                        if left != self.copy:
                            left.unlink()

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
