"""What docs/PUBNUB.md and examples/ tell people to run does run, as printed."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from daemon import ROOT, clean_environment, run_to_end
from sdk import PubNubTestCase
from waiting import PATIENCE, WORK_ALONE_MAX

#: Where `make run` listens.
PRINTED_ORIGIN = "127.0.0.1:8080"


def blocks(page, language):
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


class Page(PubNubTestCase):
    """The page's blocks and the examples."""

    def setUp(self):
        self.page = (ROOT / "docs" / "PUBNUB.md").read_text(encoding="utf-8")
        self.daemon = self.start_daemon()
        self.origin = "{}:{}".format(*self.daemon.address)

    def run_python(self, *arguments, program=None):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", *arguments], input=program, capture_output=True,
            text=True, check=False, timeout=PATIENCE * WORK_ALONE_MAX,
            env=clean_environment(LC_ALL="C.UTF-8"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_pages_program(self):
        """Also after the README's walk-through, which leaves a plain text in the same room."""
        (program,) = blocks(self.page, "python")
        self.assertEqual(program.count(PRINTED_ORIGIN), 1)
        program = program.replace(PRINTED_ORIGIN, self.origin)
        asked = "{'text': 'Shall we meet at noon?'}\n"
        self.assertEqual(self.run_python("-", program=program), asked)
        with self.rest(self.daemon, keys=("demo", "demo")) as web:
            web.publish("room", "Hello!")
        self.assertEqual(self.run_python("-", program=program), asked + "Hello!\n" + asked)

    def test_the_pages_configuration(self):
        (text,) = blocks(self.page, "ini")
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "syncdaemon.ini"
            path.write_text(text, encoding="utf-8")
            code, _, said = run_to_end("config", "check", "--config", str(path))
        self.assertEqual(code, 0, said)

    def test_files_by_hand(self):
        (script,) = blocks(self.page, "sh")
        self.assertEqual(script.count(PRINTED_ORIGIN), 1)
        daemon = self.start_daemon(configuration="""
            [keyset demo]
            publish_key = demo
            subscribe_key = demo
            files = yes
            """)
        script = script.replace(PRINTED_ORIGIN, "{}:{}".format(*daemon.address))
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "hello.txt").write_text("Hello\n", encoding="ascii")
            done = subprocess.run(
                ["sh", "-eu", "-c", script], cwd=directory, capture_output=True, text=True,
                check=False, timeout=PATIENCE * WORK_ALONE_MAX, env=clean_environment())
        self.assertRegex(done.stdout, r'^\[1,"Sent","\d{17}"\]Hello\n$', done.stderr)

    def test_the_python_example(self):
        listener = self.client(self.daemon, "bob", ("demo", "demo")).subscribe("room")
        said = self.run_python(
            os.path.join(ROOT, "examples", "python", "reactions.py"), self.origin)
        self.assertEqual(said, "Shall we meet at noon? {'👍': 1}\n")
        listener.heard.until(lambda: listener.heard.actions, "the reaction")
        self.assertEqual(listener.texts(), ["Shall we meet at noon?"])
        self.assertEqual(listener.heard.actions[0].value, "👍")

    def test_every_program_shows_the_one_line(self):
        # Those of PubNub's SDKs; the others speak as this project's clients do.
        own = {"swift-chat", "python-bot", "node-bot"}
        programs = [it for it in (ROOT / "examples").rglob("*")
                    if (it.suffix in (".py", ".mjs") or it.name == "main.swift")
                    and not own & set(it.parts)]
        self.assertEqual(len(programs), 3)
        for program in programs:
            text = program.read_text(encoding="utf-8")
            self.assertEqual(text.count(PRINTED_ORIGIN), 1, program)
            self.assertIn("make run", text.split("import")[0], "It says how to run it.")

    def test_every_endpoint_has_a_row_for_every_sdk(self):
        rows = re.findall(r"^\| [^|]+ \|((?: [^|]+ \|){3}) [^|]*\|$", self.page, re.MULTILINE)
        marks = {mark.strip() for row in rows for mark in row.strip("|").split("|")}
        self.assertGreaterEqual(
            marks, {"proven", "by wire", "not used"}, "The table lost its columns.")
        self.assertGreater(len(rows), 15)


if __name__ == "__main__":
    unittest.main()
