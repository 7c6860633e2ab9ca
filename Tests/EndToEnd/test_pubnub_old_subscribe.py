"""PubNub's subscribe of old, which C-core uses by default: /subscribe/SUB/CHANNELS/0/CURSOR."""

import json
import unittest

from rest import quoted
from rows import Violation, timetoken
from sdk import PubNubTestCase

PRESENCE = "/v2/presence/sub-key/{sub}"


def read_as_c_core(body):
    """(messages, cursor, channels) of an answer, found as C-core does: by quotes, from the end.

    It knows no JSON there: a text in front of the last one makes that a list, and so on.
    """
    text = body.decode()
    if not text.startswith("[[") or not text.endswith('"]'):
        raise Violation(f"C-core: a format error: {text[:200]}")

    def last_string(end):
        """Where the string begins whose closing quote is at `end`."""
        start = text.rindex('"', 0, end)
        if text[start - 1] != ",":
            raise Violation(f"C-core: no string at {end}: {text[-200:]}")
        return start

    end = len(text) - 2
    start = last_string(end)
    channels = None
    if text[start - 2] == '"':
        channels = text[start + 1:end].split(",")
        end = start - 2
        start = last_string(end)
        if text[start - 2] == '"':  # The names of groups, which it skips.
            end = start - 2
            start = last_string(end)
    if text[start - 2] != "]":
        raise Violation(f"C-core: no end of the messages: {text[-200:]}")
    return json.loads(text[1:start - 1]), timetoken(text[start + 1:end]), channels


class OldPoll:
    """A program on C-core: one connection, one subscribe after the other."""

    def __init__(self, rest, *channels, groups=(), **query):
        self.rest, self.cursor = rest, 0
        self.channels = ",".join(quoted(it) for it in channels) or ","
        self.query = {**({"channel-group": ",".join(groups)} if groups else {}), **query}

    def begin(self):
        path = f"/subscribe/{{sub}}/{self.channels}/0/{self.cursor}"
        query = {"pnsdk": "PubNub-C-core/4.5.0", **self.query}
        self.rest.http.send(self.rest.http.request("GET", self.rest.target(path, query)))

    def finish(self):
        answer = self.rest.http.answer()
        if answer.status != 200:
            raise Violation(f"{answer.status} {answer.body!r}")
        messages, cursor, channels = read_as_c_core(answer.body)
        if cursor < self.cursor or channels is not None and len(channels) != len(messages):
            raise Violation(f"The answer to a poll: {answer.body!r}")
        self.cursor = cursor
        return messages, channels

    def turn(self):
        self.begin()
        return self.finish()


