"""`config check` and the errors of a start: everything at once, each with its place and its mend."""

import os
import pathlib
import shutil
import socket
import stat
import subprocess
import tempfile
import unittest

from case import DaemonTestCase
from daemon import binary, clean_environment, run_to_end


class ConfigurationTestCase(DaemonTestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="syncdaemon-config-")
        self.addCleanup(shutil.rmtree, self.directory)

    def file(self, text, name="sync.ini", mode=0o600):
        path = os.path.join(self.directory, name)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        os.chmod(path, mode)
        return path

    def check(self, text, *arguments, mode=0o600, **environment):
        """(exit code, standard output, lines of standard error) of `config check`."""
        directory = os.path.join(self.directory, "data")
        code, output, errors = run_to_end(
            "config", "check", "--config", self.file(text, mode=mode), "--data-dir", directory,
            *arguments, environment=environment)
        self.assertFalse(os.path.exists(directory), "A check makes nothing.")
        return code, output, errors.replace(self.directory, "DIR").splitlines()


class Check(ConfigurationTestCase):
    def test_a_right_one_is_right(self):
        code, output, errors = self.check("[server]\nlisten = 127.0.0.1:0\n")
        self.assertEqual((code, output, errors), (0, "The configuration is right.\n", []))

    def test_all_mistakes_come_at_once(self):
        code, output, errors = self.check(
            "[server]\nlisten = here\nreacters = 2\nwhat is this\n[keyset a]\npresence = maybe\n"
            "[keyset a]\nsubscribe_key = a\n[sever]\nx = 1\ny = 2\n[log]\nlevel = loud\n",
            # Without an address that can be read it would look at the default one, which may be
            # somebody's.
            "--readers", "0", "--listen", "127.0.0.1:0", SYNCDAEMON_LIMITS_BATCH_WINDOW="soon")
        self.assertEqual((code, output), (2, ""))
        places = [line.split(": ", 2)[1] for line in errors]
        self.assertEqual(
            places,
            [*(f"DIR/sync.ini:{line}" for line in (2, 3, 4, 6, 7, 10, 13, 5)),
             "SYNCDAEMON_LIMITS_BATCH_WINDOW", "--readers"], errors)
        for line in errors:
            self.assertRegex(line, r"^syncdaemon: .*[a-z0-9].*[.?]$")

    def test_a_pipe_that_nobody_writes_into(self):
        pipe = os.path.join(self.directory, "pipe")
        os.mkfifo(pipe)
        code, _, error = run_to_end("config", "check", "--config", pipe)
        self.assertEqual(code, 2)
        self.assertIn("nobody writes into it", error)
        # One that somebody writes into is as good as a file.
        reading, writing = os.pipe()
        with open(writing, "w", encoding="utf-8") as file:
            file.write("[server]\nlisten = 127.0.0.1:0\nwhat = 1\n")
        with open(reading, "rb") as file:
            done = subprocess.run(
                [binary(), "config", "check", "--config", f"/dev/fd/{file.fileno()}"],
                pass_fds=[file.fileno()], capture_output=True, check=False,
                env=clean_environment())
        self.assertEqual(done.returncode, 2)
        self.assertIn(":3:", done.stderr.decode())

    def test_a_directory_that_cannot_be(self):
        blocked = self.file("", name="blocked")
        code, _, errors = run_to_end(
            "config", "check", "--config",
            self.file(f"[server]\nlisten = 127.0.0.1:0\n[store]\ndirectory = {blocked}/data\n"))
        self.assertEqual(code, 2)
        self.assertRegex(
            errors, r"sync.ini:4: \[store\] directory \".*/blocked/data\" cannot hold the data: "
            r"Not a directory\. .*install -d -m 700")

    def test_a_console_that_is_not_there(self):
        clients = pathlib.Path(__file__).parents[2] / "clients"
        text = "[server]\nlisten = 127.0.0.1:0\nconsole = {}\n"
        self.assertEqual(self.check(text.format(clients)), (
            0, "The configuration is right.\n", []))
        code, _, errors = self.check(text.format(self.directory))
        self.assertEqual((code, errors), (2, [
            "syncdaemon: DIR/sync.ini:3: There is no console. There is no DIR/console. [server] "
            "console names the directory with console and web in it."]))

    def test_a_port_in_use_is_told_without_failing(self):
        """It is the normal case: the daemon that runs has it."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            code, _, errors = self.check(f"[server]\nlisten = 127.0.0.1:{port}\n")
        self.assertEqual(code, 0)
        self.assertRegex(
            errors[0], rf"^syncdaemon: warning: DIR/sync.ini:2: .*:{port}: Address already in use\. "
            rf".*ss -ltnp sport = :{port}")

    def test_an_address_of_another_machine(self):
        code, _, errors = self.check("[server]\nlisten = 192.0.2.1:8080\ninsecure = yes\n")
        self.assertEqual(code, 2)
        self.assertIn("sync.ini:2: Cannot listen on 192.0.2.1:8080", errors[0])
        self.assertIn("This machine has no such address", errors[0])

    def test_without_a_directory_it_says_which_one_the_unit_has(self):
        done = subprocess.run(
            [binary(), "config", "check"], capture_output=True, text=True, check=False, env={})
        self.assertEqual(done.returncode, 2)
        self.assertIn("--data-dir DIR", done.stderr)
        self.assertIn("STATE_DIRECTORY=/var/lib/syncdaemon", done.stderr)

    def test_a_directory_that_others_may_look_into(self):
        os.mkdir(os.path.join(self.directory, "open"), 0o755)
        code, _, errors = run_to_end(
            "config", "check", "--listen", "127.0.0.1:0", "--data-dir", f"{self.directory}/open")
        self.assertEqual(code, 0)
        self.assertIn("(mode 0755). Keep them out: chmod 700", errors)

        daemon = self.start_daemon(data_dir=f"{self.directory}/open")
        self.assertRegex(daemon.log(), r"Z warning .*\(mode 0755\)\. Keep them out: chmod 700")
        files = [os.path.join(daemon.data_dir, it) for it in os.listdir(daemon.data_dir)]
        self.assertTrue(files)
        self.assertEqual([it for it in files if os.stat(it).st_mode & 0o077], [])


KEYSET = "[server]\nlisten = 127.0.0.1:0\n[keyset a]\nsubscribe_key = a\npublish_key = p\n"


class Secrets(ConfigurationTestCase):
    def test_a_secret_in_a_file_that_everybody_may_read(self):
        code, _, errors = self.check(KEYSET + "secret_key = hush\n", mode=0o644)
        self.assertEqual(code, 0)
        self.assertIn("warning: DIR/sync.ini:6: others on this machine may read", errors[0])
        # Root's file is no other user's to read after a chmod, and the daemon's user is another.
        if os.geteuid() == 0:
            self.assertIn("LoadCredential=NAME:/PATH", errors[0])
            self.assertNotIn("chmod", errors[0])
        else:
            self.assertIn("chmod go-r", errors[0])
        self.assertNotIn("hush", errors[0])
        # Of root's files the group may be the daemon's.
        grouped = self.check(KEYSET + "secret_key = hush\n", mode=0o640)[2]
        self.assertEqual(len(grouped), 0 if os.geteuid() == 0 else 1, grouped)
        self.assertEqual(self.check(KEYSET + "secret_key = hush\n", mode=0o600)[2], [])

        daemon = self.start_daemon(
            "--config", self.file(KEYSET + "secret_key = hush\n", mode=0o644))
        self.assertRegex(daemon.log(), r"Z warning \S+/sync.ini:6: others on this machine")

    @unittest.skipIf(os.geteuid() != 0, "only root can be asked about another user")
    def test_data_that_the_daemons_user_could_not_change_is_a_mistake_for_root_too(self):
        """As when somebody copies a backup there as root: the next start would fail."""
        os.chmod(self.directory, 0o755)
        data = os.path.join(self.directory, "data")
        base, files = os.path.join(data, "syncdaemon.db"), os.path.join(data, "files")
        os.makedirs(files, 0o700)
        with open(base, "wb"):
            os.chmod(base, 0o600)

        def give(*paths):
            for path in (data, base, files):
                os.chown(path, *((61234, 61234) if path in paths else (0, 0)))

        give(data, base, files)
        for spoil, names in ((lambda: None, []), (lambda: give(data, files), [base]),
                             (lambda: give(data, base), [files]),
                             (lambda: os.chmod(base, 0o400), [base]),
                             (lambda: os.chmod(files, 0o500), [files]),
                             (lambda: os.chmod(data, 0o500), [data])):
            give(data, base, files)
            for path, mode in ((data, 0o700), (files, 0o700), (base, 0o600)):
                os.chmod(path, mode)
            spoil()
            with self.subTest(names=names):
                code, _, errors = run_to_end(
                    "config", "check", "--config", self.file(KEYSET, mode=0o644),
                    environment={"STATE_DIRECTORY": data})
                self.assertEqual(code, 2 if names else 0, errors)
                lines = errors.splitlines()
                self.assertEqual(len(lines), len(names), errors)
                for name, said in zip(names, lines):
                    self.assertIn(f"{name}: user 61234, who owns {data}, may not", said)
                    self.assertIn("chown -R", said)

    @unittest.skipIf(os.geteuid() != 0, "only root can be asked about another user")
    def test_what_the_daemons_user_could_not_read_is_a_mistake_for_root_too(self):
        """The data's owner is whom the daemon runs as; a restart would fail."""
        os.chmod(self.directory, 0o755)
        data = os.path.join(self.directory, "data")
        os.mkdir(data, 0o700)
        os.chown(data, 61234, 61234)
        secret = self.file("hush\n", name="secret")
        signing = self.file("s" * 40 + "\n", name="signing")
        cases = [("", 0o644, []), ("", 0o640, ["sync.ini"]),
                 (f"secret_key_file = {secret}\n", 0o644, ["secret"]),
                 (f"[webhook a]\nurl = https://example.com/\nsecret_file = {signing}\n",
                  0o644, ["signing"]),
                 (f"[interceptor b]\nurl = https://example.com/\nsecret_file = {signing}\n"
                  "before = publish\n", 0o644, ["signing"])]
        for line, mode, unreadable in cases:
            with self.subTest(line=line, mode=mode):
                code, _, errors = run_to_end(
                    "config", "check", "--config", self.file(KEYSET + line, mode=mode),
                    environment={"STATE_DIRECTORY": data})
                self.assertEqual(code, 2 if unreadable else 0, errors)
                lines = errors.splitlines()
                self.assertEqual(len(lines), len(unreadable), errors)
                for name, said in zip(unreadable, lines):
                    self.assertIn(f"{self.directory}/{name}: user 61234, who owns {data}", said)
                    self.assertIn("LoadCredential=", said)
        # Where the file is does not depend on how it is named.
        self.file(KEYSET, mode=0o640)
        code, _, errors = run_to_end(
            "config", "check", "--config", "sync.ini", environment={"STATE_DIRECTORY": data},
            directory=self.directory)
        self.assertEqual(code, 2)
        self.assertIn("sync.ini: user 61234, who owns", errors)

    def test_a_secret_in_a_file_of_its_own(self):
        secret = self.file("hush\n", name="secret")
        text = KEYSET + f"secret_key_file = {secret}\n"
        self.assertEqual(self.check(text, mode=0o644)[0::2], (0, []))

        code, printed, _ = run_to_end("config", "print", "--config", self.file(text))
        self.assertEqual(code, 0)
        self.assertIn(f"\nsecret_key_file = {secret}\n", printed)
        self.assertIn("\n#secret_key =\n", printed)
        self.assertNotIn("hush", printed)
        again, reprinted, _ = run_to_end("config", "print", "--config", self.file(printed))
        self.assertEqual(again, 0, "What it prints is a file that it reads.")

        os.chmod(secret, 0o644)
        _, _, errors = self.check(text)
        self.assertIn("others on this machine may read the secret in", errors[0])
        self.assertEqual("LoadCredential=NAME:" in errors[0], os.geteuid() == 0, errors)

    def test_a_secret_that_is_not_there(self):
        text = KEYSET + f"secret_key_file = {self.directory}/absent\n"
        code, _, errors = self.check(text)
        self.assertEqual(code, 2)
        self.assertIn(
            'DIR/sync.ini:6: the secret in "DIR/absent" cannot be read: No such file', errors[0])
        code, _, errors = run_to_end("serve", "--config", self.file(text))
        self.assertEqual(code, 2)
        self.assertIn("sync.ini:6: the secret in", errors)

    def test_what_cannot_be_a_secret(self):
        for content in ("", "two words", "a\nb\n", "hush\n\x00"):
            with self.subTest(content):
                secret = self.file(content, name="secret")
                code, _, errors = self.check(KEYSET + f"secret_key_file = {secret}\n")
                self.assertEqual(code, 2)
                self.assertIn('what is in "DIR/secret" cannot be a secret_key', errors[0])

    def test_a_secret_without_a_publish_key(self):
        """SDKs sign theirs, too: what they sign is refused then, and nothing else says why."""
        secret = self.file("hush\n", name="secret")
        for line in ("secret_key = hush", f"secret_key_file = {secret}"):
            with self.subTest(line):
                text = KEYSET.replace("publish_key = p", line)
                code, output, errors = self.check(text)
                self.assertEqual((code, output), (0, "The configuration is right.\n"))
                self.assertEqual(len(errors), 1, errors)
                self.assertRegex(
                    errors[0], r"warning: DIR/sync.ini:5: \[keyset a\] has a secret_key and no "
                    r"publish_key.* Set publish_key = KEY here, and the same in SDKs")
        self.assertEqual(self.check(KEYSET)[2], [])

    def test_two_secrets_for_one_keyset(self):
        code, _, errors = self.check(
            KEYSET + "secret_key = a\nsecret_key_file = /b\n")
        self.assertEqual(code, 2)
        self.assertIn("sync.ini:6: [keyset a] has a secret_key already", errors[0])

    def test_credentials(self):
        text = KEYSET + "secret_key_file = credential:web\n"
        credentials = os.path.join(self.directory, "credentials")
        os.mkdir(credentials)
        self.file("hush\n", name="credentials/web", mode=0o400)
        self.assertEqual(self.check(text, CREDENTIALS_DIRECTORY=credentials)[0::2], (0, []))
        daemon = self.start_daemon(
            "--config", self.file(text), environment={"CREDENTIALS_DIRECTORY": credentials})
        self.assertTrue(daemon.is_running)

        os.unlink(os.path.join(credentials, "web"))
        code, _, errors = self.check(text, CREDENTIALS_DIRECTORY=credentials)
        self.assertEqual(code, 2)
        self.assertIn('DIR/sync.ini:6: the secret in "DIR/credentials/web"', errors[0])

        # A shell has none, and the file is right all the same; a start needs it.
        code, _, errors = self.check(text)
        self.assertEqual(code, 0)
        self.assertIn("LoadCredential=web:/PATH", errors[0])
        code, _, errors = run_to_end("serve", "--config", self.file(text))
        self.assertEqual(code, 2)
        self.assertIn("there is no credential web", errors)


