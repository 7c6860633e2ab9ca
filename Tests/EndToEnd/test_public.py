"""`config check --public`, and the chapter "Facing the internet", whose lines are carried out."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

from daemon import ROOT, binary, clean_environment, run_to_end
from manual import blocks, recipes
from test_configuration import ConfigurationTestCase

READY = "The configuration is right, and ready to face the internet.\n"
CHECK = "4. Check, and start"


class PublicTestCase(ConfigurationTestCase):
    """A machine of one's own: what the chapter puts into /etc and /var stands in a directory."""

    def setUp(self):
        super().setUp()
        # Where /tmp is in memory, data there is none.
        self.directory = tempfile.mkdtemp(prefix="syncdaemon-public-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, self.directory)
        self.etc = pathlib.Path(self.directory, "etc")
        self.state = pathlib.Path(self.directory, "state")
        self.etc.mkdir(mode=0o755)
        self.state.mkdir(mode=0o700)

    def here(self, text):
        """Lines of the manual with this machine's places, and ports that are free."""
        text = text.replace("/etc/syncdaemon", str(self.etc))
        text = text.replace("/var/lib/syncdaemon", str(self.state))
        return text.replace(":8080", ":0").replace(":8081", ":0")

    def shell(self, script, **environment):
        path = pathlib.Path(binary()).parent
        return subprocess.run(
            ["bash", "-euc", self.here(script)], capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
            env={**clean_environment(**environment), "PATH": f"{path}:{os.environ['PATH']}"})

    def install(self):
        """Follows the chapter to its check; returns the configuration's path."""
        made, = blocks("2. Keys and tokens")
        done = self.shell(made)
        self.assertEqual(done.returncode, 0, done.stderr)
        configuration, = recipes("3. The configuration", "ini")
        path = self.etc / "syncdaemon.ini"
        path.write_text(self.here(configuration), encoding="utf-8")
        path.chmod(0o644)
        return path

    def check_public(self):
        """(exit code, standard output, lines of standard error)."""
        script, = [it for it in blocks(CHECK) if "config check" in it]
        done = self.shell(script)
        errors = done.stderr.replace(self.directory, "DIR").splitlines()
        return done.returncode, done.stdout, errors


class Chapter(PublicTestCase):
    def test_its_steps_lead_to_a_daemon_that_is_ready(self):
        self.install()
        self.assertEqual(self.check_public(), (0, READY, []))

    async def test_the_daemon_of_the_chapter_takes_tokens_and_nobody_without(self):
        path = self.install()
        daemon = self.start_daemon(
            "--config", str(path),
            environment={"CREDENTIALS_DIRECTORY": str(self.etc / "credentials")})
        script, = [it for it in blocks(CHECK) if "syncctl" in it]
        done = self.shell(script, SYNCCTL_URL=daemon.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^\d{17}\n$")
        refused = self.shell(
            "syncctl publish room hello --user ada --keyset sub-app", SYNCCTL_URL=daemon.url)
        self.assertEqual(refused.returncode, 1)

    def test_what_it_says_to_watch_is_there(self):
        daemon = self.start_daemon("--config", str(self.install()), environment={
            "CREDENTIALS_DIRECTORY": str(self.etc / "credentials")})
        host, port = daemon.admin_address
        with urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=60) as answer:
            shown = answer.read().decode()
        text = (ROOT / "docs/OPERATIONS.md").read_text(encoding="utf-8")
        chapter = re.search(r"^## Facing the internet\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)[1]
        names = set(re.findall(r"`(syncdaemon_\w+)", chapter))
        self.assertGreater(len(names), 8)
        for name in names:
            self.assertIn(f"# TYPE {name} ", shown)


class Check(PublicTestCase):
    def change(self, old, new):
        path = self.etc / "syncdaemon.ini"
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_everything_that_is_missing_comes_at_once_and_is_counted(self):
        self.install()
        self.change("access_control = yes\n", "")
        self.change("allowed_hosts = chat.example", "insecure = yes")
        code, output, errors = self.check_public()
        self.assertEqual((code, output), (2, ""))
        self.assertEqual(
            errors[-1], "syncdaemon: not ready to face the internet: 3 things are missing.")
        self.assertEqual(len(errors), 4, errors)
        self.assertRegex(errors[0], r"^syncdaemon: DIR/etc/syncdaemon.ini:\d+: \[keyset app\] asks")
        self.assertRegex(errors[1], r"^syncdaemon: DIR/etc/syncdaemon.ini:5: \[server\] insecure is")

    def test_one_is_one_thing(self):
        self.install()
        self.change("memory_max = 1G", "memory_max = 0")
        errors = self.check_public()[2]
        self.assertEqual(errors[-1], "syncdaemon: not ready to face the internet: 1 thing is missing.")
        # Without the word it is right.
        code, output, _ = run_to_end(
            "config", "check", "--config", str(self.etc / "syncdaemon.ini"),
            environment={"STATE_DIRECTORY": str(self.state),
                         "CREDENTIALS_DIRECTORY": str(self.etc / "credentials")})
        self.assertEqual((code, output), (0, "The configuration is right.\n"))

    def test_mistakes_are_counted_too(self):
        self.install()
        self.change("allowed_hosts = chat.example", "allowed_hosts = chat.example:443")
        code, _, errors = self.check_public()
        self.assertEqual(code, 2)
        self.assertEqual(len(errors), 2, errors)
        self.assertEqual(errors[-1], "syncdaemon: not ready to face the internet: 1 thing is missing.")

    def test_a_file_that_is_not_there_is_one_thing(self):
        code, _, errors = run_to_end("config", "check", "--public", "--config", "/nowhere/sync.ini")
        self.assertEqual(code, 2)
        self.assertEqual(len(errors.splitlines()), 2, errors)

    def test_without_credentials_it_says_how_to_show_them(self):
        self.install()
        code, _, errors = run_to_end(
            "config", "check", "--public", "--config", str(self.etc / "syncdaemon.ini"),
            environment={"STATE_DIRECTORY": str(self.state)})
        self.assertEqual(code, 2)
        self.assertIn("CREDENTIALS_DIRECTORY=DIR before the command", errors)

    def test_files_that_others_may_write(self):
        path = self.install()
        secret = self.etc / "credentials" / "app"
        for file, mode in [(path, 0o664), (path, 0o646), (secret, 0o620)]:
            before = file.stat().st_mode & 0o777
            file.chmod(mode)
            code, _, errors = self.check_public()
            self.assertEqual(code, 2)
            self.assertIn("others on this machine may write", errors[0])
            self.assertIn(f"chmod go-w {file}".replace(self.directory, "DIR"), errors[0])
            self.assertEqual(len(errors), 2, errors)
            file.chmod(before)
        # The plain check warns of it.
        path.chmod(0o666)
        code, _, errors = run_to_end(
            "config", "check", "--config", str(path),
            environment={"STATE_DIRECTORY": str(self.state),
                         "CREDENTIALS_DIRECTORY": str(self.etc / "credentials")})
        self.assertEqual(code, 0)
        self.assertIn(f"warning: {path}:1: others on this machine may write", errors)

    def test_directories_in_which_others_may_put_another_file(self):
        self.install()
        for directory, first in [(self.etc, "etc/syncdaemon.ini"), (pathlib.Path(self.directory),
                                                                    "etc/syncdaemon.ini")]:
            before = directory.stat().st_mode & 0o7777
            directory.chmod(0o757)
            code, _, errors = self.check_public()
            self.assertEqual(code, 2)
            self.assertRegex(errors[0], rf"others on this machine may write \S+, and so put something "
                             rf"else in the place of \"DIR/{first}\"\. Take that away: chmod go-w ")
            self.assertEqual(len(errors), 2, errors)
            directory.chmod(0o1777)
            self.assertEqual(self.check_public()[0], 0)
            directory.chmod(before)

    @unittest.skipIf(os.geteuid() != 0, "Only root gives files to others.")
    def test_files_of_other_users(self):
        path = self.install()
        secret = self.etc / "credentials" / "app"
        for file in (path, secret):
            os.chown(file, 4711, 4711)
            code, _, errors = self.check_public()
            self.assertEqual(code, 2)
            self.assertIn("is user 4711's, who may change it", errors[0])
            self.assertEqual(len(errors), 2, errors)
            os.chown(file, 0, 0)

    def test_data_in_memory(self):
        self.install()
        memory = tempfile.mkdtemp(dir="/dev/shm")
        self.addCleanup(shutil.rmtree, memory)
        self.state = pathlib.Path(memory)
        code, _, errors = self.check_public()
        self.assertEqual(code, 2)
        self.assertIn("is in memory (tmpfs)", errors[0])
        self.assertEqual(len(errors), 2, errors)

    def test_a_directory_that_others_may_look_into(self):
        self.install()
        self.state.chmod(0o755)
        code, _, errors = self.check_public()
        self.assertEqual(code, 2)
        self.assertIn("(mode 0755). Keep them out: chmod 700", errors[0])
        self.assertEqual(len(errors), 2, "It is said once.")

    def test_help_says_what_it_asks_for(self):
        code, output, _ = run_to_end("config", "check", "--help")
        self.assertEqual(code, 0)
        self.assertIn("config check [--public] [--connect] [FLAGS]", output)
        text = (ROOT / "docs/OPERATIONS.md").read_text(encoding="utf-8")
        for name in re.findall(r"^- \[ \] \*\*(\w+)\*\*", text, re.MULTILINE):
            self.assertRegex(output, rf"(?m)^  {name} ")


class Start(PublicTestCase):
    def test_two_listeners_at_one_address_are_a_mistake(self):
        with_one = self.file("[server]\nlisten = 127.0.0.1:1\nadmin_listen = 127.0.0.1:1\n")
        for command in (["config", "check"], ["serve"]):
            code, _, errors = run_to_end(
                *command, "--config", with_one, "--data-dir", f"{self.directory}/data")
            self.assertEqual(code, 2)
            self.assertIn("sync.ini:3: [server] admin_listen 127.0.0.1:1 is where", errors)


del ConfigurationTestCase
