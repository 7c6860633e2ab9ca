"""The lines for a shell that docs/OPERATIONS.md gives to operators, for the tests that run them."""

import re

from daemon import ROOT


def blocks(heading):
    """Those under a heading, block by block."""
    text = (ROOT / "docs/OPERATIONS.md").read_text(encoding="utf-8")
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ )", text, re.DOTALL | re.MULTILINE)[1]
    return re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
