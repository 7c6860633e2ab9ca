"""What docs/OPERATIONS.md, and others, give operators to copy, for the tests that run it."""

import re

from daemon import ROOT


def blocks(heading, document="OPERATIONS"):
    """Those under a heading, block by block."""
    return recipes(heading, "sh", document)


def recipes(heading, language, document="OPERATIONS"):
    """The blocks in a language under a heading."""
    text = (ROOT / f"docs/{document}.md").read_text(encoding="utf-8")
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ )", text, re.DOTALL | re.MULTILINE)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
