"""SECURITY.md: each row of its threat model names what shows it, and that is there."""

import re
import unittest

from daemon import ROOT
from test_reliability_page import REFERENCE, is_there

KINDS = ["Spoofing", "Tampering", "Repudiation", "Disclosure", "Denial of service", "Elevation"]


def tables(text):
    """Rows, as (threat, what is against it, shown by), by the heading above them."""
    found = {}
    for heading, body in re.findall(r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE):
        rows = [line.strip("|").split("|") for line in body.splitlines() if line.startswith("| ")]
        found[heading] = [tuple(cell.strip() for cell in row) for row in rows[1:]]
    return found


class Page(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        self.tables = tables(self.text)

    def test_every_kind_of_threat_has_rows(self):
        self.assertEqual(list(self.tables), KINDS)
        for kind, rows in self.tables.items():
            self.assertTrue(rows, kind)

    def test_every_row_names_what_shows_it(self):
        for rows in self.tables.values():
            for threat, against, shown in rows:
                with self.subTest(threat):
                    self.assertTrue(against)
                    named = REFERENCE.findall(shown)
                    self.assertTrue(named, "Nothing shows it.")
                    for reference in named:
                        self.assertTrue(is_there(reference), f"There is no {reference}.")

    def test_what_it_links_to_is_there(self):
        for path in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", self.text):
            self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
