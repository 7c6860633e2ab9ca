"""schemathesis reads the API's document, and asks what it allows and what it does not.

No answer may be a 5xx, break its schema, take what the schema refuses, or refuse what it takes;
what a schema cannot say stands in schemathesis.toml. `make schema` asks more of each, and all that
lies on a border; here is a short version.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from api import Api
from daemon import clean_environment
from test_api import BACKEND, ApiCase

EXAMPLES = os.environ.get("SYNC_SCHEMA_EXAMPLES")
#: Which of schemathesis' phases, and how much of each.
EFFORT = ["-n", EXAMPLES] if EXAMPLES else ["-n", "3", "--phases", "examples,fuzzing"]
HERE = pathlib.Path(__file__).parent


class Schema(ApiCase):
    """A stranger who knows nothing but the document."""

    def test_the_document_is_what_is_done(self):
        # What it makes of many names at a time is not what is tested here.
        self.daemon.stop()
        daemon = self.start_daemon(
            "--commands-per-second", "1000000", configuration=self.configuration())
        document = "http://{}:{}/v1/openapi.json".format(*daemon.address)
        command = [
            pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file",
            HERE / "schemathesis.toml", "run", document, "--checks", "all", "--no-color",
            "--header", f"Authorization: Bearer {BACKEND}", *EFFORT, *self.seed()]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False,
            env=clean_environment(
                HYPOTHESIS_STORAGE_DIRECTORY=str(self.place), PYTHONPATH=str(HERE),
                SCHEMATHESIS_HOOKS="schema_hooks"),
            cwd=self.place)
        print(f"{self.id()}: {self.line(done.stdout, '[0-9]+ generated')}; "
              f"{self.line(done.stdout, 'Seed: ')}", file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stdout[-20_000:] + done.stderr[-2000:])
        self.assertTrue(daemon.is_running)
        Api(daemon, BACKEND).read("ping")

    @staticmethod
    def seed():
        seed = os.environ.get("SYNC_SEED")
        return ["--seed", seed] if seed else []

    @staticmethod
    def line(text, word):
        found = re.search(rf"^ *{word}.*$", text, re.MULTILINE)
        return found[0].strip() if found else ""


if __name__ == "__main__":
    unittest.main()
