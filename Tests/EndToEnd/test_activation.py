"""As systemd sees it: a passed socket, readiness, a watchdog, and restarts that refuse nobody."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from case import DaemonTestCase
from daemon import binary
from raw import Ended, RawClient
from waiting import Patience, until

#: Puts the passed socket where systemd puts it; LISTEN_PID must be the daemon's own process id.
TRAMPOLINE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.setdefault("LISTEN_FDS", "1")
os.environ.update(
    LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="syncdaemon.socket",
    WATCHDOG_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""


class Notifications:
    """The datagram socket on which systemd hears from a service."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.heard = []
        # When each of them was heard.
        self.times = []
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        while True:
            try:
                text = self.socket.recv(4096).decode()
            except OSError:
                return
            if text == "that is all":
                return
            with self._news:
                self.heard += text.splitlines()
                self.times += [time.monotonic()] * (len(self.heard) - len(self.times))
                self._news.notify_all()

    def wait_for(self, line, count=1):
        """Waits until a line was heard so many times; returns all that was heard."""
        patience = Patience(lambda: len(self.heard))
        with self._news:
            while not self._news.wait_for(lambda: self.heard.count(line) >= count, 1):
                patience.check(f"{count} times {line!r}: {self.heard}")
            return list(self.heard)

    def close(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            own.sendto(b"that is all", self.socket.getsockname())
        self._thread.join(5)
        self.socket.close()


class Activation(DaemonTestCase):
    """The test holds the listening socket, as systemd does, over all the daemon's lives."""

    def setUp(self):
        self.listener = socket.socket()
        self.addCleanup(self.listener.close)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(512)
        self.address = self.listener.getsockname()

    def start_activated(self, **environment):
        descriptor = self.listener.fileno()
        daemon = self.start_daemon(
            listen=None, pass_fds=(descriptor,), environment=environment,
            wrapper=[sys.executable, "-c", TRAMPOLINE, str(descriptor)])
        self.assertEqual(daemon.address, self.address, "It must say where it really listens.")
        return daemon

    def test_it_serves_the_socket_that_it_was_given(self):
        daemon = self.start_activated()
        with RawClient(self.address) as client:
            client.hello().command("publish", channel="room", payload=1)
        self.assertEqual(self.listening_ports(daemon.process.pid), {self.address[1]})

    def test_what_is_not_a_listening_socket_is_refused(self):
        with socket.socket() as idle:
            for given, number, mentions in [
                (idle, "1", "descriptor 3, which is not a listening TCP socket"),
                (self.listener, "many", "Check LISTEN_FDS"),
            ]:
                descriptor = given.fileno()
                ended = subprocess.run(
                    [sys.executable, "-c", TRAMPOLINE, str(descriptor), str(binary("syncdaemon")),
                     "serve", "--store", "memory"],
                    pass_fds=(descriptor,), env=os.environ | {"LISTEN_FDS": number},
                    capture_output=True, text=True, check=False)
                self.assertIn(mentions, ended.stderr)
                self.assertEqual(ended.returncode, 1, ended.stderr)

    def test_an_address_that_is_not_used_refuses_neither_a_start_nor_a_reload(self):
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write("[server]\nlisten = 0.0.0.0:9\n")
            file.flush()
            daemon = self.start_activated(SYNCDAEMON_CONFIG=file.name)
            file.write("[log]\nlevel = notice\n")
            file.flush()
            daemon.process.send_signal(signal.SIGHUP)
            until(lambda: "onfiguration" in daemon.log(), "the reload")
        self.assertIn("Configuration reloaded.", daemon.log())

    @staticmethod
    def listening_ports(pid):
        """The TCP ports on which a process listens, over IPv4 or IPv6."""
        inodes = set()
        for name in os.listdir(f"/proc/{pid}/fd"):
            # A session's descriptor may be gone before we look at it.
            with contextlib.suppress(FileNotFoundError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if match := re.fullmatch(r"socket:\[(\d+)\]", target):
                    inodes.add(match[1])
        ports = set()
        for table in ("tcp", "tcp6"):
            with open(f"/proc/net/{table}", encoding="ascii") as lines:
                for fields in map(str.split, lines.readlines()[1:]):
                    if fields[3] == "0A" and fields[9] in inodes:
                        ports.add(int(fields[1].rpartition(":")[2], 16))
        return ports

    def test_connections_wait_while_the_daemon_is_away(self):
        daemon = self.start_activated()
        daemon.stop()
        waiting = [RawClient(self.address) for _ in range(50)]
        for client in waiting:
            self.addCleanup(client.socket.close)
            client.send(client.request("GET", "/healthz"))
        daemon.start()
        self.assertEqual([client.answer().status for client in waiting], [200] * 50)

    def test_no_connection_is_refused_over_restarts(self):
        """Connects all the time; whoever was not served by a stopping daemon tries again."""
        daemon = self.start_activated()
        done = threading.Event()
        refused, served = [], []

        def knock():
            while not done.is_set():
                try:
                    with RawClient(self.address) as client:
                        served.append(client.get("/healthz").status)
                except Ended:
                    pass
                except OSError as error:
                    refused.append(error)
                time.sleep(0.002)  # A pace: nothing is waited for.

        threads = [threading.Thread(target=knock, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            enough = len(served) + 50
            until(lambda n=enough: len(served) >= n, "it to serve", lambda: len(served))
            daemon.restart()
        done.set()
        for thread in threads:
            thread.join(20)
        self.assertEqual(refused, [])
        self.assertEqual(set(served), {200})

    async def test_a_device_lives_through_restarts(self):
        daemon = self.start_activated()
        device = await self.device(daemon, "ada")
        await device.subscribe("room")
        device.keep_connected()
        for _ in range(3):
            publishing = asyncio.create_task(device.settle_all(
                [("publish", {"channel": "room", "payload": n}) for n in range(500)]))
            await asyncio.to_thread(daemon.restart)
            replies = await publishing
            last = max(int(it["timetoken"]) for it in replies)
            await device.until(lambda: device.rows["room"].cursor >= last, "the last message")
        self.assertEqual(len(device.rows["room"].messages), 1500)


class Supervision(DaemonTestCase):
    """sd_notify(3): READY when it serves, WATCHDOG while it lives, STOPPING when it goes."""

    def test_notifications(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"syncdaemon-notify-{os.getpid()}")
        for name, address in ((path, path), ("\0" + path, "@" + path)):
            with self.subTest(address):
                notifications = Notifications(name)
                if not name.startswith("\0"):
                    self.addCleanup(os.unlink, path)
                daemon = self.start_daemon(environment={
                    "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000000"})
                notifications.wait_for("READY=1")
                # The pace is what is tested: five in 5.5 seconds, counted in sleeps, which a loaded
                # machine makes longer, too.
                sleeps = 0
                while notifications.heard.count("WATCHDOG=1") < 5:
                    time.sleep(0.5)
                    sleeps += 1
                    self.assertLess(sleeps, 11, "Slower than half the period.")
                heard = notifications.wait_for("WATCHDOG=1", count=5)
                self.assertEqual(heard.count("READY=1"), 1)
                self.assertNotIn("STOPPING=1", heard)
                daemon.stop()
                self.assertEqual(notifications.wait_for("STOPPING=1").count("STOPPING=1"), 1)
                notifications.close()

    def test_ready_means_that_it_serves(self):
        """Whoever starts after the daemon, because of READY, must find it serving."""
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"syncdaemon-ready-{os.getpid()}")
        notifications = Notifications(path)
        self.addCleanup(os.unlink, path)
        self.addCleanup(notifications.close)
        daemon = self.start_daemon(environment={"NOTIFY_SOCKET": path})
        notifications.wait_for("READY=1")
        with RawClient(daemon.address) as client:
            self.assertEqual(client.get("/readyz").status, 200)
        self.assertNotIn("WATCHDOG=1", notifications.heard, "Nobody asked for a watchdog.")


if __name__ == "__main__":
    unittest.main()
