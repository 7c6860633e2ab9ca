"""PubNub presence: who is where, in which state, and what the others hear of it."""

import select
import time
import unittest

from rest import quoted
from sdk import PubNubTestCase

#: The shortest presence timeout, in seconds.
TIMEOUT_SECONDS_MIN = 5
PRESENCE = "/v2/presence/sub-key/{sub}"


class Events(PubNubTestCase):
    """What a listener on `-pnpres` hears."""

    def setUp(self):
        self.daemon = self.start_daemon()

    def events(self, client, *actions):
        """Waits until these have been heard, and returns them as (event, uuid, occupancy)."""
        heard = client.heard
        heard.until(lambda: {it.event for it in heard.presences} >= set(actions), f"{actions}")
        return [(it.event, it.uuid, it.occupancy) for it in heard.presences]

    def test_join_and_leave(self):
        """The one who joins hears of it too: events come half a second later, on purpose."""
        ada = self.client(self.daemon, "ada").subscribe("room", presence=True)
        self.assertEqual(self.events(ada, "join"), [("join", "ada", 1)])
        bob = self.client(self.daemon, "bob").subscribe("room")
        ada.heard.until(lambda: len(ada.heard.presences) == 2, "Bob's join")
        bob.sdk.unsubscribe().channels("room").execute()
        self.assertEqual(
            self.events(ada, "leave"),
            [("join", "ada", 1), ("join", "bob", 2), ("leave", "bob", 1)])
        for event in ada.heard.presences:
            self.assertEqual(event.channel, "room")
            self.assertLess(abs(event.timestamp - time.time()), 60, "In seconds.")
            self.assertEqual(len(str(event.timetoken)), 17)

    def test_a_second_device_of_a_user_is_no_second_join(self):
        ada = self.client(self.daemon, "ada").subscribe("room", presence=True)
        self.client(self.daemon, "bob").subscribe("room")
        ada.heard.until(lambda: len(ada.heard.presences) == 2, "Bob's join")
        self.client(self.daemon, "bob").subscribe("room")
        self.client(self.daemon, "eve").subscribe("room")
        ada.heard.until(lambda: len(ada.heard.presences) == 3, "Eve's join")
        self.assertEqual(
            [(it.uuid, it.occupancy) for it in ada.heard.presences],
            [("ada", 1), ("bob", 2), ("eve", 3)])

    def test_state_change(self):
        ada = self.client(self.daemon, "ada").subscribe("room", presence=True)
        bob = self.client(self.daemon, "bob").subscribe("room")
        ada.heard.until(lambda: len(ada.heard.presences) == 2, "both joins")
        result = bob.sdk.set_state("room", state={"mood": "👍", "n": 1}).sync().result
        self.assertEqual(result.state, {"mood": "👍", "n": 1})
        self.events(ada, "state-change")
        change = ada.heard.presences[-1]
        self.assertEqual((change.event, change.uuid, change.state),
                         ("state-change", "bob", {"mood": "👍", "n": 1}))

    def test_presence_of_a_group(self):
        ada = self.client(self.daemon, "ada")
        ada.sdk.add_channel_to_channel_group(["room"], "team").sync()
        ada.subscribe(groups=["team"], presence=True)
        self.client(self.daemon, "bob").subscribe("room")
        ada.heard.until(
            lambda: {it.uuid for it in ada.heard.presences} == {"ada", "bob"}, "both joins")
        event = ada.heard.presences[-1]
        self.assertEqual((event.channel, event.subscription), ("room", "team"))

    def test_envelopes(self):
        poll = self.poll(self.daemon, "ada", "room-pnpres")
        self.client(self.daemon, "bob").subscribe("room")
        (event,) = poll.turn()
        self.assertEqual(
            (event["c"], event.get("b", event["c"]), event["k"], event["a"], event.get("e", 0)),
            ("room-pnpres", "room-pnpres", "default", "1", 0))
        self.assertNotIn("i", event)
        timestamp = event["d"]["timestamp"]
        self.assertIs(type(timestamp), int)
        self.assertEqual(event["d"], {
            "action": "join", "timestamp": timestamp, "uuid": "bob", "occupancy": 1})

    def test_presence_of_a_wildcard(self):
        """`b` is the name that was asked for, else JavaScript drops the event."""
        poll = self.poll(self.daemon, "ada", "chat.*", "chat.*-pnpres")
        self.client(self.daemon, "bob").subscribe("chat.x")
        (event,) = [it for it in poll.turn() if it["d"]["uuid"] == "bob"]
        self.assertEqual((event["c"], event["b"]), ("chat.x-pnpres", "chat.*-pnpres"))

    def test_whoever_only_watches_is_not_there(self):
        web = self.rest(self.daemon)
        self.poll(self.daemon, "watcher", "room-pnpres")
        self.assertEqual(web.ok(f"{PRESENCE}/channel/room")["occupancy"], 0)

    def test_gone_without_a_word(self):
        """Heard as a timeout; a member whose poll was cut is not gone before; state goes too."""
        ada = self.poll(self.daemon, "ada", "room-pnpres")
        web = self.rest(self.daemon, "bob")
        begun = time.monotonic()
        web.ok(f"{PRESENCE}/channel/room/heartbeat",
               {"heartbeat": TIMEOUT_SECONDS_MIN, "state": '{"room":{"mood":"gone"}}'})
        web.close()
        web = self.rest(self.daemon, "eve")
        self.assertEqual(web.ok(f"{PRESENCE}/channel/room")["uuids"], ["bob"])
        join, timeout = ada.collect(2)
        self.assertEqual(
            [(it["d"]["action"], it["d"]["uuid"], it["d"]["occupancy"])
             for it in (join, timeout)], [("join", "bob", 1), ("timeout", "bob", 0)])
        self.assertEqual(join["d"].get("data"), {"mood": "gone"})
        self.assertGreater(time.monotonic() - begun, TIMEOUT_SECONDS_MIN - 1)
        self.assertEqual(web.ok(f"{PRESENCE}/channel/room")["occupancy"], 0)
        state = web.ok(f"{PRESENCE}/channel/room/uuid/bob")
        self.assertEqual(state["payload"], {})

    def test_polls_do_not_outlive_a_broken_heartbeat(self):
        """An SDK whose heartbeats stopped is gone in time, however often it polls meanwhile."""
        ada = self.poll(self.daemon, "ada", "room-pnpres")
        web = self.rest(self.daemon, "bob")
        bob = self.poll(self.daemon, "bob", "room")
        begun, heard = time.monotonic(), []
        web.ok(f"{PRESENCE}/channel/room/heartbeat", {"heartbeat": TIMEOUT_SECONDS_MIN})
        ada.begin()
        while not any(it["d"]["action"] == "timeout" for it in heard):
            self.assertLess(time.monotonic() - begun, 60, f"No timeout: {heard}")
            if select.select([ada.rest.http.socket], [], [], 0.1)[0]:
                heard += ada.finish()
                ada.begin()
            # Each of these ends his poll, and he polls again, as SDKs do.
            web.publish("room", "still polling")
            bob.turn()
        actions = [(it["d"]["action"], it["d"]["uuid"]) for it in heard]
        self.assertEqual(actions[:2], [("join", "bob"), ("timeout", "bob")])


