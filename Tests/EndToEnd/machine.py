"""A machine with a real systemd, booted from a copy of this one that is thrown away.

Its files are those of this machine under an overlay in memory, its network is its own. Nothing
that happens inside reaches the machine that runs the tests.
"""

import atexit
import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from waiting import Patience

#: Without any word from a command for so long, it is taken for stuck, in seconds.
PATIENCE = 60
CLONE_NEWNET = 0x40000000
#: What the machine starts of this one's own services: the least.
TARGET = """
[Unit]
Description=The machine of the tests
Requires=basic.target
After=basic.target
AllowIsolate=yes
"""
#: What this machine may have and the tests do not need.
MASKED = ["apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer",
          "e2scrub_all.timer", "man-db.timer", "fstrim.timer", "cron.service"]


def reason_not_to_boot():
    """Why no machine can be booted here; None where it can."""
    if os.geteuid() != 0:
        return "booting a systemd takes root"
    if shutil.which("systemd-nspawn") is None:
        return "systemd-nspawn is missing: run Tools/install-packages"
    scratch = tempfile.mkdtemp(prefix="syncdaemon-overlay-")
    try:
        probe = Overlay(scratch)
        probe.unmount()
    except subprocess.CalledProcessError as error:
        return f"no overlay can be mounted here: {error.stderr.strip()}"
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return None


class Overlay:
    """This machine's files, writable in memory only."""

    def __init__(self, scratch):
        self.memory = os.path.join(scratch, "memory")
        self.root = os.path.join(scratch, "root")
        os.makedirs(self.memory)
        os.makedirs(self.root)
        self._mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", self.memory)
        upper, work = self.memory + "/upper", self.memory + "/work"
        os.mkdir(upper)
        os.mkdir(work)
        try:
            self._mount("-t", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}",
                        "overlay", self.root)
        except subprocess.CalledProcessError:
            subprocess.run(["umount", self.memory], check=False)
            raise

    @staticmethod
    def _mount(*arguments):
        subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)

    def unmount(self):
        for path in (self.root, self.memory):
            subprocess.run(["umount", "--lazy", path], check=False, capture_output=True)


class Machine:
    """A context manager: whatever happens, the machine and its files are gone at the end."""

    def __init__(self):
        self.scratch = tempfile.mkdtemp(prefix="syncdaemon-machine-")
        self.overlay = Overlay(self.scratch)
        self.root = pathlib.Path(self.overlay.root)
        self.console = os.path.join(self.scratch, "console")
        self.nspawn = None
        self.leader = None
        atexit.register(self.discard)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.discard()

    def boot(self):
        """Returns when its basic services run."""
        units = self.root / "etc/systemd/system"
        (units / "machine-of-tests.target").write_text(TARGET)
        for unit in MASKED:
            with contextlib.suppress(FileExistsError):
                (units / unit).symlink_to("/dev/null")
        # The journal of each machine is its own, and in memory.
        shutil.rmtree(self.root / "var/log/journal", ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            (self.root / "etc/machine-id").unlink()
        # apt knows what is installed, and of nothing newer, which it could not fetch.
        shutil.rmtree(self.root / "var/lib/apt/lists", ignore_errors=True)
        name = f"synctest-{os.getpid()}-{id(self) % 100000}"
        with open(self.console, "wb") as console:
            self.nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--directory", str(self.root), "--register=no",
                 "--keep-unit", "--private-network", f"--machine={name}", "--uuid",
                 os.urandom(16).hex(), "--boot", "systemd.unit=machine-of-tests.target"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"})
        self._until(self._find_leader, "its first process")
        self._until(self._is_up, "its systemd")
        return self

    def _until(self, condition, what):
        patience = Patience(lambda: os.path.getsize(self.console), PATIENCE)
        while not condition():
            if self.nspawn.poll() is not None or patience.is_over:
                with open(self.console, encoding="utf-8", errors="replace") as console:
                    raise AssertionError(f"The machine has not come to {what}: {console.read()}")
            time.sleep(0.05)

    def _find_leader(self):
        path = f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children"
        with open(path, encoding="ascii") as children:
            found = children.read().split()
        self.leader = int(found[0]) if found else None
        return self.leader is not None

    def _is_up(self):
        # Each time: the first child that is seen may be one that only makes the machine's.
        if not self._find_leader():
            return False
        done = self.run("systemctl", "is-active", "basic.target", check=False)
        return done.stdout.strip() == "active"

    def run(self, *command, check=True, seconds=PATIENCE):
        """Runs a command inside, as root, and returns what it said."""
        done = subprocess.run(
            ["nsenter", "--target", str(self.leader), "--all", "--wdns=/", *command],
            capture_output=True, text=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        if check and done.returncode != 0:
            raise AssertionError(
                f"{' '.join(command)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def shell(self, script, **options):
        """Runs lines that an operator would type; the first that fails ends them."""
        return self.run("bash", "-euo", "pipefail", "-c", script, **options)

    def state(self, unit, name):
        """A property of a unit, as `systemctl show` says it."""
        return self.run("systemctl", "show", "--value", f"--property={name}", unit).stdout.strip()

    def journal(self, unit, *flags):
        return self.run(
            "journalctl", "--no-pager", "--output=short-precise", f"--unit={unit}", *flags).stdout

    @contextlib.contextmanager
    def network(self):
        """Sockets that this thread opens inside `with` are in the machine's network."""
        library = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net", "rb") as own, \
                open(f"/proc/{self.leader}/ns/net", "rb") as inside:
            def enter(namespace):
                if library.setns(namespace.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "setns")

            enter(inside)
            try:
                yield
            finally:
                enter(own)

    def discard(self):
        atexit.unregister(self.discard)
        if self.nspawn is not None and self.nspawn.poll() is None:
            self.nspawn.terminate()
            try:
                self.nspawn.wait(20)
            except subprocess.TimeoutExpired:
                self.nspawn.kill()
                self.nspawn.wait()
        self.overlay.unmount()
        shutil.rmtree(self.scratch, ignore_errors=True)
