"""What an owner decides about reactions: enforced at every door, and told to clients."""

from rest import Rest
from test_reload import ReloadTestCase
from test_web_client import WebCase

RULES = """
[keyset app]
subscribe_key = sub-app

[namespace one]
channels = one.*
reaction_mode = unique
reaction_values = 👍, 👎, ❤
reaction_aliases = love=❤, like=👍
reaction_types = reactions

[namespace emoji]
channels = emoji.*
reaction_values = emoji
actions_need_message = yes

[namespace small]
channels = small.*
values_per_message_max = 3
actions_per_user_max = 2
actions_per_message_max = 4

[namespace quiet]
channels = quiet.*
reactions = no

[namespace flag]
channels = flag.*
reaction_mode = flag

[namespace claps]
channels = claps.*
reaction_mode = multiple

[namespace votes]
channels = votes.*
reaction_mode = total
"""
HEART = "❤️"


class Rules(ReloadTestCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start(RULES)

    async def phone(self, user, channel="one.a", name=None):
        device = await self.device(self.daemon, user, name, keyset="sub-app")
        await device.subscribe({"name": channel, "cursor": "0"})
        return device

    async def react(self, device, message, value, channel="one.a", op="addAction", **more):
        return await device.command(
            op, channel=channel, messageTimetoken=str(message), value=value, **more)

    async def standing(self, device, channel="one.a"):
        """Who reacted with what."""
        actions = (await device.command("actions", channel=channel))["actions"]
        return sorted((it["uuid"], it["type"], it["value"]) for it in actions)

    async def test_one_reaction_of_a_user_whose_devices_all_follow(self):
        ada, tablet, bob = (await self.phone("ada"), await self.phone("ada", name="tablet"),
                            await self.phone("bob"))
        message = await ada.publish("one.a", 1)
        first = await self.react(ada, message, "👍")
        await self.react(bob, message, "👍")
        done = await self.react(tablet, message, "love", type="reactions")

        self.assertEqual(done["action"]["value"], HEART)
        self.assertEqual(done["action"]["type"], "reaction")
        for device in (ada, tablet, bob):
            await device.reach("one.a", done["action"]["actionTimetoken"])
        self.assertEqual(
            await self.standing(bob),
            [("ada", "reaction", HEART), ("bob", "reaction", "👍")])
        # The removal first, in one commit: nobody sees two, and none is missing.
        events = [(it["d"]["event"], it["d"]["data"]["value"])
                  for push in bob.pushes for it in push["m"]
                  if it.get("e") == 3 and it["i"] == "ada"]
        self.assertEqual(events, [("added", "👍"), ("removed", "👍"), ("added", HEART)])
        again = await self.react(ada, message, HEART)
        self.assertEqual(again["applied"], "already")
        self.assertEqual((await self.react(
            ada, message, "like", op="removeAction",
            actionTimetoken=first["action"]["actionTimetoken"]))["applied"], "absent")
        self.assertEqual(
            (await self.react(ada, message, "love", op="removeAction"))["applied"], "removed")
        self.daemon.kill()
        self.daemon.start()
        self.assertEqual(await self.standing(await self.phone("eve")), [("bob", "reaction", "👍")])

    async def test_taps_count_and_a_retry_does_not_count_again(self):
        ada, tablet, bob = (await self.phone("ada", "claps.a"),
                            await self.phone("ada", "claps.a", name="tablet"),
                            await self.phone("bob", "claps.a"))
        rest = Rest(self.daemon, "eve", keys=("pub", "sub-app"))
        self.addCleanup(rest.close)
        clap = lambda device, **more: self.react(device, 5, "👏", "claps.a", **more)
        first = await clap(ada, mutation="m1")
        self.assertNotIn("score", first["action"])
        self.assertEqual((await clap(ada, score=4, mutation="m2"))["action"]["score"], 5)
        self.assertEqual((await clap(tablet))["applied"], "updated")
        await clap(bob, score=1_000_000_000)
        async with self.refused(409, "score_too_large"):
            await clap(bob)
        body = '{"type":"reaction","value":"👏"}'.encode()
        path = "/v1/message-actions/{sub}/channel/claps.a/message/5"
        for _ in range(2):  # Unmodified SDKs count, too.
            self.assertEqual(rest.ask(
                "POST", path, {}, body, ("Content-Type: application/json",)).status, 200)
        scores = lambda actions: {it["uuid"]: it.get("score", 1) for it in actions["actions"]}
        expected = {"ada": 6, "bob": 1_000_000_000, "eve": 2}
        self.assertEqual(scores(await ada.command("actions", channel="claps.a")), expected)

        self.daemon.kill()
        self.daemon.start()
        ada, bob = await self.phone("ada", "claps.a"), await self.phone("bob", "claps.a")
        again = await clap(ada, score=4, mutation="m2")
        self.assertEqual((again["applied"], again["action"]["score"]), ("updated", 5))
        self.assertEqual(scores(await ada.command("actions", channel="claps.a")), expected)
        done = await clap(ada)
        await bob.reach("claps.a", done["action"]["actionTimetoken"])
        events = [(it["d"]["event"], it["d"]["data"].get("score", 1))
                  for push in bob.pushes for it in push["m"]
                  if it.get("e") == 3 and it["i"] == "ada"]
        # What was missed is summed up; what comes is told as it comes.
        self.assertEqual(events, [("added", 6), ("removed", 6), ("added", 7)])
        await clap(ada, op="removeAction")
        self.assertEqual(
            scores(await ada.command("actions", channel="claps.a")),
            {"bob": 1_000_000_000, "eve": 2})

    async def test_a_total_names_no_value_and_gives_one_back_at_a_time(self):
        ada = await self.phone("ada", "votes.a")
        vote = lambda value, **more: self.react(ada, 5, value, "votes.a", **more)
        self.assertEqual((await vote("a"))["action"]["value"], "total")
        self.assertEqual((await vote("b", score=2))["action"]["score"], 3)
        for left in (2, 1, None):
            self.assertEqual((await vote("c", op="removeAction"))["applied"], "removed")
            actions = (await ada.command("actions", channel="votes.a"))["actions"]
            self.assertEqual([it.get("score", 1) for it in actions], [left] if left else [])
        self.assertEqual((await vote("c", op="removeAction"))["applied"], "absent")
        # Whatever was seen, the last one goes as any other one does.
        seen = (await vote("a", score=3))["action"]["actionTimetoken"]
        for applied in ("removed", "removed", "removed", "absent"):
            done = await vote("a", op="removeAction", actionTimetoken=seen)
            self.assertEqual(done["applied"], applied)

    async def test_a_score_is_put_where_each_counts_once(self):
        ada = await self.phone("ada", "room")
        rate = lambda **more: self.react(ada, 5, "⭐", "room", **more)
        for score, applied, stands in ((3, "added", 3), (None, "already", 3), (5, "updated", 5),
                                       (5, "already", 5), (1, "updated", 1)):
            done = await rate(**({"score": score} if score else {}))
            self.assertEqual(
                (done["applied"], done["action"].get("score", 1)), (applied, stands))
        for score in (0, -1, 1_000_000_001, 1.5, "2", True):
            async with self.refused(400, "invalid_field"):
                await rate(score=score)

    async def test_what_is_refused_is_refused_at_both_doors_and_changes_nothing(self):
        ada = await self.phone("ada", "emoji.a")
        rest = Rest(self.daemon, "ada", keys=("pub", "sub-app"))
        self.addCleanup(rest.close)
        for channel in ("one.a", "quiet.a", "small.a", "emoji.a"):
            await ada.subscribe({"name": channel, "cursor": "0"})
        message = await ada.publish("emoji.a", 1)

        def post(channel, message, value, kind="reaction"):
            path = f"/v1/message-actions/{{sub}}/channel/{channel}/message/{message}"
            body = f'{{"type":"{kind}","value":"{value}"}}'.encode()
            return rest.ask("POST", path, {}, body, ("Content-Type: application/json",)).status

        for channel, number, value, status, code in (
                ("one.a", 5, "🔥", 400, "value_not_allowed"),
                ("emoji.a", message, "ok", 400, "value_not_allowed"),
                ("emoji.a", message, "👍👍", 400, "value_not_allowed"),
                ("emoji.a", 5, "👍", 404, "no_such_message"),
                ("quiet.a", 5, "👍", 403, "reactions_off")):
            with self.subTest(channel=channel, value=value):
                async with self.refused(status, code):
                    await self.react(ada, number, value, channel)
                self.assertEqual(post(channel, number, value), status)
                self.assertEqual(await self.standing(ada, channel), [])
        self.assertEqual(post("quiet.a", 5, "read", "receipt"), 200)
        self.assertEqual(post("emoji.a", message, "❤"), 200)
        self.assertEqual(await self.standing(ada, "emoji.a"), [("ada", "reaction", HEART)])

    async def test_a_message_is_full_until_somebody_takes_one_back(self):
        users = [await self.phone(name, "small.a") for name in ("ada", "bob", "eve")]
        ada, bob, eve = users
        for device, value in ((ada, "a"), (ada, "b"), (bob, "c")):
            await self.react(device, 5, value, "small.a")
        for device, value in ((ada, "c"), (bob, "d")):
            async with self.refused(409, "too_many_actions"):
                await self.react(device, 5, value, "small.a")
        await self.react(bob, 5, "a", "small.a")
        async with self.refused(409, "too_many_actions", "4 actions"):
            await self.react(eve, 5, "a", "small.a")
        await self.react(ada, 5, "b", "small.a", op="removeAction")
        await self.react(eve, 5, "a", "small.a")
        self.assertEqual(len(await self.standing(ada, "small.a")), 4)

    async def test_clients_are_told_on_subscribe_and_when_it_changes(self):
        ada = await self.device(self.daemon, "ada", keyset="sub-app")
        names = ("one.a", "one.b", "emoji.a", "quiet.a", "flag.a", "room")
        reply = await ada.command("subscribe", channels=[{"name": it} for it in names])
        rules = [it.get("rules") for it in reply["channels"]]
        self.assertEqual(rules, [0, 0, 1, 2, 3, None])
        self.assertEqual(reply["rules"], [
            {"mode": "unique", "valuesMax": 500, "values": ["👍", "👎", HEART],
             "types": ["reactions"],
             "aliases": [{"name": "love", "value": HEART}, {"name": "like", "value": "👍"}]},
            {"values": "emoji", "needsMessage": True}, {"reactions": False},
            {"mode": "flag", "valuesMax": 500}])

        changed = RULES.replace("reactions = no", "reactions = yes").replace(
            "reaction_mode = unique\n", "")
        await self.reload(self.daemon, changed)
        await ada.until(lambda: ada.rules, "the change")
        (frame,) = ada.rules
        told = {it["name"]: it.get("rules") for it in frame["channels"]}
        self.assertEqual(told, {"one.a": 0, "one.b": 0, "quiet.a": None})
        self.assertNotIn("mode", frame["rules"][0])
        await self.react(ada, 5, "👍", "quiet.a")
        for value in ("👍", "👎"):
            await self.react(ada, 5, value)
        self.assertEqual(len(await self.standing(ada)), 2)
        # What stands may be taken back by the name that it has, whatever the rules say now.
        await self.reload(self.daemon, RULES.replace("channels = one.*", "channels = other.*"))
        message = await ada.publish("one.a", 1)
        names = (("reaction", "❤"), ("reaction", "love"), ("reactions", "love"))
        for kind, value in names:
            await self.react(ada, message, value, type=kind)
        await self.reload(self.daemon, RULES)
        # A question finds it by the name that it has, and what that name means now as well.
        for asked in ({"value": "love"}, {"value": ["x", "love"], "type": ["reactions"]}):
            found = await ada.command(
                "actions", channel="one.a", messageTimetoken=str(message), **asked)
            said = {(it["type"], it["value"]) for it in found["actions"]}
            self.assertLessEqual(set(names[1:]), said)
        for kind, value in names[:2]:
            removed = await self.react(ada, message, value, op="removeAction", type=kind)
            self.assertEqual(removed["applied"], "removed", (kind, value))
        await self.react(ada, message, "👎")
        self.assertEqual([it for it in await self.standing(ada) if it[2] == "love"], [])
        await self.react(ada, message, "👎", op="removeAction")
        # What another mode let in goes with the next one.
        await self.reload(self.daemon, RULES)
        await self.react(ada, 5, "👍")
        self.assertEqual(await self.standing(ada), [("ada", "reaction", "👍")])

    async def test_a_mistake_in_the_file_is_named(self):
        for line, words in (
                ("reaction_values = 👍\nreaction_aliases = love=❤", "a value that reaction_values"),
                ("reaction_mode = claps", "distinct, unique, flag, multiple or total"),
                ("reaction_aliases = love", "NAME=VALUE"),
                ("reaction_aliases = a=b, b=c", "and not another one"),
                ("reaction_aliases = a=b, a=c", "one value for each name"),
                ("reaction_types = edited", "by which authors change")):
            with self.subTest(line=line):
                log = await self.reload(
                    self.daemon, f"[namespace x]\nchannels = x.*\n{line}\n", outcome="cannot be")
                self.assertIn(words, log)


class Pages(WebCase, ReloadTestCase):
    async def test_a_page_shows_one_reaction_under_the_rules_that_it_was_told(self):
        text = RULES.replace("channels = one.*", "channels = room")
        self.daemon = self.start(text)
        ada = await self.web_user(self.daemon, "ada", keyset="sub-app")
        bob = await self.web_user(self.daemon, "bob", keyset="sub-app")
        await ada.run("room.publish('hello')")
        await bob.until("room.items.length === 1 && room.rules.mode === 'unique'")
        await bob.run("room.react(room.items[0].timetoken, 'like')")
        await ada.until("room.items[0].actions.length === 1")
        # One at every moment, before anything is answered.
        shown = await bob.run("""(async () => {
            const shown = [];
            room.observe((_, items) => shown.push(items[0].actions.map((it) => it.value).join()));
            await room.react(room.items[0].timetoken, 'love');
            return shown;
        })()""")
        self.assertEqual(shown, ["👍", HEART])
        await ada.until(f"room.items[0].actions[0]?.value === '{HEART}'")
        await ada.until("room.items[0].actions.length === 1 && room.isVerified")
        await bob.until("!client.waiting && room.isVerified")
        self.assertEqual(await bob.run("view()"), await ada.run("view()"))
        await self.reload(self.daemon, text.replace("reaction_mode = unique\n", ""))
        await bob.until("room.rules.mode === 'distinct'")
        await bob.run("room.react(room.items[0].timetoken, '👎')")
        await ada.until("room.items[0].actions.length === 2")
        self.assertEqual(await bob.run("problems"), [])
