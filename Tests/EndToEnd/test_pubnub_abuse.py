"""PubNub's door under requests that cost much: whoever asks pays, and nobody else."""

import json
import signal
import time
import unittest

from raw import RawClient
from rest import POLL_EVENTS_MAX
from sdk import PubNubTestCase


class Abuse(PubNubTestCase):
    """Each test was a way to hurt others."""

    def setUp(self):
        self.daemon = self.start_daemon()

    def test_a_flood_of_signals_is_read_in_pages_and_holds_nobody_up(self):
        """Signals are remembered for all tenants: looking through them must lock out none."""
        daemon = self.start_daemon("--commands-per-second", "1000000", configuration="""
            [keyset sub]
            subscribe_key = sub
            [keyset other]
            subscribe_key = other
            """)
        count = 20_000
        with RawClient(daemon.address) as flood:
            request = flood.request("GET", "/signal/pub/sub/0/z/0/1?uuid=f")
            for _ in range(count // 100):
                flood.send(request * 100)
                for _ in range(100):
                    self.assertEqual(flood.answer().status, 200)
        names = ",".join(f"q{number}" for number in range(1999)) + ",z"
        with self.rest(daemon) as reader, self.rest(daemon, keys=("p", "other")) as other:
            cursor, seen = 1, []
            for _ in range(3):
                reader.http.send(reader.http.request(
                    "GET", reader.target(f"/v2/subscribe/{{sub}}/{names}/0", {"tt": cursor})))
                other.ok("/signal/{pub}/{sub}/0/z/0/1")
                answer = reader.http.answer().json()
                self.assertEqual(len(answer["m"]), POLL_EVENTS_MAX)
                seen += [int(event["p"]["t"]) for event in answer["m"]]
                cursor = int(answer["t"]["t"])
        self.assertEqual(seen, sorted(set(seen)), "Pages follow each other without a repeat.")
        self.assertEqual(cursor, seen[-1])

    def test_groups_do_not_multiply_a_request(self):
        with self.rest(self.daemon) as web:
            for group in range(6):
                for part in range(10):
                    names = ",".join(f"c{group}.{part}.{n}" for n in range(200))
                    web.ok(f"/v1/channel-registration/sub-key/{{sub}}/channel-group/g{group}",
                           {"add": names})
            five = ",".join(f"g{number}" for number in range(5))
            web.ok("/v2/subscribe/{sub}/,/0", {"tt": 0, "channel-group": five})
            for path in ("/v2/subscribe/{sub}/,/0", "/v2/presence/sub-key/{sub}/channel/,",
                         "/v2/presence/sub-key/{sub}/channel/,/heartbeat"):
                answer = web.get(path, {"tt": 0, "channel-group": five + ",g5"})
                self.assertEqual(answer.status, 400, answer)
                self.assertIn("10000", json.dumps(answer.json()))

    def test_a_cursor_from_the_future_is_brought_back(self):
        """It comes from a store that was replaced by an older copy: it would wait for ever."""
        with self.rest(self.daemon) as web:
            answer = web.ok("/v2/subscribe/{sub}/room/0", {"tt": 2**63 - 1})
            self.assertEqual(answer["m"], [])
            self.assertLess(abs(int(answer["t"]["t"]) / 1e7 - time.time()), 60)
            sent = web.publish("room", "hi")
            again = web.ok("/v2/subscribe/{sub}/room/0", {"tt": answer["t"]["t"]})
            self.assertEqual([event["p"]["t"] for event in again["m"]], [str(sent)])

    def test_a_drain_lets_long_answers_leave(self):
        with self.rest(self.daemon) as web:
            for number in range(100):
                web.ok("/publish/{pub}/{sub}/0/room/0", method="POST", body=f"{number}" * 14_000)
        target = "/v3/history/sub-key/sub/channel/room?max=100"
        with RawClient(self.daemon.address, receive_buffer=4096) as slow:
            slow.send(slow.request("GET", target))
            slow.take(1)
            slow.buffer = b"H" + slow.buffer
            self.daemon.process.send_signal(signal.SIGTERM)
            answer = slow.answer()
        self.assertEqual(answer.status, 200)
        self.assertEqual(len(json.loads(answer.body)["channels"]["room"]), 100)
        self.assertEqual(self.daemon.wait(), 0)

    def test_a_filter_that_refuses_a_long_past_gets_on(self):
        """Its empty answers carry how far it was looked: the next poll goes on from there."""
        with self.rest(self.daemon) as web, self.rest(self.daemon, "other") as other:
            for number in range(2500):
                sent = web.publish("room", number)
            wanted = web.publish("room", "this", meta='{"kind":"good"}')
            cursor = 1
            while True:
                answer = other.ok(
                    "/v2/subscribe/{sub}/room/0", {"tt": cursor, "filter-expr": "kind == 'good'"})
                if answer["m"]:
                    break
                self.assertGreater(int(answer["t"]["t"]), cursor)
                cursor = int(answer["t"]["t"])
            self.assertEqual([event["p"]["t"] for event in answer["m"]], [str(wanted)])
            self.assertGreaterEqual(wanted, sent)


if __name__ == "__main__":
    unittest.main()
