"""The log as the manual promises it: what each level shows, and what none does."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from case import DaemonTestCase, eventually
from daemon import run_to_end
from raw import RawClient
from rest import Rest
from test_reload import ReloadTestCase

#: A disk that takes its time: fdatasync(2) that returns after a second and a bit.
SLOW_DISK = """
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
int fdatasync(int descriptor) {
    struct timespec pause = {1, 100000000};
    nanosleep(&pause, 0);
    return syscall(SYS_fdatasync, descriptor);
}
int fsync(int descriptor) { return fdatasync(descriptor); }
"""


class Debug(ReloadTestCase):
    async def lines(self, daemon, *patterns):
        """Waits until each pattern is in the log."""
        for pattern in patterns:
            await eventually(
                lambda: re.search(rf"(?m)^\S+Z {pattern}$", daemon.log()), pattern)

    async def test_connections_sessions_returns_and_refusals(self):
        daemon = self.start_daemon("--log-level", "debug")
        device = await self.device(daemon, "ada", "ada-phone")
        await device.subscribe("room")
        await device.publish("room", "a-payload-that-nobody-logs")
        name = device.welcome["session"]
        reply = await device.request("history", channel="")
        self.assertIn("error", reply)
        await device.cut()
        await self.lines(
            daemon,
            rf"debug   Connection opened\. connection={name} peer=127\.0\.0\.1",
            rf"debug   Session began\. connection={name} user=ada device=ada-phone keyset=default",
            rf"debug   Command refused\. connection={name} code=invalid_channel status=400",
            rf'debug   Connection closed\. connection={name} peer=127\.0\.0\.1 '
            r'reason="the peer ended it"')

        await device.connect()
        await self.lines(daemon, r"debug   A device came back\. connection=\S+ channels=1")
        with Rest(daemon, keys=("pub-hidden", "sub")) as rest:
            answer = rest.get("/publish/{pub}/{sub}/0/room/0/not-json-payload")
            self.assertEqual(answer.status, 400)
        await self.lines(daemon, r"debug   Request refused\. connection=\S+ status=400")
        with RawClient(daemon.address) as client:
            client.upgrade()
            client.send(b"\x82\x81\0\0\0\0x")
            self.assertEqual(client.close_code(), 1003)
        await self.lines(
            daemon, r'debug   Connection closed\. .*reason="1003 Send text messages, not .*"')
        with RawClient(daemon.address) as page:
            page.send(page.upgrade_request("Origin: https://evil.example"))
            page.answer()
        await self.lines(
            daemon, r'debug   Connection closed\. .*reason="its Origin is not in allowed_origins"',
            # Whose page it was is for the operator to know.
            r"notice  Refused: foreign_origin\. host=127\.0\.0\.1:\d+ origin=https://evil\.example"
            r" connection=\S+ peer=127\.0\.0\.1")
        for secret in ("a-payload", "payload", "pub-hidden"):
            self.assertNotIn(secret, daemon.log())

    async def test_it_is_switched_on_and_off_while_the_daemon_runs(self):
        daemon = self.start("[log]\nlevel = info\n")
        first = await self.device(daemon, "ada")
        self.assertNotIn(" debug ", daemon.log())

        await self.reload(daemon, "[log]\nlevel = debug\n")
        await self.device(daemon, "bob")
        await self.lines(daemon, r"debug   Session began\. .*user=bob.*")

        await self.reload(daemon, "[log]\nlevel = info\n")
        before = daemon.log().count(" debug ")
        await self.device(daemon, "eve")
        await first.publish("room", 1)
        self.assertEqual(daemon.log().count(" debug "), before)

    async def test_a_crowd_does_not_fill_the_log(self):
        daemon = self.start_daemon("--log-level", "debug")
        for _ in range(200):
            with RawClient(daemon.address) as client:
                client.get()
        await eventually(lambda: "suppressed=" in daemon.log(), "a summary")
        self.assertLess(daemon.log().count("Connection opened."), 200)


class Slowness(DaemonTestCase):
    @unittest.skipUnless(shutil.which("cc"), "cc is missing")
    async def test_a_slow_commit_is_told(self):
        directory = tempfile.mkdtemp(prefix="syncdaemon-slow-")
        self.addCleanup(shutil.rmtree, directory)
        source, library = (os.path.join(directory, name) for name in ("slow.c", "slow.so"))
        pathlib.Path(source).write_text(SLOW_DISK, encoding="ascii")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
        daemon = self.start_daemon(environment={"LD_PRELOAD": library})
        device = await self.device(daemon, "ada")
        await device.publish("room", 1)
        self.assertRegex(
            daemon.log(), r"Z warning A commit was slow: .* milliseconds=[1-9]\d{3} writes=1")


class Links(DaemonTestCase):
    def test_symbolic_links_in_the_place_of_data_are_refused(self):
        for name in ("syncdaemon.db", "lock", "syncdaemon.db-wal"):
            with self.subTest(name):
                directory = tempfile.mkdtemp(prefix="syncdaemon-link-")
                self.addCleanup(shutil.rmtree, directory)
                target = os.path.join(directory, "elsewhere")
                pathlib.Path(target).write_text("precious", encoding="ascii")
                data = os.path.join(directory, "data")
                os.mkdir(data, 0o700)
                os.symlink(target, os.path.join(data, name))
                daemon = self.daemon_that_fails(data)
                self.assertIn(f"{data}/{name} is a symbolic link, which is not followed", daemon)
                self.assertEqual(pathlib.Path(target).read_text(encoding="ascii"), "precious")

    @staticmethod
    def daemon_that_fails(data):
        code, _, errors = run_to_end("serve", "--listen", "127.0.0.1:0", "--data-dir", data)
        if code != 1:
            raise AssertionError(f"It ended with {code}: {errors}")
        return errors

    def test_files_of_an_earlier_release_are_closed_to_others(self):
        daemon = self.start_daemon()
        daemon.kill()
        names = [it for it in os.listdir(daemon.data_dir) if it.startswith("syncdaemon.db")]
        self.assertIn("syncdaemon.db-wal", names)
        for name in names:
            os.chmod(os.path.join(daemon.data_dir, name), 0o644)
        os.chmod(daemon.data_dir, 0o755)

        daemon.start()

        for name in names:
            mode = os.stat(os.path.join(daemon.data_dir, name)).st_mode
            self.assertEqual(mode & 0o777, 0o600, name)
        self.assertRegex(
            daemon.log(), r"Z warning --data-dir: others may look into .*chmod 700")


if __name__ == "__main__":
    unittest.main()
