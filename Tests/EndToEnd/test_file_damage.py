"""Files beside a database that is another one, or damaged."""

import contextlib
import json
import os
import pathlib
import sqlite3
import tempfile
import unittest

from daemon import run_to_end
from disk import PAGE, database, metric, readiness, settle
from files import FILES, GENERATE, FilesTestCase, form
from waiting import until


class Lost(FilesTestCase):
    def away(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-away-")
        self.addCleanup(scratch.cleanup)
        return pathlib.Path(scratch.name)

    def test_a_start_with_the_wrong_database_loses_no_file(self):
        self.begin()
        sent = [self.send(name.encode(), f"{name}.txt") for name in ("one", "two")]
        self.daemon.stop()
        data, away = pathlib.Path(self.daemon.data_dir), self.away()
        for name in ("syncdaemon.db", "syncdaemon.db-wal", "syncdaemon.db-shm"):
            if (data / name).exists():
                (data / name).rename(away / name)
        self.daemon.start()
        self.web = self.rest(self.daemon)
        self.assertEqual(self.listed()["data"], [])
        self.assertEqual(
            [it for it in self.daemon.log().splitlines() if "were put aside" in it][0].count(
                "files=2 bytes=6"), 1, self.daemon.log())
        metrics = readiness(self.daemon, "/metrics")[1]
        self.assertIn("\nsyncdaemon_files_unknown 2\n", metrics)
        self.assertIn("\nsyncdaemon_files_unknown_bytes 6\n", metrics)
        self.daemon.stop()
        for path in data.glob("syncdaemon.db*"):
            path.unlink()
        for path in away.glob("syncdaemon.db*"):
            path.rename(data / path.name)
        self.daemon.start()
        self.web = self.rest(self.daemon)
        for file in sent:
            self.assertEqual(self.ask("GET", self.url(file.file_id, file.name))[2],
                             file.name.removesuffix(".txt").encode())
        self.assertIn("\nsyncdaemon_files_unknown 0\n", readiness(self.daemon, "/metrics")[1])

    def pages(self, *names):
        """Where all pages of tables and indexes of the stopped daemon are."""
        settle(database(self.daemon))
        with contextlib.closing(sqlite3.connect(database(self.daemon))) as file:
            return [(row[0] - 1) * PAGE for name in names for row in file.execute(
                "SELECT pageno FROM dbstat WHERE name = ?", (name,))]

    def ruin(self, places):
        self.assertTrue(places)
        with open(database(self.daemon), "r+b") as file:
            for place in places:
                file.seek(place)
                file.write(b"\xa5" * PAGE)

    def test_damaged_rows_of_files_stop_nothing_else_and_no_file_is_lost(self):
        for name in ("file", "file_by_id"):
            with self.subTest(name):
                self.begin()
                sent = self.send(b"kept", "k.txt")
                url = self.url(sent.file_id, "k.txt")
                self.daemon.stop()
                self.ruin(self.pages(name))
                self.daemon.start()
                self.web = self.rest(self.daemon)
                self.check(sent)
                self.assertEqual(self.ask("GET", url)[0], 403, "an address of another process")
                self.daemon.stop()
                _, _, error = run_to_end(
                    "backup", "--data-dir", self.daemon.data_dir, str(self.away() / "b.db"))
                self.assertIn("damaged", error)

    def check(self, sent):
        self.assertEqual([it.name for it in self.directory.iterdir()], [sent.file_id])
        one = f"{FILES}/{sent.file_id}/k.txt"
        name = json.dumps({"name": "a.txt"}).encode()
        for method, path, body in (("GET", FILES, None), ("GET", one, None), ("DELETE", one, None),
                                   ("POST", GENERATE, name)):
            answer = self.web.ask(method, path, body=body)
            self.assertEqual(answer.status, 500, (method, path))
            self.assertIn("damaged", answer.json()["error"]["message"])
        status, text = readiness(self.daemon)
        self.assertEqual((status, "store_damaged" in text), (503, True), text)
        self.assertGreater(metric(self.daemon, "store_damage_total"), 0)
        told = [it for it in self.daemon.log().splitlines() if "The database is damaged." in it]
        self.assertEqual(len(told), 1, told)
        self.assertIn('where="files of channels"', told[0])
        self.assertEqual(metric(self.daemon, "files"), 1)
        # Everything else goes on.
        self.web.publish("room", "more")
        self.web.add("room", self.web.publish("room", "and"), "👍")

    def test_contents_of_another_size_are_not_served_and_told_of(self):
        self.begin()
        sent, other = self.send(b"x" * 1000, "x.txt"), self.send(b"y", "y.txt")
        path = self.directory / sent.file_id
        os.truncate(path, 500)
        for again in (False, True):
            if again:
                self.daemon.restart()
                self.web = self.rest(self.daemon)
            for method in ("GET", "HEAD"):
                self.assertEqual(self.ask(method, self.url(sent.file_id, "x.txt"))[0], 404)
            self.assertEqual(self.ask("GET", self.url(other.file_id, "y.txt"))[2], b"y")
            status, text = readiness(self.daemon)
            self.assertEqual(status, 200)
            self.assertIn(f"{path} has 500 bytes instead of 1000: it is not served.", text)
        told = [it for it in self.daemon.log().splitlines() if "not as long as they were" in it]
        self.assertEqual(len(told), 2, "one for each start")
        self.assertIn("bytes=500 expected=1000", told[0])
        with open(path, "ab") as file:
            file.write(b"x" * 500)
        self.assertEqual(self.ask("GET", self.url(sent.file_id, "x.txt"))[2], b"x" * 1000)
        until(lambda: readiness(self.daemon) == (200, "ready\n"), "the end of the trouble")

    def test_damage_that_an_upload_meets_refuses_files_and_not_their_channel(self):
        self.begin()
        sent = self.send(b"kept", "k.txt")
        self.daemon.stop()
        places = self.pages("file", "file_by_id")
        self.daemon.start()
        self.web = self.rest(self.daemon)
        urls = [self.granted()[0] for _ in range(2)]
        self.ruin(places)
        for path in urls:
            self.assertEqual(self.ask("POST", path, *form(b"1"))[0], 500)
        # What was refused is removed a moment after the answer.
        until(lambda: [it.name for it in self.directory.iterdir()] == [sent.file_id],
              "nothing but what was sent before")
        self.web.publish("room", "more")


if __name__ == "__main__":
    unittest.main()
