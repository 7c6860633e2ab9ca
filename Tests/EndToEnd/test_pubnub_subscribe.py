"""PubNub subscribe: long polls miss nothing, repeat nothing, and say what matched."""

import threading
import unittest

from pubnub.enums import PNReconnectionPolicy

from case import eventually
from rest import LongPoll, quoted
from sdk import PubNubTestCase


class Listening(PubNubTestCase):
    """With the SDK's own loop."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")

    def test_several_channels_in_one_order(self):
        bob = self.client(self.daemon, "bob").subscribe("a", "b", "c")
        for number in range(30):
            self.ada.publish("abc"[number % 3], number)
        self.ada.publish("d", "not for Bob")
        bob.hear(*range(30))
        self.assertEqual(
            [it.channel for it in bob.heard.messages], ["abc"[n % 3] for n in range(30)])

    def test_a_wildcard(self):
        bob = self.client(self.daemon, "bob").subscribe("chat.*")
        for channel in ("chat.a", "chat", "chatter", "chat.b", "chat.b.c", "xchat.a"):
            self.ada.publish(channel, channel)
        bob.hear("chat.a", "chat.b", "chat.b.c")
        self.assertEqual({it.subscription for it in bob.heard.messages}, {"chat.*"})
        self.assertEqual(bob.heard.messages[0].channel, "chat.a")

    def test_a_group_and_channels_that_come_and_go(self):
        """A channel that is added while the poll waits is live at once; a removed one is not."""
        self.ada.sdk.add_channel_to_channel_group(["g1"], "team").sync()
        bob = self.client(self.daemon, "bob").subscribe(groups=["team"])
        self.ada.publish("g1", 1)
        bob.hear(1)
        self.assertEqual(bob.heard.messages[0].subscription, "team")
        self.assertEqual(bob.heard.messages[0].channel, "g1")

        self.ada.sdk.add_channel_to_channel_group(["g2"], "team").sync()
        self.ada.publish("g2", 2)
        bob.hear(1, 2)
        self.ada.sdk.remove_channel_from_channel_group(["g1"], "team").sync()
        self.ada.publish("g1", "unheard")
        self.ada.publish("g2", 3)
        bob.hear(1, 2, 3)

    def test_a_channel_more_misses_nothing(self):
        """The SDK drops its poll, and asks for both channels from the same cursor."""
        bob = self.client(self.daemon, "bob").subscribe("a")
        self.ada.publish("a", 1)
        bob.hear(1)
        bob.subscribe("b", timetoken=0)
        for number in range(2, 10):
            self.ada.publish("ab"[number % 2], number)
        bob.hear(*range(1, 10))

    def test_unsubscribe(self):
        bob = self.client(self.daemon, "bob").subscribe("a", "b")
        self.ada.publish("a", 1)
        bob.hear(1)
        bob.sdk.unsubscribe().channels("a").execute()
        self.ada.publish("a", "unheard")
        self.ada.publish("b", 2)
        bob.hear(1, 2)

    def test_from_an_old_cursor(self):
        """What was published since comes first, then what is new."""
        first = self.ada.publish("room", "before")
        for number in range(10):
            self.ada.publish("room", number)
        bob = self.client(self.daemon, "bob").subscribe("room", timetoken=first)
        bob.hear(*range(10))
        self.ada.publish("room", "live")
        bob.hear(*range(10), "live")

    def test_across_a_restart_of_the_daemon(self):
        """The SDK comes back by itself with its cursor, and gets what it missed, once."""
        bob = self.client(
            self.daemon, "bob", reconnect_policy=PNReconnectionPolicy.LINEAR,
            reconnection_interval=0.1)
        bob.subscribe("room")
        self.ada.publish("room", 1)
        bob.hear(1)
        port = self.daemon.port
        self.daemon.stop()
        self.daemon.listen = f"127.0.0.1:{port}"
        self.daemon.start()
        eve = self.client(self.daemon, "eve")
        eve.publish("room", 2)
        eve.publish("room", 3)
        bob.hear(1, 2, 3)
        message = eve.publish("room", 4)
        eve.add("room", message, "👍")
        bob.heard.until(lambda: bob.heard.actions, "the reaction")
        self.assertEqual(bob.texts(), [1, 2, 3, 4])

    def test_reactions_are_heard(self):
        bob = self.client(self.daemon, "bob").subscribe("room")
        message = self.ada.publish("room", "hi")
        added = self.ada.add("room", message, "👍")
        bob.heard.until(lambda: bob.heard.actions, "the reaction")
        (heard,) = bob.heard.actions
        self.assertEqual(
            (heard.type, heard.value, heard.uuid, heard.message_timetoken, heard.action_timetoken,
             heard.channel),
            ("reaction", "👍", "ada", str(message), added.action_timetoken, "room"))

    def test_a_filter(self):
        bob = self.client(self.daemon, "bob", filter_expression="lang == 'en' && n > 1")
        bob.subscribe("room")
        for lang, number in (("en", 1), ("en", 2), ("de", 3), ("en", "4")):
            self.ada.publish("room", [lang, number], meta={"lang": lang, "n": number})
        self.ada.publish("room", "no meta")
        message = self.ada.publish("room", "last", meta={"lang": "en", "n": 9})
        bob.hear(["en", 2], ["en", "4"], "last")
        self.ada.add("room", message, "👍")
        bob.heard.until(lambda: bob.heard.actions, "a reaction, which no filter holds back")

    def test_a_malformed_filter(self):
        bob = self.client(
            self.daemon, "bob", filter_expression="lang == ",
            reconnect_policy=PNReconnectionPolicy.NONE)
        bob.subscribe("room", timetoken=0)
        bob.heard.until(
            lambda: any(it.status_code == 481 for it in bob.heard.statuses), "the refusal")


class Polling(PubNubTestCase):
    """By hand: what is on the wire."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.web = self.rest(self.daemon)

    def test_a_handshake_is_answered_at_once(self):
        """Three spellings of it, and afterwards nothing between the cursor and now is lost."""
        for query in ({}, {"tt": "0"}, {"tt": "0", "tr": "1", "ee": "1", "requestid": "x"}):
            body = self.web.ok("/v2/subscribe/{sub}/room/0", query)
            self.assertEqual(list(body), ["t", "m"])
            self.assertEqual((body["t"]["r"], body["m"]), (1, []))
            message = self.web.publish("room", 1)
            body = self.web.ok("/v2/subscribe/{sub}/room/0", {"tt": body["t"]["t"], "tr": 1})
            self.assertEqual([int(it["p"]["t"]) for it in body["m"]], [message])

    def test_an_envelope(self):
        poll = self.poll(self.daemon, "bob", "room")
        message = str(self.web.publish("room", {"a": 1}, meta='{"l":"en"}', seqn=7))
        (said,) = poll.turn()
        self.assertEqual(said.get("b", "room"), "room")
        required = {"a": "1", "f": said["f"], "i": "raw", "p": {"t": message, "r": 1},
                    "k": "default", "c": "room", "d": {"a": 1}, "u": {"l": "en"}}
        self.assertEqual({name: said.get(name) for name in required}, required)
        self.assertIs(type(said["f"]), int)
        self.assertEqual(said.get("e", 0), 0)

        added = self.web.add("room", message, "👍").json()["data"]["actionTimetoken"]
        (reacted,) = poll.turn()
        self.assertEqual((reacted["e"], reacted["i"], reacted["c"], reacted["a"]),
                         (3, "raw", "room", "1"))
        self.assertEqual(reacted["d"], {
            "source": "actions", "version": "1.0", "event": "added", "data": {
                "messageTimetoken": message, "type": "reaction", "value": "👍",
                "actionTimetoken": added}})
        self.assertEqual(self.web.remove("room", message, added).status, 200)
        (removed,) = poll.turn()
        self.assertEqual(removed["d"], {**reacted["d"], "event": "removed"})

    def test_what_matched(self):
        """JavaScript drops an event unless `b` is a name that it asked for."""
        self.web.ok("/v1/channel-registration/sub-key/{sub}/channel-group/team",
                    {"add": "in.group,both"})
        poll = self.poll(self.daemon, "bob", "plain", "both", "wild.*", groups=["team"])
        for channel in ("plain", "in.group", "wild.x", "both"):
            self.web.publish(channel, channel)
        matched = {it["c"]: it.get("b", it["c"]) for it in poll.collect(4)}
        self.assertIn(matched.pop("both"), ("both", "team"))
        self.assertEqual(
            matched, {"plain": "plain", "in.group": "team", "wild.x": "wild.*"})
        self.web.publish("both", "again")
        self.assertEqual([it["d"] for it in poll.turn()], ["again"], "Once, whatever matched.")

    def test_250_missed_messages_come_in_three_answers(self):
        """At most 100 an answer, over all channels, in one order and none twice."""
        start = self.web.publish("a", "start")
        sent = [self.web.publish("abc"[number % 3], number) for number in range(250)]
        poll = LongPoll(self.daemon, "bob", "a", "b", "c")
        self.addCleanup(poll.rest.close)
        poll.cursor = start
        pages = [poll.turn() for _ in range(3)]
        self.assertEqual([len(page) for page in pages], [100, 100, 50])
        events = sum(pages, [])
        self.assertEqual([int(it["p"]["t"]) for it in events], sent)
        self.assertEqual([it["d"] for it in events], list(range(250)))
        self.web.publish("b", "live")
        self.assertEqual([it["d"] for it in poll.turn()], ["live"])

    def test_the_same_cursor_again_gives_the_same_answer(self):
        """An answer that got lost on its way is no loss: the cursor is the client's alone."""
        first = self.web.publish("room", 0)
        for number in range(1, 6):
            self.web.publish("room", number)
        query = {"tt": first, "tr": 1}
        once = self.web.ok("/v2/subscribe/{sub}/room/0", query)
        again = self.web.ok("/v2/subscribe/{sub}/room/0", query)
        self.assertEqual([it["d"] for it in once["m"]], [1, 2, 3, 4, 5])
        self.assertEqual(again["m"], once["m"])

    def test_signals_survive_a_gap_too(self):
        """What is not stored is kept for a while: the next poll of a slow client gets it."""
        poll = self.poll(self.daemon, "bob", "room")
        self.web.ok("/signal/{pub}/{sub}/0/room/0/1")
        self.web.publish("room", 2)
        self.web.publish("room", 3, store="0")
        self.assertEqual([it["d"] for it in poll.collect(3)], [1, 2, 3])

    def test_a_waiting_poll_gets_what_comes(self):
        poll = self.poll(self.daemon, "bob", "room")
        for number in range(20):
            poll.begin()
            self.web.publish("room", number)
            self.assertEqual([it["d"] for it in poll.finish()], [number])

    def test_a_poll_whose_client_has_gone(self):
        """It is forgotten, and takes nothing from the one that comes after it."""
        poll = self.poll(self.daemon, "bob", "room")
        poll.begin()
        gone, poll.rest = poll.rest, self.rest(self.daemon, "bob")
        gone.close()
        self.web.publish("room", 1)
        self.assertEqual([it["d"] for it in poll.turn()], [1])

    def test_many_writers_and_many_polls(self):
        """Ten polls and four writers at the same time: each poll has everything once, in order."""
        polls = [self.poll(self.daemon, f"reader-{n}", "a", "b") for n in range(10)]
        got = [[] for _ in polls]

        def write(name):
            with self.rest(self.daemon, name) as web:
                for number in range(50):
                    web.publish("ab"[number % 2], [name, number])

        readers = [threading.Thread(target=lambda p=p, g=g: g.extend(p.collect(200)))
                   for p, g in zip(polls, got)]
        writers = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(4)]
        for thread in readers + writers:
            thread.start()
        for thread in readers + writers:
            thread.join()
        self.assertEqual([len(it) for it in got], [200] * 10)
        orders = {tuple((*it["d"], it["p"]["t"]) for it in events) for events in got}
        self.assertEqual(len(orders), 1, "All see one order.")
        for name in ("w0", "w1", "w2", "w3"):
            self.assertEqual(
                [it["d"][1] for it in got[0] if it["d"][0] == name], list(range(50)))

    def test_filters(self):
        """The grammar, from PubNub's own live tests: expression, and whether it lets it pass."""
        meta = ('{"lang":"en","region":["east","west"],"n":5,"text":"55","deep":{"a":10},'
                '"list":[1,2]}')
        cases = {
            "lang == 'en'": True, 'lang == "EN"': False, "lang != 'en'": False,
            "meta.lang == 'en'": True, "n > 4": True, "n >= 5 && n <= 5": True, "n < 5": False,
            "text > 50": True, "n % 2 == 1": True, "(n + deep.a) == 15": True,
            "(n + deep['a'] == 15)": True, "n * 2 - 1 == 9": True,
            "lang in ('de', 'en')": True, "'east' in region": True, "'north' in region": False,
            "!('central' in region)": True, "('fr', 'en') contains lang": True,
            "region contains 'west'": True, "lang LIKE 'E*'": True, "lang like 'e%'": True,
            "lang LIKE 'x*'": False, "n & 4": True, "(n | 2) == 7": True, "(n ^ 1) == 4": True,
            "missing == 'x'": False, "lang == 'de' || n == 5": True,
            "list[1] == 2": True, "data.text == 'hi'": True, "-n == -5": True,
        }
        start = self.web.publish("room", 0)
        self.web.publish("room", {"text": "hi"}, meta=meta)
        self.web.publish("room", "marker", meta='{"marker":true}')
        for expression, passes in cases.items():
            with self.subTest(expression):
                body = self.web.ok("/v2/subscribe/{sub}/room/0", {
                    "tt": start, "filter-expr": f"({expression}) || marker == true"})
                heard = [it["d"] for it in body["m"]]
                self.assertEqual(heard, [{"text": "hi"}] * passes + ["marker"])

    def test_malformed_filters(self):
        for expression in ("lang ==", "== 'en'", "(lang == 'en'", "lang = 'en'", "'unclosed",
                           "lang in (", "a b", "&&", "n > > 1", "region["):
            with self.subTest(expression):
                answer = self.web.get(
                    "/v2/subscribe/{sub}/room/0", {"filter-expr": expression})
                self.assertEqual(answer.status, 481, answer)
                body = answer.json()
                self.assertEqual((body["status"], body["error"]), (481, True))
                self.assertGreater(len(body["message"].split()), 3, "It says what is wrong.")

    def test_nothing_to_subscribe_to(self):
        answer = self.web.get("/v2/subscribe/{sub}/,/0")
        self.assertEqual(answer.status, 400, answer)

    def test_two_thousand_names_are_the_most(self):
        for count, status in ((2000, 200), (2001, 400)):
            names = ",".join(f"c{number}" for number in range(count))
            answer = self.web.get(f"/v2/subscribe/{{sub}}/{names}/0")
            self.assertEqual((answer.status, answer.json().get("status", 200)), (status, status))

    def test_a_poll_and_the_next_request_in_one_segment(self):
        """The answers come in the order of the requests, however long the first one waits."""
        cursor = self.web.ok("/v2/subscribe/{sub}/room/0")["t"]["t"]
        with self.rest(self.daemon) as other:
            http = other.http
            http.send(http.request("GET", f"/v2/subscribe/sub/room/0?tt={cursor}")
                      + http.request("GET", "/time/0"))
            self.web.publish("room", 1)
            self.assertEqual([it["d"] for it in http.answer().json()["m"]], [1])
            self.assertEqual(len(http.answer().json()), 1)

    def test_bad_cursors(self):
        for cursor in ("x", "-1", "1.5", "9" * 30, "0x10"):
            with self.subTest(cursor):
                answer = self.web.get("/v2/subscribe/{sub}/room/0", {"tt": cursor})
                self.assertEqual((answer.status, answer.json()["status"]), (400, 400))

    async def test_a_drain_ends_waiting_polls(self):
        """With an answer that SDKs repeat, or with the end of the connection."""
        polls = [self.poll(self.daemon, f"u{n}", "room") for n in range(5)]
        for poll in polls:
            poll.begin()
        self.daemon.stop()
        for poll in polls:
            text = poll.rest.http.rest()
            self.assertTrue(
                not text or text.split()[1] in (b"200", b"429", b"500"), text[:200])
        self.daemon.start()
        await eventually(lambda: self.daemon.is_running, "it")

    def test_channel_lists_as_each_sdk_spells_them(self):
        """JavaScript escapes the comma of groups, Python and Swift do not."""
        groups = "/v1/channel-registration/sub-key/{sub}/channel-group/"
        self.web.ok(groups + quoted("g 1"), {"add": "c1"})
        self.web.ok(groups + "g2", {"add": "c2"})
        start = self.web.publish("c1", "x")
        self.web.publish("c2", "y")
        for spelling in ("g%201,g2", "g%201%2Cg2"):
            with self.subTest(spelling):
                http = self.web.http
                http.send(http.request(
                    "GET", f"/v2/subscribe/sub/,/0?tt={start - 1}&channel-group={spelling}"))
                self.assertEqual([it["d"] for it in http.answer().json()["m"]], ["x", "y"])


if __name__ == "__main__":
    unittest.main()
