"""Signals between a WebSocket and PubNub's SDK: the same at both doors, and kept nowhere."""

import unittest

from raw import TEXT, RawClient, frame
from sdk import PubNubTestCase


class Signals(PubNubTestCase):
    """Ada on a WebSocket, Bob with the SDK."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = RawClient(self.daemon.address).hello("ada")
        self.addCleanup(self.ada.socket.close)

    def refusal(self, client, **fields):
        """The error of a signal that must not be taken."""
        client.send(frame(TEXT, client.command_text("signal", **fields)))
        while (message := client.message()).get("id") != client.number:
            pass
        return message["error"]

    def test_a_signal_of_the_websocket_is_heard_by_the_sdk(self):
        bob = self.client(self.daemon, "bob").subscribe("room")
        sent = self.ada.command(
            "signal", channel="room", payload={"typing": True}, messageType="typing")
        bob.heard.until(lambda: bob.heard.signals, "the signal")
        (heard,) = bob.heard.signals
        self.assertEqual(
            (heard.message, heard.publisher, heard.channel, str(heard.timetoken)),
            ({"typing": True}, "ada", "room", sent["timetoken"]))

    def test_a_signal_of_the_sdk_is_heard_on_the_websocket(self):
        (followed,) = self.ada.command("subscribe", channels=[{"name": "room"}])["channels"]
        sent = self.client(self.daemon, "bob").sdk.signal().channel("room").message(
            "typing").sync().result.timetoken
        while not (push := self.ada.message()).get("m"):
            pass
        (event,) = push["m"]
        self.assertEqual(
            (event["e"], event["f"], event["i"], event["d"], event["p"]["t"]),
            (1, 1, "bob", "typing", str(sent)))
        self.assertEqual(push["t"]["t"], followed["cursor"], "It moves no cursor.")

    def test_it_is_in_no_history(self):
        self.ada.command("signal", channel="room", payload=1)
        self.assertEqual(self.ada.command("history", channel="room")["messages"], [])

    def test_what_is_no_signal(self):
        for code, fields in (
                ("invalid_field", {"channel": "room", "payload": "x" * 63}),
                ("missing_field", {"channel": "room"}),
                ("invalid_channel", {"channel": "room-pnpres", "payload": 1}),
                ("invalid_channel", {"channel": "room.*", "payload": 1})):
            with self.subTest(fields):
                error = self.refusal(self.ada, **fields)
                self.assertEqual((error["status"], error["code"]), (400, code))
        self.assertIn("timetoken", self.ada.command("signal", channel="room", payload="x" * 62))


if __name__ == "__main__":
    unittest.main()
