"""The systemd units: valid, and tightly sandboxed."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ["syncdaemon.service", "syncdaemon.socket"]
INSTALLED_BINARY = "/usr/bin/syncdaemon"
EXPOSURE_MAX = 1.5


def daemon_binary() -> str:
    """The program under test: SYNCDAEMON_BINARY, else the debug build."""
    return os.environ.get("SYNCDAEMON_BINARY", str(ROOT / ".build/debug/syncdaemon"))


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )


def exposure(unit: pathlib.Path) -> float:
    """systemd's rating of a unit's sandbox: 0 is sealed, 10 is open."""
    result = run("systemd-analyze", "security", "--offline=yes", "--no-pager", str(unit))
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", result.stdout)
    if not found:
        raise AssertionError(f"no rating in: {result.stdout}{result.stderr}")
    return float(found.group(1))


@unittest.skipUnless(
    shutil.which("systemd-analyze"), "systemd-analyze is missing: run Tools/install-packages"
)
class Units(unittest.TestCase):
    def copy(self, directory: str, binary: str) -> list:
        """Units that name `binary`, since the program is not installed while it is tested."""
        paths = []
        for name in UNITS:
            text = (ROOT / "systemd" / name).read_text(encoding="utf-8")
            path = pathlib.Path(directory) / name
            path.write_text(text.replace(INSTALLED_BINARY, binary), encoding="utf-8")
            paths.append(str(path))
        return paths

    def test_verify_finds_nothing(self):
        self.assertTrue(os.access(daemon_binary(), os.X_OK), f"build {daemon_binary()} first")
        with tempfile.TemporaryDirectory() as directory:
            result = run("systemd-analyze", "verify", *self.copy(directory, daemon_binary()))
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))

    def test_verify_would_find_a_missing_program(self):
        with tempfile.TemporaryDirectory() as directory:
            result = run("systemd-analyze", "verify", *self.copy(directory, "/nowhere/syncdaemon"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("/nowhere/syncdaemon is not executable", result.stderr)

    def test_sandbox_is_tight(self):
        self.assertLessEqual(exposure(ROOT / "systemd" / "syncdaemon.service"), EXPOSURE_MAX)

    def test_rating_notices_an_open_sandbox(self):
        text = (ROOT / "systemd" / "syncdaemon.service").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as directory:
            unit = pathlib.Path(directory) / "syncdaemon.service"
            unit.write_text(text.replace("CapabilityBoundingSet=\n", ""), encoding="utf-8")
            self.assertGreater(exposure(unit), EXPOSURE_MAX)

    def test_nothing_keeps_the_service_down_for_good(self):
        service = (ROOT / "systemd/syncdaemon.service").read_text(encoding="utf-8")
        self.assertIn("Restart=always\n", service)
        self.assertIn("StartLimitIntervalSec=0\n", service)
        self.assertNotIn("RestartPreventExitStatus", service)
        listener = (ROOT / "systemd/syncdaemon.socket").read_text(encoding="utf-8")
        self.assertIn("TriggerLimitIntervalSec=0\n", listener)

    def test_units_agree_on_where_the_program_is(self):
        text = (ROOT / "systemd" / "syncdaemon.service").read_text(encoding="utf-8")
        self.assertRegex(text, rf"(?m)^ExecStart={INSTALLED_BINARY} serve --config -/etc/\S+$")


if __name__ == "__main__":
    unittest.main()
