"""docs/RELIABILITY.md: every case once, and in each row a test, an attack or a target that is."""

import re
import unittest

from daemon import ROOT
from hostile.known import ATTACKS

#: Cases of the list that the page is about.
CASES = 44
#: What a row says in place of a figure when there is none; the rest has one.
ABSENT = ("not of one node", "not yet")
REFERENCE = re.compile(r"`([^`]+)`")


def rows(text):
    """Cells of each row of the tables whose first cell is a number."""
    for line in text.splitlines():
        if re.match(r"\| \d+ \|", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def is_there(reference):
    """Whether the repository has what a row names as its test."""
    words = reference.split()
    if words[0] == "attack":
        return all(name in {it.name for it in ATTACKS} for name in words[1:]) and len(words) > 1
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return re.search(rf"^{re.escape(words[1])}:", makefile, re.MULTILINE) is not None
    file, _, function = reference.partition(".")
    if file.startswith("test_"):
        path, declared = ROOT / f"Tests/EndToEnd/{file}.py", f"def {function}("
        paths = [path] if path.exists() else []
    else:
        paths, declared = list((ROOT / "Tests").rglob(f"{file}.swift")), f"func {function}("
    return any(not function or declared in it.read_text(encoding="utf-8") for it in paths)


class Page(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "docs/RELIABILITY.md").read_text(encoding="utf-8")

    def test_every_case_once(self):
        self.assertEqual([int(it[0]) for it in rows(self.text)], list(range(1, CASES + 1)))

    def test_every_row_has_a_test_that_is_there(self):
        for number, _, _, figure, tests in rows(self.text):
            with self.subTest(case=number):
                named = REFERENCE.findall(tests)
                if not figure.startswith(ABSENT):
                    self.assertTrue(named, "A figure, and no test.")
                for reference in named:
                    self.assertTrue(is_there(reference), f"There is no {reference}.")

    def test_every_attack_has_a_row(self):
        table = self.text.partition("## Attacks")[2]
        for attack in ATTACKS:
            self.assertRegex(table, rf"(?m)^\| {attack.name} ")

    def test_what_is_not_there_is_noticed(self):
        for reference in ("test_nowhere", "test_crash.test_nothing_of_it", "attack S99", "attack",
                          "make nonsense", "NoTests.none"):
            self.assertFalse(is_there(reference), reference)
        for reference in ("test_crash", "attack S1 K4", "make faults", "MigrationTests.migrates"):
            self.assertTrue(is_there(reference), reference)


if __name__ == "__main__":
    unittest.main()
