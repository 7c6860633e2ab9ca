"""The daemon sends just the events of Tests/Fixtures/events.json, which all clients are fed."""

import asyncio
import gzip
import json
import unittest
import zlib

import disk
import events
from rest import Rest, quoted
from sdk import PubNubTestCase

KEYS = ("demo", "default")
HISTORY = "/v3/history/sub-key/{sub}/channel/room"
PRESENCE = "/v2/presence/sub-key/{sub}/channel"
CONFIGURATION = """
    [keyset main]
    subscribe_key = default
    announce_max = 0
    announce_interval = 10
    presence_deltas = yes

    [keyset plain]
    subscribe_key = plain
    announce_max = 0
    announce_interval = 10
    """


class Events(PubNubTestCase):
    """Each good shape, made by the real daemon."""

    async def test_what_the_daemon_sends(self):
        self.maxDiff = None
        quick, slow = await asyncio.gather(self.messages(), self.presence())
        good = quick + slow + await self.unsigned()
        events.keep(good)
        kept = events.fixture()["good"]
        self.assertEqual([it["name"] for it in good], [it["name"] for it in kept])
        for made, known in zip(good, kept, strict=True):
            with self.subTest(known["name"]):
                self.assertEqual(made, known)

    def test_what_is_made_of_them(self):
        """The fixture agrees with docs/PROTOCOL.md, as this test's author read it."""
        fixture = events.fixture()
        names = [it["name"] for part in ("good", "bad", "frames") for it in fixture[part]]
        self.assertEqual(len(names), len(set(names)))
        for shape in fixture["good"] + fixture["bad"]:
            with self.subTest(shape["name"]):
                try:
                    made = events.meaning(shape["event"], shape["channel"])
                except events.Unreadable:
                    made = "problem"
                self.assertEqual(made, shape["gives"])

    # Messages, actions, deletions

    async def messages(self):
        daemon = self.start_daemon()
        self.eve = await self.device(daemon, "eve")
        await self.eve.subscribe("room")
        ada = await self.device(daemon, "ada")
        self.web = self.rest(daemon, "ada", KEYS)
        self.nobody = Rest(daemon, "ada", KEYS)
        self.nobody.target = lambda path, query=None: self.web.target(path, query).replace(
            "uuid=ada&", "").replace("?uuid=ada", "")
        self.addCleanup(self.nobody.close)
        self.good, self.live = [], []

        async def publish(name, by, payload, **fields):
            return await self.one(name, by, ada.publish("room", payload, **fields))

        message = await publish("message", "publish on the WebSocket", {"text": "hi"})
        await publish("message with meta and type", "publish on the WebSocket", {"text": "hi"},
                      meta={"lang": "en"}, messageType="text")
        for name, payload in (
                ("null", None), ("false", False), ("a number", -2.5), ("a text", "ünï 👍 \"\\ \u2028"),
                ("empty", ""), ("a list", [1, [None], {}]),
                ("odd names", {"__proto__": {"a": 1}, "constructor": 2, "": 3})):
            await publish(f"message, {name}", "publish on the WebSocket", payload, meta=0)
        await self.spellings()
        await self.actions(ada, message)
        await self.one("deletion of a range", "DELETE history with start and end",
                       self.call(self.web, "DELETE", HISTORY,
                                 {"start": int(message) - 1, "end": message}))
        await self.one("deletion of all", "DELETE history", self.call(self.web, "DELETE", HISTORY))
        return self.good

    async def spellings(self):
        """What PubNub's SDKs send."""
        body = json.dumps({"text": "hi"}).encode()
        deflate = zlib.compress(body)
        get = f"/publish/{{pub}}/{{sub}}/0/room/0/{quoted(body.decode())}"
        post = "/publish/{pub}/{sub}/0/room/0"
        signal = "/signal/{pub}/{sub}/0/room/0/%22typing%22"
        fields = {"meta": '{"lang":"en"}', "custom_message_type": "chat-text"}
        for who, web in (("", self.web), (" without uuid", self.nobody)):
            for name, how, path, query, data in (
                    ("message", "GET publish", get, {}, None),
                    ("message with meta and type", "GET publish", get, fields, None),
                    ("message", "POST publish", post, {}, body),
                    ("message", "POST publish, deflate", post, {}, deflate),
                    ("message", "POST publish, gzip", post, {}, gzip.compress(body)),
                    ("message with ttl", "GET publish", get, {"ttl": 1}, None),
                    ("message not stored", "GET publish", get, {"store": 0}, None),
                    ("message not stored, with meta and type", "POST publish", post,
                     {**fields, "store": 0}, body),
                    ("signal", "GET signal", signal, {}, None),
                    ("signal with type", "GET signal", signal,
                     {"custom_message_type": "chat-text"}, None)):
                method = "GET" if data is None else "POST"
                await self.one(f"{name} by {how}{who}", f"{how}{who}",
                               self.call(web, method, path, query, data))
        # It reaches nobody: what comes next is the first thing that comes.
        for path, query, data in ((get, {}, None), (post, {}, body)):
            await self.call(self.web, "GET" if data is None else "POST", path,
                            {**query, "store": 0, "norep": "true"}, data)

    async def actions(self, ada, message):
        kept = [it["p"]["t"] for it in self.live if it["f"] == 0 and "e" not in it]
        whole = await self.catch_up(ada, kept)
        self.assertEqual([it for it in self.live if it["p"]["t"] in kept], whole,
                         "What was missed looks as it did live.")
        by = "addAction on the WebSocket"
        await self.one("action added", by, ada.add("room", message, "👍"))
        await self.one("action removed", "removeAction on the WebSocket",
                       ada.remove("room", message, "👍"))
        await self.one("action of another type", by,
                       ada.add("room", message, "constructor", type="__proto__"))
        await self.one("action on a message that nobody has", by, ada.add("room", "17", "❤️"))
        added = self.web.add
        await self.one("action added by POST", "POST message-actions",
                       asyncio.to_thread(added, "room", message, "🔥"))
        action = self.live[-1]["d"]["data"]["actionTimetoken"]
        await self.one("action removed by DELETE", "DELETE message-actions",
                       asyncio.to_thread(self.web.remove, "room", message, action))
        whole = {"messageTimetoken": str(message), "type": "reaction", "value": "🔥",
                 "userId": "ada"}
        for what, covered in (
                ("a message", {"messageTimetoken": str(message)}), ("a value", {"value": "🔥"}),
                ("a user", {"userId": "ada"}), ("one action", whole)):
            await self.known(ada.add("room", message, "🔥"))
            await self.one(f"actions cleared: of {what}", "removeActions on the WebSocket",
                           ada.command("removeActions", channel="room", **covered))

    async def unsigned(self):
        """What stores have from a time when PubNub's door took actions without a uuid."""
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", {"text": "hi"})
        await ada.subscribe("room")
        await ada.add("room", message, "👍")
        kept = await ada.add("room", message, "🔥")
        await ada.reach("room", kept["action"]["actionTimetoken"])
        await ada.close()
        await asyncio.to_thread(daemon.stop)
        disk.unsign_actions(disk.database(daemon), "room", ada.rows["room"].key)
        await asyncio.to_thread(daemon.start)
        eve = await self.device(daemon, "eve")
        await eve.subscribe({"name": "room", "cursor": "0"})
        await eve.until(lambda: eve.rows["room"].verified > 0, "the digest")
        _, action, _ = self.heard(eve)
        await eve.close()
        return [self.shape("action of nobody", "a row of an earlier release", action)]

    async def catch_up(self, ada, kept):
        """The same messages as a device gets them that asks for everything."""
        late = await self.device(ada.daemon, "late")
        await late.subscribe({"name": "room", "cursor": "0"})
        await late.reach("room", kept[-1])
        await late.close()
        return [it for push in late.pushes for it in push["m"]]

    async def call(self, web, method, path, query=None, body=None):
        answer = await asyncio.to_thread(web.ask, method, path, query, body)
        self.assertEqual(answer.status, 200, answer)

    async def one(self, name, by, work):
        """Does something, and keeps the one event that it causes."""
        result = await work
        count = len(self.live)
        await self.eve.until(lambda: len(self.heard(self.eve)) > count, name)
        event = self.heard(self.eve)[count]
        self.assertEqual(len(self.heard(self.eve)), count + 1)
        self.live.append(json.loads(json.dumps(event)))
        self.good.append(self.shape(name, by, event))
        return result

    async def known(self, work):
        """Does something that causes an event like an earlier one."""
        await work
        count = len(self.live)
        await self.eve.until(lambda: len(self.heard(self.eve)) > count, "an event")
        self.live.append(self.heard(self.eve)[count])

    @staticmethod
    def heard(device):
        return [it for push in device.pushes for it in push["m"]]

    @staticmethod
    def shape(name, by, event):
        event = events.normalised(event)
        return {"name": name, "by": by, "channel": event["c"], "event": event,
                "gives": events.meaning(event, event["c"])}

    # Presence

    async def presence(self):
        daemon = self.start_daemon()
        crowd = self.start_daemon(configuration=CONFIGURATION)
        names = ("joins", "leaves", "times out", "is too long")
        eve = await self.device(daemon, "eve")
        await eve.subscribe("room-pnpres")
        crowd_eve = await self.device(crowd, "eve")
        await crowd_eve.subscribe(*(f"{it}-pnpres" for it in names))
        plain = await self.device(crowd, "eve", keyset="plain")
        await plain.subscribe("room-pnpres")

        await self.at(daemon, "ada", "room", heartbeat=20, state='{"room":{"mood":"gone"}}')
        await self.at(daemon, "bob", "room")
        await eve.until(lambda: self.find(eve, "join", 2), "two joins")
        await self.call(self.rest(daemon, "bob", KEYS), "GET", f"{PRESENCE}/room/uuid/bob/data",
                        {"state": '{"mood":"👍","n":1}'})
        await eve.until(lambda: self.find(eve, "state-change"), "the state")
        await self.call(self.rest(daemon, "bob", KEYS), "GET", f"{PRESENCE}/room/leave")

        await self.at(crowd, "bob", "room", ("demo", "plain"))
        for name in names:
            await self.at(crowd, "ada", name)
        await self.at(crowd, "bob", "leaves")
        await self.at(crowd, "bob", "times out", heartbeat=20)
        for number in range(130):
            await self.at(crowd, f"{number:03}" + "u" * 240, "is too long")
        await crowd_eve.until(lambda: self.find(crowd_eve, "interval", 4), "the intervals")
        await self.call(self.rest(crowd, "bob", KEYS), "GET", f"{PRESENCE}/leaves/leave")
        await plain.until(lambda: self.find(plain, "interval"), "an interval")
        await crowd_eve.until(lambda: self.find(crowd_eve, "interval", 6), "what came later")
        await eve.until(lambda: self.find(eve, "timeout"), "the end of ada")

        joins = self.find(eve, "join", 2)
        intervals = {
            name: [it for it in self.find(crowd_eve, "interval") if it["c"] == f"{name}-pnpres"]
            for name in names}
        made = (
            ("presence: join with state", "heartbeat with state", joins[0]),
            ("presence: join", "heartbeat", joins[1]),
            ("presence: state-change", "set state", self.find(eve, "state-change")[0]),
            ("presence: leave", "leave", self.find(eve, "leave")[0]),
            ("presence: timeout", "no more heartbeats", self.find(eve, "timeout")[0]),
            ("presence: interval", "over announce_max", self.find(plain, "interval")[0]),
            ("presence: interval with joins", "over announce_max, with deltas",
             intervals["joins"][0]),
            ("presence: interval with leaves", "over announce_max, with deltas",
             intervals["leaves"][1]),
            ("presence: interval with timeouts", "over announce_max, with deltas",
             intervals["times out"][1]),
            ("presence: interval to be asked about", "over announce_max, with too many deltas",
             intervals["is too long"][0]))
        for _, _, event in made:
            event["c"] = "room-pnpres"
        return [self.shape(*it) for it in made]

    def find(self, device, action, count=1):
        found = [it for it in self.heard(device) if it["d"]["action"] == action]
        return found if len(found) >= count else []

    async def at(self, daemon, user, channel, keys=KEYS, **query):
        """One heartbeat."""
        web = Rest(daemon, user, keys)
        await self.call(web, "GET", f"{PRESENCE}/{quoted(channel)}/heartbeat", query)
        web.close()


if __name__ == "__main__":
    unittest.main()
