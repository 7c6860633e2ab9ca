"""RFC 6455 whole: each case of the tables, in one segment and byte by byte, against the daemon."""

import json
import re
import struct
import unittest

import rfc6455_cases
from case import DaemonTestCase
from daemon import SANITIZED
from raw import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Ended, RawClient, frame

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


class Frames(DaemonTestCase):
    """Each case on a session of its own; another session must not notice any."""

    @classmethod
    def setUpClass(cls):
        cls.counts = {}

    def setUp(self):
        self.daemon = self.start_daemon()
        self.bystander = RawClient(self.daemon.address).hello("eve", "bystander")
        self.addCleanup(self.check_that_it_lives)

    def check_that_it_lives(self):
        with self.bystander:
            self.bystander.command("ping")

    def test_every_case(self):
        for case in rfc6455_cases.everything():
            with self.subTest(case.name):
                self.run_case(case, slowly=False)

    def test_every_case_byte_by_byte(self):
        """Autobahn's chopped variants: 1.1.8, 2.6, 2.11, 5.5, 5.8, 5.11, 5.14, 5.20."""
        for case in rfc6455_cases.everything():
            if sum(len(data) for data, _ in case.steps) < 1000:
                with self.subTest(case.name):
                    self.run_case(case, slowly=True)

    def run_case(self, case, slowly):
        with RawClient(self.daemon.address) as client:
            client.hello("ada", "case")
            for data, expected in case.steps:
                (client.send_slowly if slowly else client.send)(data)
                if isinstance(expected, int):
                    return self.check_close(client, expected)
                for each in expected:
                    self.check_answer(client, each)
            # What was right leaves a session that goes on.
            client.send(frame(CLOSE, struct.pack("!H", 1000)))
            self.check_close(client, 1000)
        return None

    def check_answer(self, client, expected):
        """A frame as it is, or the reply to the command with this id, or to what has none."""
        opcode, payload = client.frame()
        if isinstance(expected, tuple):
            self.assertEqual((opcode, payload), expected)
            return
        self.assertEqual(opcode, TEXT, payload)
        message = json.loads(payload)
        self.assertEqual(message["id"], expected, message)
        self.assertEqual("error" if expected is None else "ok", list(message)[1], message)

    def check_close(self, client, code):
        """One close frame, right in form, and then the end and nothing else."""
        opcode, payload = client.frame()
        self.assertEqual(opcode, CLOSE, payload)
        if code == 1005:
            self.assertEqual(payload, b"")
        else:
            self.assertEqual(struct.unpack("!H", payload[:2])[0], code, payload)
            payload[2:].decode()
        # A client that did not begin it answers, and neither waits for a RST.
        client.send(frame(CLOSE, struct.pack("!H", 1000)))
        self.assertEqual(client.rest(), b"")

    def test_nothing_is_executed_after_a_violation(self):
        with RawClient(self.daemon.address) as client:
            client.hello()
            text = json.dumps({"id": 9, "op": "publish", "channel": "after", "payload": 1}).encode()
            client.send(frame(TEXT, b"x", masked=False) + frame(TEXT, text))
            self.check_close(client, 1002)
        with RawClient(self.daemon.address) as client:
            client.hello()
            client.send(frame(CLOSE) + frame(TEXT, text))
            self.check_close(client, 1005)
        self.assertEqual(self.bystander.command("history", channel="after")["messages"], [])

    def test_an_unmasked_session_is_over_before_it_says_hello(self):
        with RawClient(self.daemon.address) as client:
            client.upgrade()
            client.send(frame(TEXT, client.command_text("hello"), masked=False))
            self.check_close(client, 1002)

    def test_each_close_for_a_mistake_is_counted_once(self):
        mistakes = {
            1002: frame(TEXT, b"{}", masked=False),
            1003: frame(BINARY, b"x"),
            1007: frame(TEXT, b"\xff"),
            1008: frame(TEXT, b"a", fin=False) + frame(CONTINUATION, b"a", fin=False) * 128,
            1009: frame(TEXT, b"x" * 33_000),
        }
        for code, data in mistakes.items():
            with RawClient(self.daemon.address) as client:
                client.hello("ada", f"case-{code}")
                client.send(data)
                self.check_close(client, code)
        with RawClient(self.daemon.address) as client:
            text = client.get("/metrics").body.decode()
        counted = re.findall(r'^syncdaemon_closes_total\{code="(\d+)"\} (\d+)$', text, re.M)
        self.assertEqual(dict(counted), {str(code): "1" for code in mistakes})

    def test_a_flood_of_pings_is_answered_by_the_newest(self):
        """RFC 6455 5.5.3; whoever does not read costs no memory, and nobody else time."""
        with RawClient(self.daemon.address, receive_buffer=4096) as client:
            client.hello()
            flood = b"".join(frame(PING, b"%120d" % n) for n in range(1000))
            before = self.daemon.resident_bytes()
            for _ in range(50):
                client.send(flood)
                self.bystander.command("ping")
            client.send(frame(PING, b"last"))
            while (answer := client.frame()) != (PONG, b"last"):
                self.assertEqual(answer[0], PONG)
            # AddressSanitizer keeps what was freed.
            if not SANITIZED:
                self.assertLess(self.daemon.resident_bytes() - before, 16 * 1024 * 1024)

    def test_a_close_of_the_daemon_waits_for_its_answer(self):
        with RawClient(self.daemon.address) as client:
            client.hello()
            self.daemon.terminate()
            opcode, payload = client.frame()
            self.assertEqual((opcode, payload[:2]), (CLOSE, struct.pack("!H", 1001)))
            client.send(frame(PING, b"unanswered") + frame(CLOSE, payload[:2]))
            self.assertEqual(client.rest(), b"")
        self.assertEqual(self.daemon.wait(), 0)
        self.daemon.start()
        self.bystander.socket.close()
        self.bystander = RawClient(self.daemon.address).hello("eve", "bystander")


