"""What bash, zsh and fish complete, typed in each of them; and that no command is left out.

Completion and manual pages are made from --help, which is read here a second time.
"""

import pathlib
import re
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
    ("syncctl admin sessions k", ["kick"]),
    ("syncctl admin webhooks re", ["replay", "retry"]),
    ("syncdaemon ba", ["backup"]),
    ("syncdaemon ver", ["verify"]),
    ("syncdaemon config ch", ["check"]),
    ("syncdaemon --ver", ["--version"]),
    ("syncctl --he", ["--help"]),
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

    def help_of(self, name, *words):
        return subprocess.run([binary(name), *words, "--help"], check=True, capture_output=True,
                              text=True, env=clean_environment()).stdout

    def calls(self):
        """Each command of both programs, with the program before it: "syncctl admin log set"."""
        two = r"[a-z]+(?: [a-z]+)?"
        found = re.findall(rf"^  (syncdaemon {two})(?= |$)", self.help_of("syncdaemon"), re.M)
        # The simulator is in no package.
        found += ["syncctl " + it for it in re.findall(
            r"^  ([a-z]+) ", self.help_of("syncctl"), re.M) if it not in ("sim", "syncctl")]
        found += ["syncctl admin " + it for it in re.findall(
            rf"^  ({two})(?=  |$)", self.help_of("syncctl", "admin"), re.M)]
        return list(dict.fromkeys(found))

    def bash_offers(self, typed):
        words = typed.split(" ")
        script = (
            f"source {self.files}/bash/{words[0]}\n"
            f"COMP_WORDS=({' '.join(words[:-1])} {words[-1]!r}) COMP_CWORD={len(words) - 1}\n"
            f"_{words[0]}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        said = subprocess.run(["bash", "-c", script], check=True, capture_output=True,
                              text=True, env=clean_environment()).stdout
        return sorted(said.split())

    def fish_offers(self, typed):
        name = typed.split()[0]
        said = subprocess.run(
            ["fish", "--no-config", "--command",
             f"source {self.files}/fish/{name}.fish; complete --do-complete {typed!r}"],
            check=True, capture_output=True, text=True, env=clean_environment()).stdout
        return sorted(line.split("\t")[0] for line in said.splitlines())

    def test_bash(self):
        for typed, offered in CASES:
            self.assertEqual(self.bash_offers(typed), offered, typed)

    def test_fish(self):
        for typed, offered in CASES:
            self.assertEqual(self.fish_offers(typed), offered, typed)

    def test_every_word_of_every_command_is_offered(self):
        calls = self.calls()
        for some in ("syncdaemon verify", "syncdaemon store copy", "syncctl top",
                     "syncctl admin log set"):
            self.assertIn(some, calls)
        following = {}
        for call in calls:
            words = call.split()
            for place in range(1, len(words)):
                following.setdefault(" ".join(words[:place]) + " ", set()).add(words[place])
        for typed, words in following.items():
            self.assertLessEqual(words, set(self.bash_offers(typed)), typed)
            self.assertLessEqual(words, set(self.fish_offers(typed)), typed)
        for name in ("syncdaemon", "syncctl"):
            function, = re.findall(
                r"^_.*?^}\n", (self.files / f"bash/{name}").read_text(), re.M | re.S)
            self.assertIn(function, (self.files / f"zsh/_{name}").read_text())

    def test_every_flag_that_is_offered_is_taken(self):
        tried = 0
        for call in self.calls():
            name, *words = call.split()
            if words[0] == "admin":
                continue
            for flag in set(self.bash_offers(f"{call} --")) - {"--help"}:
                # Nothing is done: for the flag that no command has, or for the help.
                end = "--zzz" if name == "syncdaemon" else "--help"
                refusal = f"{flag}: there is no such flag|There is no option {flag}[.]"

                def is_refused(*arguments):
                    said = subprocess.run(
                        [binary(name), *words, *arguments, end], capture_output=True, text=True,
                        env=clean_environment(), check=False)
                    return re.search(refusal, said.stderr)

                # One that takes no value is tried without: the other way round `end` were one.
                self.assertFalse(is_refused(f"{flag}=1") and is_refused(flag), f"{call} {flag}")
                tried += 1
        self.assertGreater(tried, 100)

    def test_every_command_is_in_its_manual_page(self):
        for name, page in (("syncdaemon", "syncdaemon.8"), ("syncctl", "syncctl.1")):
            text = (self.files / page).read_text(encoding="utf-8")
            commands = text.partition("\n.SH COMMANDS\n")[2].partition("\n.SH ")[0]
            described = {it for line in re.findall(r"^\.SS (.*)", commands, re.M)
                         for it in line.replace("\\-", "-").split(", ")}
            # What admin does is one section.
            called = {it.partition(" ")[2] for it in self.calls() if it.split()[0] == name}
            self.assertEqual({it for it in called if not it.startswith("admin ")}, described)
        self.assertNotRegex(text, r"(?m)^ *sim |syncctl sim")

    def test_a_row_of_a_table_is_one(self):
        """As docs/CLUSTER.md has it: go-md2man begins a line between two cells."""
        lines = (ROOT / "docs/CLUSTER.md").read_text(encoding="utf-8").splitlines()
        rows = sum(it.startswith("| ") for it in lines)
        heads = sum(it.startswith("|--") for it in lines)
        self.assertGreater(heads, 1)
        page = (self.files / "syncdaemon-cluster.7").read_text(encoding="utf-8")
        self.assertTrue(page.startswith("'\\\" t\n"), "man lays tables out.")
        found = 0
        for table in re.findall(r"^\.TS\n(.*?)^\.TE\n", page, re.M | re.S):
            _, form, head, said = table.split("\n", 3)
            cells = len(form.removesuffix(" .").split())
            self.assertEqual(len(head.split("\t")), cells)
            row = r"T\{\n" + r"\nT\}\tT\{\n".join([r"[^\t\n]+"] * cells) + r"\nT\}\n"
            self.assertRegex(said, rf"\A(?:{row})+\Z")
            found += len(re.findall(row, said))
        self.assertEqual(found, rows - heads)

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
