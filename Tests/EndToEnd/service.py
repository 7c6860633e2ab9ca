"""The service in a machine with a real systemd, for the tests that install it."""

import asyncio
import contextlib
import pathlib
import shutil
import socket
import sys
import unittest

from case import DaemonTestCase
from daemon import ROOT, binary
from machine import PATIENCE, Machine, reason_not_to_boot
from manual import blocks
from waiting import Patience

UNIT = "syncdaemon.service"
DATABASE = "/var/lib/private/syncdaemon/syncdaemon.db"
CONFIGURATION = "/etc/syncdaemon/syncdaemon.ini"
REASON = reason_not_to_boot()
if REASON:
    print(f"service: skipped: {REASON}", file=sys.stderr)


class Installed:
    """The daemon as the devices of the tests know one: its address, and what it logged."""

    host, port = "127.0.0.1", 8080
    address = (host, port)
    url = f"ws://{host}:{port}/v1/sync"

    def __init__(self, machine):
        self.machine = machine

    def log_tail(self):
        return self.machine.journal(UNIT)[-6000:]


class Knocker:
    """Opens connection after connection, and counts those that are refused."""

    def __init__(self):
        self.tried = 0
        self.refused = 0
        self._enough = False

    async def run(self):
        loop = asyncio.get_running_loop()
        while not self._enough:
            with socket.socket() as knock:
                knock.setblocking(False)
                self.tried += 1
                try:
                    await loop.sock_connect(knock, Installed.address)
                except OSError:
                    self.refused += 1
            await asyncio.sleep(0.005)

    def stop(self):
        self._enough = True


@unittest.skipIf(REASON, REASON)
class ServiceCase(DaemonTestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.discard)
        self.source = self.machine.root / "srv/syncdaemon"
        release = self.source / ".build/release"
        release.mkdir(parents=True)
        for name in ("syncdaemon", "syncctl"):
            shutil.copy(binary(name), release / name)
        for name in ("systemd", "docs"):
            shutil.copytree(ROOT / name, self.source / name)
        self.machine.boot()
        self.daemon = Installed(self.machine)
        self.addCleanup(lambda: self._notes.append(f"journal:\n{self.daemon.log_tail()}"))
        network = contextlib.ExitStack()
        network.enter_context(self.machine.network())
        self.addCleanup(network.close)

    def install(self):
        """As docs/OPERATIONS.md says; the first block builds, which was done before."""
        _, on_the_server = blocks("From the tree")
        return self.machine.shell("cd /srv/syncdaemon\n" + on_the_server)

    async def until(self, condition, what):
        patience = Patience(seconds=PATIENCE)
        while not condition():
            patience.check(what)
            await asyncio.sleep(0.05)

    def is_active(self):
        return self.machine.state(UNIT, "ActiveState") == "active"

    def restarts(self):
        return int(self.machine.state(UNIT, "NRestarts"))

    def inside(self, path):
        """The path of one of the machine's files, as this process sees it."""
        return pathlib.Path(str(self.machine.root) + path)