class Questions(PubNubTestCase):
    """here_now, where_now and states. Membership counts at once; only its events are late."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada").subscribe("a", "b")
        self.bob = self.client(self.daemon, "bob").subscribe("b")
        self.web = self.rest(self.daemon)

    def census(self, *channels, **options):
        """here_now as {channel: {uuid: state}}, with its totals checked."""
        result = self.ada.sdk.here_now(list(channels), **options).sync().result
        found = {
            it.channel_name: {who.uuid: who.state for who in it.occupants or []}
            for it in result.channels}
        self.assertEqual(
            result.total_occupancy, sum(it.occupancy for it in result.channels))
        return found

    def test_here_now(self):
        self.assertEqual(self.census("a"), {"a": {"ada": None}})
        self.assertEqual(self.census("b"), {"b": {"ada": None, "bob": None}})
        self.assertEqual(self.census("nobody"), {"nobody": {}})
        self.assertEqual(
            self.census("a", "b", "nobody"), {"a": {"ada": None}, "b": {"ada": None, "bob": None}})
        self.assertEqual(self.census(), {"a": {"ada": None}, "b": {"ada": None, "bob": None}})
        self.ada.sdk.add_channel_to_channel_group(["a", "b"], "team").sync()
        self.assertEqual(
            self.census(channel_groups=["team"]),
            {"a": {"ada": None}, "b": {"ada": None, "bob": None}})

    def test_here_now_with_states(self):
        self.bob.sdk.set_state("b", state={"n": 1}).sync()
        self.assertEqual(
            self.census("b", include_state=True), {"b": {"ada": None, "bob": {"n": 1}}})
        self.assertEqual(
            self.census("a", "b", include_state=True),
            {"a": {"ada": None}, "b": {"ada": None, "bob": {"n": 1}}})

    def test_here_now_without_uuids(self):
        result = self.ada.sdk.here_now(["b"], include_uuids=False).sync().result
        self.assertEqual((result.total_occupancy, result.channels[0].occupants), (2, []))

    def test_here_now_bodies(self):
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/b"), {
            "status": 200, "message": "OK", "occupancy": 2, "uuids": ["ada", "bob"],
            "service": "Presence"})
        both = {"channels": {"a": {"occupancy": 1, "uuids": ["ada"]},
                             "b": {"occupancy": 2, "uuids": ["ada", "bob"]}},
                "total_channels": 2, "total_occupancy": 3}
        for path in (f"{PRESENCE}/channel/a,b,nobody", PRESENCE):
            self.assertEqual(self.web.ok(path), {
                "status": 200, "message": "OK", "payload": both, "service": "Presence"})
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/x,y")["payload"], {
            "channels": {}, "total_channels": 0, "total_occupancy": 0})
        body = self.web.ok(f"{PRESENCE}/channel/b", {"disable_uuids": "1"})
        self.assertEqual(body, {
            "status": 200, "message": "OK", "occupancy": 2, "service": "Presence"})
        body = self.web.ok(f"{PRESENCE}/channel/b", {"state": "1"})
        self.assertEqual(body["uuids"], [{"uuid": "ada"}, {"uuid": "bob"}])

    def test_here_now_page_by_page(self):
        for number in range(25):
            self.rest(self.daemon, f"u{number:02}").ok(f"{PRESENCE}/channel/crowd/heartbeat")
        found = []
        for offset in (0, 10, 20, 30):
            body = self.web.ok(f"{PRESENCE}/channel/crowd", {"limit": 10, "offset": offset})
            self.assertEqual(body["occupancy"], 25)
            found.append(body["uuids"])
        self.assertEqual([len(it) for it in found], [10, 10, 5, 0])
        self.assertEqual(sorted(sum(found, [])), [f"u{n:02}" for n in range(25)])

    def test_where_now(self):
        where = self.bob.sdk.where_now("ada").sync().result.channels
        self.assertEqual(sorted(where), ["a", "b"])
        self.assertEqual(self.bob.sdk.where_now().sync().result.channels, ["b"])
        self.assertEqual(self.bob.sdk.where_now("nobody").sync().result.channels, [])

    def test_states(self):
        self.bob.sdk.set_state(["a", "b"], state={"n": 1}).sync()
        result = self.ada.sdk.get_state(["b"], uuid="bob").sync().result
        self.assertEqual(result.channels, {"b": {"n": 1}})
        result = self.ada.sdk.get_state(["a", "b"], uuid="bob").sync().result
        self.assertEqual(result.channels, {"a": {"n": 1}, "b": {"n": 1}}, "A state needs no join.")
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/b/uuid/bob"), {
            "status": 200, "message": "OK", "payload": {"n": 1}, "uuid": "bob", "channel": "b",
            "service": "Presence"})
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/b/uuid/nobody")["payload"], {})

    def test_a_state_that_is_none(self):
        path = f"{PRESENCE}/channel/b/uuid/raw/data"
        answer = self.web.get(path)
        self.assertEqual((answer.status, answer.json()), (400, {
            "status": 400, "error": 1, "message": "No state specified.", "service": "Presence"}))
        for state in ("{", "7", "[]", "text", '{"a":1}}'):
            answer = self.web.get(path, {"state": state})
            self.assertEqual(
                (answer.status, answer.json()["error"], answer.json()["service"]),
                (400, 1, "Presence"), state)

    def test_heartbeat_and_leave(self):
        """A heartbeat makes present without a poll; `-pnpres` names and wildcards do not count."""
        eve = self.client(self.daemon, "eve")
        eve.sdk.heartbeat().channels(["c", "c-pnpres"]).state({"c": {"n": 2}}).sync()
        self.assertEqual(self.census("c", include_state=True), {"c": {"eve": {"n": 2}}})
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/c-pnpres")["occupancy"], 0)
        self.assertEqual(
            self.rest(self.daemon, "eve").ok(
                f"{PRESENCE}/channel/c,c-pnpres,{quoted('w.*')}/leave"),
            {"status": 200, "message": "OK", "action": "leave", "service": "Presence"})
        self.assertEqual(self.census("c"), {"c": {}})
        self.assertEqual(
            self.web.ok(f"{PRESENCE}/channel/never-there/leave")["action"], "leave")
        self.assertEqual(self.web.ok(f"{PRESENCE}/channel/c/heartbeat"), {
            "status": 200, "message": "OK", "service": "Presence"})

    def test_a_path_that_is_none(self):
        answer = self.web.get(f"{PRESENCE}/channel/b/dance")
        self.assertEqual((answer.status, answer.json()["error"]), (404, 1))


class Crowds(PubNubTestCase):
    """Above `announce_max`, one interval event stands for all who came and went."""

    def test_an_interval_with_deltas(self):
        daemon = self.start_daemon(configuration="""
            [keyset main]
            subscribe_key = sub
            publish_key = pub
            announce_max = 2
            announce_interval = 10
            presence_deltas = yes
            """)
        poll = self.poll(daemon, "watcher", "room-pnpres")
        for number in range(6):
            self.rest(daemon, f"u{number}").ok(f"{PRESENCE}/channel/room/heartbeat")
        events = [it["d"] for it in poll.collect(3)]
        self.assertEqual([it["action"] for it in events], ["join", "join", "interval"])
        interval = events[-1]
        self.assertEqual(interval["occupancy"], 6)
        self.assertEqual(sorted(interval["join"]), ["u2", "u3", "u4", "u5"])
        self.assertNotIn("uuid", interval)


if __name__ == "__main__":
    unittest.main()
