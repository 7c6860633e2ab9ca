"""PubNub message actions: the exact bodies, the exact refusals, and every page."""

import unittest

from rest import quoted
from sdk import PubNubTestCase, action_row

CHANNEL = "/v1/message-actions/{sub}/channel/room"


class Actions(PubNubTestCase):
    """With the SDK."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")
        self.bob = self.client(self.daemon, "bob")
        self.message = self.ada.publish("room", "hi")

    def test_add_get_remove(self):
        added = self.ada.add("room", self.message, "👍")
        self.assertEqual(
            (added.type, added.value, added.uuid, added.message_timetoken),
            ("reaction", "👍", "ada", str(self.message)))
        self.assertRegex(added.action_timetoken, r"^\d{17}$")
        self.assertEqual([action_row(it) for it in self.bob.actions("room")], [action_row(added)])
        self.ada.remove("room", self.message, added.action_timetoken)
        self.assertEqual(self.bob.actions("room"), [])

    def test_once_per_user_type_and_value(self):
        self.ada.add("room", self.message, "👍")
        with self.sdk_refused(409, "Action Already Added"):
            self.ada.add("room", self.message, "👍")
        self.ada.add("room", self.message, "❤️")
        self.ada.add("room", self.message, "👍", kind="receipt")
        self.ada.add("room", self.message + 1, "👍")
        self.bob.add("room", self.message, "👍")
        self.assertEqual(len(self.bob.actions("room")), 5)

    def test_only_the_owner_removes(self):
        added = self.ada.add("room", self.message, "👍")
        with self.sdk_refused(400, "Not deleting message action: wrong uuid specified"):
            self.bob.remove("room", self.message, added.action_timetoken)
        self.assertEqual(len(self.bob.actions("room")), 1)
        self.ada.remove("room", self.message, added.action_timetoken)
        for client in (self.ada, self.bob):
            with self.sdk_refused(400, "No matching message actions to delete"):
                client.remove("room", self.message, added.action_timetoken)

    def test_a_stale_remove_spares_the_newer_one(self):
        first = self.ada.add("room", self.message, "👍")
        self.ada.remove("room", self.message, first.action_timetoken)
        second = self.ada.add("room", self.message, "👍")
        with self.sdk_refused(400, "No matching message actions to delete"):
            self.ada.remove("room", self.message, first.action_timetoken)
        self.assertEqual([action_row(it) for it in self.ada.actions("room")], [action_row(second)])

    def test_the_message_need_not_exist(self):
        for message in ("1234", "123456789", "17000000000000000"):
            self.ada.add("room", message, "👍")
        self.assertEqual(
            [it.message_timetoken for it in self.ada.actions("room")],
            ["1234", "123456789", "17000000000000000"])

    def test_whole_texts_as_values(self):
        """Chat SDKs keep edited messages in an action's value."""
        text = "An edited message. \"Ünï\" \U0001f44d\n" * 200
        self.ada.add("room", self.message, text, kind="edited")
        self.assertEqual([it.value for it in self.bob.actions("room")], [text])

    def test_pages_with_the_sdk(self):
        """It hides `more`; a page's oldest action is where the next one ends."""
        added = [action_row(self.ada.add("room", self.message, f"v{n}")) for n in range(7)]
        rows = [action_row(it) for it in self.bob.actions("room", limit="3")]
        self.assertEqual(rows, added[4:], "The newest, ascending.")
        rows = [action_row(it) for it in self.bob.actions(
            "room", start=str(added[4][-1]), limit="3")]
        self.assertEqual(rows, added[1:4], "`start` itself does not belong.")
        rows = [action_row(it) for it in self.bob.actions("room", end=str(added[2][-1]))]
        self.assertEqual(rows, added[2:], "`end` itself does.")

    def test_events(self):
        """The SDK hides whether an action was added or removed: a poll by hand shows it."""
        poll = self.poll(self.daemon, "eve", "room")
        added = self.bob.add("room", self.message, "👍").action_timetoken
        (one,) = poll.turn()
        self.bob.remove("room", self.message, added)
        (other,) = poll.turn()
        self.assertEqual([it["d"]["event"] for it in (one, other)], ["added", "removed"])
        self.assertEqual(one["d"]["data"], other["d"]["data"])
        self.assertEqual(one["d"]["data"], {
            "messageTimetoken": str(self.message), "type": "reaction", "value": "👍",
            "actionTimetoken": added})
        self.assertEqual({(it["e"], it["i"], it["c"]) for it in (one, other)},
                         {(3, "bob", "room")})

    def test_what_was_missed_is_summed_up(self):
        """Who was away hears of each reaction once, as it stands now."""
        poll = self.poll(self.daemon, "eve", "room")
        first = self.bob.add("room", self.message, "👍").action_timetoken
        self.bob.remove("room", self.message, first)
        second = self.bob.add("room", self.message, "👍").action_timetoken
        third = self.ada.add("room", self.message, "👍").action_timetoken
        self.ada.remove("room", self.message, third)
        heard = []
        while not heard or heard[-1][0] != "removed":
            heard += [(it["d"]["event"], it["d"]["data"]["actionTimetoken"])
                      for it in poll.turn()]
        standing = {}
        for event, timetoken in heard:
            if event == "added":
                standing[timetoken] = True
            else:
                standing.pop(timetoken, None)
        self.assertEqual(list(standing), [second])
        self.assertEqual(len(set(heard)), len(heard), "Nothing twice.")

    def test_what_is_heard_can_be_read(self):
        """An event comes after the action is durable: who fetches then must find it."""
        self.bob.subscribe("room")
        for number in range(10):
            self.ada.add("room", self.message, f"v{number}")
            self.bob.heard.until(lambda n=number: len(self.bob.heard.actions) > n, "it")
            values = [it.value for it in self.bob.actions("room")]
            self.assertIn(f"v{number}", values)


