"""HTTP as strangers, proxies and attackers speak it: refused clearly, and never misread."""

import unittest

from case import DaemonTestCase
from raw import Ended, RawClient


#: One line of Prometheus' text format.
SAMPLE = r'^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="[^"]*",?)*\})? \S+$'


class HTTP(DaemonTestCase):
    """Each test leaves a daemon that still answers, in the same process."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.addCleanup(self.check_that_it_lives)

    def check_that_it_lives(self):
        self.assertTrue(self.daemon.is_running)
        with self.client() as client:
            self.assertEqual(client.get("/healthz").status, 200)
        with self.client() as client:
            client.hello().command("ping")

    def client(self):
        return RawClient(self.daemon.address)

    def refuse(self, request, *statuses, client=None):
        """Sends bytes that must get one error, or nothing, and then the end of the connection."""
        with client or self.client() as client:
            client.send(request)
            text = client.rest()
        answers = text.count(b"HTTP/1.")
        self.assertLessEqual(answers, 1, f"Two requests were read from {request[:200]!r}: {text}")
        if statuses:
            self.assertEqual(answers, 1, f"No HTTP error for {request[:200]!r}: {text!r}")
        if answers:
            status = int(text.split()[1])
            self.assertTrue(400 <= status < 600, text)
            if statuses:
                self.assertIn(status, statuses, text)
        return text

    # What operators ask

    def test_health_readiness_and_metrics(self):
        with self.client() as client:
            for target in ("/healthz", "/readyz"):
                answer = client.get(target)
                self.assertEqual(answer.status, 200, answer)
                self.assertTrue(answer.body, answer)

    def test_who_is_refused_at_the_door_is_counted(self):
        head = b"GET /v1/sync HTTP/1.1\r\nHost: localhost\r\n"
        refused = {
            421: b"GET /healthz HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
            403: head + b"Origin: https://elsewhere.example\r\n\r\n",
            400: b"GET / HTTP/1.1\r\nHost: no name\r\n\r\n",
            414: b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
            431: head + b"X-Long: " + b"x" * 70_000 + b"\r\n\r\n",
            413: b"POST /v1/channels/room/messages HTTP/1.1\r\nHost: localhost\r\n"
                 b"Content-Length: 99999999\r\n\r\n",
            426: head + b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
                 b"Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        }
        for status, request in refused.items():
            self.refuse(request, status)
        with self.client() as client:
            text = client.get("/metrics").body.decode()
        for status in refused:
            with self.subTest(status):
                self.assertIn(f'syncdaemon_errors_total{{code="http_{status}"}} 1\n', text)

    def test_metrics_are_prometheus_text(self):
        with self.client() as session, self.client() as client:
            session.hello().command("publish", channel="room", payload=1)
            answer = client.get("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.headers["content-type"].startswith("text/plain"), answer)
        self.assertTrue(answer.body.endswith(b"\n"), "The last line must end.")
        typed, samples = {}, []
        for line in answer.body.decode().splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, typed, "A name has one type.")
                self.assertIn(kind, ("counter", "gauge", "histogram", "summary"))
                typed[name] = kind
            elif line and not line.startswith("#"):
                self.assertRegex(line, SAMPLE)
                samples.append(line)
                float(line.rsplit(" ", 1)[1].replace("+Inf", "inf"))
        names = {line.split("{")[0].split(" ")[0] for line in samples}
        for name in names:
            family = name
            for suffix in ("_bucket", "_sum", "_count"):
                if family not in typed:
                    family = name.removesuffix(suffix)
            self.assertIn(family, typed, f"{name} has no type.")
        self.assertEqual(len({line.rsplit(" ", 1)[0] for line in samples}), len(samples))
        self.assertTrue(all(name.startswith(("syncdaemon_", "process_")) for name in names), names)

    def test_other_methods_are_refused(self):
        for target in ("/healthz", "/readyz", "/metrics"):
            for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
                with self.subTest(method=method, target=target), self.client() as client:
                    extra = ["Content-Length: 0"] if method in ("POST", "PUT") else []
                    self.assertEqual(client.get(target, *extra, method=method).status, 405)

    def test_head_is_get_without_a_body(self):
        """Or it is refused; but never a body, which the next response would start with."""
        for target in ("/healthz", "/readyz", "/metrics", "/nowhere"):
            with self.subTest(target), self.client() as client:
                status = 404 if target == "/nowhere" else 200
                answer = client.get(target, method="HEAD")
                self.assertIn(answer.status, (status, 405))
                if answer.headers.get("connection") != "close":
                    self.assertEqual(client.get("/healthz").status, 200)
                self.assertEqual(client.buffer, b"")

    def test_unknown_paths(self):
        for target in ("/", "/v1", "/v1/sync2", "/v1/sync/", "/healthz/x", "/%2e%2e/etc/passwd",
                       "/../../etc/passwd", "//healthz/", "/v2/sync?x=1"):
            with self.subTest(target), self.client() as client:
                self.assertEqual(client.get(target).status, 404)

    def test_the_session_path_without_an_upgrade(self):
        with self.client() as client:
            answer = client.get("/v1/sync")
            self.assertIn(answer.status, (400, 404, 426), answer)

    def test_keep_alive(self):
        with self.client() as client:
            for _ in range(20):
                self.assertEqual(client.get("/healthz").status, 200)
            self.assertEqual(client.get("/nowhere").status, 404)

    def test_pipelined_requests(self):
        """Several requests in one segment: each is answered, in order, or the rest is not read."""
        with self.client() as client:
            client.send(b"".join(
                client.request("GET", target) for target in ("/healthz", "/readyz", "/metrics")))
            self.assertEqual([client.answer().status for _ in range(3)], [200, 200, 200])

    def test_a_request_byte_by_byte(self):
        with self.client() as client:
            client.send_slowly(client.request("GET", "/healthz"))
            self.assertEqual(client.answer().status, 200)

    def test_targets_are_taken_as_they_are(self):
        """No target is decoded or tidied on its way: none of these is /healthz."""
        for target in ("/%68ealthz", "//healthz", "/healthz/", "/./healthz", "/x/../healthz",
                       "/healthz;x", "/healthz+", "/healthz%3Fx", "/v1%2Fsync"):
            with self.subTest(target), self.client() as client:
                self.assertEqual(client.get(target).status, 404)
        for target in ("/healthz?a=%2F+//;/../", "/healthz?", "/healthz?" + "x" * 40_000):
            with self.subTest(target[:40]), self.client() as client:
                self.assertEqual(client.get(target).status, 200)

    def test_bodies(self):
        """Only a request's own bytes count, and each is answered in its place."""
        with self.client() as client:
            body = b'{"x": "GET /nowhere HTTP/1.1\\r\\n\\r\\n"}' * 100
            with_body = client.request(
                "GET", "/healthz", f"Content-Length: {len(body)}", body=body)
            client.send((with_body + client.request("GET", "/readyz")) * 10)
            answers = [client.answer().body for _ in range(20)]
            self.assertEqual(answers, [b"ok\n", b"ready\n"] * 10)

    def test_the_largest_body(self):
        with self.client() as client:
            client.send(client.request(
                "GET", "/healthz", f"Content-Length: {64 * 1024}", body=b"x" * 64 * 1024))
            self.assertEqual(client.answer().status, 200)
            client.send(client.request("GET", "/healthz", f"Content-Length: {64 * 1024 + 1}"))
            self.assertEqual(client.answer().status, 413)
            self.assertEqual(client.rest(), b"")

    def test_expect(self):
        with self.client() as client:
            client.send(client.request(
                "GET", "/healthz", "Content-Length: 5", "Expect: 100-continue"))
            self.assertEqual(client.answer().status, 100)
            client.send(b"hello")
            self.assertEqual(client.answer().status, 200)
            client.send(client.request(
                "GET", "/healthz", "Content-Length: 99999999", "Expect: 100-continue"))
            self.assertEqual(client.answer().status, 413)

    def test_http_1_0(self):
        with self.client() as client:
            client.send(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            answer = client.answer()
            self.assertEqual((answer.status, answer.headers["connection"]), (200, "keep-alive"))
            client.send(b"GET /healthz HTTP/1.0\r\n\r\n")
            answer = client.answer()
            self.assertEqual((answer.status, answer.headers["connection"]), (200, "close"))
            self.assertEqual(client.rest(), b"")

    def test_a_refusal_is_read_although_the_peer_still_sends(self):
        """To close at once would reset the connection, and the answer would be lost."""
        with self.client() as client:
            client.send(client.request("POST", "/healthz", "Content-Length: 99999999",
                                       body=b"x" * 200_000))
            self.assertEqual(client.answer().status, 413)

    def test_a_web_socket_on_a_connection_that_had_requests(self):
        with self.client() as client:
            self.assertEqual(client.get("/healthz").status, 200)
            client.hello().command("ping")

    def test_a_peer_that_does_not_read(self):
        """What it sends meanwhile must not keep the daemon busy."""
        with RawClient(self.daemon.address, receive_buffer=4096) as client:
            client.socket.settimeout(0.5)
            with self.assertRaises(TimeoutError):
                while True:
                    client.socket.sendall(client.request("GET", "/metrics") * 100)
            self.assertTrue(self.daemon.rests(), "It spins.")

    def test_a_peer_that_stops_within_the_deciding_bytes(self):
        for start in (b"G", b"GET /v1/syn", b"GET /v1/sync"):
            with self.subTest(start), self.client() as client:
                client.send(start)
                self.assertTrue(self.daemon.rests(), "It spins.")
                client.finish()
                self.assertEqual(client.rest(), b"")

    # Foreign upgrades: CVE-2025-11677 is a use after free in this libwebsockets' HTTP

    def test_foreign_upgrades(self):
        for upgrade in ("foo", "h2c", "HTTP/2.0", "TLS/1.0", "websocket2", "foo, websocket"):
            headers = [f"Upgrade: {upgrade}", "Connection: Upgrade"]
            if upgrade == "h2c":
                headers += ["HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"]
            for earlier in range(3):
                for target in ("/v1/sync", "/healthz"):
                    with self.subTest(upgrade=upgrade, earlier=earlier, target=target):
                        self.refuse_upgrade(headers, earlier, target)

    def refuse_upgrade(self, headers, earlier, target):
        with self.client() as client:
            for _ in range(earlier):
                self.assertEqual(client.get("/healthz").status, 200)
            client.send(client.request("GET", target, *headers))
            try:
                answer = client.answer()
            except Ended:
                return
            self.assertTrue(400 <= answer.status < 600, answer)

    def test_foreign_upgrades_while_others_are_served(self):
        """Freed memory is found when it is used again: so by many at a time."""
        for _ in range(20):
            clients = [self.client() for _ in range(10)]
            for client in clients:
                self.assertEqual(client.get("/healthz").status, 200)
            for client in clients:
                client.send(client.request(
                    "GET", "/v1/sync", "Upgrade: foo", "Connection: Upgrade"))
            for client in clients:
                client.rest()
                client.socket.close()

    def test_http_2_with_prior_knowledge(self):
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
        text = self.refuse(preface)
        self.assertNotIn(bytes.fromhex("04000000000000"), text, "That is a SETTINGS frame.")

    # Bodies: a second request must never be read from inside one

    def test_transfer_encoding(self):
        hidden = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
        for value in ("chunked", "Chunked", "identity", "gzip, chunked", "x", " chunked"):
            for method in ("GET", "POST"):
                for length in ([], [f"Content-Length: {len(hidden)}"]):
                    with self.subTest(value=value, method=method, length=length):
                        client = self.client()
                        self.refuse(client.request(
                            method, "/healthz", f"Transfer-Encoding: {value}", *length,
                            body=b"0\r\n\r\n" + hidden), 400, 411, 501, client=client)

    def test_odd_content_lengths(self):
        odd = [["-1"], ["+5"], ["0x5"], ["5, 5"], ["5,5"], ["5", "5"], ["5", "6"], ["5 5"], ["5x"],
               ["five"], [""], ["1e1"], ["99999999999999999999"], ["9223372036854775808"],
               ["18446744073709551621"], ["4294967301"]]
        for values in odd:
            for method in ("GET", "POST"):
                with self.subTest(values=values, method=method):
                    client = self.client()
                    self.refuse(client.request(
                        method, "/healthz", *(f"Content-Length: {it}" for it in values),
                        body=b"12345" + client.request("GET", "/metrics")), 400, 413,
                        client=client)

    def test_a_body_that_nobody_wants_is_no_request(self):
        """A right Content-Length: the body is passed over or the connection ends, no other way."""
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
            for slowly in (False, True):
                with self.subTest(method, slowly=slowly), self.client() as client:
                    hidden = client.request("GET", "/metrics")
                    whole = client.request(
                        method, "/healthz", f"Content-Length: {len(hidden)}", body=hidden)
                    (client.send_slowly if slowly else client.send)(whole)
                    client.send(client.request("GET", "/nowhere"))
                    client.finish()
                    answers = client.rest()
                    self.assertNotIn(b"# TYPE", answers, "The body was read as a request.")
                    self.assertIn(b"HTTP/1.1 ", answers)

    # Sizes and forms

    def test_a_request_that_is_too_long(self):
        for request in (
                b"GET /" + b"x" * 41 * 1024 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 41 * 1024 + b"\r\n\r\n",
                b"GET /healthz HTTP/1.1\r\n" + b"".join(
                    b"X-%d: %s\r\n" % (n, b"z" * 100) for n in range(500)) + b"\r\n"):
            with self.subTest(request[:40]):
                self.refuse(request, 414, 431)

    def test_long_requests_that_are_allowed(self):
        with self.client() as client:
            self.assertEqual(client.get("/healthz?" + "x" * 30_000).status, 200)
            self.assertEqual(client.get("/healthz", "X-Long: " + "x" * 3_000).status, 200)

    def test_what_is_not_http(self):
        for text in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 100, b"hello\r\n\r\n",
                     b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 50 + b"\x7f\r\n\r\n"):
            with self.subTest(text[:20]), self.client() as client:
                client.send(text)
                client.finish()
                answers = client.rest()
                self.assertNotIn(b" 200 ", answers)


