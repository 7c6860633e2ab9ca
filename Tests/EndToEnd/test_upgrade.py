"""kill -9 while a file of the first release is brought up to date: it is whole before and after.

UPGRADE_ROWS says how large the file is, UPGRADE_KILLS how often an upgrade is killed.
"""

import os
import pathlib
import re
import shutil
import sqlite3
import sys
import time

from case import DaemonTestCase
from daemon import ROOT, Daemon

ROWS = int(os.environ.get("UPGRADE_ROWS", "20000"))
KILLS = int(os.environ.get("UPGRADE_KILLS", "8"))
#: Where the first release's tables are written down, never to be changed.
MIGRATIONS = ROOT / "Tests/SyncDaemonTests/Store/MigrationTests.swift"


def first_tables():
    """SQL that makes a file as the first release had it."""
    text = MIGRATIONS.read_text(encoding="utf-8")
    return re.search(r'firstTables = """\n(.*?)\n *"""', text, re.DOTALL)[1]


class Upgrade(DaemonTestCase):
    def make_file(self, daemon):
        """Half the rows messages of ada's, half reactions to them, of which one in ten is gone."""
        os.makedirs(daemon.data_dir, 0o700)
        path = pathlib.Path(daemon.data_dir) / "syncdaemon.db"
        half = ROWS // 2
        with sqlite3.connect(path) as base:
            base.executescript("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
                               + first_tables())
            base.execute("INSERT INTO meta VALUES ('epoch', '0123456789abcdef')")
            base.execute("INSERT INTO channel VALUES (7, 'default', 'room')")
            base.executemany(
                "INSERT INTO message VALUES (?, 7, 'ada', ?, NULL, NULL)",
                ((n + 1, f'"message {n + 1}"') for n in range(half)))
            base.executemany(
                "INSERT INTO action VALUES (7, ?, 'reaction', '👍', 'ada', ?, ?, ?)",
                ((n + 1, half + n + 1, half + n + 1, int(n % 10 > 0)) for n in range(half)))
            base.execute("UPDATE clock SET last = ?", (ROWS + 1,))
            base.execute("PRAGMA user_version=1")
        base.close()
        os.chmod(path, 0o600)
        return path

    async def test_a_kill_in_it_leaves_the_old_file_or_the_new_one(self):
        random = self.random()
        daemon = Daemon()
        self.addCleanup(daemon.discard)
        path = self.make_file(daemon)
        # How long a whole one takes here, on a copy.
        rehearsal = Daemon()
        self.addCleanup(rehearsal.discard)
        self.make_file(rehearsal)
        rehearsal.start()
        whole = rehearsal.start_seconds
        rehearsal.stop()

        interrupted = 0
        for number in range(KILLS):
            daemon.spawn()
            # A moment to be killed at: from the beginning to the end, one after the other.
            time.sleep(whole * (number + random.random()) / KILLS)
            daemon.kill()
            if self.version(path) == 1:
                interrupted += 1
            else:
                shutil.rmtree(daemon.data_dir)
                self.make_file(daemon)
        daemon.start()
        print(f"{ROWS} rows: an upgrade takes {whole:.2f} s; {interrupted} of {KILLS} kills came "
              "before it was whole", file=sys.stderr)
        self.assertGreater(interrupted, 0, "No kill came in time: nothing was tried.")
        half = ROWS // 2
        reader = await self.device(daemon, "ada")
        stored = await reader.all_messages("room")
        self.assertEqual([it["payload"] for it in stored],
                         [f"message {n + 1}" for n in range(half)])
        # With the digest of what stands: the device compares each push with it.
        await reader.subscribe({"name": "room", "cursor": "0"})
        last = await reader.publish("room", "new")
        await reader.reach("room", last)
        self.assertEqual(len(reader.rows["room"].action_rows()), half - (half + 9) // 10)
        daemon.stop()
        with sqlite3.connect(path) as base:
            self.assertEqual(base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        base.close()

    @staticmethod
    def version(path):
        base = sqlite3.connect(path)
        try:
            return base.execute("PRAGMA user_version").fetchone()[0]
        finally:
            base.close()