class Wire(PubNubTestCase):
    """By hand: the bodies, byte for byte as far as an SDK looks."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.web = self.rest(self.daemon, "ada")

    def test_bodies(self):
        answer = self.web.add("room", 1700, "👍")
        data = answer.json()["data"]
        self.assertEqual(answer.json(), {"status": 200, "data": {
            "type": "reaction", "value": "👍", "actionTimetoken": data["actionTimetoken"],
            "messageTimetoken": "1700", "uuid": "ada"}})
        self.assertEqual(self.web.ok(CHANNEL), {"status": 200, "data": [data]})
        again = self.web.add("room", 1700, "👍")
        self.assertEqual((again.status, again.json()), (409, {
            "status": 409, "error": {"source": "actions", "message": "Action Already Added"}}))
        removed = self.web.remove("room", 1700, data["actionTimetoken"])
        self.assertEqual((removed.status, removed.json()), (200, {"status": 200, "data": {}}))
        self.assertEqual(self.web.ok(CHANNEL), {"status": 200, "data": []})

    def test_pages_lead_to_each_other(self):
        """`more` stands only where older actions are left, and `limit` in it is a number."""
        added = [self.web.add("room", 1700, f"v{n}").json()["data"] for n in range(10)]
        page = self.web.ok(CHANNEL, {"limit": 4})
        self.assertEqual(page["data"], added[6:])
        start = added[6]["actionTimetoken"]
        more = dict(page["more"])
        self.assertTrue(more.pop("url").startswith("/v1/message-actions/sub/channel/room?"))
        self.assertEqual(more, {"start": start, "limit": 4})
        found, sizes = self.web.actions("room", limit=4)
        self.assertEqual((found, sizes), (added, [4, 4, 2]))
        found, sizes = self.web.actions("room", limit=5)
        self.assertEqual((found, sizes), (added, [5, 5]), "No `more` at the exact end.")

        end = added[1]["actionTimetoken"]
        page = self.web.ok(CHANNEL, {"limit": 4, "end": end})
        self.assertEqual((page["data"], page["more"]["end"]), (added[6:], end))
        page = self.web.ok(CHANNEL, {"limit": 4, "end": end, "start": added[5]["actionTimetoken"]})
        self.assertEqual(page["data"], added[1:5])
        self.assertNotIn("more", page, "What is below `end` was not asked for.")

    def test_the_url_of_more_works(self):
        for number in range(5):
            self.web.add("room", 1700, f"v{number}")
        page = self.web.ok(CHANNEL, {"limit": 3})
        self.web.http.send(self.web.http.request("GET", page["more"]["url"]))
        self.assertEqual([it["value"] for it in self.web.http.answer().json()["data"]],
                         ["v0", "v1"])

    def test_bad_payloads(self):
        for body, location in (
                ({"type": "reaction"}, "value"), ({"value": "👍"}, "type"), ({}, "type"),
                ({"type": "reaction", "value": 7}, "value"),
                ({"type": "", "value": "x"}, "type"), ({"type": "reaction", "value": ""}, "value"),
                ({"type": None, "value": "x"}, "type")):
            with self.subTest(body):
                answer = self.web.ask("POST", f"{CHANNEL}/message/1700", body=body)
                error = answer.json()["error"]
                self.assertEqual((answer.status, answer.json()["status"]), (400, 400))
                self.assertEqual(
                    (error["source"], error["message"]),
                    ("actions", "Request payload contained invalid input."))
                (detail,) = error["details"]
                self.assertEqual((detail["location"], detail["locationType"]), (location, "body"))
                self.assertTrue(detail["message"])
        for body in (b"", b"{", b"hello", b"{\"type\":\"reaction\",}", b"\xff"):
            with self.subTest(body):
                answer = self.web.ask("POST", f"{CHANNEL}/message/1700", body=body)
                self.assertEqual((answer.status, answer.json()), (415, {"status": 415, "error": {
                    "message": "Request payload must be in JSON format.", "source": "actions"}}))
        self.assertEqual(self.web.ok(CHANNEL)["data"], [])

    def test_members_that_nobody_knows_are_ignored(self):
        answer = self.web.ask("POST", f"{CHANNEL}/message/1700", body={
            "type": "reaction", "value": "👍", "uuid": "mallory", "colour": "red"})
        self.assertEqual((answer.status, answer.json()["data"]["uuid"]), (200, "ada"))

    def test_an_action_of_nobody_is_refused(self):
        """Its key would have no owner: clients cannot read such an action."""
        added = self.web.add("room", 1700, "👍").json()["data"]
        one = f"{CHANNEL}/message/1700"
        for method, path, body in (
                ("POST", one, {"type": "reaction", "value": "🎉"}),
                ("DELETE", f"{one}/action/{added['actionTimetoken']}", None)):
            for user in ("", None):
                with self.subTest(method=method, user=user), self.rest(self.daemon) as web:
                    web.target = lambda path, _query, u=user: path.replace("{sub}", "sub") + (
                        "" if u is None else f"?uuid={u}")
                    answer = web.ask(method, path, body=body)
                    self.assertEqual((answer.status, answer.json()), (400, {
                        "status": 400, "error": {
                            "source": "actions",
                            "message": "Request payload contained invalid input.",
                            "details": [{"message": "Missing field", "location": "uuid",
                                         "locationType": "query"}]}}))
        self.assertEqual(self.web.ok(CHANNEL)["data"], [added])

    def test_bad_timetokens(self):
        for message in ("x", "-1", "1" * 21, "1.5", "%20"):
            with self.subTest(message):
                answer = self.web.ask("POST", f"{CHANNEL}/message/{message}", body={
                    "type": "reaction", "value": "👍"})
                self.assertEqual(answer.status, 400)
                self.assertEqual(answer.json()["error"]["source"], "actions")

    def test_bad_pages(self):
        for query in ({"limit": "many"}, {"limit": "1.5"}, {"start": "x"}, {"end": "1x"}):
            with self.subTest(query):
                answer = self.web.get(CHANNEL, query)
                self.assertEqual(answer.status, 400)
                (detail,) = answer.json()["error"]["details"]
                self.assertEqual(
                    (detail["location"], detail["locationType"]), (list(query)[0], "query"))

    def test_a_type_of_another_sdk_and_a_channel_with_everything(self):
        """Swift leaves sub-delimiters as they are in this path."""
        channel = "it's (here): 100% +1!"
        added = self.web.add(channel, 1700, "👍", kind="reactions").json()["data"]
        swift = "/v1/message-actions/{sub}/channel/it's%20(here):%20100%25%20+1!"
        self.assertEqual(self.web.ok(swift)["data"], [added])
        self.assertEqual(
            self.web.ok(f"/v1/message-actions/{{sub}}/channel/{quoted(channel)}")["data"], [added])


if __name__ == "__main__":
    unittest.main()
