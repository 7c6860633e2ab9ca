"""PubNub history, old and new: ranges, pages, counts and deletions."""

import unittest

from sdk import PubNubTestCase

HISTORY = "/v2/history/sub-key/{sub}/channel/room"
FETCH = "/v3/history/sub-key/{sub}/channel"
WITH_ACTIONS = "/v3/history-with-actions/sub-key/{sub}/channel/room"
#: What pages hold at most: of one channel; of several, or with actions.
PAGE_MAX, SMALL_PAGE_MAX = 100, 25


class History(PubNubTestCase):
    """The call of old, `/v2/history`."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")
        self.web = self.rest(self.daemon, "ada")
        self.sent = [self.ada.publish("room", {"n": number}) for number in range(10)]

    def history(self, **options):
        """Numbers of the messages, and the two timetokens of the answer."""
        request = self.ada.sdk.history().channel("room")
        for name, value in options.items():
            request = getattr(request, name)(value)
        result = request.sync().result
        return [it.entry["n"] for it in result.messages], (
            result.start_timetoken, result.end_timetoken)

    def test_ranges(self):
        """`start` is exclusive, `end` inclusive; both ways round, and always ascending."""
        tt = self.sent
        cases = (
            ({}, range(10)), ({"count": 3}, range(7, 10)),
            ({"count": 3, "reverse": True}, range(3)),
            ({"start": tt[5]}, range(5)), ({"start": tt[5], "count": 2}, range(3, 5)),
            ({"end": tt[5]}, range(5, 10)),
            ({"start": tt[8], "end": tt[3]}, range(3, 8)),
            ({"start": tt[2], "reverse": True}, range(3, 10)),
            ({"start": tt[2], "reverse": True, "count": 4}, range(3, 7)),
            ({"start": tt[2], "end": tt[6], "reverse": True}, range(3, 7)),
        )
        for options, expected in cases:
            with self.subTest(options):
                numbers, ends = self.history(**options)
                self.assertEqual(numbers, list(expected))
                self.assertEqual(ends, (tt[expected[0]], tt[expected[-1]]))

    def test_nothing(self):
        self.assertEqual(self.web.ok("/v2/history/sub-key/{sub}/channel/empty"), [[], 0, 0])

    def test_items(self):
        self.assertEqual(
            self.web.ok(HISTORY, {"count": 1}), [[{"n": 9}], self.sent[9], self.sent[9]])
        tagged = self.ada.publish("room", "tagged", meta={"lang": "en"})
        query = {"count": 2, "include_token": "true", "include_meta": "true"}
        items, *_ = self.web.ok(HISTORY, query)
        self.assertEqual(items, [
            {"message": {"n": 9}, "timetoken": self.sent[9], "meta": ""},
            {"message": "tagged", "timetoken": tagged, "meta": {"lang": "en"}}])

    def test_page_by_page(self):
        """Back from the newest and forward from the oldest: all 250, once each."""
        for number in range(10, 250):
            self.web.publish("room", {"n": number})
        found, start = [], None
        while page := self.history(**({} if start is None else {"start": start})):
            numbers, (start, _) = page
            if not numbers:
                break
            self.assertLessEqual(len(numbers), PAGE_MAX)
            found = numbers + found
        self.assertEqual(found, list(range(250)))
        found, start = [], 1
        while True:
            numbers, (_, start) = self.history(reverse=True, start=start)
            if not numbers:
                break
            found += numbers
        self.assertEqual(found, list(range(250)))


class Fetch(PubNubTestCase):
    """The call of today, `/v3/history`, and the one with actions."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")
        self.bob = self.client(self.daemon, "bob")
        self.web = self.rest(self.daemon, "ada")

    def test_one_channel(self):
        sent = [self.ada.publish("room", number) for number in range(5)]
        result = self.bob.sdk.fetch_messages("room").sync().result
        self.assertEqual(list(result.channels), ["room"])
        self.assertEqual([it.message for it in result.channels["room"]], list(range(5)))
        self.assertEqual([it.timetoken for it in result.channels["room"]], [str(t) for t in sent])
        for options, expected in (
                ({"count": 2}, [3, 4]), ({"start": sent[3]}, [0, 1, 2]),
                ({"end": sent[3]}, [3, 4]), ({"start": sent[4], "end": sent[1]}, [1, 2, 3]),
                ({"start": sent[3], "count": 2}, [1, 2]),
                ({"start": sent[1], "end": sent[3]}, [2, 3])):
            with self.subTest(options):
                page = self.bob.sdk.fetch_messages("room", **options).sync().result.channels
                self.assertEqual([it.message for it in page["room"]], expected)

    def test_several_channels(self):
        """The newest 25 of each; a channel without messages is left out."""
        for number in range(30):
            self.web.publish("a", number)
        self.web.publish("b", "b")
        page = self.bob.sdk.fetch_messages(["a", "b", "empty"]).sync().result.channels
        self.assertEqual([it.message for it in page["a"]], list(range(5, 30)))
        self.assertEqual([it.message for it in page["b"]], ["b"])
        self.assertEqual(set(page), {"a", "b"})

    def test_only_what_was_asked_for(self):
        message = self.ada.publish(
            "room", "hi", meta={"lang": "en"}, custom_message_type="chat-text")
        plain = self.ada.publish("room", "plain")
        body = self.web.ok(f"{FETCH}/room")
        self.assertEqual(body, {
            "status": 200, "error": False, "error_message": "", "channels": {"room": [
                {"message": "hi", "timetoken": str(message)},
                {"message": "plain", "timetoken": str(plain)}]}})
        body = self.web.ok(f"{FETCH}/room", {
            "include_meta": "true", "include_uuid": "true", "include_message_type": "true",
            "include_custom_message_type": "true", "string_message_token": "true"})
        said, bare = body["channels"]["room"]
        self.assertEqual(said, {
            "message": "hi", "timetoken": str(message), "meta": {"lang": "en"}, "uuid": "ada",
            "message_type": said["message_type"], "custom_message_type": "chat-text"})
        self.assertIn(said["message_type"], (None, 0))
        self.assertEqual((bare["meta"], bare["uuid"]), ("", "ada"))
        result = self.bob.sdk.fetch_messages(
            "room", include_meta=True, include_uuid=True, include_message_type=True
        ).include_custom_message_type(True).sync().result.channels["room"][0]
        self.assertEqual((result.meta, result.uuid), ({"lang": "en"}, "ada"))

    def test_nothing(self):
        self.assertEqual(self.web.ok(f"{FETCH}/empty"), {
            "status": 200, "error": False, "error_message": "", "channels": {}})

    def test_with_actions(self):
        """Type, then value, then who; none on a message without."""
        first, second = self.ada.publish("room", 1), self.ada.publish("room", 2)
        thumbs = [client.add("room", first, "👍") for client in (self.ada, self.bob)]
        heart = self.bob.add("room", first, "❤️")
        receipt = self.ada.add("room", first, "read", kind="receipt")
        one, two = self.bob.sdk.fetch_messages(
            "room", include_message_actions=True).sync().result.channels["room"]

        def who(*actions):
            return [{"uuid": it.uuid, "actionTimetoken": it.action_timetoken} for it in actions]

        self.assertEqual(one.actions, {
            "reaction": {"👍": who(*thumbs), "❤️": who(heart)},
            "receipt": {"read": who(receipt)}})
        self.assertEqual((two.actions, two.timetoken), ({}, str(second)))
        self.bob.remove("room", first, heart.action_timetoken)
        body = self.web.ok(WITH_ACTIONS)
        self.assertEqual((body["status"], body["error"], body["error_message"]), (200, False, ""))
        one, two = body["channels"]["room"]
        self.assertEqual(list(one["actions"]["reaction"]), ["👍"])
        self.assertNotIn("actions", two)

    def test_with_actions_page_by_page(self):
        for number in range(60):
            message = self.web.publish("room", number)
            self.assertEqual(self.web.add("room", message, "👍").status, 200)
        found, query, sizes = [], {"max": 25}, []
        while True:
            body = self.web.ok(WITH_ACTIONS, query)
            page = body["channels"].get("room", [])
            self.assertTrue(all(it["actions"]["reaction"]["👍"] for it in page))
            found = [it["message"] for it in page] + found
            sizes.append(len(page))
            if "more" not in body:
                break
            self.assertEqual(body["more"]["start"], page[0]["timetoken"])
            query["start"] = body["more"]["start"]
        self.assertEqual(found, list(range(60)))
        self.assertEqual(sizes[:2], [SMALL_PAGE_MAX, SMALL_PAGE_MAX])

    def test_page_by_page(self):
        for number in range(230):
            self.web.publish("room", number)
        found, options = [], {}
        while True:
            page = self.bob.sdk.fetch_messages("room", **options).sync().result.channels
            if not page:
                break
            found = [it.message for it in page["room"]] + found
            options = {"start": int(page["room"][0].timetoken)}
        self.assertEqual(found, list(range(230)))

    def test_more_than_a_page_is_no_error(self):
        self.web.publish("room", 1)
        for path in (f"{FETCH}/room", WITH_ACTIONS):
            self.assertEqual(len(self.web.ok(path, {"max": 1000})["channels"]["room"]), 1)

    def test_bad_arguments(self):
        for path in (f"{FETCH}/room", WITH_ACTIONS, HISTORY):
            for query in ({"start": "x"}, {"end": "-1"}):
                with self.subTest(path=path, query=query):
                    answer = self.web.get(path, query)
                    body = answer.json()
                    self.assertEqual(
                        (answer.status, body["status"], body["error"], body["channels"]),
                        (400, 400, True, {}))
                    self.assertTrue(body["error_message"])


