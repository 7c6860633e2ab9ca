"""The README's walk-through works as printed: two terminals, copy and paste.

In README.md each fenced block marked `console` is one terminal, or the next step in one. Lines that
start with `$ ` are typed; what follows them is what the reader is told to expect, with any
timetoken in place of the printed one. A block that follows a channel stays open; the others end.
"""

import os
import pathlib
import re
import shlex
import subprocess
import time
import unittest
import urllib.request

from case import DaemonTestCase
from daemon import ROOT, binary, clean_environment
from waiting import PATIENCE, WORK_ALONE_MAX, Patience

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMETOKEN = re.compile(r"\b\d{17}\b")


def steps(readme):
    """The walk-through's blocks: for each, its (command, expected lines) in order."""
    blocks = []
    for text in BLOCK.findall(readme):
        block = []
        for line in text.splitlines():
            if line.startswith("$ "):
                block.append((line[2:], []))
            elif block and block[-1][0].endswith("\\") and not block[-1][1]:
                command, expected = block[-1]
                block[-1] = (command[:-1] + line.removeprefix("> ").strip(), expected)
            elif block:
                block[-1][1].append(line)
        if any("syncctl" in command for command, _ in block):
            blocks.append(block)
    return blocks


def same_lines(lines):
    """Lines as far as they are the same in every run."""
    return [TIMETOKEN.sub("TIMETOKEN", line.rstrip()) for line in lines if line.strip()]


class Walk(DaemonTestCase):
    """Every step of it, in the order of the page."""

    def setUp(self):
        self.readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.blocks = steps(self.readme)

    def test_it_is_a_walk_through_two_terminals(self):
        words = [set(shlex.split(command)) for block in self.blocks for command, _ in block]
        for step in ({"syncctl", "subscribe"}, {"syncctl", "publish"}, {"syncctl", "react", "add"}):
            self.assertTrue(any(step <= it for it in words), f"README.md never shows {step}.")

    def test_the_walk(self):
        self.daemon = self.start_daemon()
        self.home = pathlib.Path(self.daemon.scratch) / "home"
        self.home.mkdir()
        followers = []
        for block in self.blocks:
            for command, expected in block:
                if "syncctl subscribe" in command:
                    followers.append((command, expected, self.follow(command)))
                else:
                    done = subprocess.run(
                        ["bash", "-ec", command], capture_output=True, text=True, check=False,
                        timeout=PATIENCE * WORK_ALONE_MAX, env=self.environment(), stdin=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, f"$ {command}\n{done.stderr}")
                    self.assertEqual(
                        same_lines(done.stdout.splitlines()), same_lines(expected), f"$ {command}")
        self.assertTrue(followers)
        for command, expected, output in followers:
            self.wait_until(
                lambda e=expected, o=output: len(same_lines(self.read(o))) >= len(same_lines(e)),
                f"$ {command}\n", output)
            self.assertEqual(
                same_lines(self.read(output)), same_lines(expected), f"$ {command}")

    def environment(self):
        """A person's shell: syncctl on the path, and the daemon where the README says it is."""
        programs = os.path.dirname(binary("syncctl"))
        host, port = self.daemon.address
        return clean_environment(
            PATH=f"{programs}:{os.environ['PATH']}", HOME=str(self.home), LC_ALL="C.UTF-8",
            SYNCCTL_URL=f"ws://{host}:{port}", USER="you", NO_COLOR="1")

    def follow(self, command):
        """Starts a terminal that stays open; returns the file that shows what it shows."""
        before = self.subscriptions()
        path = self.home / f"terminal-{before}"
        with open(path, "wb") as output:
            process = subprocess.Popen(
                ["bash", "-c", "exec " + command], stdout=output, stderr=output,
                stdin=subprocess.DEVNULL, env=self.environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_until(lambda: self.subscriptions() > before, "its subscription", path)
        return path

    def subscriptions(self):
        """How many subscriptions the daemon counts now."""
        url = "http://{}:{}/metrics".format(*self.daemon.address)
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            text = answer.read().decode()
        return sum(int(float(it)) for it in re.findall(
            r"^syncdaemon_subscriptions(?:\{.*\})? (\S+)$", text, re.MULTILINE))

    @staticmethod
    def read(path):
        return path.read_text(encoding="utf-8").splitlines()

    def wait_until(self, condition, what, output):
        patience = Patience(lambda: output.stat().st_size)
        while not condition():
            if patience.is_over:
                self.fail(f"Waited for {what}\n" + output.read_text(encoding="utf-8"))
            time.sleep(0.02)


class Picture(unittest.TestCase):
    """What README shows first, which moving_picture.py makes."""

    def test_it_is_there_and_moves(self):
        begin = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:6]
        ((words, path),) = re.findall(r"!\[(.*?)\]\((.*?)\)", "\n".join(begin))
        self.assertGreater(len(words.split()), 10, "Who does not see it has no picture.")
        data = (ROOT / path).read_bytes()
        self.assertLess(len(data), 1_500_000)
        chunks = list(webp_chunks(data))
        (extended,) = (body for name, body in chunks if name == b"VP8X")
        width = int.from_bytes(extended[4:7], "little") + 1
        self.assertIn(width, range(800, 1001), "It is read in a column of README.")
        frames = [body for name, body in chunks if name == b"ANMF"]
        self.assertGreater(len(frames), 10)
        seconds = sum(int.from_bytes(it[12:15], "little") for it in frames) / 1000
        self.assertTrue(8 <= seconds <= 12, f"{seconds} s")
        (loops,) = (int.from_bytes(body[4:6], "little") for name, body in chunks
                    if name == b"ANIM")
        self.assertEqual(loops, 0, "It begins again.")


def webp_chunks(data):
    """(name, content) of each chunk of a WebP file, as its container specification has it."""
    assert data[:4] == b"RIFF" and data[8:12] == b"WEBP", "It is no WebP file."
    at = 12
    while at < len(data):
        size = int.from_bytes(data[at + 4:at + 8], "little")
        yield data[at:at + 4], data[at + 8:at + 8 + size]
        at += 8 + size + size % 2


class Extraction(unittest.TestCase):
    """The reading of the page itself."""

    def test_steps(self):
        page = (
            "# Title\n```console\n$ make run\nnot ours\n```\n"
            "```console\n$ syncctl subscribe room\n17952187953729999  ada: hi\n```\ntext\n"
            "```console\n$ syncctl publish \\\n>   room hi\n17952187953729999\n"
            "$ syncctl react add room last 👍\n```\n```text\n$ syncctl no\n```\n")
        self.assertEqual(steps(page), [
            [("syncctl subscribe room", ["17952187953729999  ada: hi"])],
            [("syncctl publish room hi", ["17952187953729999"]),
             ("syncctl react add room last 👍", [])]])
        self.assertEqual(same_lines(["17952187953729999  ada: hi ", ""]), ["TIMETOKEN  ada: hi"])


if __name__ == "__main__":
    unittest.main()
