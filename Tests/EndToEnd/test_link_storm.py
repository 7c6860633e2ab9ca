"""All devices of a daemon that is killed come to the two others at once, and are equal there."""

import json
import os
import subprocess
import tempfile
import unittest

from daemon import ROOT, binary
from postgres import PostgresServer

DEVICES = int(os.environ.get("STORM_DEVICES", "100"))
CHANNELS, FOLLOWS = max(20, DEVICES // 5), 20


class Storm(unittest.TestCase):
    """With the benchmark's devices, which prove what they have by its digest."""

    def test_devices_of_a_killed_daemon_are_equal_at_the_others(self):
        server = PostgresServer().start()
        self.addCleanup(server.discard)
        work = tempfile.TemporaryDirectory(prefix="syncdaemon-storm-")
        self.addCleanup(work.cleanup)
        environment = dict(
            os.environ, SYNC_BENCH_STORE=server.url, SYNC_BENCH_ROLE="orders",
            SYNC_BENCH_DAEMON=binary())
        numbers = {
            "subscribers": DEVICES, "channels": CHANNELS, "follows": FOLLOWS, "reactions": 20,
            "changes": max(300, DEVICES // 2), "failover": 1}
        flags = [word for name, number in numbers.items() for word in (f"--{name}", str(number))]
        ended = subprocess.run(
            [binary("syncbench"), "return", *flags, "--json", "--work", work.name,
             "--daemon", str(ROOT / "Benchmarks" / "clustered")],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        record = json.loads(ended.stdout.splitlines()[-1])
        self.assertEqual(record["parameters"]["failover"], 1)
        values = record["values"]
        self.assertEqual(values["unequal"], 0)
        # Each held something of each channel, and nobody was sent all of it again.
        self.assertEqual(values["mode_current"] + values["mode_delta"], DEVICES * FOLLOWS)
        # Some had to be told what they missed.
        self.assertGreater(values["mode_delta"], 0)
