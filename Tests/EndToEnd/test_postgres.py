"""A daemon whose store is a schema of a PostgreSQL server's: what dies, and what is then there."""

import asyncio
import os
import pathlib
import socket
import string
import subprocess
import sys
import tempfile
import unittest

from case import DaemonTestCase
from daemon import binary, clean_environment
from device import Disconnected, Refused
from lanes import check_lanes, under_load
from postgres import PostgresServer
from test_tls import Authority

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "8"))
WRITERS = 4


class PostgresTestCase(DaemonTestCase):
    """A server for each class, and a schema for each test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PostgresServer().start()
        cls.addClassCleanup(cls.server.discard)

    def arguments(self, schema=None):
        return ("--store", "postgres", "--store-url", self.server.url,
                "--store-schema", schema or f"t_{self._testMethodName}"[:63].lower())

    def start_store(self, schema=None):
        return self.start_daemon(*self.arguments(schema))


class Store(PostgresTestCase):
    """One daemon over one server."""

    async def test_a_reaction_crosses_and_is_there_after_a_restart(self):
        daemon = self.start_store()
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        for device in (ada, bob):
            await device.subscribe({"name": "room", "cursor": "0"})
        said = await ada.publish("room", "hello")
        await bob.add("room", said, "👍")
        await ada.until(lambda: ada.rows["room"].action_rows(), "the reaction")
        shown = ada.rows["room"].canonical()
        await ada.close()
        await bob.close()

        await asyncio.to_thread(daemon.restart)

        eve = await self.device(daemon, "eve")
        await eve.subscribe({"name": "room", "cursor": "0"})
        await eve.until(lambda: eve.rows["room"].action_rows(), "the reaction")
        self.assertEqual(eve.rows["room"].canonical(), shown)

    async def test_readers_come_back_by_themselves(self):
        daemon = self.start_store()
        ada = await self.device(daemon, "ada")
        said = [await ada.publish("room", number) for number in range(20)]
        for _ in range(3):
            ended = self.server.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE application_name = 'syncdaemon reader'")
            self.assertGreater(int(ended), 0)
            # The first question of each reader may find its connection gone.
            refused = 0
            for _ in range(16):
                try:
                    reply = await ada.command("history", channel="room")
                    self.assertEqual([it["timetoken"] for it in reply["messages"]], said)
                except Refused as error:
                    self.assertEqual(error.code, "store_unavailable")
                    refused += 1
            self.assertLessEqual(refused, int(ended))
        self.assertIsNone(daemon.process.poll())

    def test_a_second_daemon_is_refused(self):
        self.start_store("shared")
        done = subprocess.run(
            [binary(), "serve", "--data-dir", f"{self.server.directory}-other", "--listen",
             "127.0.0.1:0", *self.arguments("shared")],
            capture_output=True, text=True, env=clean_environment(), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("in use by another daemon", done.stderr)

    def test_what_is_wrong_is_said_before_anything_is_served(self):
        for arguments, code, text in (
            (("--store", "postgres"), 2, "nobody says where the server is"),
            (("--store-url", "postgresql:///a"), 2, "for kind = postgres"),
            (("--store", "postgres", "--store-url", "postgresql://ada:secret@h/a"), 2,
             "has a password in it"),
            (("--store", "postgres", "--store-url", "host=/tmp/no-such-place"), 1,
             "cannot be used"),
        ):
            with self.subTest(arguments):
                done = subprocess.run(
                    [binary(), "serve", "--data-dir", f"{self.server.directory}-none",
                     "--listen", "127.0.0.1:0", *arguments],
                    capture_output=True, text=True, env=clean_environment(), check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertNotIn("secret", done.stderr)

    def check(self, *arguments):
        done = subprocess.run(
            [binary(), "config", "check", "--connect", "--data-dir",
             f"{self.server.directory}-none", *arguments],
            capture_output=True, text=True, env=clean_environment(), check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_check_asks_the_server(self):
        """A daemon in reserve that could never serve says so nowhere else before its turn."""
        ours = self.arguments("checked")
        self.assertEqual(self.check(*ours)[0], 0)
        self.assertIn("The schema checked has yet to be made, and may be.", self.check(*ours)[1])
        self.server.sql("CREATE ROLE nobody LOGIN")
        theirs = list(ours)
        theirs[3] = self.server.url.replace("user=postgres", "user=nobody")
        self.assertNotEqual(theirs[3], ours[3])
        code, words = self.check(*theirs)
        self.assertEqual(code, 2)
        self.assertIn("this role may not write there", words)
        daemon = self.start_store("checked")
        code, words = self.check(*ours)
        self.assertEqual((code, "A daemon serves the schema checked, in term 1." in words),
                         (0, True), words)
        code, words = self.check(*theirs)
        self.assertEqual((code, "this role may not write there" in words), (2, True), words)
        code, words = self.check(*ours, "--store-require-standby")
        self.assertEqual((code, "no synchronous_standby_names" in words), (2, True), words)
        self.assertNotIn("The configuration is right", words)
        daemon.stop()
        self.assertIn("Nobody serves the schema checked; its last term is 1.",
                      self.check(*ours)[1])
        code, words = self.check("--store", "postgres", "--store-url", "host=/tmp/no-such-place")
        self.assertEqual((code, "cannot be used" in words), (2, True), words)
        self.assertEqual(self.check()[0], 2, "There is no server to ask.")


class Encrypted(DaemonTestCase):
    """A server on another machine, as far as a daemon can tell: TCP, with TLS and a password."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-tls-")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.authority = Authority(cls.scratch, "ours")
        cls.stranger = Authority(cls.scratch, "others")
        certificate, key = cls.authority.certificate("DNS:localhost")
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.discard)
        rules = cls.scratch / "hba"
        rules.write_text("local all all trust\nhostssl all ada all scram-sha-256\n",
                         encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as free:
            cls.server.port = free.getsockname()[1]
        cls.server.start(
            "-c", "listen_addresses=127.0.0.1", "-c", f"port={cls.server.port}", "-c", "ssl=on",
            "-c", f"ssl_cert_file={cls.server.keep(certificate, 'server.pem')}",
            "-c", f"ssl_key_file={cls.server.keep(key, 'server.key')}",
            "-c", f"hba_file={cls.server.keep(rules, 'hba')}")
        cls.server.sql("CREATE ROLE ada LOGIN PASSWORD 'open, sesame'")
        cls.server.sql("GRANT CREATE ON DATABASE postgres TO ada")

    def arguments(self, **words):
        """Flags with a file that says where the server is; keywords in the place of the right."""
        words = {"host": "localhost", "port": self.server.port, "user": "ada", "dbname": "postgres",
                 "password": "'open, sesame'", "sslmode": "verify-full",
                 "sslrootcert": self.authority.file, **words}
        file = self.scratch / "url"
        file.write_text(" ".join(f"{key}={value}" for key, value in words.items()) + "\n",
                        encoding="utf-8")
        file.chmod(0o600)
        return ("--store", "postgres", "--store-url-file", str(file), "--store-schema", "ada")

    async def test_it_serves_over_tls_and_comes_back(self):
        daemon = self.start_daemon(*self.arguments())
        device = await self.device(daemon, "ada")
        said = [await device.publish("room", number) for number in range(3)]
        sessions = self.server.sql(
            "SELECT application_name, bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity"
            " USING (pid) WHERE application_name LIKE 'syncdaemon%' GROUP BY 1 ORDER BY 1")
        self.assertEqual(sessions.split(), "syncdaemon ledger|t syncdaemon reader|t".split())
        self.server.kill()
        await asyncio.to_thread(self.server.start)
        # Who writes finds out that the ledger's session is gone; the unit starts the daemon again.
        with self.assertRaises((Refused, Disconnected)):
            await device.publish("room", "lost")
        self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
        await asyncio.to_thread(daemon.start)
        await device.connect()
        found = [it["timetoken"] for it in await device.all_messages("room")]
        self.assertEqual(found, said)
        self.assertNotIn("sesame", daemon.log())

    def test_whoever_proves_nothing_is_not_told_the_password(self):
        for words, said in (
            ({"sslrootcert": self.stranger.file}, "certificate verify failed"),
            ({"host": "127.0.0.1"}, "does not match host name"),
            ({"password": "wrong"}, "password authentication failed"),
            ({"sslmode": "disable"}, "no encryption"),
        ):
            with self.subTest(words):
                done = subprocess.run(
                    [binary(), "serve", "--data-dir", str(self.scratch / "data"), "--listen",
                     "127.0.0.1:0", *self.arguments(**words)],
                    capture_output=True, text=True, env=clean_environment(), check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertNotIn("sesame", done.stderr)


class OddRows(PostgresTestCase):
    """What a file takes, and a server might not."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_store()
        self.ada = await self.device(self.daemon, "ada")

    async def test_payloads_that_no_text_of_a_servers_could_hold(self):
        custom = {"a": "x\0y", "\\u0000": "\\\0", "\0": 1}
        for name in ("x", "\\u0000", "quote\"d"):
            with self.subTest(name):
                await self.ada.command("setUser", userId=name, set={"name": "N", "custom": custom})
                found = (await self.ada.command("users", userId=name))["entries"]
                self.assertEqual([it["id"] for it in found], [name])
                self.assertEqual(found[0]["custom"], custom)
        random = self.random()
        name = "".join(random.choices(string.ascii_letters + "äöü日本", k=9000))
        for payload in ({"id": name}, {"id": "x\0"}, {"id": 5}, [1], "text", None, {"id": {"\0": 1}}):
            with self.subTest(str(payload)[:40]):
                await self.ada.command(
                    "publish", channel="room", messageType="$entry", payload=payload)
        self.assertEqual(len(await self.ada.all_messages("room")), 7)

    async def test_one_that_is_refused_costs_nobody_else_anything(self):
        schema = self.arguments()[-1]
        self.server.sql(f"""
            SET search_path TO {schema};
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no row can be that' USING ERRCODE = '22023'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON message FOR EACH ROW
            WHEN (NEW.payload = '"poison"') EXECUTE FUNCTION refuse()""")
        words = [f"{n}" for n in range(200)]
        for at in (0, 77, 150):
            words.insert(at, "poison")

        async def publish(word):
            try:
                await self.ada.command("publish", channel="room", payload=word)
            except Refused as refusal:
                self.assertEqual((word, refusal.code), ("poison", "store_damaged"))

        await asyncio.gather(*map(publish, words))
        stored = [it["payload"] for it in await self.ada.all_messages("room")]
        self.assertEqual(stored, [f"{n}" for n in range(200)])
        self.assertTrue(self.daemon.is_running)
        self.assertIn("no row can be that", self.daemon.log())


class Crashes(PostgresTestCase):
    """CRASH_ROUNDS kills, of the daemon or of the server, or of both."""

    async def test_nothing_acknowledged_is_lost_and_nothing_is_applied_twice(self):
        random = self.random()
        daemon = self.start_store()
        async with under_load(self, daemon, random, WRITERS) as (lanes, watcher):
            for number in range(ROUNDS):
                await asyncio.sleep(random.uniform(0.0, 0.6))
                await asyncio.to_thread(self.kill, daemon, number % 3)
        writes = sum(lane.acknowledged for lane in lanes)
        print(f"{ROUNDS} kills, {writes} acknowledged writes", file=sys.stderr)
        self.assertGreater(writes, ROUNDS)
        await asyncio.to_thread(daemon.restart)
        await watcher.until(watcher.online.is_set, "a connection")
        await check_lanes(self, lanes, watcher)

    def kill(self, daemon, kind):
        """Kills the daemon (0), the server (1) or both (2), and starts what is gone."""
        if kind == 0:
            daemon.kill()
        else:
            if kind == 2:
                daemon.kill()
            self.server.kill()
            self.server.start()
            if kind == 1:
                # It cannot know what became of its last commit: the next start does.
                self.assertEqual(daemon.wait(), 1)
        daemon.start()


if __name__ == "__main__":
    unittest.main()
