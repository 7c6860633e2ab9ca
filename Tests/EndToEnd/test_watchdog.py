"""The watchdog is fed only while every thread that clients depend on comes round."""

import ctypes
import os
import signal
import sys
import unittest

from case import DaemonTestCase
from test_activation import Notifications

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000


class Frozen:
    """One thread of another process that does not run."""

    def __init__(self, thread):
        self.thread = thread
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = [
            ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def _call(self, request):
        if self.libc.ptrace(request, self.thread, None, None) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    def __enter__(self):
        self._call(PTRACE_SEIZE)
        self._call(PTRACE_INTERRUPT)
        os.waitpid(self.thread, WALL)
        return self

    def __exit__(self, *_):
        self._call(PTRACE_DETACH)


def may_trace():
    """Whether this machine lets a test stop a thread of its own child."""
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        with Frozen(child):
            return True
    except OSError:
        return False
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@unittest.skipUnless(sys.platform == "linux" and may_trace(), "ptrace is not allowed here")
class Watchdog(DaemonTestCase):
    def threads(self, daemon):
        """Thread ids by name."""
        found = {}
        for thread in os.listdir(f"/proc/{daemon.process.pid}/task"):
            with open(f"/proc/{daemon.process.pid}/task/{thread}/comm", encoding="utf-8") as name:
                found[name.read().strip()] = int(thread)
        return found

    def test_each_thread_is_waited_for(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"syncdaemon-dog-{os.getpid()}")
        notifications = Notifications(path)
        self.addCleanup(os.unlink, path)
        self.addCleanup(notifications.close)
        daemon = self.start_daemon("--reactors", "1", "--readers", "2", environment={
            "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"})
        notifications.wait_for("READY=1")
        threads = self.threads(daemon)
        for name in ("acceptor", "reader-0", "reader-1", "ledger", "presence", "reactor-0"):
            with self.subTest(name):
                self.feeds(notifications, more=3)
                with Frozen(threads[name]):
                    # One may be on its way: the thread had beaten before it froze.
                    settled = notifications.heard.count("WATCHDOG=1") + 2
                    self.assertFalse(
                        self.hears_more_than(settled, notifications), f"Fed without {name}.")
                self.feeds(notifications, more=1)

    def feeds(self, notifications, more):
        count = notifications.heard.count("WATCHDOG=1")
        notifications.wait_for("WATCHDOG=1", count + more)

    @staticmethod
    def hears_more_than(count, notifications):
        """Whether the watchdog is fed again within ten of its periods."""
        with notifications._news:
            return notifications._news.wait_for(
                lambda: notifications.heard.count("WATCHDOG=1") > count, 2)


if __name__ == "__main__":
    unittest.main()
