"""Request smuggling: no reader before the daemon may see other requests in the bytes than it does.

In each body waits a canary: a whole request that would publish a message. Where the bytes are
refused there is one answer and the end; where they are right the body is passed over. Either way
the message must not be there.
"""

import itertools
import re
import unittest

from case import DaemonTestCase
from raw import PING, PONG, RawClient, frame


class Smuggling(DaemonTestCase):
    """One daemon for each test; what was published is asked for in a session."""

    def setUp(self):
        self.daemon = self.start_daemon("--allowed-hosts", "x")
        self.reader = RawClient(self.daemon.address).hello("eve", "reader")
        self.addCleanup(self.check_that_it_lives)
        self.numbers = itertools.count(1)

    def check_that_it_lives(self):
        with self.reader:
            self.reader.command("ping")
        with self.client() as client:
            self.assertEqual(client.get("/healthz").status, 200)

    def client(self):
        return RawClient(self.daemon.address)

    def canary(self):
        """A channel of its own, and the request that would publish there."""
        channel = f"canary-{next(self.numbers)}"
        request = (f"GET /publish/pub/sub/0/{channel}/0/1?uuid=mallory HTTP/1.1\r\n"
                   "Host: x\r\n\r\n").encode()
        return channel, request

    def published(self, channel):
        return len(self.reader.command("history", channel=channel)["messages"])

    def refuse(self, head, *statuses, before=b"", hidden=lambda canary: canary):
        """One answer, the end, and nothing published; in one segment, in two, byte by byte."""
        for way in ("at once", "cut", "slowly"):
            channel, canary = self.canary()
            body = hidden(canary)
            with self.subTest(head[-70:], way=way), self.client() as client:
                if way == "at once":
                    client.send(before + head + body)
                elif way == "cut":
                    client.send(before + head)
                    client.send(body)
                else:
                    client.send_slowly(before + head + body)
                for _ in range(before.count(b"GET ")):
                    self.assertEqual(client.answer().status, 200)
                answers = client.rest()
                found = re.findall(rb"HTTP/1\.1 (\d+) [A-Z]", answers)
                self.assertEqual(len(found), 1, answers)
                self.assertIn(int(found[0]), statuses, answers)
                self.assertEqual(self.published(channel), 0)

    def request(self, *lines, method="POST", target="/healthz", host=("Host: x",)):
        return "\r\n".join(
            [f"{method} {target} HTTP/1.1", *host, *lines, "", ""]).encode("latin-1")

    # The tests' own test

    def test_the_canary_sings(self):
        channel, canary = self.canary()
        with self.client() as client:
            client.send(canary)
            self.assertEqual(client.answer().status, 200)
        self.assertEqual(self.published(channel), 1)

    # Lengths

    def test_content_lengths_that_are_none(self):
        for values in (["-1"], ["-0"], ["+5"], ["5,5"], ["5, 5"], ["5;5"], ["0x5"], ["5 5"], ["5x"],
                       ["1e1"], ["5.0"], [""], ["\xb2"], ["0", "0"], ["5", "5"], ["5", "6"],
                       ["0", "5"], ["5", "0"], ["5", ""], ["99999999999999999999"],
                       ["9223372036854775808"], ["18446744073709551621"], ["4294967301"]):
            self.refuse(self.request(*(f"Content-Length: {it}" for it in values)), 400, 413)

    def test_a_content_length_that_is_too_large(self):
        self.refuse(self.request("Content-Length: 65537"), 413)
        self.refuse(self.request("Content-Length: 999999999"), 413)

    def test_names_of_lengths_that_are_none(self):
        for name in ("Content-Length ", " Content-Length", "\tContent-Length", "Content-Length\t",
                     "Content\x00-Length", "Content-Length\x0b", "Content-Length\xa0"):
            self.refuse(self.request(f"{name}: 5"), 400)

    def test_a_right_length_hides_its_body(self):
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            channel, canary = self.canary()
            with self.subTest(method), self.client() as client:
                client.send(self.request(
                    f"Content-Length: {len(canary)}", method=method) + canary)
                client.send(self.request(method="GET"))
                client.finish()
                self.assertIn(b"HTTP/1.1 ", client.rest())
                self.assertEqual(self.published(channel), 0)

    def test_leading_zeros_are_no_octal(self):
        """RFC 9110 8.6 has digits: 010 is ten, so the canary begins after ten bytes."""
        channel, canary = self.canary()
        with self.client() as client:
            client.send(
                self.request("Content-Length: 010", method="GET") + b"0123456789" + canary)
            self.assertEqual([client.answer().status for _ in range(2)], [200, 200])
        self.assertEqual(self.published(channel), 1)

    # Transfer-Encoding

    def test_transfer_encodings(self):
        for value in ("chunked", " chunked", "\tchunked", "chunked ", "chunked\t", "CHUNKED",
                      "ChUnKeD", "xchunked", "chunkedx", "identity", "gzip, chunked",
                      "chunked, identity", "chunked, chunked", '"chunked"', "x", "", ",chunked",
                      "chunked;q=1", "\x0bchunked", "\x0cchunked", "chunk ed"):
            self.refuse(self.request(f"Transfer-Encoding: {value}"), 400, 411,
                        hidden=lambda canary: b"0\r\n\r\n" + canary)

    def test_two_transfer_encodings(self):
        for first, second in (("chunked", "identity"), ("identity", "chunked"), ("x", "chunked"),
                              ("chunked", "chunked"), ("", "chunked")):
            self.refuse(
                self.request(f"Transfer-Encoding: {first}", f"Transfer-Encoding: {second}"),
                400, 411, hidden=lambda canary: b"0\r\n\r\n" + canary)

    def test_length_and_encoding(self):
        """CL.TE and TE.CL, in either order, whichever of the two is right."""
        for encoding in ("Transfer-Encoding: chunked", "Transfer-Encoding: xchunked",
                         "Transfer-encoding:\tchunked", "Transfer-Encoding : chunked",
                         " Transfer-Encoding: chunked", "X: y\r\n Transfer-Encoding: chunked"):
            for length in ("Content-Length: 5", "Content-Length: 0", "Content-Length: 400"):
                for lines in ((encoding, length), (length, encoding)):
                    self.refuse(self.request(*lines), 400, 411,
                                hidden=lambda canary: b"0\r\n\r\n" + canary)

    def test_chunks(self):
        self.refuse(
            self.request("Transfer-Encoding: chunked"), 411,
            hidden=lambda canary: b"%x\r\n%b\r\n0\r\n\r\n" % (len(canary), canary))

    # Lines

    def test_lines_that_not_all_read_alike(self):
        for lines in (
                ["X: a\r\n Content-Length: 200"], ["X: a\r\n\tb"], ["X:\r\n a"], ["X: a\nY: b"],
                ["X: a\n"], ["X: a\rY: b"], ["X: a\r"], ["\rX: a"], ["X: a\0b"], ["X\0: a"],
                ["X : a"], ["X\t: a"], [": a"], ["X"], ["X Y: a"], ["X: a\x7f"], ["X: a\x01"],
                ["X(a): b"], ["X\xe9: b"]):
            self.refuse(self.request(*lines), 400)

    def test_heads_that_end_in_line_feeds(self):
        for head in (b"GET /healthz HTTP/1.1\nHost: x\n\n", b"GET /healthz HTTP/1.1\nHost: x\r\n\r\n",
                     b"GET /healthz HTTP/1.1\r\nHost: x\n\r\n",
                     b"GET /healthz HTTP/1.1\r\nHost: x\r\n\n",
                     b"GET /healthz HTTP/1.1\rHost: x\r\r", b"\nGET /healthz HTTP/1.1\r\n"):
            self.refuse(head, 400)

    def test_request_lines(self):
        for start in ("GET /healthz", "GET /healthz HTTP/0.9", "GET /healthz HTTP/1", "GET  / HTTP/1.1",
                      "GET /healthz  HTTP/1.1", "GET\t/healthz HTTP/1.1", "GET /a b HTTP/1.1",
                      "GET /healthz HTTP/1.1 ", "GET /healthz HTTP/1.1\x0b", "GET /healthz http/1.1",
                      "get /healthz HTTP/1.1", " GET /healthz HTTP/1.1", "GET /\0 HTTP/1.1",
                      "GET /healthz HTTP/+1.1", "GET /healthz HTTP/1.10", "GET /healthz HTTPX/1.1",
                      "GET /\xe9 HTTP/1.1", "GET healthz HTTP/1.1", "GET /healthz\rX HTTP/1.1"):
            self.refuse(f"{start}\r\nHost: x\r\n\r\n".encode("latin-1"), 400, 505)

    # Hosts and targets

    def test_hosts(self):
        for host in ((), ("Host: x", "Host: x"), ("Host: x", "Host: y"), ("Host: x, y",),
                     ("Host: x y",), ("Host: http://x",), ("Host: x/y",), ("Host: u@x",),
                     ("Host : x",), ("Host: x\0",), ("Host: \xe9",)):
            self.refuse(self.request(host=host), 400)

    def test_targets_in_absolute_form(self):
        """RFC 9112 3.2.2: taken as their path, and their host in place of what `Host` says."""
        with self.client() as client:
            for target, status in (("http://x/healthz", 200), ("HTTP://localhost:80/healthz", 200),
                                   ("https://[::1]/healthz?a", 200), ("http://other/healthz", 421)):
                with self.subTest(target):
                    client.send(self.request(method="GET", target=target))
                    self.assertEqual(client.answer().status, status)
        self.refuse(self.request(method="GET", target="http://x/healthz", host=()), 400)
        self.refuse(self.request(method="CONNECT", target="x:80"), 405)

    # Versions and upgrades

    def test_versions(self):
        """Of one before 1.1 nothing stays open unless it is asked for: the rest is not read."""
        for start, status in (("HTTP/1.0", 200), ("HTTP/2.0", 505), ("HTTP/3.0", 505),
                              ("HTTP/9.9", 505), ("HTTP/0.9", 505)):
            self.refuse(f"GET /healthz {start}\r\nHost: x\r\n\r\n".encode(), status, 400)
        self.refuse(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, 400)

    def test_foreign_upgrades(self):
        """h2c, and CVE-2025-11677: a later request on a connection names an unknown upgrade."""
        for upgrade in (["Upgrade: foo"], ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIA"],
                        ["Upgrade: HTTP/2.0"], ["Upgrade: TLS/1.0"], ["Upgrade: websocket"]):
            for before in range(3):
                for target in ("/healthz", "/v1/sync"):
                    head = self.request(
                        *upgrade, "Connection: Upgrade", method="GET", target=target)
                    self.refuse(head, 400, 426, before=self.request(method="GET") * before)

    def test_a_web_socket_swallows_what_follows(self):
        """What stands behind a right upgrade are frames: as such a request is nonsense."""
        channel, canary = self.canary()
        with self.client() as client:
            client.send(client.upgrade_request() + canary)
            self.assertEqual(client.answer().status, 101)
            self.assertEqual(client.close_code(), 1002)
        self.assertEqual(self.published(channel), 0)

    def test_a_refused_upgrade_swallows_what_follows(self):
        """Also what a frame would be: a proxy that believes in a tunnel passes anything on."""
        for line in ("Sec-WebSocket-Version: 12", "Content-Length: 5", "Transfer-Encoding: chunked",
                     "Origin: https://evil.example"):
            with self.client() as client:
                head = client.upgrade_request(line)
            self.refuse(head, 400, 403, 426)

    # Pipelines

    def test_pipelined_requests_are_answered_in_order(self):
        channels = []
        with self.client() as client:
            batch = b""
            for _ in range(50):
                channel, canary = self.canary()
                channels.append(channel)
                body = b"GET /nowhere HTTP/1.1\r\n\r\n"
                batch += canary + self.request(
                    f"Content-Length: {len(body)}", method="GET", target="/readyz") + body
            client.send(batch)
            for _ in range(50):
                self.assertEqual(client.answer().json()[1], "Sent")
                self.assertEqual(client.answer().body, b"ready\n")
        self.assertEqual({self.published(it) for it in channels}, {1})

    def test_nothing_is_read_behind_a_last_request(self):
        for line in ("Connection: close", "Connection: keep-alive, close"):
            channel, canary = self.canary()
            with self.subTest(line), self.client() as client:
                client.send(self.request(line, method="GET") + canary)
                self.assertEqual(client.rest().count(b"HTTP/1.1 "), 1)
                self.assertEqual(self.published(channel), 0)

    def test_a_session_after_pipelined_requests(self):
        with self.client() as client:
            channel, canary = self.canary()
            client.send(canary * 2 + client.upgrade_request() + frame(PING, b"x"))
            self.assertEqual([client.answer().status for _ in range(3)], [200, 200, 101])
            self.assertEqual(client.frame(), (PONG, b"x"))
        self.assertEqual(self.published(channel), 2)


if __name__ == "__main__":
    unittest.main()
