"""The programs as the loader sees them: what is linked in, and what may be written to."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from daemon import ROOT, binary

CHECK = str(ROOT / "Tools" / "check-hardening")


@unittest.skipUnless(shutil.which("readelf"), "readelf is missing: install binutils")
class Hardening(unittest.TestCase):
    def check(self, program):
        """What the check says of a program that may be a debug build."""
        done = subprocess.run([CHECK, program, "--debug"], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def test_the_programs_are_hardened(self):
        for name in ("syncdaemon", "syncctl"):
            with self.subTest(name):
                self.assertEqual(self.check(binary(name)), (0, ""))

    @unittest.skipUnless(shutil.which("cc"), "cc is missing")
    def test_the_check_notices_what_is_missing(self):
        flags = {
            "-no-pie": "not position independent",
            "-Wl,-z,lazy": "bound late",
            "-Wl,-z,norelro": "no read-only relocations",
            "-Wl,-z,execstack": "the stack may hold code",
        }
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory) / "a.c"
            source.write_text("int main(void) { return 0; }\n", encoding="ascii")
            for flag, words in flags.items():
                with self.subTest(flag):
                    program = os.path.join(directory, "a.out")
                    subprocess.run(
                        ["cc", "-fPIE", "-pie", "-Wl,-z,now", flag, "-o", program, str(source)],
                        check=True, timeout=60)
                    code, said = self.check(program)
                    self.assertEqual(code, 1)
                    self.assertIn(words, said)

    def test_release_builds_are_told_to_leave_no_path_behind(self):
        """What a debug build cannot show: where a release build looks for libraries."""
        for name in ("Makefile", "docs/OPERATIONS.md"):
            text = (ROOT / name).read_text(encoding="utf-8")
            self.assertIn("--static-swift-stdlib --disable-local-rpath", text, name)


if __name__ == "__main__":
    unittest.main()
