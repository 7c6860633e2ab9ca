"""Five thousand long polls wait for one event: they cost little, and each gets it exactly once."""

import json
import re
import resource
import selectors
import socket
import sys
import time
import unittest

from daemon import SANITIZED
from sdk import PubNubTestCase
from waiting import Patience

POLLS = 5_000
BYTES_PER_POLL_MAX = 8 * 1024
#: How often and how long the idle daemon is watched, in seconds, and the share of a core that it
#: may take. The least of the looks counts: a chore falls into one of them, what polls cost into all.
IDLE_LOOKS, IDLE_SECONDS, IDLE_SHARE_MAX = 3, 2, 0.01


class Crowd:
    """Many long polls on one thread."""

    def __init__(self, daemon, count):
        self.daemon = daemon
        self.sockets = [socket.create_connection(daemon.address) for _ in range(count)]
        for one in self.sockets:
            one.setblocking(False)

    def close(self):
        for one in self.sockets:
            one.close()

    def send(self, cursors):
        """Starts a poll on each connection, each by a user of its own."""
        for number, (one, cursor) in enumerate(zip(self.sockets, cursors)):
            one.sendall(
                f"GET /v2/subscribe/sub/room/0?tt={cursor}&tr=1&uuid=user-{number:05} HTTP/1.1\r\n"
                "Host: localhost\r\n\r\n".encode())

    def receive(self):
        """One answer from each connection, as JSON, in the order of the connections."""
        answers, texts = [None] * len(self.sockets), [b""] * len(self.sockets)
        left, patience = len(self.sockets), Patience(lambda: sum(map(len, texts)))
        with selectors.DefaultSelector() as selector:
            for number, one in enumerate(self.sockets):
                selector.register(one, selectors.EVENT_READ, number)
            while left:
                ready = selector.select(1)
                if not ready:
                    patience.check(f"the answers to {left} polls")
                for key, _ in ready:
                    number = key.data
                    chunk = key.fileobj.recv(65536)
                    if not chunk:
                        raise AssertionError(f"Poll {number} was closed: {texts[number]!r}")
                    texts[number] += chunk
                    body = self.body(texts[number])
                    if body is not None:
                        if answers[number] is not None:
                            raise AssertionError(f"Poll {number} was answered twice.")
                        answers[number] = json.loads(body)
                        left -= 1
        return answers

    def is_silent(self):
        """Whether nothing at all has come since."""
        with selectors.DefaultSelector() as selector:
            for one in self.sockets:
                selector.register(one, selectors.EVENT_READ)
            return not selector.select(0)

    @staticmethod
    def body(text):
        """The body once it is whole; an answer is one short response with a length."""
        head, found, body = text.partition(b"\r\n\r\n")
        if not found:
            return None
        if not head.startswith(b"HTTP/1.1 200 "):
            raise AssertionError(f"A poll was answered with {text!r}.")
        (length,) = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                     if line.startswith(b"content-length:")]
        return body if len(body) == length else None


class Idle(PubNubTestCase):
    """Waiting costs next to nothing, and the end of it comes for all at once."""

    def setUp(self):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most != resource.RLIM_INFINITY and most < POLLS + 500:
            self.skipTest(f"{most} file descriptors are too few for {POLLS} connections.")
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.daemon = self.start_daemon()
        self.web = self.rest(self.daemon, "writer")

    def occupancy(self):
        return self.web.ok(
            "/v2/presence/sub-key/{sub}/channel/room", {"disable_uuids": 1})["occupancy"]

    def crowd(self, count):
        crowd = Crowd(self.daemon, count)
        self.addCleanup(crowd.close)
        return crowd

    def quiet(self):
        """Waits until the daemon has done what is left to do, such as late presence events."""
        def idle():
            before = self.daemon.cpu_seconds()
            time.sleep(0.5)  # What it uses in that time says whether it rests.
            return self.daemon.cpu_seconds() - before < 0.01
        self.eventually(idle, "the daemon to rest")

    def share(self):
        """Of a core, while nothing happens."""
        busy = self.daemon.cpu_seconds()
        time.sleep(IDLE_SECONDS)  # What the daemon uses while time passes is what is tested.
        return (self.daemon.cpu_seconds() - busy) / IDLE_SECONDS

    def polls(self):
        """How many polls the daemon counts now."""
        text = self.web.http.get("/metrics").body.decode()
        return int(re.search(r"^syncdaemon_polls (\d+)$", text, re.MULTILINE)[1])

    def test_polls_whose_clients_vanish_leave_nothing(self):
        """Ten times five hundred: dropped while they wait, and nothing of them stays."""
        start = self.web.publish("room", "start")
        sizes = []
        for _ in range(10):
            crowd = self.crowd(500)
            crowd.send([start] * 500)
            self.eventually(lambda: self.polls() == 500, "the polls to wait")
            crowd.close()
            self.eventually(lambda: self.polls() == 0, "the polls to be forgotten")
            sizes.append(self.daemon.resident_bytes())
        poll = self.poll(self.daemon, "user-00000", "room")
        self.web.publish("room", "still here")
        self.assertEqual([it["d"] for it in poll.turn()], ["still here"])
        if not SANITIZED:
            self.assertLess(sizes[-1] - sizes[2], 2_000_000, "It grows with every round.")

    def test_five_thousand_polls(self):
        start = self.web.publish("room", "start")
        few = self.crowd(100)
        few.send([start] * 100)
        self.eventually(lambda: self.occupancy() == 100, "the first hundred")
        self.quiet()
        before = self.daemon.resident_bytes()

        crowd = self.crowd(POLLS)
        crowd.send([start] * POLLS)
        self.eventually(lambda: self.occupancy() == POLLS, "all polls to wait")
        self.quiet()
        each = (self.daemon.resident_bytes() - before) / POLLS
        share = min(self.share() for _ in range(IDLE_LOOKS))
        self.assertTrue(crowd.is_silent(), "Nothing happened, so nobody is told anything.")

        begun = time.monotonic()
        event = str(self.web.publish("room", "wake up"))
        answers = crowd.receive()
        took = time.monotonic() - begun
        self.assertTrue(crowd.is_silent(), "One answer each.")
        print(f"{self.id()}: {each / 1024:.1f} KiB a poll, {share:.2%} of a core while idle, "
              f"{took:.2f} s to wake all", file=sys.stderr)
        self.assertEqual(
            {(answer["t"]["t"], *(it["p"]["t"] for it in answer["m"])) for answer in answers},
            {(event, event)}, "Each once.")

        crowd.send([answer["t"]["t"] for answer in answers])
        self.quiet()
        self.web.publish("room", "again")
        answers = crowd.receive()
        self.assertEqual(
            {tuple(it["d"] for it in answer["m"]) for answer in answers}, {("again",)})
        if not SANITIZED:
            self.assertLess(each, BYTES_PER_POLL_MAX)
            self.assertLess(share, IDLE_SHARE_MAX)


if __name__ == "__main__":
    unittest.main()
