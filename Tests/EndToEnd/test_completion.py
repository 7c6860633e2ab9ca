"""What bash, zsh and fish complete, typed in each of them."""

import pathlib
import subprocess
import tempfile
import unittest

from daemon import ROOT, binary, clean_environment
from terminal import Terminal

CTRL_U, TAB = "\x15", "\t"
#: What is typed before the key that completes, and what is offered.
CASES = [
    ("syncctl rea", ["react"]),
    ("syncctl cache ve", ["verify"]),
    ("syncctl token g", ["grant"]),
    ("syncctl history --lim", ["--limit"]),
    ("syncdaemon ba", ["backup"]),
    ("syncdaemon config ch", ["check"]),
    ("syncdaemon serve --store ", ["memory", "postgres", "sqlite"]),
    ("syncdaemon serve --log-level d", ["debug"]),
]


class Completion(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.files = pathlib.Path(scratch.name)
        programs = pathlib.Path(binary("syncdaemon")).parent
        subprocess.run([ROOT / "Tools/manual", programs, cls.files], check=True)

    def test_bash(self):
        for typed, offered in CASES:
            words = typed.split(" ")
            script = (
                f"source {self.files}/bash/{words[0]}\n"
                f"COMP_WORDS=({' '.join(words[:-1])} {words[-1]!r}) COMP_CWORD={len(words) - 1}\n"
                f"_{words[0]}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            said = subprocess.run(["bash", "-c", script], check=True, capture_output=True,
                                  text=True, env=clean_environment()).stdout
            self.assertEqual(sorted(said.split()), offered, typed)

    def test_fish(self):
        for typed, offered in CASES:
            name = typed.split()[0]
            said = subprocess.run(
                ["fish", "--no-config", "--command",
                 f"source {self.files}/fish/{name}.fish; complete --do-complete {typed!r}"],
                check=True, capture_output=True, text=True, env=clean_environment()).stdout
            self.assertEqual(sorted(line.split("\t")[0] for line in said.splitlines()), offered,
                             typed)

    async def test_zsh(self):
        settings = {"TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(self.files)}
        shell = Terminal(["zsh", "-f", "-i"], 100, 30, clean_environment() | settings)

        async def close():
            shell.close()

        self.addAsyncCleanup(close)
        shell.type(f"PS1='> '; fpath=({self.files}/zsh $fpath); autoload -U compinit; "
                   "compinit -u -D; clear; print rea''dy\r")
        await shell.shows("ready")
        for typed, offered in CASES:
            shell.type(CTRL_U + typed + TAB)
            if len(offered) == 1:
                line = typed.rsplit(" ", 1)[0] + " " + offered[0]
                await shell.until(
                    lambda: any(it.endswith("> " + line) for it in shell.text.splitlines()),
                    f"{line!r} after {typed!r}")
            else:
                shell.type(TAB)
                await shell.shows(*offered)


if __name__ == "__main__":
    unittest.main()
