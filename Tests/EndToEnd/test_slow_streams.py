"""Streams and long polls that nobody reads: they hold a place, and none of the memory."""

import os
import re
import resource
import sys
import unittest

from case import DaemonTestCase, eventually
from daemon import SANITIZED
from raw import Ended, RawClient
from rest import LongPoll, Rest
from test_quotas import metric
from waiting import Patience


MIB = 1024 * 1024
#: Who does not read, and what they are sent: nearly the greatest messages there are.
CROWD = int(os.environ.get("UNREAD_STREAMS", "300"))
PAYLOAD = "x" * 30_000
MESSAGES = 1400


def peak(daemon):
    """The most that the process ever had in memory, in bytes."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) * 1024


class SlowStreams(DaemonTestCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = CROWD + 500
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
            self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.daemon = self.start_daemon("--memory-max", "512M")
        self.crowd = []
        self.addCleanup(lambda: [one.socket.close() for one in self.crowd])

    def gather(self, target):
        """Connections that ask for something endless, and read nothing of it."""
        for _ in range(CROWD):
            one = RawClient(self.daemon.address, receive_buffer=4096)
            self.crowd.append(one)
            one.send(one.request("GET", target))

    async def flood(self):
        """Messages that are not stored, each of which is acknowledged; others write meanwhile."""
        ada = await self.device(self.daemon, "ada")
        with Rest(self.daemon, "eve", keys=("pub", "other")) as other:
            for number in range(0, MESSAGES, 100):
                await ada.settle_all([
                    ("publish", {"channel": "room", "payload": PAYLOAD, "store": False})
                    for _ in range(100)])
                other.publish("elsewhere", number)
                if not SANITIZED:
                    self.assertLess(peak(self.daemon), 300 * MIB, f"{number} messages")
        return ada

    async def check(self, ada):
        """Nobody else noticed, and what was held is given back."""
        if not SANITIZED:
            self.assertEqual(metric(self.daemon, "memory_level"), 0)
            self.assertLess(peak(self.daemon), 300 * MIB)
            print(f"{CROWD} that read nothing: {peak(self.daemon) / MIB:.0f} MiB at most, "
                  f"{metric(self.daemon, 'unsent_bytes') / MIB:.0f} MiB unsent", file=sys.stderr)
        self.assertLessEqual(metric(self.daemon, "unsent_bytes"), 64 * MIB)
        await ada.publish("room", "still here")
        for one in self.crowd:
            one.socket.close()
        await eventually(lambda: metric(self.daemon, "unsent_bytes") == 0, "all to be dropped")

    async def test_streams_that_nobody_reads_hold_a_cursor(self):
        self.gather("/v1/stream?channel=room&as=idle")
        await eventually(lambda: metric(self.daemon, "polls") == CROWD, "the streams")
        await self.check(await self.flood())

    async def test_long_polls_that_nobody_reads_hold_what_the_kernel_does_not(self):
        with LongPoll(self.daemon, "start", "room") as start:
            cursor = start.handshake().cursor
        ada = await self.flood()
        self.gather(f"/v2/subscribe/sub/room/0?uuid=idle&tr=1&tt={cursor}")
        await eventually(lambda: metric(self.daemon, "polls") == 0, "the answers")
        await self.check(ada)

    async def test_who_reads_beside_them_misses_nothing_that_is_stored(self):
        self.gather("/v1/stream?channel=room&as=idle")
        with RawClient(self.daemon.address) as reader:
            reader.send(reader.request("GET", "/v1/stream?channel=news&as=bob"))
            reader.take_until(b"id: ")
            ada = await self.flood()
            for number in range(50):
                await ada.publish("news", f"number-{number}-" + PAYLOAD)
            for number in range(50):
                reader.take_until(f"number-{number}-".encode())

    async def test_a_stream_that_is_cut_goes_on_where_it_was(self):
        """Its last id is enough, however much of an answer was lost with the connection."""
        ada = await self.device(self.daemon, "ada")
        with RawClient(self.daemon.address, receive_buffer=4096) as stream:
            stream.send(stream.request("GET", "/v1/stream?channel=room&as=idle"))
            stream.take_until(b"id: ")
            for number in range(60):
                await ada.publish("room", f"number-{number}-" + PAYLOAD)
            ids = [stream.take_until(b"\n")]
            for _ in range(5):
                stream.take_until(b"id: ")
                ids.append(stream.take_until(b"\n"))
        seen, patience = set(), Patience()
        last = ids[-1].decode().strip()
        with RawClient(self.daemon.address) as stream:
            stream.send(stream.request(
                "GET", "/v1/stream?channel=room&as=idle", f"Last-Event-ID: {last}"))
            while 59 not in seen:
                patience.check("the last message")
                try:
                    stream.take_until(b"number-")
                except Ended:
                    self.fail("The stream ended.")
                seen.add(int(stream.take_until(b"-")))
        self.assertEqual(seen, set(range(5, 60)))


if __name__ == "__main__":
    unittest.main()
