"""PubNub's door as browsers, proxies and vandals use it: the documented answer, and at once."""

import json
import time
import unittest
import zlib

from pubnub.models.consumer.v3.channel import Channel

from raw import Ended
from rest import quoted
from sdk import PubNubTestCase

#: A path of each of PubNub's areas.
PATHS = (
    "/time/0", "/publish/pub/sub/0/room/0/1", "/signal/pub/sub/0/room/0/1",
    "/v2/subscribe/sub/room/0", "/v2/presence/sub-key/sub", "/v2/presence/sub-key/sub/channel/a",
    "/v1/message-actions/sub/channel/room", "/v2/history/sub-key/sub/channel/room",
    "/v3/history/sub-key/sub/channel/room", "/v3/history-with-actions/sub-key/sub/channel/room",
    "/v3/history/sub-key/sub/message-counts/room?timetoken=1",
    "/v1/channel-registration/sub-key/sub/channel-group/team")

#: Whose pages may ask.
PAGE = "http://localhost:3000"


class Door(PubNubTestCase):
    """Each test leaves a daemon that serves the next request."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.web = self.rest(self.daemon)
        self.addCleanup(self.check_that_it_lives)

    def check_that_it_lives(self):
        self.assertTrue(self.daemon.is_running)
        with self.rest(self.daemon) as web:
            (now,) = web.ok("/time/0")
            self.assertLess(abs(now / 1e7 - time.time()), 60)

    def raw(self, method, target, *headers, body=b""):
        """One request of a page; on a new connection if the last one was closed."""
        http = self.web.http
        http.send(http.request(method, target, f"Origin: {PAGE}", *headers, body=body))
        answer = http.answer(has_body=method != "HEAD")
        self.check_cors(answer)
        if answer.headers.get("connection", "").lower() == "close":
            self.assertEqual(http.rest(), b"", "Closed as it said.")
            self.web = self.rest(self.daemon)
        else:
            self.assertEqual(self.web.get("/time/0").status, 200, "Usable as it said.")
        return answer

    def check_cors(self, answer):
        """The page that asked may read it, and no other."""
        self.assertEqual(answer.headers["vary"], "Origin", answer)
        self.assertEqual(answer.headers.get("access-control-allow-origin"), PAGE, answer)

    def check_status(self, answer):
        """JavaScript takes the body's status for the response's."""
        body = answer.json()
        if isinstance(body, list):
            self.assertEqual(body[0], 0)
        else:
            self.assertEqual(body.get("status", answer.status), answer.status)

    # What is right

    def test_headers_of_answers(self):
        for path in PATHS:
            with self.subTest(path):
                answer = self.raw("GET", path)
                self.assertEqual(answer.status, 200, answer)
                self.assertRegex(answer.headers["content-type"], "^text/javascript")
                self.assertEqual(answer.headers["cache-control"], "no-cache")
                self.assertEqual(answer.headers["access-control-expose-headers"], "*")
                json.loads(answer.body)

    def test_a_browsers_question(self):
        """Any path, no key needed: a preflight carries none."""
        for path in (*PATHS, "/v1/message-actions/sub/channel/room/message/17",
                     "/v2/objects/sub/uuids/ada", "/v1/message-actions/x/y"):
            with self.subTest(path):
                answer = self.raw(
                    "OPTIONS", path, "Access-Control-Request-Method: DELETE",
                    "Access-Control-Request-Headers: content-type,content-encoding")
                self.assertIn(answer.status, (200, 204))
                methods = answer.headers["access-control-allow-methods"]
                for method in ("GET", "POST", "PATCH", "DELETE", "OPTIONS"):
                    self.assertIn(method, methods)
                headers = answer.headers["access-control-allow-headers"].lower()
                for header in ("content-type", "content-encoding", "accept", "if-match"):
                    self.assertIn(header, headers)
                self.assertGreater(int(answer.headers["access-control-max-age"]), 0)

    def test_head(self):
        for path in PATHS:
            with self.subTest(path):
                answer = self.raw("HEAD", path)
                self.assertIn(answer.status, (200, 405))

    def test_fifty_requests_on_one_connection(self):
        kept = self.web.http
        for number in range(50):
            path = PATHS[number % len(PATHS)]
            self.assertEqual(self.raw("GET", path).status, 200, path)
        self.assertIs(self.web.http, kept, "It was never closed.")
        for _ in range(5):
            added = self.web.add("room", 1700, "👍").json()["data"]
            self.assertEqual(
                self.web.remove("room", 1700, added["actionTimetoken"]).status, 200)
        self.assertIs(self.web.http, kept)

    def test_keep_alive_after_polls(self):
        """A poll that waited leaves the connection as good as new."""
        other = self.rest(self.daemon)
        cursor = other.ok("/v2/subscribe/{sub}/room/0")["t"]["t"]
        for number in range(20):
            http = self.web.http
            http.send(http.request("GET", f"/v2/subscribe/sub/room/0?tt={cursor}"))
            other.publish("room", number)
            body = http.answer().json()
            self.assertEqual([it["d"] for it in body["m"]], [number])
            cursor = body["t"]["t"]
            self.assertEqual(self.web.get("/time/0").status, 200)

    def test_long_urls_that_are_fine(self):
        """A message of 32 KiB fits into a GET."""
        text = "x" * 32766
        poll = self.poll(self.daemon, "bob", "room")
        self.web.publish("room", text)
        self.assertEqual([it["d"] for it in poll.turn()], [text])

    def test_a_literal_plus_and_odd_queries(self):
        poll = self.poll(self.daemon, "bob", "room")
        answer = self.raw(
            "GET", "/publish/pub/sub/0/room/0/1?uuid=a+b&meta=%22c+d%22&ee&&x=1&x=2&=y&l_pub=0.1")
        self.assertEqual(answer.status, 200)
        (event,) = poll.turn()
        self.assertEqual((event["i"], event["u"]), ("a+b", "c+d"))

    def test_without_a_user(self):
        """Nobody in particular may do what needs no name."""
        for path in PATHS:
            with self.subTest(path):
                answer = self.raw("GET", path)
                self.assertEqual(answer.status, 200, answer)

    def test_a_peer_that_has_said_all_gets_its_answers(self):
        """It ends its half of the connection: a write is answered all the same, like a question."""
        requests = {
            "publish": ("GET", "/publish/pub/sub/0/room/0/1"),
            "history": ("GET", "/v2/history/sub-key/sub/channel/room"),
            "an action": ("POST", "/v1/message-actions/sub/channel/room/message/17?uuid=ada"),
            "here now": ("GET", "/v2/presence/sub-key/sub/channel/room"),
            "the time": ("GET", "/time/0")}
        action = json.dumps({"type": "reaction", "value": "👍"}).encode()
        for name, (method, target) in requests.items():
            body = action if method == "POST" else b""
            headers = [f"Content-Length: {len(body)}"] if body else []
            with self.subTest(name), self.rest(self.daemon) as web:
                web.http.send(web.http.request(method, target, *headers, body=body))
                web.http.finish()
                self.assertEqual(web.http.answer().status, 200)
                self.assertEqual(web.http.rest(), b"")
        with self.subTest("many at once"), self.rest(self.daemon) as web:
            web.http.send(web.http.request("GET", "/publish/pub/sub/0/room/0/2") * 50)
            web.http.finish()
            for _ in range(50):
                self.assertEqual(web.http.answer().status, 200)
            self.assertEqual(web.http.rest(), b"")
        counted = self.web.ok("/v3/history/sub-key/{sub}/message-counts/room", {"timetoken": 0})
        self.assertEqual(counted["channels"], {"room": 51})

    def test_a_poll_whose_peer_has_left_is_forgotten(self):
        with self.rest(self.daemon) as web:
            cursor = web.ok("/v2/subscribe/{sub}/room/0")["t"]["t"]
            web.http.send(web.http.request("GET", f"/v2/subscribe/sub/room/0?tt={cursor}"))
            web.http.finish()
            self.assertEqual(web.http.rest(), b"")

    def test_a_target_in_absolute_form(self):
        """As proxies are sent it."""
        answer = self.raw("GET", "http://127.0.0.1/publish/pub/sub/0/a%2Fb/0/1?uuid=ada")
        self.assertEqual(answer.status, 200)
        (item,) = self.web.ok("/v3/history/sub-key/{sub}/channel/a%2Fb", {"include_uuid": "true"})[
            "channels"]["a/b"]
        self.assertEqual((item["message"], item["uuid"]), (1, "ada"))

    def test_an_error_without_a_body(self):
        """To a HEAD, however early it is refused."""
        for headers, status in (
                (["Host: b"], 400), (["Transfer-Encoding: chunked"], 411),
                (["Content-Length: 99999999"], 413), (["Connection: Upgrade", "Upgrade: x"], 426)):
            with self.subTest(status), self.rest(self.daemon) as web:
                web.http.send(web.http.request("HEAD", "/time/0", *headers))
                self.assertEqual(web.http.answer(has_body=False).status, status)
                self.assertEqual(web.http.rest(), b"")

    # What is wrong

    def test_a_zero_in_a_header(self):
        with self.rest(self.daemon) as web:
            web.http.send(web.http.request("GET", "/time/0", "A: \0"))
            self.assertEqual(web.http.answer().status, 400)
            self.assertEqual(web.http.rest(), b"")

    def test_what_needs_a_user(self):
        """Nobody is present nowhere: what was asked cannot be done, and it says so."""
        for what in ("heartbeat", "leave"):
            answer = self.raw("GET", f"/v2/presence/sub-key/sub/channel/room/{what}")
            self.assertEqual((answer.status, answer.json()), (400, {
                "status": 400, "error": 1, "service": "Presence",
                "message": "The uuid is missing: say in the query who you are, as uuid=NAME."}))

    def test_a_time_to_live_below_zero(self):
        """It is no way round the keyset's own: with 0 a message is kept for ever."""
        answer = self.raw("GET", "/publish/pub/sub/0/room/0/1?ttl=-1")
        self.assertEqual((answer.status, answer.json()[:2]), (
            400, [0, "Invalid Arguments: ttl must be hours, 0 or more."]))
        self.assertEqual(self.web.ok("/v2/history/sub-key/{sub}/channel/room"), [[], 0, 0])

    def test_names_that_no_door_takes(self):
        for name in ("a\nb", "\x7f", "\x85", "x" * 256, "a,b"):
            with self.subTest(name):
                for path in (f"/publish/pub/sub/0/{quoted(name)}/0/1",
                             f"/v3/history/sub-key/sub/channel/room,{quoted(name)}",
                             f"/v2/subscribe/sub/room,{quoted(name)}/0"):
                    self.assertEqual(self.raw("GET", path).status, 400, path)

    def test_json_that_is_too_deep(self):
        for text, status in (("[" * 32 + "]" * 32, 200), ("[" * 33 + "]" * 33, 400)):
            answer = self.raw("GET", f"/publish/pub/sub/0/room/0/{quoted(text)}")
            self.assertEqual(answer.status, status)
        self.assertEqual(answer.json()[1], "The JSON has more than 32 levels of nesting.")

    def test_paths_that_are_none(self):
        for path in ("/v2/subscribe/sub/room", "/v2/subscribe/sub/room/0/x", "/publish/pub/sub",
                     "/v1/message-actions/sub", "/v3/history/sub-key", "/v2/subscribe//room/0",
                     "/time", "/time/1"):
            with self.subTest(path):
                answer = self.raw("GET", path)
                self.assertIn(answer.status, (400, 404))
                self.check_status(answer)

    def test_methods_that_are_none(self):
        for method, path in (
                ("POST", "/time/0"), ("DELETE", "/publish/pub/sub/0/room/0/1"),
                ("PUT", "/v1/message-actions/sub/channel/room/message/17"),
                ("GET", "/v1/message-actions/sub/channel/room/message/17"),
                ("POST", "/v2/subscribe/sub/room/0"),
                ("PATCH", "/v3/history/sub-key/sub/channel/room"),
                ("POST", "/v2/presence/sub-key/sub/channel/a/leave")):
            with self.subTest(method=method, path=path):
                answer = self.raw(method, path, "Content-Length: 0")
                self.assertIn(answer.status, (404, 405))
                self.check_status(answer)

    def test_percent_encoding_that_is_broken(self):
        for path in ("/publish/pub/sub/0/room/0/%", "/publish/pub/sub/0/ro%zzom/0/1",
                     "/v2/subscribe/sub/%ff%fe/0", "/v2/subscribe/sub/room/0?uuid=%c3",
                     "/v1/message-actions/sub/channel/%e2%28%a1", "/v2/subscribe/sub/room/0?tt=%1",
                     "/v2/presence/sub-key/sub/channel/a/heartbeat?state=%"):
            with self.subTest(path):
                answer = self.raw("GET", path)
                self.assertEqual(answer.status, 400, answer)
                answer.json()

    def test_json_that_is_broken(self):
        cases = (
            ("POST", "/publish/pub/sub/0/room/0", b"{", 400),
            ("POST", "/publish/pub/sub/0/room/0", b"", 400),
            ("POST", "/publish/pub/sub/0/room/0", b"\xff\xfe", 400),
            ("POST", "/publish/pub/sub/0/room/0", b"[" * 5000, 400),
            ("GET", f"/publish/pub/sub/0/room/0/1?meta={quoted('{')}", b"", 400),
            ("GET", f"/v2/subscribe/sub/room/0?state={quoted('{')}", b"", 400),
            ("POST", "/v1/message-actions/sub/channel/room/message/17", b"{", 415))
        for method, path, body, status in cases:
            with self.subTest(path=path, body=body[:10]):
                answer = self.raw(method, path, f"Content-Length: {len(body)}", body=body)
                self.assertEqual(answer.status, status, answer)
                answer.json()

    def test_urls_of_40_kib(self):
        for path in ("/publish/pub/sub/0/room/0/" + quoted(json.dumps("x" * 50_000)),
                     "/v2/subscribe/sub/" + "c," * 22_000 + "/0",
                     "/v2/subscribe/sub/room/0?uuid=" + "u" * 45_000):
            with self.subTest(path[:40]), self.rest(self.daemon) as web:
                web.http.send(web.http.request("GET", path, f"Origin: {PAGE}"))
                answer = web.http.answer()
                # Whose page it is stands behind what is not read.
                self.assertNotIn("access-control-allow-origin", answer.headers)
                self.assertEqual(answer.status, 414, answer)
                self.assertEqual(answer.json(), {
                    "message": "Request URI Too Long", "error": True, "service": "Balancer",
                    "status": 414})
                self.assertEqual(answer.headers.get("connection", "").lower(), "close")
                self.assertEqual(web.http.rest(), b"")

    def test_compressed_bombs(self):
        """Ten megabytes of one letter in ten kilobytes: refused, and never held in memory."""
        bomb = zlib.compress(b'"' + b"x" * 10_000_000 + b'"', 9)
        squeeze = zlib.compressobj(9, wbits=31)
        gzip = squeeze.compress(b"\0" * 30_000_000) + squeeze.flush()
        before = self.daemon.resident_bytes()
        for body in (bomb, gzip):
            for _ in range(20):
                answer = self.raw("POST", "/publish/pub/sub/0/room/0",
                                  f"Content-Length: {len(body)}", "Content-Encoding: gzip",
                                  body=body)
                self.assertEqual((answer.status, answer.json()[:2]),
                                 (400, [0, "Message Too Large"]))
        # Held, they would be 800 MB; AddressSanitizer alone keeps 20 of what was freed.
        self.assertLess(self.daemon.resident_bytes() - before, 60_000_000)

    def test_compressed_bodies_that_are_broken(self):
        whole = zlib.compress(b'"hello, hello, hello"')
        for body in (whole[:-5], whole[:10], b"\x1f\x8b", b"\x78\x9c" + b"garbage" * 10,
                     whole + b"more"):
            with self.subTest(body[:4]):
                answer = self.raw("POST", "/publish/pub/sub/0/room/0",
                                  f"Content-Length: {len(body)}", "Content-Encoding: gzip",
                                  body=body)
                self.assertEqual((answer.status, answer.json()[0]), (400, 0), answer)

    def test_bodies_that_are_too_large(self):
        """Refused before they are read: the connection may end, but not without an answer."""
        for path in ("/publish/pub/sub/0/room/0",
                     "/v1/message-actions/sub/channel/room/message/17"):
            with self.subTest(path), self.rest(self.daemon) as web:
                web.http.send(web.http.request(
                    "POST", path, f"Origin: {PAGE}", "Content-Length: 5000000"))
                answer = web.http.answer()
                self.check_cors(answer)
                self.assertIn(answer.status, (400, 413), answer)
                self.check_status(answer)

    def test_bodies_that_never_come(self):
        with self.rest(self.daemon) as other:
            other.http.send(other.http.request(
                "POST", "/publish/pub/sub/0/room/0", "Content-Length: 100", body=b'"half'))
            other.http.finish()
            try:
                answer = other.http.answer()
                self.assertGreaterEqual(answer.status, 400)
            except Ended:
                pass
        self.assertEqual(self.web.ok("/v2/history/sub-key/{sub}/channel/room"), [[], 0, 0])

    def test_the_sdk_makes_clear_errors_of_what_is_not_here(self):
        sdk = self.client(self.daemon, "ada", secret_key="sec").sdk
        with self.sdk_refused(403, "not enabled"):
            sdk.list_files("room").sync()
        # A tenant without a secret key has nobody who could sign.
        with self.sdk_refused(403, "secret_key"):
            sdk.grant_token(channels=[Channel.id("room").read()], ttl=15).sync()
        with self.sdk_refused(403, "secret_key"):
            sdk.revoke_token("token").sync()

    def test_the_time(self):
        now = self.client(self.daemon, "ada").sdk.time().sync().result
        self.assertLess(abs(int(now) / 1e7 - time.time()), 60)
        self.assertRegex(self.web.get("/time/0").body, rb"^\[\d{17}\]$")


if __name__ == "__main__":
    unittest.main()
