"""`syncdaemon store copy`: from SQLite to PostgreSQL and back, and devices that go on there."""

import asyncio
import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import time

from case import DaemonTestCase
from daemon import binary, clean_environment, run_to_end
from postgres import PostgresServer
from rest import Rest
from waiting import until

TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = 'copied'"


class StoreCopy(DaemonTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PostgresServer().start()
        cls.addClassCleanup(cls.server.discard)

    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-copy-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.addCleanup(self.server.sql, "DROP SCHEMA IF EXISTS copied CASCADE")

    def copy(self, source, target, *flags):
        return run_to_end("store", "copy", "--from", source, "--to", target, "--schema", "copied",
                          *flags)

    @property
    def place(self):
        return f"postgres:{self.server.url}"

    def serve(self, directory, kind):
        """A daemon on what was copied."""
        arguments = ("--store", "sqlite") if kind == "sqlite" else (
            "--store", "postgres", "--store-url", self.server.url, "--store-schema", "copied")
        return self.start_daemon(*arguments, data_dir=str(directory))

    async def fill(self, daemon):
        """Something of nearly everything that is kept; a device that has seen it."""
        ada = await self.device(daemon, "ada")
        await ada.subscribe({"name": "room", "cursor": "0"})
        said = [await ada.publish("room", {"text": f"no. {n} ❤️"}) for n in range(40)]
        await ada.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": said[n % 40], "value": f"v{n}"})
            for n in range(700)])
        await ada.settle_all([
            ("removeAction", {"channel": "room", "messageTimetoken": said[n % 40],
                              "value": f"v{n}"}) for n in range(0, 700, 7)])
        await ada.add("room", said[7], "x" * 30_000)
        await ada.settle("editMessage", channel="room", messageTimetoken=said[3], payload="better")
        await ada.settle("deleteMessage", channel="room", messageTimetoken=said[5])
        await ada.publish("room", "an answer", parent=said[7])
        await ada.command("markRead", channel="room", through=said[20])
        await ada.command("setUser", userId="ada", set={"name": "Ada \"Λ\" Lovelace"})
        with Rest(daemon, "ada") as rest:
            rest.ok("/v1/channel-registration/sub-key/{sub}/channel-group/all", {"add": "room,den"})
        await ada.reach("room", await ada.publish("room", "the last"))
        return ada, said

    async def goes_on(self, ada, daemon, mutation):
        """A device returns with what it has, is equal at once, and writes as before."""
        shown, cursor = ada.rows["room"].canonical(), ada.rows["room"].cursor
        ada.daemon = daemon
        await ada.connect()
        # Once more, for the words: it has followed again already. Nothing comes again.
        (followed,) = await ada.resume()
        self.assertIn(followed["mode"], ("current", "delta"))
        self.assertGreaterEqual(int(followed["cursor"]), cursor)
        self.assertEqual(ada.rows["room"].canonical(), shown)
        again = await ada.command("addAction", channel="room", messageTimetoken=mutation[1],
                                  value="once", mutation=mutation[0])
        self.assertEqual(again["action"]["actionTimetoken"], mutation[2])
        new = await ada.publish("other", "a channel that is new there")
        self.assertGreater(int(new), int(cursor))
        added = await ada.add("room", mutation[1], f"after {cursor}")
        await ada.reach("room", added["action"]["actionTimetoken"])
        # Whoever has nothing gets the same.
        eve = await self.device(daemon, "eve", f"eve-{cursor}")
        await eve.subscribe({"name": "room", "cursor": "0"})
        await eve.reach("room", ada.rows["room"].cursor)
        self.assertEqual(eve.rows["room"].canonical(), ada.rows["room"].canonical())
        with Rest(daemon, "ada") as rest:
            group = rest.ok("/v1/channel-registration/sub-key/{sub}/channel-group/all")
        self.assertEqual(sorted(group["payload"]["channels"]), ["den", "room"])
        await eve.close()

    async def test_devices_go_on_there_and_back(self):
        daemon = self.start_daemon("--store", "sqlite")
        ada, said = await self.fill(daemon)
        reply = await ada.command("addAction", channel="room", messageTimetoken=said[9],
                                  value="once", mutation="m-once")
        mutation = ("m-once", said[9], reply["action"]["actionTimetoken"])
        await ada.reach("room", int(mutation[2]))
        await ada.cut()
        await asyncio.to_thread(daemon.stop)

        code, text, error = self.copy(f"sqlite:{daemon.data_dir}", self.place)
        self.assertEqual((code, error), (0, ""))
        self.assertIn("holds 2 channels in", text)
        there = self.serve(daemon.data_dir, "postgres")
        await self.goes_on(ada, there, mutation)
        await ada.cut()
        await asyncio.to_thread(there.stop)

        back = self.scratch / "back"
        code, text, error = self.copy(self.place, f"sqlite:{back}")
        self.assertEqual((code, error), (0, ""))
        self.assertEqual((back / "syncdaemon.db").stat().st_mode & 0o777, 0o600)
        self.assertEqual(sorted(it.name for it in back.iterdir()), ["lock", "syncdaemon.db"])
        here = self.serve(back, "sqlite")
        await self.goes_on(ada, here, mutation)
        await ada.close()

    async def test_nothing_is_written_where_something_is(self):
        daemon = self.start_daemon("--store", "sqlite")
        await (await self.device(daemon, "ada")).publish("room", "hello")
        directory = f"sqlite:{daemon.data_dir}"
        code, _, error = self.copy(directory, self.place)
        self.assertEqual(code, 1)
        self.assertIn("A daemon runs on", error)
        await asyncio.to_thread(daemon.stop)

        self.assertEqual(self.copy(directory, self.place)[0], 0)
        for source, target in ((directory, self.place), (self.place, directory)):
            code, _, error = self.copy(source, target)
            self.assertEqual(code, 1)
            self.assertIn("There is data of syncdaemon in", error)

        there = self.serve(self.scratch / "there", "postgres")
        code, _, error = self.copy(self.place, f"sqlite:{self.scratch}/other")
        self.assertEqual(code, 1)
        self.assertIn("A daemon runs on the PostgreSQL schema copied", error)
        self.assertEqual(sorted(it.name for it in (self.scratch / "other").iterdir()), ["lock"])
        await asyncio.to_thread(there.stop)

    def test_what_differs_leaves_nothing(self):
        daemon = self.start_daemon("--store", "sqlite")
        with Rest(daemon, "ada") as rest:
            rest.ok("/publish/{pub}/{sub}/0/room/0/%22hello%22")
        daemon.stop()
        path = os.path.join(daemon.data_dir, "syncdaemon.db")
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE segment SET lane0 = lane0 + 1")
        code, _, error = self.copy(f"sqlite:{daemon.data_dir}", self.place)
        self.assertEqual(code, 1)
        self.assertIn("do not come to its digest", error)
        self.assertEqual(self.server.sql(TABLES), "0")

        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE segment SET lane0 = lane0 - 1")
            database.execute("UPDATE message SET payload = '\"hollo\"'")
        code, _, error = self.copy(f"sqlite:{daemon.data_dir}", self.place)
        self.assertEqual(code, 1)
        self.assertIn("1 rows of message have a wrong checksum", error)
        self.assertEqual(self.server.sql(TABLES), "0")

    async def test_a_copy_that_is_killed_leaves_nothing(self):
        daemon = self.start_daemon("--store", "sqlite")
        ada, _ = await self.fill(daemon)
        await ada.close()
        await asyncio.to_thread(daemon.stop)
        begun = time.monotonic()
        self.assertEqual(self.copy(f"sqlite:{daemon.data_dir}", self.place)[0], 0)
        whole = time.monotonic() - begun
        rows = "SELECT count(*), sum(changed) FROM copied.action"
        complete = self.server.sql(TABLES), self.server.sql(rows)
        self.server.sql("DROP SCHEMA copied CASCADE")
        random = self.random()
        for _ in range(5):
            process = subprocess.Popen(
                [binary(), "store", "copy", "--from", f"sqlite:{daemon.data_dir}", "--to",
                 self.place, "--schema", "copied"],
                env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            await asyncio.sleep(random.uniform(0, whole * 0.8))
            process.send_signal(signal.SIGKILL)
            process.wait()
            until(lambda: self.server.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'syncdaemon%'"
            ) == "0", "the end of its session")
            # All or nothing: one that was committed is whole, though it was not told.
            if (tables := self.server.sql(TABLES)) != "0":
                self.assertEqual((tables, self.server.sql(rows)), complete)
                self.server.sql("DROP SCHEMA copied CASCADE")
        self.assertEqual(self.copy(f"sqlite:{daemon.data_dir}", self.place)[0], 0)

    def test_the_command_line(self):
        empty = self.scratch / "empty"
        empty.write_text("\n", encoding="utf-8")
        file = self.scratch / "url"
        file.write_text("host=/nowhere user=ada password=secret\n", encoding="utf-8")
        directory = f"sqlite:{self.scratch}"
        for arguments, code, words in (
            ((), 2, "store copy"),
            (("copy",), 2, "sqlite:DIR, postgres:URL, or postgres:@FILE"),
            (("copy", "--from", directory), 2, "--to"),
            (("copy", "--from", directory, "--to", directory), 2, "backup"),
            (("copy", "--from", self.place, "--to", self.place), 2, "pg_dump"),
            (("copy", "--from", directory, "--to", "mysql:x"), 2, "sqlite:DIR"),
            (("copy", "--from", directory, "--to", "postgres:postgresql://a:secret@h/d"), 2,
             "has a password"),
            (("copy", "--from", directory, "--to", self.place, "--schema", "Oh no"), 2,
             "small letters"),
            (("copy", "--from", directory, "--to", self.place, "--force"), 2, "--force"),
            (("copy", "--from", directory, "--to", f"postgres:@{self.scratch}/none"), 2, "none"),
            (("copy", "--from", directory, "--to", f"postgres:@{empty}"), 2, "cannot be read"),
            (("copy", "--from", directory, "--to", self.place), 1, "There is no data"),
            (("copy", "--from", f"sqlite:{self.scratch}/none", "--to", self.place), 1,
             "There is no data"),
            (("copy", "--from", self.place, "--to", f"sqlite:{self.scratch}/new"), 1,
             "There is no data of syncdaemon in the PostgreSQL schema syncdaemon"),
            (("copy", "--from", f"postgres:@{file}", "--to", f"sqlite:{self.scratch}/new"), 1,
             "cannot be used"),
            (("copy", "--help"), 0, ""),
        ):
            with self.subTest(arguments):
                result, _, error = run_to_end("store", *arguments)
                self.assertEqual(result, code, error)
                self.assertIn(words, error)
                self.assertNotIn("secret@", error)
                self.assertNotIn("password=secret", error)
