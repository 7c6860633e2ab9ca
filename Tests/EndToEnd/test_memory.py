"""Memory that runs out: the daemon refuses or ends; what it acknowledged is there, once.

MEMORY_ROUNDS says how often the address space of a busy daemon is closed.
"""

import asyncio
import os
import resource
import socket
import sqlite3
import sys
import time
import unittest

from case import DaemonTestCase
from daemon import SANITIZED
from lanes import check_lanes, start_lanes
from raw import RawClient, frame
from waiting import Patience

ROUNDS = int(os.environ.get("MEMORY_ROUNDS", "4"))
#: Bytes that the daemon may still take when its address space is closed.
ROOM_BYTES = [256 * 1024, 2 * 1024 * 1024, 8 * 1024 * 1024, 16 * 1024 * 1024]
#: Answers of 3 MB that are asked for, and not read.
UNREAD = 120


class Unfinished(DaemonTestCase):
    """What peers begin to send and do not end, without having shown who they are."""

    CONNECTIONS = 400
    BYTES = 60_000

    def test_bodies_without_an_end(self):
        begun = (f"POST /v1/publish HTTP/1.1\r\nHost: localhost\r\n"
                 f"Content-Length: {self.BYTES + 100}\r\n\r\n").encode()
        self.see_who_is_cut(
            lambda client: client.send(begun + b" " * self.BYTES), self.CONNECTIONS)

    def test_messages_without_an_end(self):
        def begin(client):
            client.upgrade()
            client.send(frame(1, b" " * (self.BYTES // 2))[:-1])

        self.see_who_is_cut(begin, 2 * self.CONNECTIONS)

    def test_many_that_have_begun_little(self):
        begun = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 3_900
        self.see_who_is_cut(lambda client: client.send(begun), 3_200, memory="64M")

    def see_who_is_cut(self, begin, count, memory="128M"):
        daemon = self.start_daemon("--memory-max", memory, "--log-level", "debug")
        clients = []
        self.addCleanup(lambda: [client.socket.close() for client in clients])
        for _ in range(count):
            clients.append(RawClient(daemon.address))
            begin(clients[-1])
            clients[-1].socket.setblocking(False)
        # An eighth of the memory holds two thirds of them.
        patience = Patience()
        while (cut := sum(map(self.is_over, clients))) < count // 4:
            patience.check(f"connections are cut, and not {cut}")
            time.sleep(0.05)
        self.assertIn("the memory for requests was used up", daemon.log())
        self.assertTrue(self.is_over(clients[0]), "who has been sending for longest goes first")
        self.assertFalse(self.is_over(clients[-1]))
        with RawClient(daemon.address) as client:
            client.send(b"POST /v1/publish HTTP/1.1\r\nHost: localhost\r\n"
                        b'Content-Length: 30\r\n\r\n{"channel":"room","payload":')
            client.send(b"1}")
            status = client.answer().status
        if not SANITIZED:
            # With its shadow memory it has more than it may have, and refuses all writes.
            self.assertEqual(status, 200)

    @staticmethod
    def is_over(client):
        """Whether the daemon has ended a connection, from which nothing else comes."""
        try:
            return client.socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True


@unittest.skipIf(SANITIZED, "Sanitizers reserve the address space for themselves.")
class Memory(DaemonTestCase):
    async def test_nothing_acknowledged_is_lost_when_memory_runs_out(self):
        random = self.random()
        daemon = self.start_daemon()
        watcher = await self.device(daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        watcher.keep_connected()
        large = await self.device(daemon, "large")
        large.keep_connected()
        for number in range(100):
            await large.settle("publish", channel="large", payload=f"{number}" + "x" * 30_000)
        lanes = await start_lanes(self, daemon, random, writers=2)
        enough = asyncio.Event()
        running = [asyncio.create_task(lane.run(enough)) for lane in lanes]

        ended = 0
        for number in range(ROUNDS):
            before = sum(lane.acknowledged for lane in lanes)
            patience = Patience()
            while sum(lane.acknowledged for lane in lanes) < before + 100:
                patience.check("writes before memory runs out")
                await asyncio.sleep(0.02)
            with open(f"/proc/{daemon.process.pid}/statm", encoding="ascii") as statm:
                size = int(statm.read().split()[0]) * resource.getpagesize()
            limit = size + ROOM_BYTES[number % len(ROOM_BYTES)]
            resource.prlimit(daemon.process.pid, resource.RLIMIT_AS, (limit, limit))
            await asyncio.to_thread(self.ask_much, daemon)
            if daemon.is_running:
                await asyncio.to_thread(daemon.kill)
            else:
                ended += 1
                daemon.process.stdout.close()
            await asyncio.to_thread(daemon.start)
        enough.set()
        await asyncio.gather(*running)
        print(f"memory ran out {ROUNDS} times: {ended} times the daemon ended by itself, "
              f"{sum(lane.acknowledged for lane in lanes)} writes were acknowledged",
              file=sys.stderr)
        self.assertEqual([it for lane in lanes for it in lane.surprises], [])
        await check_lanes(self, lanes, watcher)
        await asyncio.to_thread(daemon.stop)
        base = sqlite3.connect(os.path.join(daemon.data_dir, "syncdaemon.db"))
        self.addCleanup(base.close)
        self.assertEqual(base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])

    @staticmethod
    def ask_much(daemon):
        """Asks for much at once, and looks for two seconds what becomes of the daemon."""
        clients = []
        try:
            for _ in range(UNREAD):
                client = RawClient(daemon.address, 5, receive_buffer=4096)
                clients.append(client)
                client.send(client.request(
                    "GET", "/v3/history/sub-key/default/channel/large?max=100&uuid=m"))
            # Whether it ends is what is looked at while time passes.
            for _ in range(100):
                if not daemon.is_running:
                    return
                time.sleep(0.02)
        except OSError:
            return
        finally:
            for client in clients:
                client.socket.close()


if __name__ == "__main__":
    unittest.main()
