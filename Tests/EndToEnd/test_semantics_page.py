"""docs/SEMANTICS.md, row by row: each once, and each test that is named is there."""

import unittest

from daemon import ROOT
from test_reliability_page import REFERENCE, is_there, rows

#: Behaviours that chat kits have.
BEHAVIOURS = 53


class Page(unittest.TestCase):
    def setUp(self):
        text = (ROOT / "docs/SEMANTICS.md").read_text(encoding="utf-8")
        self.rows = list(rows(text.partition("## Row by row")[2]))

    def test_every_row_once(self):
        self.assertEqual([int(it[0]) for it in self.rows], list(range(1, BEHAVIOURS + 1)))

    def test_what_is_here_has_a_test_that_is_there(self):
        for number, _, here, tests in self.rows:
            with self.subTest(row=number):
                named = REFERENCE.findall(tests)
                if not here.startswith(("interface", "not yet")):
                    self.assertTrue(named, "It is said to be here, and has no test.")
                for reference in named:
                    self.assertTrue(is_there(reference), f"There is no {reference}.")


if __name__ == "__main__":
    unittest.main()
