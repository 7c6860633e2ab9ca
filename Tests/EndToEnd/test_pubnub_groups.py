"""PubNub channel groups: kept, listed, and gone when they are deleted."""

import unittest

from rest import quoted
from sdk import PubNubTestCase

GROUPS = "/v1/channel-registration/sub-key/{sub}/channel-group"
OK = {"status": 200, "message": "OK", "service": "channel-registry", "error": False}


class Groups(PubNubTestCase):
    """With the SDK and by hand."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.sdk = self.client(self.daemon, "ada").sdk
        self.web = self.rest(self.daemon)

    def channels(self, group="team"):
        result = self.sdk.list_channels_in_channel_group(group).sync().result
        return sorted(result.channels)

    def test_add_remove_list_delete(self):
        self.assertEqual(self.channels(), [])
        self.sdk.add_channel_to_channel_group(["a", "b"], "team").sync()
        self.sdk.add_channel_to_channel_group(["b", "c"], "team").sync()
        self.assertEqual(self.channels(), ["a", "b", "c"])
        self.sdk.remove_channel_from_channel_group(["a", "nobody"], "team").sync()
        self.assertEqual(self.channels(), ["b", "c"])
        self.sdk.add_channel_to_channel_group(["x"], "other").sync()
        self.sdk.remove_channel_group().channel_group("team").sync()
        self.assertEqual((self.channels(), self.channels("other")), ([], ["x"]))

    def test_bodies(self):
        self.assertEqual(self.web.ok(f"{GROUPS}/team", {"add": "a,b"}), OK)
        self.assertEqual(self.web.ok(f"{GROUPS}/team"), {
            "status": 200, "payload": {"channels": ["a", "b"], "group": "team"},
            "service": "channel-registry", "error": False})
        self.assertEqual(self.web.ok(GROUPS), {
            "status": 200, "payload": {"namespace": "", "groups": ["team"]},
            "service": "channel-registry", "error": False})
        self.assertEqual(self.web.ok(f"{GROUPS}/team", {"remove": "a,b"}), OK)
        self.assertEqual(self.web.ok(f"{GROUPS}/team")["payload"]["channels"], [])
        self.assertEqual(self.web.ok(f"{GROUPS}/team/remove"), OK)
        self.assertEqual(self.web.ok(GROUPS)["payload"]["groups"], [])

    def test_names_with_everything(self):
        names = ["a b", "ü/ï", "plus+", "emoji\U0001f44d"]
        group = "grüp / 1"
        self.web.ok(f"{GROUPS}/{quoted(group)}", {"add": ",".join(names)})
        self.assertEqual(self.channels(group), sorted(names))

    def test_a_plus_is_a_plus(self):
        """Python's SDK does not escape these values: what is legal goes out as it is."""
        self.sdk.add_channel_to_channel_group(["a+b", "c/d"], "team").sync()
        self.assertEqual(self.channels(), ["a+b", "c/d"])

    def test_groups_outlive_the_daemon(self):
        self.sdk.add_channel_to_channel_group(["a"], "team").sync()
        self.daemon.kill()
        self.daemon.start()
        self.sdk = self.client(self.daemon, "ada").sdk
        self.assertEqual(self.channels(), ["a"])

    def test_names_that_cannot_be(self):
        for group in ("a:b", "a,b", "x" * 256):
            with self.subTest(group):
                answer = self.web.get(f"{GROUPS}/{quoted(group)}", {"add": "a"})
                self.assertEqual(answer.status, 400)
                body = answer.json()
                self.assertEqual((body["status"], body["error"], body["service"]),
                                 (400, True, "channel-registry"))
                self.assertIn("255 bytes" if len(group) > 255 else "Reserved", body["message"])

    def test_200_channels_in_one_call(self):
        many = [f"c{number:03}" for number in range(201)]
        answer = self.web.get(f"{GROUPS}/team", {"add": ",".join(many)})
        self.assertEqual((answer.status, answer.json()["error"]), (400, True))
        self.assertEqual(self.channels(), [])
        self.sdk.add_channel_to_channel_group(many[:200], "team").sync()
        self.sdk.add_channel_to_channel_group(many[200:], "team").sync()
        self.assertEqual(self.channels(), many)

    def test_a_group_is_heard_as_a_whole(self):
        self.sdk.add_channel_to_channel_group(["a", "b"], "team").sync()
        self.sdk.add_channel_to_channel_group(["c"], "other").sync()
        bob = self.client(self.daemon, "bob").subscribe("d", groups=["team", "other"])
        for number, channel in enumerate("abcd"):
            self.web.publish(channel, number)
        bob.hear(0, 1, 2, 3)
        self.assertEqual([it.subscription for it in bob.heard.messages],
                         ["team", "team", "other", None])

    def test_deleting_a_group_ends_its_events(self):
        self.sdk.add_channel_to_channel_group(["a"], "team").sync()
        bob = self.client(self.daemon, "bob").subscribe("d", groups=["team"])
        self.web.publish("a", 1)
        bob.hear(1)
        self.sdk.remove_channel_group().channel_group("team").sync()
        self.web.publish("a", "unheard")
        self.web.publish("d", 2)
        bob.hear(1, 2)


if __name__ == "__main__":
    unittest.main()
