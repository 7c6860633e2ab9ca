"""RFC 6455 as strangers and attackers speak it: what works, and what ends with which close code."""

import concurrent.futures
import json
import struct
import time
import unittest

from case import DaemonTestCase
from raw import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Ended, RawClient, frame

FRAME_BYTES_MAX = 32 * 1024
FRAGMENTS_MAX = 128


def pieces(payload, count):
    """A message as so many frames; the payload spread over them as evenly as it goes."""
    cuts = [len(payload) * n // count for n in range(count + 1)]
    return b"".join(
        frame(CONTINUATION if n else TEXT, payload[cuts[n]:cuts[n + 1]], fin=n == count - 1)
        for n in range(count))


class Transport(DaemonTestCase):
    """Each test leaves a daemon that still serves, and another session that noticed nothing."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.bystander = RawClient(self.daemon.address).hello("eve", "bystander")
        self.addCleanup(self.check_that_it_lives)

    def check_that_it_lives(self):
        with self.bystander:
            self.bystander.command("ping")

    def session(self):
        return RawClient(self.daemon.address).hello()

    def ping(self, client, size):
        """A ping command of exactly so many bytes."""
        text = client.command_text("ping", padding="")
        return text[:-2] + b"x" * (size - len(text)) + text[-2:]

    def expect_close(self, code, *chunks, slowly=False):
        """Sends the bytes; the daemon must close with the code, and say nothing else first."""
        with self.session() as client:
            for chunk in chunks:
                (client.send_slowly if slowly else client.send)(chunk)
            self.assertEqual(client.close_code(), code)

    # What works

    def test_a_message_in_any_number_of_pieces_up_to_the_limit(self):
        with self.session() as client:
            for count in (1, 2, 3, 16, 100, FRAGMENTS_MAX - 1, FRAGMENTS_MAX):
                for size in (200, 4096, FRAME_BYTES_MAX):
                    client.send(pieces(self.ping(client, size), count))
                    self.assertIn("time", client.reply(), f"{count} pieces of {size} bytes")

    def test_more_pieces_than_allowed(self):
        for count in (FRAGMENTS_MAX + 1, 200, 5000):
            with self.subTest(count), self.session() as client:
                client.send(pieces(self.ping(client, 200), count))
                self.assertEqual(client.close_code(), 1008)

    def test_an_endless_message_of_empty_pieces(self):
        with self.session() as client:
            client.send(frame(TEXT, b"", fin=False))
            for _ in range(200):
                client.send(frame(CONTINUATION, b"", fin=False) * 100)
            self.assertEqual(client.close_code(), 1008)

    def test_empty_pieces_around_a_message(self):
        with self.session() as client:
            text = self.ping(client, 100)
            client.send(frame(TEXT, b"", fin=False) + frame(CONTINUATION, text, fin=False)
                        + frame(CONTINUATION, b""))
            self.assertIn("time", client.reply())

    def test_everything_byte_by_byte(self):
        """The handshake, two messages and a piece-wise one, each byte in a segment of its own."""
        with RawClient(self.daemon.address) as client:
            client.send_slowly(client.upgrade_request())
            self.assertEqual(client.answer().status, 101)
            client.send_slowly(frame(TEXT, client.command_text(
                "hello", userId="ada", deviceId="slow")))
            self.assertIn("session", client.reply())
            client.send_slowly(pieces(self.ping(client, 300), 7))
            self.assertIn("time", client.reply())

    def test_many_messages_in_one_segment(self):
        with self.session() as client:
            first = client.number + 1
            client.send(b"".join(frame(TEXT, client.command_text("ping")) for _ in range(500)))
            answered = sorted(client.message()["id"] for _ in range(500))
            self.assertEqual(answered, list(range(first, first + 500)))

    def test_a_ping_alone_and_between_pieces(self):
        with self.session() as client:
            for payload in (b"", b"are you there", b"\xff" * 125):
                client.send(frame(PING, payload))
                self.assertEqual(client.frame(), (PONG, payload))
            half = self.ping(client, 100)
            client.send(frame(TEXT, half[:50], fin=False))
            client.send(frame(PING, b"between"))
            self.assertEqual(client.frame(), (PONG, b"between"))
            client.send(frame(CONTINUATION, half[50:]))
            self.assertIn("time", client.reply())

    def test_a_pong_that_nobody_asked_for_is_ignored(self):
        with self.session() as client:
            client.send(frame(PONG, b"hello"))
            self.assertIn("time", client.command("ping"))

    def test_a_close_is_answered(self):
        for code in (1000, 1001, 3000, 4999):
            with self.subTest(code), self.session() as client:
                client.send(frame(CLOSE, struct.pack("!H", code) + b"bye"))
                opcode, payload = client.frame()
                self.assertEqual((opcode, payload[:2]), (CLOSE, struct.pack("!H", code)))
                self.assertEqual(client.rest(), b"")

    # Sizes

    def test_the_largest_message(self):
        with self.session() as client:
            client.send(frame(TEXT, self.ping(client, FRAME_BYTES_MAX)))
            self.assertIn("time", client.reply())

    def test_messages_that_are_too_large(self):
        over = b'"' + b"x" * (FRAME_BYTES_MAX - 1) + b'"'
        self.assertEqual(len(over), FRAME_BYTES_MAX + 1)
        self.expect_close(1009, frame(TEXT, over))
        for count in (2, 3, 100):
            self.expect_close(1009, pieces(over, count))
        self.expect_close(1009, frame(TEXT, b"x" * 1_000_000))
        self.expect_close(1009, frame(TEXT, b"x" * 1000, length=2**62))
        self.expect_close(1009, frame(TEXT, b"x" * 20_000, fin=False)
                          + frame(CONTINUATION, b"x" * 20_000, fin=False))

    def test_a_length_with_its_highest_bit_set(self):
        self.expect_close(1009, frame(TEXT, b"x" * 1000, length=2**63 + 5))

    # Forms

    def test_text_that_is_not_utf_8(self):
        for text in (b"\xff", b'{"id":1,"op":"\xc3\x28"}', b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
                     b"\xc0\x80", b"abc\xf0\x9f\x91", b"\x80", b"x" * 5000 + b"\xfe"):
            with self.subTest(text[:20]):
                self.expect_close(1007, frame(TEXT, text))
        thumb = "👍".encode()
        with self.subTest("broken over two pieces"):
            self.expect_close(1007, frame(TEXT, thumb[:2], fin=False), frame(CONTINUATION, b"x"))
        with self.subTest("broken byte by byte"):
            self.expect_close(1007, frame(TEXT, b"abc\xff"), slowly=True)

    def test_a_character_split_over_pieces(self):
        with self.session() as client:
            for cut in (1, 2, 3):
                text = client.command_text("ping", note="?").replace(b"?", "👍".encode())
                middle = text.index("👍".encode()) + cut
                client.send(frame(TEXT, text[:middle], fin=False))
                client.send(frame(CONTINUATION, text[middle:]))
                self.assertIn("time", client.reply())

    def test_binary_messages(self):
        self.expect_close(1003, frame(BINARY, b'{"id":1,"op":"ping"}'))
        self.expect_close(1003, frame(BINARY, b"\0\1\2", fin=False))
        self.expect_close(1003, frame(BINARY, b""))

    def test_what_rfc_6455_forbids(self):
        text = b'{"id":9,"op":"ping"}'
        forbidden = {f"reserved bits {bits}": frame(TEXT, text, reserved=bits)
                     for bits in range(1, 8)}
        forbidden |= {f"opcode {opcode:#x}": frame(opcode, text)
                      for opcode in (3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF)}
        forbidden["a continuation of nothing"] = frame(CONTINUATION, text)
        forbidden["a ping in pieces"] = frame(PING, b"x", fin=False)
        forbidden["a message inside a message"] = frame(TEXT, text, fin=False) + frame(TEXT, text)
        for name, data in forbidden.items():
            with self.subTest(name):
                self.expect_close(1002, data)

    def test_a_control_frame_that_is_too_long(self):
        for opcode in (PING, PONG, CLOSE):
            with self.subTest(opcode):
                self.expect_close(1002, frame(opcode, b"x" * 126))

    def test_a_session_that_ends_in_the_middle(self):
        """Of a frame header, a payload, a message in pieces, a handshake."""
        for data in (b"\x81", frame(TEXT, b"x" * 100)[:50], frame(TEXT, b"{", fin=False)):
            with self.session() as client:
                client.send(data)
        with RawClient(self.daemon.address) as client:
            client.send(client.upgrade_request()[:60])


class Silence(DaemonTestCase):
    """Peers that are slow or say nothing; their limits run at the same time in one test."""

    #: What a loaded machine may add to a limit, in seconds.
    SLACK = 12

    def test_slow_and_silent_peers_are_let_go(self):
        daemon = self.start_daemon()
        limits = {
            "says nothing at all": (self.nothing, 15),
            "half a request": (self.half_a_request, 15),
            "a request that dribbles": (self.dribble, 15),
            "an upgrade without hello": (self.no_hello, 10),
            "an upgrade with pings but without hello": (self.pings_without_hello, 10),
            "a session that answers no ping": (self.deaf, 33),
        }
        with concurrent.futures.ThreadPoolExecutor(len(limits) + 1) as pool:
            answering = pool.submit(self.answers_pings, daemon, 38)
            started = time.monotonic()
            running = {
                name: pool.submit(self.measure, wait, daemon, started)
                for name, (wait, _) in limits.items()}
            for name, future in running.items():
                code, seconds = future.result()
                limit = limits[name][1]
                with self.subTest(name):
                    self.assertGreater(seconds, limit - 6, "Let go too early.")
                    self.assertLess(seconds, limit + self.SLACK, "Kept too long.")
                    if "hello" in name:
                        # What stood still may be the network: a client is to come again.
                        self.assertEqual(code, 1013)
            self.assertIn("time", answering.result(), "A session that answers pings stays.")

    def measure(self, wait, daemon, started):
        with RawClient(daemon.address, seconds=60) as client:
            return wait(client), time.monotonic() - started

    def nothing(self, client):
        client.rest()

    def half_a_request(self, client):
        client.send(client.request()[:-10])
        client.rest()

    def dribble(self, client):
        """A byte now and then must not renew the limit."""
        client.socket.settimeout(0.5)
        for byte in client.request("GET", "/" + "x" * 200):
            client.send(bytes([byte]))
            try:
                client._more()
            except TimeoutError:
                continue
            except Ended:
                return

    def no_hello(self, client):
        client.upgrade()
        return client.close_code()

    def pings_without_hello(self, client):
        client.upgrade()
        client.socket.settimeout(1)
        while True:
            client.send(frame(PING, b"me"))
            try:
                opcode, payload = client.frame()
            except TimeoutError:
                continue
            except Ended:
                return None
            if opcode == CLOSE:
                return struct.unpack("!H", payload[:2])[0]
            time.sleep(0.5)  # A pace: that pings alone keep nobody alive is what is tested.

    def deaf(self, client):
        client.hello("deaf", "deaf")
        return client.close_code()

    def answers_pings(self, daemon, seconds):
        """Answers what the daemon asks for longer than a deaf session may live."""
        with RawClient(daemon.address, seconds=60) as client:
            client.hello("alive", "alive")
            deadline = time.monotonic() + seconds
            asked = 0
            client.socket.settimeout(1)
            while time.monotonic() < deadline:
                try:
                    opcode, payload = client.frame()
                except TimeoutError:
                    continue
                self.assertEqual(opcode, PING, json.dumps(payload.decode("latin-1")))
                client.send(frame(PONG, payload))
                asked += 1
            self.assertGreater(asked, 0, "The daemon never asked.")
            client.socket.settimeout(30)
            return client.command("ping")


if __name__ == "__main__":
    unittest.main()
