"""Groups and wildcards on the WebSocket: their channels are followed as if each had been named."""

import unittest

from raw import TEXT, RawClient, frame
from sdk import PubNubTestCase


class Selections(PubNubTestCase):
    """PubNub's SDK fills the groups."""

    def setUp(self):
        self.daemon = self.start_daemon(configuration="""
            [keyset main]
            subscribe_key = sub
            publish_key = pub
            """)

    def session(self, user="ada", device="phone"):
        client = RawClient(self.daemon.address)
        self.addCleanup(client.socket.close)
        client.upgrade()
        client.command("hello", userId=user, deviceId=device, publishKey="pub")
        client.followed = {}
        client.events = {}
        client.ended = []
        client.cursor = None
        return client

    def follow(self, client, **selection):
        client.cursor = client.command("follow", **selection)["cursor"]

    def take(self, client):
        """The next frame, taken into what the client has."""
        message = client.message()
        if "follows" in message:
            news = message["follows"]
            self.assertNotIn("error", news)
            client.cursor = news["cursor"]
            for channel in news["channels"]:
                client.followed[channel["name"]] = channel
            for name in news.get("ended", []):
                client.followed.pop(name)
                client.ended.append(name)
        elif "m" in message:
            self.assertIn(message["c"], client.followed, "told before it is sent")
            client.events.setdefault(message["c"], []).extend(
                (it.get("i"), it["d"]) for it in message["m"])
        return message

    def until(self, client, condition):
        while not condition():
            self.take(client)

    def texts(self, client, channel):
        return [d for _, d in client.events.get(channel, [])]

    def publish(self, channel, payload, **options):
        author = self.session("bob")
        token = author.command("publish", channel=channel, payload=payload, **options)["timetoken"]
        author.socket.close()
        return token

    # Wildcards

    def test_a_wildcard_brings_channels_as_they_come(self):
        self.publish("news.old", "before")
        client = self.session()
        self.follow(client, wildcard="news.*")
        self.publish("news.a", 1)
        self.publish("news.b.c", 2)
        self.publish("other.a", 3)
        self.publish("news.a", 4)
        # Each channel is brought by itself.
        self.until(client, lambda: (self.texts(client, "news.a"),
                                    self.texts(client, "news.b.c")) == ([1, 4], [2]))
        self.assertEqual(set(client.followed), {"news.a", "news.b.c"})

    def test_the_first_signal_of_a_new_channel_arrives(self):
        client = self.session()
        self.follow(client, wildcard="typing.*")
        author = self.session("bob")
        for room in range(5):
            author.command("signal", channel=f"typing.{room}", payload={"typing": True})
        self.until(client, lambda: len(client.events) == 5)

    def test_what_was_missed_is_caught_up(self):
        client = self.session()
        self.follow(client, wildcard="news.*")
        token = self.publish("news.a", 1)
        self.until(client, lambda: self.texts(client, "news.a") == [1])
        cursor = client.cursor
        client.socket.close()
        self.publish("news.b", 2)
        self.publish("news.a", 3)
        author = self.session("bob")
        author.command("addAction", channel="news.a", messageTimetoken=token, value="👍")
        back = self.session()
        self.follow(back, wildcard="news.*", cursor=cursor)
        self.until(back, lambda: self.texts(back, "news.b") == [2])
        self.until(back, lambda: len(self.texts(back, "news.a")) == 2)
        self.assertEqual(self.texts(back, "news.a")[0], 3)
        self.assertEqual(self.texts(back, "news.a")[1]["event"], "added")

    def test_who_comes_back_gets_each_event_once(self):
        client = self.session()
        client.command("changeGroup", group="friends", add=["news.a", "den"])
        own = {}
        for first in (True, False):
            client = self.session()
            self.follow(client, wildcard="news.*", cursor="0", start=False)
            self.follow(client, group="friends", cursor="0", start=False)
            if own:
                client.command("subscribe", channels=[
                    {"name": name, "cursor": cursor} for name, cursor in own.items()])
                client.followed.update(dict.fromkeys(own, {}))
            else:
                self.until(client, lambda: set(client.followed) == {"news.a", "den"})
                self.assertEqual(client.followed["den"], {"name": "den"})
                client.command("subscribe", channels=[
                    {"name": name, "cursor": "0"} for name in ("news.a", "den")])
            for name in ("news.a", "den"):
                cursor = self.publish(name, f"{first} {name}")
                missed = [] if first else ["missed", "missed, too"]
                self.until(
                    client, lambda: f"{first} {name}" in self.texts(client, name))
                self.assertEqual(self.texts(client, name), missed + [f"{first} {name}"])
                own[name] = cursor
            client.socket.close()
            for name in own:
                self.publish(name, "missed")
                self.publish(name, "missed, too")

    def test_a_wildcard_in_a_group_is_left_out(self):
        pubnub = self.client(self.daemon, "carol").sdk
        pubnub.add_channel_to_channel_group(["a", "news.*"], "friends").sync()
        client = self.session()
        self.follow(client, group="friends")
        self.publish("news.a", 1)
        self.publish("a", 1)
        self.until(client, lambda: self.texts(client, "a") == [1])
        self.assertEqual(set(client.followed), {"a"})

    def test_from_the_beginning(self):
        for number in range(30):
            self.publish(f"news.{number}", number)
        self.publish("other", 1)
        client = self.session()
        self.follow(client, wildcard="news.*", cursor="0")
        self.until(client, lambda: len(client.events) == 30)
        for number in range(30):
            self.assertEqual(self.texts(client, f"news.{number}"), [number])
        # After which the cursor is where nothing came before.
        self.until(client, lambda: client.cursor != "0")
        self.publish("news.31", 31)
        self.until(client, lambda: self.texts(client, "news.31") == [31])

    def test_also_after_the_daemon_was_started_anew(self):
        client = self.session()
        self.follow(client, wildcard="news.*")
        self.publish("news.a", 1)
        self.until(client, lambda: self.texts(client, "news.a") == [1])
        self.publish("news.b", 2)
        self.daemon.restart()
        back = self.session()
        self.follow(back, wildcard="news.*", cursor=client.cursor)
        self.until(back, lambda: self.texts(back, "news.b") == [2])

    def test_the_presence_of_a_wildcard(self):
        client = self.session()
        self.follow(client, wildcard="room.*-pnpres")
        other = self.session("bob")
        other.command("subscribe", channels=[{"name": "room.a", "presence": True}])
        self.until(client, lambda: "room.a-pnpres" in client.events)
        self.assertEqual(self.texts(client, "room.a-pnpres")[0]["action"], "join")

    def test_a_wildcard_that_ends_ends_what_it_brought(self):
        client = self.session()
        client.command("subscribe", channels=[{"name": "news.own"}])
        client.followed["news.own"] = {}
        self.follow(client, wildcard="news.*")
        self.publish("news.a", 1)
        self.publish("news.own", 1)
        self.until(client, lambda: len(client.events) == 2)
        client.command("unfollow", wildcard="news.*")
        self.publish("news.a", 2)
        self.publish("news.b", 2)
        self.publish("news.own", 2)
        self.until(client, lambda: self.texts(client, "news.own") == [1, 2])
        self.assertEqual(self.texts(client, "news.a"), [1])
        self.assertNotIn("news.b", client.events)

    def test_an_ended_channel_stays_ended(self):
        client = self.session()
        self.follow(client, wildcard="news.*")
        self.publish("news.a", 1)
        self.until(client, lambda: self.texts(client, "news.a") == [1])
        client.command("unsubscribe", channels=["news.a"])
        self.publish("news.a", 2)
        self.publish("news.b", 1)
        self.until(client, lambda: self.texts(client, "news.b") == [1])
        self.assertEqual(self.texts(client, "news.a"), [1])

    def test_two_levels_and_two_wildcards(self):
        client = self.session()
        self.follow(client, wildcard="a.*")
        self.follow(client, wildcard="a.b.*")
        self.publish("a.b.c", 1)
        self.publish("a.b.c.d", 2)
        self.until(client, lambda: self.texts(client, "a.b.c.d") == [2])
        self.assertEqual(self.texts(client, "a.b.c"), [1])
        client.command("unfollow", wildcard="a.*")
        self.publish("a.b.c", 3)
        self.until(client, lambda: self.texts(client, "a.b.c") == [1, 3])

    def test_what_is_no_wildcard(self):
        client = self.session()
        for name in ["news", "*", ".*", "a.b.c.*", "", "a,b.*", "news.*.x"]:
            with self.subTest(name):
                client.send(frame(TEXT, client.command_text("follow", wildcard=name)))
                if name == ".*":
                    self.assertIn("ok", client.message())
                    continue
                self.assertEqual(client.message()["error"]["status"], 400)

    # Groups

    def test_a_group_brings_its_channels_and_those_that_come(self):
        pubnub = self.client(self.daemon, "carol").sdk
        pubnub.add_channel_to_channel_group(["a", "b"], "friends").sync()
        client = self.session()
        self.follow(client, group="friends")
        self.until(client, lambda: set(client.followed) == {"a", "b"})
        self.publish("a", 1)
        self.publish("c", 1)
        pubnub.add_channel_to_channel_group(["c"], "friends").sync()
        self.until(client, lambda: "c" in client.followed)
        self.publish("c", 2)
        self.until(client, lambda: self.texts(client, "c") == [2])
        pubnub.remove_channel_from_channel_group(["a"], "friends").sync()
        self.until(client, lambda: client.ended == ["a"])
        self.publish("a", 2)
        self.publish("b", 3)
        self.until(client, lambda: self.texts(client, "b") == [3])
        self.assertEqual(self.texts(client, "a"), [1])

    def test_a_group_from_a_cursor_and_one_that_is_empty(self):
        pubnub = self.client(self.daemon, "carol").sdk
        cursor = self.publish("a", 0)
        self.publish("a", 1)
        self.publish("b", 2)
        client = self.session()
        self.follow(client, group="friends", cursor=cursor)
        pubnub.add_channel_to_channel_group(["a", "b"], "friends").sync()
        self.until(client, lambda: len(client.followed) == 2)
        again = self.session(device="desk")
        self.follow(again, group="friends", cursor=cursor)
        self.until(again, lambda: self.texts(again, "b") and self.texts(again, "a"))
        self.assertEqual((self.texts(again, "a"), self.texts(again, "b")), ([1], [2]))

    def test_a_channel_of_its_own_is_named_and_goes_on(self):
        pubnub = self.client(self.daemon, "carol").sdk
        pubnub.add_channel_to_channel_group(["a"], "friends").sync()
        client = self.session()
        client.command("subscribe", channels=[{"name": "a"}])
        self.follow(client, group="friends")
        self.until(client, lambda: "a" in client.followed)
        self.assertEqual(client.followed["a"], {"name": "a"})
        client.command("unfollow", group="friends")
        self.publish("a", 1)
        self.until(client, lambda: self.texts(client, "a") == [1])

    def test_many_channels_and_many_sessions(self):
        names = [f"c{number:04}" for number in range(1000)]
        pubnub = self.client(self.daemon, "carol").sdk
        for at in range(0, 1000, 200):
            pubnub.add_channel_to_channel_group(names[at:at + 200], "large").sync()
        clients = [self.session(device=f"d{number}") for number in range(5)]
        for client in clients:
            self.follow(client, group="large")
        for client in clients:
            self.until(client, lambda: len(client.followed) == 1000)
        self.publish("c0999", 1)
        for client in clients:
            self.until(client, lambda: self.texts(client, "c0999") == [1])

    def test_too_many(self):
        self.daemon = self.start_daemon(configuration="""
            [keyset main]
            subscribe_key = sub
            publish_key = pub
            subscriptions_max = 10
            """)
        client = self.session()
        self.follow(client, wildcard="news.*")
        author = self.session("bob")
        for number in range(11):
            author.command("publish", channel=f"news.{number}", payload=number)
        while "error" not in (message := self.tolerate(client)).get("follows", {}):
            pass
        self.assertEqual(message["follows"]["wildcard"], "news.*")
        self.assertEqual(message["follows"]["error"]["code"], "quota_exceeded")
        self.assertEqual(len(client.followed), 10)
        # What it brought goes on, and nothing else comes.
        author.command("publish", channel="news.3", payload="more")
        self.until(client, lambda: self.texts(client, "news.3") == [3, "more"])

    def tolerate(self, client):
        """A frame that may say that there is no more."""
        message = client.message()
        if "follows" in message and "channels" in message["follows"]:
            for channel in message["follows"]["channels"]:
                client.followed[channel["name"]] = channel
        if "m" in message:
            client.events.setdefault(message["c"], []).extend(
                (it.get("i"), it["d"]) for it in message["m"])
        return message

    def test_groups_are_changed_here_too(self):
        client = self.session()
        client.command("changeGroup", group="friends", add=["b", "a"])
        self.assertEqual(client.command("group", group="friends"), {"channels": ["a", "b"]})
        client.command("changeGroup", group="friends", remove=["a", "x"])
        self.assertEqual(client.command("group", group="friends"), {"channels": ["b"]})
        pubnub = self.client(self.daemon, "carol").sdk
        self.assertEqual(
            pubnub.list_channels_in_channel_group("friends").sync().result.channels, ["b"])
        client.command("changeGroup", group="friends", delete=True)
        self.assertEqual(client.command("group", group="friends"), {"channels": []})
        for bad in [{}, {"add": []}, {"add": ["a"], "remove": ["b"]}, {"add": [1]},
                    {"add": ["a,b"]}, {"add": ["a.*"]}, {"add": ["*"]}, {"delete": False}, {"add": ["a-pnpres"]},
                    {"add": [f"c{n}" for n in range(201)]}]:
            with self.subTest(bad):
                client.send(frame(TEXT, client.command_text("changeGroup", group="g", **bad)))
                self.assertEqual(client.message()["error"]["status"], 400)

    def test_each_channel_of_a_change_counts(self):
        """Else few could fill and empty groups, and everybody's writes would wait for the rows."""
        client = self.session()
        names = [f"c{n}" for n in range(200)]
        changes = 40
        for number in range(changes):
            change = {"add": names} if number % 2 == 0 else {"remove": names}
            client.send(frame(TEXT, client.command_text("changeGroup", group="g", **change)))
        answers = [client.message() for _ in range(changes)]
        refused = [it["error"]["code"] for it in answers if "error" in it]
        # A group may be filled at once: it has 2,000 channels at most.
        self.assertLessEqual(len(refused), changes - 10)
        self.assertGreaterEqual(len(refused), 10)
        self.assertEqual(set(refused), {"rate_limited"})


if __name__ == "__main__":
    unittest.main()
