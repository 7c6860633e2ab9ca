"""The lines for a shell that docs/OPERATIONS.md gives to operators, for the tests that run them."""

import re

from daemon import ROOT


def blocks(heading):
    """Those under a heading, block by block."""
    return recipes(heading, "sh")


def recipes(heading, language):
    """The blocks in a language under a heading."""
    text = (ROOT / "docs/OPERATIONS.md").read_text(encoding="utf-8")
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ )", text, re.DOTALL | re.MULTILINE)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
