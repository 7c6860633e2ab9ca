"""Peers that are too slow or too many: cases of every server on the internet, not of a finding."""

import threading

from hostile.attack import Attack
from hostile.crowd import Crowd, command
from raw import PING, frame


class SlowReaders(Attack):
    """1,000 followers of a busy channel take nothing that comes."""

    name, title = "F12", "1,000 sessions follow a channel with 30 KB × 20 a second and read nothing"
    stranger = True
    count = 1000
    times = 3

    def strike(self, target, stop):
        slow = []
        for number in range(self.count):
            slow.append(target.session(f"slow{number}", receive_buffer=4096))
            slow[-1].sendall(command("subscribe", channels=[{"name": "busy"}]))
            if stop.is_set():
                break
        writes = 0
        with target.client("writer") as writer:
            while not stop.wait(0.05):
                writer.command("publish", channel="busy", payload="x" * 30_000)
                writes += 1
        return {"slow": len(slow), "writes": writes}


class SlowReader(SlowReaders):
    """One of them, in the honest client's own tenant."""

    name, title = "F11", "1 session follows a channel with 30 KB × 20 a second and reads nothing"
    stranger = False
    count = 1


class Pings(Attack):
    """WebSocket pings as fast as they can be sent."""

    name, title = "F26", "4 sessions send pings without a pause"

    def strike(self, target, stop):
        pings = frame(PING, b"are you there?") * 200

        def run(number):
            connection = target.session(f"ping{number}")
            connection.settimeout(0.2)
            while not stop.is_set():
                try:
                    connection.sendall(pings)
                    counts[number] += 200
                    connection.recv(1 << 18)
                except TimeoutError:
                    continue
                except OSError:
                    return

        counts = [0] * 4
        threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(4)]
        for thread in threads:
            thread.start()
        stop.wait()
        return {"pings": sum(counts)}


class SlowRequests(Attack):
    """Connections that say nothing, half a head, or a body byte by byte."""

    name, title = "F27", "2,000 connections that dribble heads and bodies"
    count = 2000
    times = 3

    def strike(self, target, stop):
        starts = [b"", b"GET /healthz HTTP/1.1\r\nHost: local",
                  f"POST /publish/p/{target.sub}/0/a/0 HTTP/1.1\r\nHost: localhost\r\n"
                  "Content-Length: 60000\r\n\r\n".encode()]
        peers = []
        for number in range(self.count):
            peer = target.socket()
            peer.setblocking(False)
            peer.send(starts[number % 3])
            peers.append(peer)
            if stop.is_set():
                break
        ended = 0
        while not stop.wait(0.5):
            for number, peer in enumerate(peers):
                if peer is not None and number % 3:
                    try:
                        peer.send(b"x")
                    except OSError:
                        ended += 1
                        peers[number] = None
        return {"connections": len(peers), "ended by the daemon": ended}


class Heads(Attack):
    """Requests of 5,000 header lines, and URLs beyond the limit."""

    name, title = "F28", "8 connections send heads of 70 KB"

    def strike(self, target, stop):
        lines = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"".join(
            b"X-%d: %d\r\n" % (n, n) for n in range(5000)) + b"\r\n"
        url = b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        return Crowd(8, lambda _: target.socket(),
                     lambda peer: lines if peer.number % 2 else url).run(stop)


class Fragments(Attack):
    """Messages of empty fragments, and of a length that never comes."""

    name, title = "F23", "8 sessions send messages of empty fragments"

    def strike(self, target, stop):
        flood = frame(0x1, b"", fin=False) + frame(0x0, b"", fin=False) * 5000
        return Crowd(8, lambda n: target.session(f"m{n}"), lambda _: flood).run(stop)
