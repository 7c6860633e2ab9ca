"""docs/CLUSTER.md as it is: two daemons, two PostgreSQL servers, and HAProxy in front of them."""

import asyncio
import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import manual
from daemon import Daemon, free_port
from lanes import under_load
from test_postgres_seat import Replicated
from waiting import until

WRITERS = 3


class Front:
    """The address that clients have."""

    def __init__(self, port):
        self.port = port
        self.url = f"ws://127.0.0.1:{port}/v1/sync"

    @property
    def serves(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as it:
                return it.status == 200
        except (OSError, http.client.HTTPException):
            return False

    def goes_on_serving(self):
        """Whether it serves for some checks' time: until the first all are taken for up."""
        for _ in range(4):
            if not self.serves:
                return False
            time.sleep(0.5)
        return True


class Machine:
    """A daemon as the manual configures it, and whoever starts it again when it has ended."""

    def __init__(self, test, text):
        self.port = free_port()
        place = pathlib.Path(test.folder())
        path = place / "syncdaemon.ini"
        path.write_text(text.replace("0.0.0.0:8484", f"127.0.0.1:{self.port}"))
        self.daemon = Daemon("--config", str(path), listen=None)
        self.is_needed = True
        self.starts = 0
        test.addCleanup(self.daemon.discard)
        test.addCleanup(lambda: test._notes.append(self.daemon.log_tail()))

    async def run(self):
        while self.is_needed:
            if not self.daemon.is_running:
                if self.daemon.process:
                    self.daemon.process.stdout.close()
                self.daemon.spawn()
                self.starts += 1
            await asyncio.sleep(0.1)

    @property
    def serves(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return self.daemon.process.poll() is None


class Cluster(Replicated):
    def folder(self):
        folder = tempfile.mkdtemp(prefix="syncdaemon-cluster-")
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def configuration(self):
        """The manual's, with the test's addresses and no access control."""
        url = pathlib.Path(self.folder()) / "postgres-url"
        places = f"host={self.primary.directory},{self.other.directory}"
        url.write_text(
            f"{places} user=postgres dbname=postgres target_session_attrs=read-write\n")
        url.chmod(0o600)
        text = manual.recipes("The daemons", "ini", "CLUSTER")[0]
        for old, new in (
                ("/etc/syncdaemon/postgres-url", str(url)), ("10.0.0.5", "127.0.0.1"),
                ("admin_listen = 127.0.0.1:8081", "admin_listen = 127.0.0.1:0\ninsecure = yes")):
            self.assertIn(old, text)
            text = text.replace(old, new)
        return text

    def run_haproxy(self, machines):
        port = free_port()
        text = manual.recipes("HAProxy", "haproxy", "CLUSTER")[0]
        text = text.replace("bind :443", f"bind 127.0.0.1:{port}")
        for name, machine in zip(("10.0.0.1:8484", "10.0.0.2:8484"), machines):
            self.assertIn(name, text)
            text = text.replace(name, f"127.0.0.1:{machine.port}")
        path = pathlib.Path(self.folder()) / "haproxy.cfg"
        path.write_text(text)
        output = open(path.with_suffix(".log"), "wb")
        self.addCleanup(output.close)
        self.addCleanup(lambda: self._notes.append(path.with_suffix(".log").read_text()))
        environment = os.environ | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        proxy = subprocess.Popen(
            ["haproxy", "-db", "-f", str(path)], stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, env=environment)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.terminate)
        return Front(port)

    async def one_that_serves(self, machines):
        """The one that serves, once there is one."""
        return await asyncio.to_thread(
            until, lambda: next((it for it in machines if it.serves), None), "a daemon that serves")

    async def test_whatever_ends_nothing_is_lost_and_clients_go_on(self):
        text = self.configuration()
        machines = [Machine(self, text) for _ in range(2)]
        keeping = [asyncio.create_task(it.run()) for it in machines]
        front = self.run_haproxy(machines)
        await asyncio.to_thread(until, front.goes_on_serving, "a daemon behind the proxy")
        async with under_load(self, front, self.random(), WRITERS) as (lanes, _):
            async def goes_on():
                before = sum(lane.acknowledged for lane in lanes)
                await asyncio.to_thread(
                    until, lambda: sum(lane.acknowledged for lane in lanes) > before + 20,
                    "writes that are acknowledged")

            await goes_on()
            # Both wait for it at once, the one that ended and the one in reserve.
            one = await self.one_that_serves(machines)
            one.daemon.process.kill()
            await goes_on()
            # Its kernel still takes connections: the proxy's check finds nobody behind them.
            one = await self.one_that_serves(machines)
            one.daemon.process.send_signal(signal.SIGSTOP)
            await self.one_that_serves([it for it in machines if it is not one])
            await goes_on()
            one.daemon.process.send_signal(signal.SIGCONT)
            # The standby has all that was acknowledged, and gets a standby of its own.
            await asyncio.to_thread(self.primary.kill)
            await asyncio.to_thread(self.other.promote)
            third = await asyncio.to_thread(self.other.standby)
            self.addCleanup(third.discard)
            await goes_on()
        writes = sum(lane.acknowledged for lane in lanes)
        starts = [it.starts for it in machines]
        print(f"{writes} acknowledged writes; {starts} starts", file=sys.stderr)
        # What it takes each of them to begin is waited for; it is not started over and over.
        self.assertLess(max(starts), 10)
        for machine in machines:
            machine.is_needed = False
        await asyncio.gather(*keeping)
        for machine in machines:
            await asyncio.to_thread(machine.daemon.stop)


if __name__ == "__main__":
    unittest.main()