class Origins(DaemonTestCase):
    """A foreign web page must not open a session with a person's own daemon."""

    def test_origins(self):
        daemon = self.start_daemon()
        foreign = [
            "http://example.com", "https://evil.test:8080", "null", "http://127.0.0.1.evil.test",
            "http://localhost.evil.test", "file://", "http://evil.test/127.0.0.1",
            "http://127.0.0.1@evil.test", "http://[::2]:80", "http://[::1",
            "http://[::1].evil.test", "http://localhost@evil.test:80"]
        own = ["http://127.0.0.1:3000", "http://localhost", "https://localhost:8443",
               "http://[::1]:8080", f"http://127.0.0.1:{daemon.port}"]
        for origin in foreign:
            with self.subTest(origin), RawClient(daemon.address) as client:
                client.send(client.upgrade_request(f"Origin: {origin}"))
                self.assertEqual(client.answer().status, 403)
        for origin in own:
            with self.subTest(origin), RawClient(daemon.address) as client:
                client.upgrade(f"Origin: {origin}")

    def test_subprotocols(self):
        """Who offers only what the daemon does not know goes on without one (RFC 6455 4.2.2)."""
        daemon = self.start_daemon()
        for protocol in (None, "mqtt", "sync.v2.json", "sync.v1.jso", "SYNC.v1.json", "http"):
            with self.subTest(protocol), RawClient(daemon.address) as client:
                answer = client.upgrade(protocol=protocol)
                self.assertNotIn("sec-websocket-protocol", answer.headers)
                client.command("hello", userId="ada", deviceId="phone")
        with RawClient(daemon.address) as client:
            answer = client.upgrade(protocol="sync.v2.json, sync.v1.json")
            self.assertEqual(answer.headers["sec-websocket-protocol"], "sync.v1.json")


if __name__ == "__main__":
    unittest.main()