class Start(ConfigurationTestCase):
    def run_in_journal(self, *arguments):
        """What it says when its standard error is the journal, as far as it can know."""
        path = os.path.join(self.directory, "journal")
        with open(path, "wb") as journal:
            status = os.fstat(journal.fileno())
            done = subprocess.run(
                [binary(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=journal, timeout=30, check=False,
                env=clean_environment(JOURNAL_STREAM=f"{status.st_dev}:{status.st_ino}"))
        return done.returncode, pathlib.Path(path).read_text(encoding="utf-8")

    def test_errors_of_a_start_have_the_priority_of_errors(self):
        code, said = self.run_in_journal(
            "serve", "--config", self.file("[server]\nreaders = 0\nreactors = no\n"))
        self.assertEqual(code, 2)
        self.assertEqual(len(said.splitlines()), 2)
        for line in said.splitlines():
            self.assertTrue(line.startswith("<3>syncdaemon: "), line)

        code, said = self.run_in_journal(
            "serve", "--listen", "192.0.2.1:8080", "--insecure", "--data-dir", self.directory)
        self.assertEqual(code, 1)
        self.assertIn("\n<3>syncdaemon: Cannot listen on 192.0.2.1:8080", "\n" + said)

    def test_a_person_sees_no_priority(self):
        _, _, errors = run_to_end("serve", "--readers", "0")
        self.assertTrue(errors.startswith("syncdaemon: --readers"), errors)


class Files(ConfigurationTestCase):
    def test_the_data_is_nobody_elses_to_read(self):
        """Also in a directory that others may look into, and after a careless umask."""
        directory = os.path.join(self.directory, "open")
        os.mkdir(directory)
        os.chmod(directory, 0o755)
        self.start_daemon(data_dir=directory, wrapper=["sh", "-c", 'umask 0; exec "$@"', "-"])
        names = sorted(os.listdir(directory))
        self.assertGreaterEqual(set(names), {"lock", "syncdaemon.db", "syncdaemon.db-wal"})
        for name in names:
            found = os.stat(os.path.join(directory, name)).st_mode
            expected = 0o700 if stat.S_ISDIR(found) else 0o600
            self.assertEqual(stat.S_IMODE(found), expected, name)


if __name__ == "__main__":
    unittest.main()
