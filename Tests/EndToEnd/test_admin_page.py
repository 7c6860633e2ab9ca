"""docs/OPERATIONS.md, "Administration": its terminals show what comes, its tables are the daemon's."""

import asyncio
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from case import DaemonTestCase
from daemon import ROOT, binary, clean_environment
from waiting import PATIENCE, WORK_ALONE_MAX

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What is another one in each run, or on each machine.
CHANGING = [
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z"), "DATE"), (re.compile(r"\b\d{17}\b"), "TIMETOKEN"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "DIGEST"), (re.compile(r"\b\d+-\d+-\d+\b"), "ID"),
    (re.compile(r"(?m)^(pid|version|\w*[bB]ytes\w*) +\S+"), r"\1 N"),
    # Told by the ledger once a second.
    (re.compile(r"\b\d+/(1000000000(?:000000)?)\b"), r"N/\1"),
]


def told(text):
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


class Page(DaemonTestCase):
    def setUp(self):
        page = (ROOT / "docs" / "OPERATIONS.md").read_text(encoding="utf-8")
        self.section = re.search(r"(?ms)^## Administration$(.*?)^## ", page)[1]

    async def test_the_terminals(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        configuration = directory / "sync.ini"
        configuration.write_text("", encoding="utf-8")
        daemon = self.start_daemon(
            "--config", str(configuration), "--reactors", "3",
            data_dir=str(directory / "syncdaemon"))
        devices = [await self.device(daemon, name) for name in ("ada", "bob")]
        for device in devices:
            await device.subscribe("room")
        await devices[0].publish("room", "hello")
        tools = pathlib.Path(binary("syncctl")).parent
        environment = clean_environment(
            PATH=f"{tools}:{os.environ['PATH']}", XDG_STATE_HOME=str(directory))
        count = 0
        for block in BLOCK.findall(self.section):
            for step in re.split(r"(?m)^\$ ", block)[1:]:
                command, expected = step.split("\n", 1)
                if command.endswith("admin reload"):
                    configuration.write_text("[log]\nlevel = notice\n", encoding="utf-8")
                command = command.replace(
                    "/run/syncdaemon/admin.sock", f"{directory}/syncdaemon/admin.sock").replace(
                    "/var/backups", str(directory))
                if command.endswith("--watch"):
                    await self.watched(command, expected, environment)
                    continue
                done = await asyncio.to_thread(
                    subprocess.run, ["sh", "-c", command], capture_output=True, text=True,
                    check=True, env=environment, timeout=PATIENCE * WORK_ALONE_MAX)
                if "kick --user bob" in command:
                    self.assertEqual(await devices[1].closed(), 1001)
                with self.subTest(command=command):
                    self.assertEqual(
                        told(done.stdout.replace(str(directory), "/var/backups")), told(expected))
                count += 1
        self.assertGreaterEqual(count, 12)

    async def watched(self, command, expected, environment):
        """One that goes on until it is stopped: its columns, and a row of as many figures."""
        process = await asyncio.create_subprocess_exec(
            *command.split(), env=environment, stdout=subprocess.PIPE)
        try:
            async with asyncio.timeout(PATIENCE * WORK_ALONE_MAX):
                head, row = [(await process.stdout.readline()).decode() for _ in range(2)]
        finally:
            process.kill()
            await process.wait()
        columns = expected.splitlines()[0].split()
        with self.subTest(command=command):
            self.assertEqual(head.split(), columns)
            self.assertEqual(len(row.split()), len(columns))

    def test_each_command_has_its_row(self):
        shown = subprocess.run(
            [binary("syncctl"), "admin", "--help"], capture_output=True, text=True, check=True)
        commands = re.findall(r"(?m)^  ([a-z]+(?: [a-z]+)?)  +[A-Z]", shown.stdout)
        table = self.section.split("**All reactors**")[0]
        rows = re.findall(r"(?m)^\| (`.*?`) \| [^|]+ \|", table)
        named = [name for row in rows for name in re.findall(r"`([a-z ]+)`", row)]
        self.assertEqual(sorted(commands), sorted(named))


if __name__ == "__main__":
    unittest.main()
