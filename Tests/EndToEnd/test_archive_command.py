"""`[archive] command`: each file of the archive comes to another place, whatever happens."""

import asyncio
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from archive import bases, pieces
from case import eventually
from daemon import run_to_end
from disk import metric, readiness
from prometheus import WatchedTestCase
from raw import RawClient

#: What an operator might write; it notes each call.
TAKE = """\
#!/bin/sh
test ! -e {place}/closed || {{ echo no room >&2; exit 3; }}
test ! -e {place}/hangs || sleep 1000
mkdir -p "$(dirname "{place}/there/$2")" || exit
cp "$1" "{place}/there/$2" || exit
echo "$2" >> {place}/calls
"""


class Command(WatchedTestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-archive-")
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        self.archive, self.there = self.place / "archive", self.place / "there"
        self.archive.mkdir()
        script = self.program("take", TAKE.format(place=self.place))
        self.options = [
            "--store", "sqlite", "--archive-directory", str(self.archive),
            "--archive-seconds", "1", "--archive-command", str(script)]

    def program(self, name, text):
        path = self.place / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    @property
    def calls(self):
        path = self.place / "calls"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    @staticmethod
    def files(directory):
        return {str(it.relative_to(directory)) for it in directory.rglob("*") if it.is_file()}

    def write(self, daemon, count=20):
        with RawClient(daemon.address) as client:
            client.hello()
            for number in range(count):
                newest = client.command("publish", channel="room", payload="x" * 100 * number)
        return int(newest["timetoken"])

    async def test_what_was_taken_can_be_restored_and_comes_once(self):
        daemon = self.start_daemon(*self.options)
        await eventually(lambda: bases(self.there), "a copy of the database")
        for _ in range(3):
            newest = self.write(daemon)
            await eventually(lambda: pieces(self.there)[-1:] >= [newest], "a piece")
        daemon.kill()
        daemon.start()
        await eventually(lambda: len(bases(self.there)) == 2, "the next copy")
        newest = self.write(daemon)
        await eventually(lambda: pieces(self.there)[-1] >= newest, "the last piece")
        await eventually(lambda: self.files(self.there) == self.files(self.archive), "all files")
        self.assertEqual(self.calls[0], "syncdaemon-archive")
        # A kill between what it did and what the daemon noted of it repeats one; whose it is comes
        # at each start.
        again = [it for it in self.calls if self.calls.count(it) > 1]
        self.assertLessEqual(len(set(again) - {"syncdaemon-archive"}), 1)
        self.assertEqual(again.count("syncdaemon-archive"), 2)
        code, said, error = run_to_end("verify", str(self.there))
        self.assertEqual((code, error), (0, ""))
        code, said, error = run_to_end(
            "restore", "--data-dir", str(self.place / "restored"), "--at", str(newest),
            str(self.there))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("80 messages", said)

    async def test_a_command_that_fails_is_told_and_tried_again(self):
        (self.place / "closed").touch()
        daemon = self.start_daemon(*self.options)
        prometheus = await self.watch(daemon)
        await eventually(lambda: bases(self.archive), "a copy of the database")
        await eventually(lambda: "archive_command_failing" in str(readiness(daemon)), "the trouble")
        status, troubles = readiness(daemon)
        self.assertEqual(status, 200)
        self.assertIn("ended with code 3", str(troubles))
        self.assertIn("no room", daemon.log_tail())
        await self.fires(prometheus, "ArchiveUntaken")
        newest = self.write(daemon)
        await eventually(lambda: pieces(self.archive)[-1:] >= [newest], "the archive goes on")
        (self.place / "closed").unlink()
        await eventually(lambda: self.files(self.there) == self.files(self.archive), "all files")
        await eventually(lambda: "archive_command" not in str(readiness(daemon)), "the end of it")

    async def test_an_archive_that_is_taken_away_is_begun_anew_and_another_place_knows_it(self):
        daemon = self.start_daemon(*self.options)
        await eventually(lambda: bases(self.there), "a copy of the database")
        self.write(daemon)
        shutil.rmtree(next(self.archive.glob("2*")))
        self.there.rename(self.place / "before")
        daemon.stop()
        daemon.start()
        await eventually(lambda: bases(self.there), "the next copy")
        shutil.rmtree(next(self.archive.glob("2*/")))
        newest = self.write(daemon)
        await eventually(lambda: len(bases(self.archive)) == 1, "a copy in its place")
        code, said, error = run_to_end("verify", str(self.archive))
        self.assertEqual((code, error), (0, ""))
        await eventually(lambda: pieces(self.there)[-1:] >= [newest], "what came since")
        code, said, error = run_to_end("verify", str(self.there))
        self.assertEqual((code, error), (0, ""))
        # Behind its end it may lack something, and says so.
        code, said, error = run_to_end(
            "restore", "--data-dir", str(self.place / "late"), "--at", "2099-01-01T00:00:00Z",
            str(self.there))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("The archive ends there", said)
        for base in self.there.rglob("base-*"):
            base.unlink()
        code, said, error = run_to_end("verify", str(self.there))
        self.assertEqual(code, 1)

    async def test_what_waits_while_the_archive_is_away_is_taken_afterwards(self):
        daemon = self.start_daemon(*self.options)
        await eventually(lambda: self.files(self.there) == self.files(self.archive), "the copy")
        (self.place / "closed").touch()
        for _ in range(2):
            newest = self.write(daemon)
            await eventually(lambda: pieces(self.archive)[-1:] >= [newest], "a piece")
        await eventually(lambda: "ended with code 3" in str(readiness(daemon)), "the trouble")
        await eventually(
            lambda: metric(daemon, "archive_untaken_files") > 1, "both to be counted")
        waiting = metric(daemon, "archive_untaken_files")
        self.archive.rename(self.place / "away")
        await eventually(
            lambda: "Mount its disk" in str(readiness(daemon)), "the other trouble")
        self.assertEqual(metric(daemon, "archive_untaken_files"), waiting)
        (self.place / "closed").unlink()
        (self.place / "away").rename(self.archive)
        await eventually(lambda: self.files(self.there) == self.files(self.archive), "all files")
        await eventually(lambda: "archive" not in str(readiness(daemon)), "the end of it")
        await eventually(lambda: metric(daemon, "archive_untaken_files") == 0, "none waits")

    async def test_what_is_anothers_is_not_for_ones_own_command(self):
        (self.place / "closed").touch()
        daemon = self.start_daemon(*self.options)
        newest = self.write(daemon)
        await eventually(lambda: pieces(self.archive)[-1:] >= [newest], "a piece")
        daemon.stop()
        shutil.copytree(daemon.data_dir, self.place / "copied")
        daemon.start()
        elsewhere = self.place / "elsewhere"
        elsewhere.mkdir()
        other = self.program("other", TAKE.format(place=elsewhere))
        strangers = [
            self.start_daemon(*self.options[:-1], str(other), **options)
            for options in ({}, {"data_dir": str(self.place / "copied")})]
        for stranger in strangers:
            await eventually(lambda: "archive_failing" in str(readiness(stranger)), "the trouble")
            self.write(stranger)
        (self.place / "closed").unlink()
        await eventually(lambda: self.files(self.there) == self.files(self.archive), "all files")
        for stranger in strangers:
            self.assertEqual(metric(stranger, "archive_untaken_files"), 0)
            stranger.stop()
        self.assertEqual(self.files(elsewhere), set())

    async def test_the_oldest_one_has_waited_since_it_was_written(self):
        (self.place / "closed").touch()
        daemon = self.start_daemon(*self.options)
        await eventually(lambda: bases(self.archive), "a copy of the database")
        daemon.stop()
        hour_ago = time.time() - 3600
        for file in self.archive.rglob("*"):
            os.utime(file, (hour_ago, hour_ago))
        daemon.start()
        await eventually(
            lambda: metric(daemon, "archive_untaken_oldest_seconds") >= 3600, "its age")

    @unittest.skipIf(os.geteuid(), "Only root can give a directory to another user.")
    async def test_a_command_that_the_daemons_user_may_not_run_is_refused_before(self):
        data, nobody = self.place / "data", pwd.getpwnam("nobody")
        data.mkdir()
        for directory in (self.place, self.archive, data):
            os.chown(directory, nobody.pw_uid, nobody.pw_gid)
            directory.chmod(0o700)
        arguments = [
            "config", "check", "--listen", "127.0.0.1:0", "--data-dir", str(data), *self.options]
        code, _, errors = run_to_end(*arguments)
        self.assertEqual((code, errors), (0, ""))
        (self.place / "take").chmod(0o700)
        code, _, errors = run_to_end(*arguments)
        self.assertEqual(code, 2)
        self.assertIn("the daemon's user may not run it", errors)
        (self.place / "take").chmod(0o755)
        self.archive.chmod(0o500)
        code, _, errors = run_to_end(*arguments)
        self.assertEqual(code, 2)
        self.assertIn("the daemon's user may not write to it", errors)

    async def test_a_command_that_hangs_keeps_nobody(self):
        (self.place / "hangs").touch()
        daemon = self.start_daemon(*self.options)
        await eventually(lambda: bases(self.archive), "a copy of the database")
        newest = self.write(daemon)
        await eventually(lambda: pieces(self.archive)[-1:] >= [newest], "the archive goes on")

        def sleepers():
            return subprocess.run(
                ["pgrep", "-f", f"{self.place}/take"], capture_output=True, text=True,
                check=False).stdout.split()

        await eventually(sleepers, "the command")
        started = time.monotonic()
        await asyncio.to_thread(daemon.stop)
        self.assertEqual(daemon.process.returncode, 0)
        self.assertEqual(sleepers(), [], f"after {time.monotonic() - started:.1f} s")
        (self.place / "hangs").unlink()
        daemon.start()
        await eventually(lambda: len(bases(self.there)) == 2, "both copies")
        self.assertEqual(self.files(self.there) - self.files(self.archive), set())

    async def test_it_gets_no_variable_signal_or_file_of_the_daemons(self):
        seen = self.place / "seen"
        program = self.program("look", f"""#!/bin/sh
{{ env | cut -d= -f1 | sort; ls /proc/$$/fd | wc -l
# By the shell itself: while it starts another program it blocks all signals.
while read -r line; do case $line in Sig[BI]*) echo "$line";; esac; done < /proc/$$/status
}} > {seen}.part
mv {seen}.part {seen}
""")
        daemon = self.start_daemon(*self.options[:-1], str(program))
        await eventually(seen.exists, "a call")
        text = seen.read_text(encoding="utf-8")
        names = set(text.split()[:-5])
        self.assertIn("PATH", names)
        self.assertFalse(
            {it for it in names if it.startswith(("NOTIFY_", "LISTEN_", "SYNCDAEMON_"))}, text)
        masks = [int(it.split()[1], 16) for it in text.splitlines() if it.startswith("Sig")]
        blocked = {it for it in range(1, 32) if masks[0] >> (it - 1) & 1}
        self.assertFalse(blocked & {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}, text)
        self.assertFalse(masks[1] >> (signal.SIGPIPE - 1) & 1, text)
        # Input, output, errors, and what a shell has for itself.
        descriptors = int(next(it for it in text.split() if it.isdigit()))
        self.assertLessEqual(descriptors, 6, text)
        self.assertTrue(os.path.exists(daemon.data_dir))


if __name__ == "__main__":
    unittest.main()
