"""Very many devices at once: idle, back after a cut or a crash, and sent away by a drain.

STORM_CLIENTS says how many; `make faults` has more than `make test`. Memory is judged from 1,000
on, because what a process holds anyway is most of it before.
"""

import os
import re
import selectors
import socket
import sys
import time
import unittest

from case import DaemonTestCase
from hostile.crowd import allow_descriptors, command
from raw import Ended, RawClient
from waiting import Patience

CLIENTS = int(os.environ.get("STORM_CLIENTS", "200"))
#: Events that each of them missed.
MISSED = 20
#: Devices from which on memory is judged.
JUDGED_MIN = 1000
#: Bytes of memory that a session which does nothing may cost.
IDLE_SESSION_BYTES_MAX = 12 * 1024
PAYLOAD = re.compile(rb'"d":"missed-(\d+)"')


class Coming:
    """A device that comes: what it says in one go, and what it has heard."""

    __slots__ = ("socket", "out", "heard", "tail")

    def __init__(self, connection, out):
        self.socket, self.out = connection, out
        self.heard, self.tail = [], b""


class Storm(DaemonTestCase):
    """Handshake, hello and subscribe in one segment from each, all at the same moment."""

    def setUp(self):
        allow_descriptors()
        self.selector = selectors.DefaultSelector()
        self.addCleanup(self.disperse)

    def disperse(self):
        """Everybody is cut at once."""
        for key in list(self.selector.get_map().values()):
            self.selector.unregister(key.fileobj)
            key.fileobj.close()

    def gather(self, daemon, count, is_done, **subscription):
        """`count` devices come at once and subscribe; returns them, and seconds until all are done.

        `is_done(device)` looks at what one has heard.
        """
        begin = time.monotonic()
        devices = []
        request = RawClient(daemon.address)
        with request:
            for number in range(count):
                head = request.upgrade_request(
                    target=f"/v1/sync?userId=u{number}&deviceId=d{number}")
                connection = socket.socket()
                connection.setblocking(False)
                connection.connect_ex(daemon.address)
                subscribe = command(
                    "subscribe", channels=[{"name": "storm", **subscription}])
                device = Coming(connection, head + subscribe)
                devices.append(device)
                self.selector.register(
                    connection, selectors.EVENT_READ | selectors.EVENT_WRITE, device)
        waiting = count
        patience = Patience(lambda: waiting)
        while waiting:
            for key, events in self.selector.select(0.5):
                device = key.data
                if events & selectors.EVENT_WRITE:
                    device.out = device.out[device.socket.send(device.out):]
                    if not device.out:
                        self.selector.modify(device.socket, selectors.EVENT_READ, device)
                if events & selectors.EVENT_READ:
                    before = is_done(device)
                    self.take(device)
                    waiting -= is_done(device) and not before
            patience.check(f"{waiting} of {count} devices")
        return devices, time.monotonic() - begin

    @staticmethod
    def take(device):
        chunk = device.socket.recv(65536)
        if not chunk:
            raise AssertionError("A device was cut off.")
        text = device.tail + chunk
        device.heard += [int(it) for it in PAYLOAD.findall(text)]
        if b'"mode":"' in text:
            device.heard.append("subscribed")
        # What may be the beginning of something; not what has been counted already.
        device.tail = text[-12:] if not PAYLOAD.search(text[-40:]) else b""

    @staticmethod
    def is_subscribed(device):
        return "subscribed" in device.heard

    @staticmethod
    def is_up_to_date(device):
        return len([it for it in device.heard if it != "subscribed"]) >= MISSED

    @staticmethod
    def metrics(daemon):
        with RawClient(daemon.address) as client:
            text = client.get("/metrics").body.decode()
        return {line.split()[0]: float(line.split()[1])
                for line in text.splitlines() if not line.startswith("#")}

    def say(self, text):
        print(f"{CLIENTS} devices: {text}", file=sys.stderr)

    async def test_idle_devices_cost_little(self):
        daemon = self.start_daemon()
        before = daemon.resident_bytes()
        self.gather(daemon, CLIENTS, self.is_subscribed)
        each = (daemon.resident_bytes() - before) / CLIENTS
        busy = daemon.cpu_seconds()
        time.sleep(2)  # What it uses while time passes is what is measured.
        share = (daemon.cpu_seconds() - busy) / 2
        self.say(f"{each / 1024:.1f} KiB each, {share * 100:.1f} % of a core while idle")
        if CLIENTS >= JUDGED_MIN:
            self.assertLess(each, IDLE_SESSION_BYTES_MAX)
        self.assertLess(share, 0.5, "It works though nobody asks for anything.")

    async def test_everybody_comes_back_at_once(self):
        """After a cut, with cursors: everybody gets what was missed, and the store is not asked."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "writer")
        await writer.subscribe("storm")
        cursor = await writer.publish("storm", "before")
        self.gather(daemon, CLIENTS, self.is_subscribed)
        self.disperse()
        for number in range(MISSED):
            await writer.publish("storm", f"missed-{number}")
        back = {"cursor": cursor, "epoch": writer.welcome["epoch"]}

        reads = self.metrics(daemon)["syncdaemon_reads_total"]
        busy = daemon.cpu_seconds()
        devices, seconds = self.gather(daemon, CLIENTS, self.is_up_to_date, **back)
        self.check(devices)
        reads = self.metrics(daemon)["syncdaemon_reads_total"] - reads
        self.say(f"back after a cut in {seconds:.2f} s, {reads:.0f} reads, "
                 f"{daemon.cpu_seconds() - busy:.2f} s of processor")
        self.assertEqual(reads, 0, "What is remembered was read from the store.")
        self.assertTrue(daemon.rests(), "It does not come to rest.")

    async def test_everybody_comes_back_after_a_crash(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "writer")
        cursor = await writer.publish("storm", "before")
        epoch = writer.welcome["epoch"]
        self.gather(daemon, CLIENTS, self.is_subscribed)
        for number in range(MISSED):
            await writer.publish("storm", f"missed-{number}")
        daemon.kill()
        self.disperse()
        daemon.start()
        devices, seconds = self.gather(
            daemon, CLIENTS, self.is_up_to_date, cursor=cursor, epoch=epoch)
        self.check(devices)
        reads = self.metrics(daemon)["syncdaemon_reads_total"]
        self.say(f"back after kill -9 in {seconds:.2f} s, {reads:.0f} reads")
        # One channel: a page or two for all who come, not one each.
        self.assertLess(reads, CLIENTS / 2)

    async def test_everybody_is_sent_away(self):
        """SIGTERM while a device writes: nothing acknowledged is lost."""
        daemon = self.start_daemon()
        self.gather(daemon, CLIENTS, self.is_subscribed)
        writer = RawClient(daemon.address).hello("writer", "writer-phone")
        with writer:
            writer.send(b"".join(
                command("publish", 100 + n, channel="storm", payload=n) for n in range(500)))
            writer.message()
            begin = time.monotonic()
            daemon.terminate()
            acknowledged = 1
            try:
                while True:
                    acknowledged += "ok" in writer.message()
            except Ended:
                pass
        self.leave()
        self.assertEqual(daemon.wait(), 0)
        self.say(f"sent away in {time.monotonic() - begin:.2f} s, {acknowledged} writes under way "
                 "acknowledged")
        daemon.start()
        reader = await self.device(daemon, "reader")
        stored = await reader.all_messages("storm")
        self.assertGreaterEqual(len(stored), acknowledged, "Acknowledged, and lost.")

    def leave(self):
        """Every device answers the close as it should: with the end of the connection."""
        patience = Patience(lambda: len(self.selector.get_map()))
        while self.selector.get_map():
            for key, _ in self.selector.select(0.5):
                try:
                    if b"\x88" in key.fileobj.recv(65536):
                        key.fileobj.shutdown(socket.SHUT_WR)
                        continue
                except OSError:
                    pass
                self.selector.unregister(key.fileobj)
                key.fileobj.close()
            patience.check("the devices' end")

    def check(self, devices):
        """Each has everything that it missed, once, in order."""
        for device in devices:
            numbers = [it for it in device.heard if it != "subscribed"]
            self.assertEqual(numbers, list(range(MISSED)))


if __name__ == "__main__":
    unittest.main()