class Handshake(DaemonTestCase):
    """RFC 6455, section 4.2: every rule at the upgrade, before anything is a frame."""

    RIGHT = {
        "Host": ["localhost"], "Upgrade": ["websocket"], "Connection": ["Upgrade"],
        "Sec-WebSocket-Key": [KEY], "Sec-WebSocket-Version": ["13"]}

    def setUp(self):
        self.daemon = self.start_daemon()

    def request(self, changes=None, start="GET /v1/sync HTTP/1.1", end="\r\n"):
        headers = self.RIGHT | (changes or {})
        lines = [start] + [f"{name}: {it}" for name, values in headers.items() for it in values]
        return (end.join(lines) + end * 2).encode()

    def answer(self, request, client):
        client.send(request)
        return client.answer()

    def refuse(self, status, request):
        """One answer with this status, and the end; what follows is neither frame nor request."""
        with RawClient(self.daemon.address) as client:
            client.send(request + frame(PING, b"x") + client.request("GET", "/healthz"))
            answer = client.answer()
            self.assertEqual(answer.status, status, answer)
            self.assertEqual(answer.headers["connection"], "close")
            self.assertIn("error", answer.json())
            self.assertEqual(client.rest(), b"")
            return answer

    def test_the_accept_of_the_rfc(self):
        with RawClient(self.daemon.address) as client:
            answer = self.answer(self.request(), client)
            self.assertEqual(answer.status, 101)
            self.assertEqual(answer.headers, {
                "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-accept": ACCEPT})

    def test_what_is_right_in_other_words(self):
        for changes in (
                {"Upgrade": ["WebSocket"]}, {"Upgrade": ["foo, websocket"]},
                {"Upgrade": ["foo", "WEBSOCKET"]}, {"Connection": ["keep-alive, Upgrade"]},
                {"Connection": ["keep-alive", "uPGRADE"]}, {"Content-Length": ["0"]},
                {"Sec-WebSocket-Version": [" 13\t"]},
                {"Sec-WebSocket-Extensions": ["permessage-deflate; client_max_window_bits"]}):
            with self.subTest(changes), RawClient(self.daemon.address) as client:
                answer = self.answer(self.request(changes), client)
                self.assertEqual(answer.status, 101)
                self.assertNotIn("sec-websocket-extensions", answer.headers)
                client.send(frame(PING, b"x"))
                self.assertEqual(client.frame(), (PONG, b"x"))

    def test_versions(self):
        for values in (["8"], ["0"], ["99"], ["x"], [""], [], ["13, 8"], ["13", "13"], ["+13"]):
            with self.subTest(values):
                answer = self.refuse(426, self.request({"Sec-WebSocket-Version": values}))
                self.assertEqual(answer.headers["sec-websocket-version"], "13")
                self.assertEqual(answer.headers["upgrade"], "websocket")

    def test_keys(self):
        for values in ([], [""], ["x"], [KEY, KEY], [KEY[:-1]], [KEY + "="], ["A" * 24],
                       [KEY.replace("Z", "!", 1)], [f"{KEY},{KEY}"], ["AAAA"], [KEY * 2]):
            with self.subTest(values):
                self.refuse(400, self.request({"Sec-WebSocket-Key": values}))

    def test_hosts(self):
        for values in ([], ["x", "x"], ["x", "y"], ["x, y"], ["x y"], ["http://x/"], ["u@x"]):
            with self.subTest(values):
                self.refuse(400, self.request({"Host": values}))

    def test_http_versions(self):
        """RFC 9110 7.8: an Upgrade in HTTP/1.0 is not one, so this is a GET of a WebSocket."""
        self.refuse(426, self.request(start="GET /v1/sync HTTP/1.0"))
        self.refuse(505, self.request(start="GET /v1/sync HTTP/2.0"))
        self.refuse(400, self.request(start="GET /v1/sync"))

    def test_a_body_is_never_read_as_frames(self):
        for changes in (
                {"Content-Length": ["5"]}, {"Content-Length": ["6"]}, {"Content-Length": ["-1"]},
                {"Content-Length": ["0", "0"]}, {"Transfer-Encoding": ["chunked"]},
                {"Transfer-Encoding": ["identity"]}, {"Transfer-Encoding": [""]}):
            with self.subTest(changes):
                self.refuse(400, self.request(changes))

    def test_lines(self):
        right = self.request()
        for name, request in {
                "LF": self.request(end="\n"),
                "LF once": right.replace(b"localhost\r\n", b"localhost\n"),
                "LF at the end": right[:-2] + b"\n",
                "obs-fold": right.replace(b"Upgrade: web", b"Upgrade:\r\n web"),
                "NUL": right.replace(b"Host: localhost", b"Host: localhost\0"),
                "NUL in the key": right.replace(KEY[:3].encode(), b"\0" * 3),
                "bare CR": right.replace(b"Host: localhost", b"Host: localhost\rX: y"),
                "space before the colon": right.replace(b"Upgrade:", b"Upgrade :")}.items():
            with self.subTest(name):
                self.refuse(400, request)

    def test_other_methods_and_paths(self):
        for start in ("POST /v1/sync", "GETT /v1/sync", "GET /", "GET /v1/sync/", "GET /v1/Sync",
                      "GET /%761/sync", "OPTIONS /v1/sync"):
            with self.subTest(start):
                status = 405 if start.startswith("GETT") else 426
                self.refuse(status, self.request(start=f"{start} HTTP/1.1"))

    def test_queries(self):
        for query in ("?userId=%", "?userId=%4", "?userId=%zz", "?%", "?userId=%00", "?a=b&%00"):
            with self.subTest(query):
                self.refuse(400, self.request(start=f"GET /v1/sync{query} HTTP/1.1"))
        for query in ("?userId=a%2Bb+c&deviceId=d", "?&&deviceId=d&userId=a%2bb%20c&x=%ff&userId=e"):
            with self.subTest(query), RawClient(self.daemon.address) as client:
                start = f"GET http://localhost/v1/sync{query} HTTP/1.1"
                self.assertEqual(self.answer(self.request(start=start), client).status, 101)
                self.assertIn("session", client.message()["ok"])

    def test_frames_behind_the_request(self):
        """In the same packets; a client should wait for the answer, and some do not."""
        for count in (1, 10, 100):
            with self.subTest(count), RawClient(self.daemon.address) as client:
                hello = client.command_text("hello", userId="ada", deviceId="eager")
                pings = [client.command_text("ping", note="x" * 300) for _ in range(count)]
                client.send(client.upgrade_request()
                            + b"".join(frame(TEXT, it) for it in [hello, *pings]))
                self.assertEqual(client.answer().status, 101)
                answered = {client.message()["id"] for _ in range(count + 1)}
                self.assertEqual(answered, set(range(1, count + 2)))

    def test_after_other_requests(self):
        with RawClient(self.daemon.address) as client:
            client.send(client.request() * 3 + self.request() + frame(PING, b"x"))
            self.assertEqual([client.answer().status for _ in range(4)], [200] * 3 + [101])
            self.assertEqual(client.frame(), (PONG, b"x"))

    def test_a_refused_page_is_told(self):
        self.refuse(403, self.request({"Origin": ["https://evil.example"]}))
        self.refuse(400, self.request({"Origin": ["http://localhost", "https://evil.example"]}))

    def test_a_client_that_leaves_during_the_handshake(self):
        for end in (20, 60, -3, -1):
            with RawClient(self.daemon.address) as client:
                client.send(self.request()[:end])
                client.finish()
                with self.assertRaises(Ended):
                    client.take(1)


if __name__ == "__main__":
    unittest.main()
