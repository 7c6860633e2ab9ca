"""docs/HTTP.md: what its terminals show is what comes, step by step, and its settings are right."""

import json
import os
import re
import subprocess
import tempfile
import textwrap

from case import DaemonTestCase
from daemon import ROOT, binary
from test_readme import BLOCK, TIMETOKEN
from waiting import PATIENCE


def told(text):
    """With its timetokens numbered by their first mention: which are the same is what is told."""
    seen = {}
    return TIMETOKEN.sub(lambda it: f"T{seen.setdefault(it[0], len(seen))}", text)


class Page(DaemonTestCase):
    """The page, read as a newcomer would."""

    def setUp(self):
        self.page = (ROOT / "docs" / "HTTP.md").read_text(encoding="utf-8")

    def test_the_terminals(self):
        daemon = self.start_daemon()
        known = {}
        for block in BLOCK.findall(self.page):
            lines = block.splitlines()
            for command, expected in zip(lines[::2], lines[1::2], strict=True):
                command = command.removeprefix("$ ").replace(
                    "localhost:8080", f"127.0.0.1:{daemon.address[1]}")
                for printed, real in known.items():
                    command = command.replace(printed, real)
                answer = subprocess.run(
                    ["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE,
                    check=True).stdout
                with self.subTest(command=command):
                    self.assertEqual(told(answer), told(expected))
                known |= dict(zip(TIMETOKEN.findall(expected), TIMETOKEN.findall(answer)))

    def test_the_settings(self):
        keys = re.search(r"```json\n(.*?)```", self.page, re.DOTALL)[1]
        self.assertEqual(
            [it["name"] for it in json.loads(keys)["keys"]], ["backend", "reports"])
        setting = textwrap.dedent(re.search(r"```ini\n(.*?)```", self.page, re.DOTALL)[1])
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "server-keys.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(keys)
            os.chmod(path, 0o600)
            setting = setting.replace("/etc/syncdaemon/server-keys.json", path)
            configuration = os.path.join(place, "d.ini")
            with open(configuration, "w", encoding="utf-8") as file:
                file.write(f"[store]\ndirectory = {place}/data\n{setting}")
            checked = subprocess.run(
                [binary(), "config", "check", "--config", configuration,
                 "--listen", "127.0.0.1:0"],
                capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)


if __name__ == "__main__":
    import unittest
    unittest.main()
