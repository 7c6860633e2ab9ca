"""A PostgreSQL server of the tests' own: Debian's programs, on a socket in a directory of its own.

Its disk is synced as everywhere: tests kill it.
"""

import atexit
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from waiting import Patience

#: PostgreSQL refuses to run as root.
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def _programs():
    found = sorted(
        (path for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin")),
        key=lambda path: int(path.parent.name))
    if not found:
        raise FileNotFoundError("There is no PostgreSQL: Tools/install-packages test.")
    return found[-1]


class PostgresServer:
    """One server, which is gone with this process."""

    def __init__(self, of=None):
        self.directory = tempfile.mkdtemp(prefix="syncdaemon-postgres-", dir="/tmp")
        self.prefix = AS_POSTGRES if os.geteuid() == 0 else []
        self.process = None
        self.options = []
        #: Part of its socket's name, too.
        self.port = 5432
        atexit.register(self.discard)
        if self.prefix:
            shutil.chown(self.directory, "postgres")
        if of is not None:
            self._copy(of)
            return
        self._run("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
                  "--username=postgres", f"--pgdata={self.directory}/data")

    def _copy(self, of):
        self._run("pg_basebackup", "-d", of.url, "-D", f"{self.directory}/data", "-R",
                  "-X", "stream", "--checkpoint=fast")

    def _run(self, program, *arguments, check=True, **options):
        return subprocess.run(
            [*self.prefix, str(_programs() / program), *arguments], cwd="/tmp", check=check,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)

    @property
    def url(self):
        """As libpq takes it."""
        return f"host={self.directory} port={self.port} user=postgres dbname=postgres"

    @staticmethod
    def schema(data_dir):
        """A schema for a data directory."""
        return "t" + hashlib.blake2b(os.fsencode(data_dir), digest_size=8).hexdigest()

    def start(self, *options):
        """Starts it with these options, and waits until it lets clients in."""
        self.options = list(options) or self.options
        self._spawn()
        patience = Patience()
        while self._run("pg_isready", "-d", self.url, check=False).returncode != 0:
            ended = self.process.poll() is not None
            if ended or patience.is_over:
                log = pathlib.Path(f"{self.directory}/log").read_text(encoding="utf-8")
                last = log.splitlines()[-2:]
                if patience.is_over or not any("still in use" in line for line in last):
                    raise AssertionError(f"PostgreSQL does not start: {log[-2000:]}")
                # A child of the one that was killed still dies.
                self._spawn()
            time.sleep(0.05)
        return self

    def _spawn(self):
        with open(f"{self.directory}/log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, str(_programs() / "postgres"), "-D", f"{self.directory}/data",
                 "-k", self.directory, "-c", "listen_addresses=", "-c", "max_connections=200",
                 "-c", "shared_buffers=64MB", *self.options],
                cwd="/tmp", stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self):
        """kill -9 of all its processes: what it has not synced is not lost, but it recovers."""
        self._signal(signal.SIGKILL)
        self.process.wait()

    def freeze(self):
        """Stops all its processes where they are."""
        self._signal(signal.SIGSTOP)

    def thaw(self):
        """Has them go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number):
        children = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False)
        for process in [self.process.pid, *map(int, children.stdout.split())]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def standby(self):
        """Another server, which has all that this one has and gets, and counts as synchronous."""
        other = PostgresServer(of=self)
        other.start()
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf()")
        patience = Patience()
        while self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            patience.check("a synchronous standby")
            time.sleep(0.05)
        return other

    def rejoin(self, of):
        """After its end: begins anew as a standby of the server that took its place."""
        shutil.rmtree(f"{self.directory}/data")
        self._copy(of)
        self.start()

    def promote(self):
        """Makes a server of a standby."""
        self._run("pg_ctl", "promote", "-D", f"{self.directory}/data")

    def keep(self, path, name):
        """Puts a file into its directory, for its own eyes; returns where that is."""
        kept = pathlib.Path(self.directory) / name
        shutil.copy(path, kept)
        kept.chmod(0o600)
        if self.prefix:
            shutil.chown(kept, "postgres")
        return kept

    def sql(self, text):
        """What a statement says, a line a row, columns between bars."""
        done = self._run("psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url,
                         "-c", text)
        return done.stdout.strip()

    def discard(self):
        """Ends it in any case, and removes its files."""
        atexit.unregister(self.discard)
        if self.process is not None and self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


_shared = None


def shared():
    """One server for all daemons of this process."""
    global _shared
    if _shared is None:
        _shared = PostgresServer().start()
    return _shared
