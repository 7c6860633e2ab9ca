"""What docs/PROTOCOL.md shows does work, one command after the other as it stands there."""

import json
import re
import unittest

from case import DaemonTestCase
from daemon import ROOT
from raw import TEXT, RawClient, frame
from rest import Rest, quoted


class Page(DaemonTestCase):
    """The page's commands, and what it says of names."""

    def setUp(self):
        self.daemon = self.start_daemon()

    def test_the_commands_in_their_order(self):
        """Each is answered with `ok`; a repair may end earlier than on the page."""
        page = (ROOT / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
        commands = [line[2:] for line in page.splitlines() if line.startswith("→ ")]
        self.assertGreater(len(commands), 20)
        with RawClient(self.daemon.address) as client:
            client.upgrade()
            for text in commands:
                with self.subTest(text):
                    command = json.loads(text)
                    client.send(frame(TEXT, text.encode()))
                    reply = client.message()
                    while reply.get("id") != command["id"]:
                        reply = client.message()
                    is_over = command["op"] == "repair" and (
                        reply.get("error", {}).get("code") == "no_repair")
                    # The page's message is in no store.
                    is_gone = command["op"] == "editMessage" and (
                        reply.get("error", {}).get("code") == "no_such_message")
                    # Nor are its reactions: the page's place is not where the window ends.
                    is_elsewhere = command.get("live") == 1 and (
                        reply.get("error", {}).get("code") == "invalid_field")
                    # The page's entry is from another time.
                    is_other = "expected" in command and (
                        reply.get("error", {}).get("code") == "entry_modified")
                    self.assertTrue(
                        "ok" in reply or is_over or is_gone or is_elsewhere or is_other, reply)

    def test_every_close_code_has_a_row(self):
        """The daemon's own, and the one that a client sees where no frame came through."""
        page = (ROOT / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
        self.assertEqual(
            [int(code) for code in re.findall(r"^\| (\d{4}) \|", page, re.MULTILINE)],
            [1001, 1002, 1003, 1006, 1007, 1008, 1009, 1013])

    def test_names_in_the_url_are_those_of_a_form(self):
        for written, name in (("a+b", "a b"), ("a%20b", "a b"), ("a%2Bb", "a+b"),
                              ("a%26b%3D", "a&b="), ("a%252Fb", "a%2Fb"), ("%C3%A9", "é")):
            with self.subTest(written), RawClient(self.daemon.address) as client:
                client.upgrade(target=f"/v1/sync?userId={written}&deviceId=d")
                self.assertEqual(client.message()["id"], 0)
                added = client.command(
                    "addAction", channel="room", messageTimetoken="17", value="👍")
                self.assertEqual(added["action"]["uuid"], name)

    def test_a_zero_in_the_url(self):
        for target in ("/v1/sync?userId=%00&deviceId=d", "/v1/sync?userId=a%00b&deviceId=d",
                       "/v1/sync?x=%00"):
            with self.subTest(target), RawClient(self.daemon.address) as client:
                client.send(client.upgrade_request(target=target))
                answer = client.answer()
                self.assertEqual(answer.status, 400)
                self.assertIn("%00", answer.json()["error"])
                self.assertEqual(client.rest(), b"")

    def test_all_doors_lead_to_the_same_room(self):
        with RawClient(self.daemon.address).hello() as native, Rest(self.daemon) as web:
            for name in ("a/b", "/", "a\\b", "foo*", "a.*.b", "a:b", "?#&%+ ", "é👍", "x" * 255):
                with self.subTest(name):
                    native.command("subscribe", channels=[{"name": name}])
                    sent = web.publish(name, "by HTTP")
                    while (push := native.message())["c"] != name or not push["m"]:
                        pass
                    self.assertEqual(push["m"][0]["p"]["t"], str(sent))
                    native.command("publish", channel=name, payload="by WebSocket")
                    kept = web.ok(f"/v3/history/sub-key/{{sub}}/channel/{quoted(name)}")
                    self.assertEqual(
                        [it["message"] for it in kept["channels"][name]],
                        ["by HTTP", "by WebSocket"])


if __name__ == "__main__":
    unittest.main()
