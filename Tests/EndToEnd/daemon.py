"""Starts, stops and kills the real daemon, and keeps what it said for the failure message.

The tests know the daemon only as an operator does: its arguments, its standard output, its exit
code, its log and its sockets.
"""

import atexit
import os
import pathlib
import re
import resource
import secrets
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import postgres
from waiting import PATIENCE, WORK_ALONE_MAX, Patience, processor_seconds, programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTENING = re.compile(rb"syncdaemon: listening on http://([^\n]*):(\d+)\n")
ADMIN = re.compile(rb"syncdaemon: for operators on http://([^\n]*):(\d+)\n")
SECURE = re.compile(rb"syncdaemon: with TLS on https://([^\n]*):(\d+)\n")
#: Sanitizers keep freed memory for a while, so the size of a process says nothing under them.
SANITIZED = bool({"ASAN_OPTIONS", "TSAN_OPTIONS"} & os.environ.keys())


def binary(name="syncdaemon"):
    """The path of a product, from SYNCDAEMON_BINARY (SYNCCTL_BINARY) or the debug build."""
    named = os.environ.get(f"{name.upper()}_BINARY")
    if named is None and name != "syncdaemon" and "SYNCDAEMON_BINARY" in os.environ:
        named = pathlib.Path(os.environ["SYNCDAEMON_BINARY"]).parent / name
    path = pathlib.Path(named or ROOT / ".build" / "debug" / name).resolve()
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"There is no program {path}. Build it, or set SYNCDAEMON_BINARY.")
    return str(path)


def free_port():
    """One that nobody has, for now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def cluster(key):
    """What makes a daemon one of a cluster, with an address of its own."""
    return ["--cluster-listen", f"127.0.0.1:{free_port()}", "--cluster-key-file", key]


def clean_environment(**extra):
    """The environment of the tests without anything that would configure the daemon."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SYNCDAEMON_", "LISTEN_", "WATCHDOG_")) and name != "NOTIFY_SOCKET"
    }
    return kept | extra


class DaemonFailure(AssertionError):
    """The daemon did not do what an operator may expect; the message carries its log."""


