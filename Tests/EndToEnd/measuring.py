"""What the programs that measure a daemon are told."""

import argparse
import os
import pathlib


class Arguments(argparse.ArgumentParser):
    """Takes the daemon besides; the text of a program is its help."""

    def __init__(self, text):
        super().__init__(
            description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument(
            "--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")

    def parse_args(self, *given, **options):
        found = super().parse_args(*given, **options)
        if found.binary:
            os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(found.binary).resolve())
        return found
