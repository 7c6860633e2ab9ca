"""Webhooks: receivers that answer once too often."""

import contextlib
import json
import socket
import threading
import time

from case import eventually
from test_webhooks import WebhookTestCase

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
FAILED = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"


class TwiceAnswering:
    """Answers its first request twice, the second one with 500, and all others once."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d/" % self.server.getsockname()[1]
        self.events = []
        self.has_answered_twice = threading.Event()
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        # It ends whenever the daemon closes it.
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as file:
            while file.readline():
                length = 0
                while (line := file.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                body = json.loads(file.read(length))
                with self.lock:
                    number = len(self.events)
                    self.events.append([it["d"] for it in body["events"]])
                connection.sendall(FAILED if number == 1 else OK)
                if number == 0:
                    time.sleep(0.02)
                    connection.sendall(OK)
                    self.has_answered_twice.set()


class Answers(WebhookTestCase):
    async def test_a_second_answer_is_none_to_the_next_request(self):
        """Found by an attack: the next event counted as delivered, whatever became of it."""
        receiver = TwiceAnswering()
        self.addCleanup(receiver.server.close)
        daemon = self.start(self.section(receiver, batch_milliseconds=0))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        delivered = 'delivered_total{webhook="hook"}'
        await eventually(lambda: self.metrics(daemon)[delivered] == 1, "the first")
        await eventually(receiver.has_answered_twice.is_set, "the second answer")
        await ada.publish("room", 2)
        await eventually(lambda: self.metrics(daemon)[delivered] == 2, "the second")
        self.assertEqual(receiver.events, [[1], [2], [2]])