class Daemon:
    """One data directory, and the daemon that serves it: at most one process at a time.

    A context manager: whatever happens, the process and its directory are gone at the end.
    """

    def __init__(self, *arguments, listen="127.0.0.1:0", data_dir=None, descriptors_max=None,
                 environment=None, wrapper=(), pass_fds=()):
        self.arguments = list(arguments)
        self.listen = listen
        self.scratch = tempfile.mkdtemp(prefix="syncdaemon-test-")
        self.data_dir = data_dir or os.path.join(self.scratch, "data")
        self.descriptors_max = descriptors_max
        self.environment = environment or {}
        self.wrapper = list(wrapper)
        self.pass_fds = pass_fds
        self.log_path = os.path.join(self.scratch, "log")
        self.process = None
        #: The one that it follows, where tests are to be about a daemon that follows.
        self.orders = None
        self.host = self.port = None
        #: Where operators ask, when `--admin-listen` says so.
        self.admin_address = None
        #: Where it speaks TLS, when `--tls-listen` says so.
        self.secure_address = None
        self.start_seconds = None
        programs.add(self)
        atexit.register(self.discard)

    # Life

    def spawn(self):
        """Starts the process without waiting for it."""
        if self.process is not None and self.process.poll() is None:
            raise DaemonFailure("The test started a daemon that still runs.")
        command = [*self.wrapper, binary(), "serve", "--data-dir", self.data_dir]
        if self.listen is not None:
            command += ["--listen", self.listen]
        kind = os.environ.get("SYNC_TEST_STORE")
        if kind in ("postgres", "follower") and "--store" not in self.arguments:
            server = postgres.shared()
            command += (store := ["--store", "postgres", "--store-url", server.url,
                                  "--store-schema", server.schema(self.data_dir)])
            if kind == "follower":
                command += self._follow(store)
        limit = self.descriptors_max

        def limit_descriptors():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                command + self.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=log, env=clean_environment(**self.environment), pass_fds=self.pass_fds,
                preexec_fn=limit_descriptors)

    def _follow(self, store):
        """Starts one that orders, with the same settings; returns what makes this one follow it."""
        key = os.path.join(self.scratch, "cluster.key")
        if self.orders is None:
            with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as it:
                it.write(secrets.token_hex(32))
            own = ("--admin-listen", "--tls-listen")
            arguments = [it for before, it in zip(["", *self.arguments], self.arguments)
                         if before not in own and it not in own]
            self.orders = Daemon(
                *arguments, *store, *cluster(key), data_dir=os.path.join(self.scratch, "orders"),
                environment=self.environment)
        if not self.orders.is_running:
            self.orders.start()
        return cluster(key)

    def start(self):
        """Starts the daemon and returns when it has said that it listens."""
        self.spawn()
        return self.listens()

    def listens(self):
        """Returns when it has said that it listens, which a daemon in reserve does late."""
        begun = time.monotonic()
        printed = b""
        descriptor = self.process.stdout.fileno()
        patience = Patience()
        while not (match := LISTENING.search(printed)):
            if patience.is_over:
                self.failure(f"It does not say that it listens: {printed!r}.")
            if not select.select([descriptor], [], [], 1)[0]:
                continue
            chunk = os.read(descriptor, 4096)
            if not chunk:
                code = self.process.wait(PATIENCE)
                self.failure(f"It ended with code {code} before it listened: {printed!r}.")
            printed += chunk
        self.start_seconds = time.monotonic() - begun
        self.host, self.port = match[1].decode(), int(match[2])
        if admin := ADMIN.search(printed):
            self.admin_address = (admin[1].decode(), int(admin[2]))
        if secure := SECURE.search(printed):
            self.secure_address = (secure[1].decode(), int(secure[2]))
        return self

    def wait(self):
        """The exit code, once the process has ended by itself."""
        patience = Patience()
        while (code := self.process.poll()) is None:
            if patience.is_over:
                self.failure("It does not end.")
            time.sleep(0.005)
        self.process.stdout.close()
        return code

    def terminate(self):
        """Asks for a drain (SIGTERM) without waiting for it."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        """Drains the daemon; it must end with code 0."""
        if (code := self.process.poll()) is not None:
            self.failure(f"It ended by itself, with code {code}.")
        self.terminate()
        code = self.wait()
        if code != 0:
            self.failure(f"It ended with code {code} after SIGTERM, not 0.")

    def kill(self):
        """kill -9; an earlier end is a failure of the daemon's own."""
        if (code := self.process.poll()) is not None:
            self.failure(f"It ended by itself, with code {code}.")
        self.process.kill()
        self.wait()

    def restart(self):
        """A clean stop and a start on the same data; the port may change."""
        self.stop()
        return self.start()

    def discard(self):
        """Ends the process in any case and removes its files."""
        atexit.unregister(self.discard)
        if self.orders is not None:
            self.orders.discard()
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and self.is_running:
                self.stop()
        finally:
            self.discard()

    # What it shows

    @property
    def address(self):
        return (self.host, self.port)

    @property
    def url(self):
        return f"ws://{self.host}:{self.port}/v1/sync"

    def log(self):
        """All that it wrote to standard error, over all its starts."""
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

    def log_tail(self, lines=40):
        return "\n".join(self.log().splitlines()[-lines:])

    def cpu_seconds(self):
        """CPU time that the process has used so far, user and system."""
        return processor_seconds(self.process.pid)

    def rests(self, looks=30):
        """Whether it comes to rest; a loop that spins uses all of the processor that it gets.

        Time that passes is what is measured, and a spinning loop would pass for progress: so the
        looks are counted, which take longer on a loaded machine.
        """
        for _ in range(looks):
            before = self.cpu_seconds()
            time.sleep(1)
            if self.cpu_seconds() - before < 0.05:
                return True
        return False

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    def allocated_bytes(self):
        """What of that is no page of a file: those of the database come and go with its size."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"RssAnon:\s+(\d+) kB", status.read())[1]) * 1024

    def failure(self, text):
        raise DaemonFailure(f"{text} Its log ends:\n{self.log_tail()}")


def run_to_end(
        *arguments, environment=None, seconds=PATIENCE * WORK_ALONE_MAX, directory=None):
    """Runs `syncdaemon ARGUMENTS` that should end by itself; returns (code, stdout, stderr)."""
    done = subprocess.run(
        [binary(), *arguments], capture_output=True, timeout=seconds, check=False,
        stdin=subprocess.DEVNULL, env=clean_environment(**(environment or {})), cwd=directory)
    return done.returncode, done.stdout.decode(), done.stderr.decode()