class OldSubscribe(PubNubTestCase):

    def setUp(self):
        self.daemon = self.start_daemon()
        self.web = self.rest(self.daemon, "ada")

    def old_poll(self, *channels, user="c-core", groups=(), **query):
        poll = OldPoll(self.rest(self.daemon, user), *channels, groups=groups, **query)
        self.assertEqual(poll.turn(), ([], None), "A handshake brings nothing, at once.")
        return poll

    def test_it_waits_and_brings_each_message_once(self):
        poll = self.old_poll("room")
        texts = ["hi", {"a": ["]", '"],"', "\\"]}, 7, None, "👍", [[]], ""]
        poll.begin()
        first = self.web.publish("room", texts[0])
        self.web.publish("den", "elsewhere")
        self.assertEqual(poll.finish(), ([texts[0]], None))
        self.assertEqual(poll.cursor, first)
        for text in texts[1:]:
            self.web.publish("room", text)
        heard = []
        while len(heard) < len(texts) - 1:
            messages, channels = poll.turn()
            self.assertIsNone(channels)
            heard += messages
        self.assertEqual(heard, texts[1:])
        last = self.web.publish("room", "last")
        self.assertEqual((poll.turn()[0], poll.cursor), (["last"], last))

    def test_several_channels_are_told_apart(self):
        poll = self.old_poll("room", "den", "room-pnpres")
        self.web.publish("den", 1)
        self.assertEqual(poll.turn(), ([1], ["den"]))
        self.web.ok(f"{PRESENCE}/channel/room/heartbeat")
        # The poller joins, too, before her or with her.
        heard = {}
        while "ada" not in heard:
            events, channels = poll.turn()
            heard |= {event["uuid"]: (event["action"], channel)
                      for event, channel in zip(events, channels)}
        self.assertEqual(heard["ada"], ("join", "room-pnpres"))

    def test_groups_and_wildcards_name_the_channel_too(self):
        self.web.ok("/v1/channel-registration/sub-key/{sub}/channel-group/team", {"add": "room"})
        poll = self.old_poll(groups=["team"])
        self.web.publish("room", 1)
        poll.begin()
        answer = poll.rest.http.answer()
        cursor = json.loads(answer.body)[1]
        self.assertEqual(answer.json(), [[1], cursor, "team", "room"])
        mixed = self.old_poll("den", "chat.*", groups=["team"])
        sent = {"den": 1, "chat.x": 2, "room": 3}
        for channel, number in sent.items():
            self.web.publish(channel, number)
        heard = {}
        while len(heard) < 3:
            messages, channels = mixed.turn()
            heard |= zip(channels, messages)
        self.assertEqual(heard, sent)

    def test_an_old_cursor_brings_what_was_missed(self):
        poll = self.old_poll("room")
        for number in range(250):
            self.web.publish("room", number)
        heard = []
        while len(heard) < 250:
            messages, _ = poll.turn()
            self.assertLessEqual(len(messages), 100)
            heard += messages
        self.assertEqual(heard, list(range(250)))
        again = OldPoll(self.rest(self.daemon, "c-core"), "room")
        again.cursor = poll.cursor - 1
        self.assertEqual(again.turn()[0], [249])

    def test_signals_and_actions_come_too(self):
        poll = self.old_poll("room")
        self.web.ok("/signal/{pub}/{sub}/0/room/0/%22typing%22")
        self.assertEqual(poll.turn()[0], ["typing"])
        message = self.web.publish("room", "hi")
        self.assertEqual(poll.turn()[0], ["hi"])
        self.web.add("room", message, "👍")
        (action,), _ = poll.turn()
        self.assertEqual((action["source"], action["event"]), ("actions", "added"))
        self.assertEqual(action["data"]["value"], "👍")

    def test_whoever_subscribes_is_there(self):
        self.old_poll("room", heartbeat=30)
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/room")["uuids"], ["c-core"])

    def test_the_url_of_a_next_page_as_c_core_sends_it(self):
        """It appends its parameters with a question mark, though the URL has one."""
        message = self.web.publish("room", "hi")
        for value in "abc":
            self.web.add("room", message, value)
        page = self.web.ok("/v1/message-actions/{sub}/channel/room", {"limit": 1})
        heard = [page["data"][0]["value"]]
        while "more" in page:
            target = page["more"]["url"] + "?pnsdk=PubNub-C-core%2F4.5.0&uuid=ada"
            self.web.http.send(self.web.http.request("GET", target))
            answer = self.web.http.answer()
            self.assertEqual(answer.status, 200, answer)
            page = answer.json()
            heard += [it["value"] for it in page["data"]]
        self.assertEqual(heard, ["c", "b", "a"])

    def test_refusals(self):
        for path, status, text in (
                ("/subscribe/{sub}/room/0/now", 400, "timetoken"),
                ("/subscribe/{sub}/,/0/0", 400, "Name a channel"),
                ("/subscribe/{sub}/room/0", 404, "Not found")):
            with self.subTest(path):
                answer = self.web.get(path)
                self.assertEqual((answer.status, answer.json()["status"]), (status, status))
                self.assertIn(text, answer.json()["message"])


if __name__ == "__main__":
    unittest.main()
