#!/usr/bin/python3
"""What an interceptor costs: time and processor of the daemon for each write that waits for one.

    interceptor_load.py [--binary PATH] [--writes N] [--sessions N] [--flight N]
                        [--delay MILLISECONDS] [--rounds N]

The same writes, of as many users as sessions, without an interceptor, with one that is asked about
another channel, and with one that is asked about each. The receiver is a process of its own that
takes the same time for each question, so that what is measured is the daemon; --delay has it answer
later, as a server elsewhere does. `at a time` is how many questions it had at once, at most.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import selectors
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import Arguments

ANSWER = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n"
          b'{"allow":true}')
SECRET = "0123456789abcdef0123456789abcdef"
#: What each case is asked about.
CASES = {"nobody": None, "other": "other", "each": "room"}


def main():
    if sys.argv[1:2] == ["serve"]:
        return asyncio.run(serve(float(sys.argv[2])))
    parser = Arguments(__doc__)
    parser.add_argument("--writes", type=int, default=20_000)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--flight", type=int, default=4, help="writes of a session at a time")
    parser.add_argument("--delay", type=float, default=0, help="of an answer")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    found = {case: [] for case in CASES}
    for _ in range(arguments.rounds):
        for case, channels in CASES.items():
            found[case].append(measure(arguments, channels))
            show(case, *found[case][-1])
    for case, results in found.items():
        show("median: " + case, *(statistics.median(it) for it in zip(*results)))
    print("load of the machine: {:.2f} {:.2f} {:.2f}".format(*os.getloadavg()))


def show(case, rate, processor, most):
    print(f"{case:14} {rate:8.0f} writes/s {processor:7.1f} µs of the daemon's processor each, "
          f"{most:.0f} questions at a time", flush=True)


# The receiver


class Answering(asyncio.Protocol):
    """One connection, kept: a question at a time, each answered alike."""

    open = most = 0

    def __init__(self, delay):
        self.delay = delay
        self.buffer = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.index(b"content-length:") + 15
            length = int(head[at:].split(b"\r\n", 1)[0])
            if len(self.buffer) < end + 4 + length:
                return
            self.buffer = self.buffer[end + 4 + length:]
            Answering.open += 1
            Answering.most = max(Answering.most, Answering.open)
            if self.delay:
                asyncio.get_running_loop().call_later(self.delay, self.answer)
            else:
                # Behind what has come on other connections by now.
                asyncio.get_running_loop().call_soon(self.answer)

    def answer(self):
        Answering.open -= 1
        self.transport.write(ANSWER)


async def serve(milliseconds):
    """Says its port; ends when its input does, and says how many questions it had at a time."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Answering(milliseconds / 1000), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(Answering.most, flush=True)


@contextlib.contextmanager
def receiver(delay):
    """Its address, and once it ended how many questions it had at a time."""
    with subprocess.Popen([sys.executable, __file__, "serve", str(delay)], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        said = {"url": f"http://127.0.0.1:{process.stdout.readline().strip()}/hook"}
        try:
            yield said
        finally:
            process.stdin.close()
            said["most"] = int(process.stdout.readline())


# The writers


def measure(arguments, channels):
    """Writes a second, microseconds of processor for each, and questions at a time."""
    from daemon import Daemon

    with tempfile.TemporaryDirectory() as scratch, receiver(arguments.delay) as asked:
        secret = pathlib.Path(scratch, "secret")
        secret.write_text(SECRET, encoding="ascii")
        secret.chmod(0o600)
        text = "[limits]\ncommands_per_second = 1000000\n"
        if channels:
            text += (f"[interceptor mod]\nurl = {asked['url']}\nsecret_file = {secret}\n"
                     f"channels = {channels}\ntimeout_milliseconds = 10000\n")
        file = pathlib.Path(scratch, "sync.ini")
        file.write_text(text, encoding="utf-8")
        with Daemon("--config", str(file)).start() as daemon:
            writers = [Writer(daemon.address, number) for number in range(arguments.sessions)]
            count = arguments.writes // arguments.sessions
            before, start = daemon.cpu_seconds(), time.monotonic()
            write(writers, count, arguments.flight)
            seconds, used = time.monotonic() - start, daemon.cpu_seconds() - before
            for writer in writers:
                writer.client.socket.close()
    total = count * len(writers)
    return total / seconds, used / total * 1e6, asked["most"]


class Writer:
    """A session that publishes, and counts the replies."""

    def __init__(self, address, number):
        from raw import RawClient

        self.client = RawClient(address).hello(f"u{number}", "d")
        self.sent = self.answered = 0
        self.rest = b""

    def send(self, count):
        for _ in range(count):
            self.sent += 1
            body = json.dumps({
                "id": self.sent + 10, "op": "publish", "channel": "room",
                "payload": {"text": "as long as people write", "n": self.sent},
                "mutation": f"m{self.sent}"}).encode()
            # Masked with zeros, which costs this program less.
            length = (bytes([0x80 | len(body)]) if len(body) < 126
                      else b"\xfe" + len(body).to_bytes(2, "big"))
            self.client.socket.sendall(b"\x81" + length + bytes(4) + body)

    def take(self):
        """How many replies came."""
        data = self.rest + self.client.socket.recv(1 << 16)
        assert b'"error"' not in data, data
        count = data.count(b'"ok":')
        self.answered += count
        # What may be the beginning of another.
        self.rest = data[-4:]
        return count


def write(writers, count, flight):
    selector = selectors.DefaultSelector()
    for writer in writers:
        selector.register(writer.client.socket, selectors.EVENT_READ, writer)
        writer.send(min(flight, count))
    left = len(writers)
    while left:
        for key, _ in selector.select(60):
            writer = key.data
            came = writer.take()
            writer.send(min(came, count - writer.sent))
            if came and writer.answered == count:
                selector.unregister(key.fileobj)
                left -= 1


if __name__ == "__main__":
    main()
