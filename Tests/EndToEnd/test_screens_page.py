"""clients/web/ui/README.md: what people see, row by row, and each test and piece that it names."""

import re
import unittest

from daemon import ROOT
from test_reliability_page import REFERENCE, is_there

UI = ROOT / "clients" / "web" / "ui"
#: Those of docs/SEMANTICS.md with something to be seen.
ROWS = range(23, 54)
QUOTED = re.compile(r'"([^"]+)"')
#: An element, or a property of a style sheet.
PIECE = re.compile(r"`<(sync-[a-z-]+)>`|`(--sync-[a-z-]+)`")


def rows(text):
    """Cells of the rows whose first cell is a number, or one with a letter."""
    for line in text.splitlines():
        if re.match(r"\| \d+[a-z]? \|", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


class Page(unittest.TestCase):
    def setUp(self):
        text = (UI / "README.md").read_text(encoding="utf-8")
        self.rows = list(rows(text.partition("## Where everything shows")[2]))
        self.sources = "".join(it.read_text(encoding="utf-8") for it in UI.rglob("*.js")
                               if "docs" not in it.parts)

    def test_every_row_once(self):
        numbers = [it[0] for it in self.rows]
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual([int(it) for it in numbers if it.isdigit()], list(ROWS))

    def test_what_is_here_has_a_test_that_is_there(self):
        played = (ROOT / "clients/web/tests/ui-model.test.mjs").read_text(encoding="utf-8")
        for number, _, where, tests in self.rows:
            with self.subTest(row=number):
                named, quoted = REFERENCE.findall(tests), QUOTED.findall(tests)
                self.assertEqual(not (named or quoted), where.startswith("not yet"),
                                 "It is here and has a test, or it is not yet.")
                for reference in named:
                    self.assertTrue(is_there(reference), f"There is no {reference}.")
                for title in quoted:
                    self.assertIn(f"test('{title}'", played)

    def test_every_piece_is_there(self):
        for number, _, where, _ in self.rows:
            for element, style in PIECE.findall(where):
                with self.subTest(row=number, piece=element or style):
                    if element:
                        self.assertTrue((UI / f"{element}.js").exists())
                    else:
                        self.assertIn(f"var({style}", self.sources)


if __name__ == "__main__":
    unittest.main()