class CountsAndDeletes(PubNubTestCase):
    """message_counts and delete_messages."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")
        self.web = self.rest(self.daemon, "ada")
        self.sent = [self.ada.publish("room", number) for number in range(6)]

    def left(self):
        return [it.entry for it in self.ada.sdk.history().channel("room").sync().result.messages]

    def test_counts(self):
        other = [self.ada.publish("den", number) for number in range(3)]
        count = self.ada.sdk.message_counts
        self.assertEqual(count("room", [self.sent[1]]).sync().result.channels, {"room": 4})
        self.assertEqual(
            count(["room", "den", "empty"], [self.sent[5], other[0], 1]).sync().result.channels,
            {"room": 0, "den": 2, "empty": 0})
        body = self.web.ok("/v3/history/sub-key/{sub}/message-counts/room,den",
                           {"channelsTimetoken": self.sent[3]})
        self.assertEqual(body, {"status": 200, "error": False, "error_message": "",
                                "channels": {"room": 2, "den": 3}})

    def test_bad_counts(self):
        for query in ({}, {"timetoken": "x"}, {"channelsTimetoken": "1,2,3"}):
            with self.subTest(query):
                answer = self.web.get(
                    "/v3/history/sub-key/{sub}/message-counts/room,den", query)
                self.assertEqual((answer.status, answer.json()), (400, {
                    "status": 400, "error": True, "error_message": "Invalid Arguments",
                    "channels": {}}))

    def test_delete_ranges(self):
        """`start` is exclusive, `end` inclusive."""
        self.ada.sdk.delete_messages("room", self.sent[0], self.sent[2]).sync()
        self.assertEqual(self.left(), [0, 3, 4, 5])
        self.ada.sdk.delete_messages("room", self.sent[4] - 1, self.sent[4]).sync()
        self.assertEqual(self.left(), [0, 3, 5])
        self.ada.sdk.delete_messages("room", start=self.sent[3]).sync()
        self.assertEqual(self.left(), [0, 3])
        self.ada.sdk.delete_messages("room", end=self.sent[0]).sync()
        self.assertEqual(self.left(), [3])
        self.ada.sdk.delete_messages("room").sync()
        self.assertEqual(self.left(), [])
        self.assertEqual(
            self.web.ok(f"{FETCH}/room", method="DELETE"),
            {"status": 200, "error": False, "error_message": ""})

    def test_a_deleted_message_takes_its_actions_with_it(self):
        for message in self.sent[:3]:
            self.ada.add("room", message, "👍")
        orphan = self.ada.add("room", self.sent[5] + 1, "👍")
        self.ada.sdk.delete_messages("room", self.sent[0] - 1, self.sent[1]).sync()
        left = [it.message_timetoken for it in self.ada.actions("room")]
        self.assertEqual(left, [str(self.sent[2]), orphan.message_timetoken])
        self.daemon.kill()
        self.daemon.start()
        eve = self.client(self.daemon, "eve")
        self.assertEqual([it.message_timetoken for it in eve.actions("room")], left)
        self.assertEqual(
            [it.entry for it in eve.sdk.history().channel("room").sync().result.messages],
            [2, 3, 4, 5])

    async def test_a_native_device_hears_of_a_delete(self):
        """And PubNub's listeners do not: their SDKs know no such event."""
        native = await self.device(self.daemon, "nat")
        await native.subscribe({"name": "room", "cursor": "0"})
        await native.reach("room", self.sent[-1])
        poll = self.poll(self.daemon, "bob", "room")
        added = self.ada.add("room", self.sent[1], "👍")
        self.assertEqual(len(poll.turn()), 1)
        self.ada.sdk.delete_messages("room", self.sent[0], self.sent[3]).sync()
        last = self.ada.publish("room", "last")
        self.assertEqual([it["d"] for it in poll.collect(1)], ["last"])
        await native.reach("room", last)
        self.assertGreater(last, int(added.action_timetoken))
        self.assertEqual(
            sorted(native.rows["room"].messages), [self.sent[0], *self.sent[4:], last])
        self.assertEqual(native.rows["room"].actions, {})

    def test_counts_after_a_delete(self):
        self.ada.sdk.delete_messages("room", self.sent[0] - 1, self.sent[1]).sync()
        count = self.ada.sdk.message_counts("room", [1]).sync().result.channels
        self.assertEqual(count, {"room": 4})


if __name__ == "__main__":
    unittest.main()
