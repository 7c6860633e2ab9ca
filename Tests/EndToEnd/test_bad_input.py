"""Each kind of bad input gets one clear error; the session goes on, and nobody else notices."""

import asyncio
import json
import re
import unittest

import websockets

import bad_input
from case import DaemonTestCase
from rest import Rest, quoted


class BadInput(DaemonTestCase):
    """One session misbehaves in every way; another follows a channel that a third writes to."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.bad = await self.device(self.daemon, "mallory")
        self.watcher = await self.device(self.daemon, "bob")
        self.writer = await self.device(self.daemon, "ada")
        await self.watcher.subscribe({"name": "news", "cursor": "0"})
        self.published = []
        self.publishing = asyncio.create_task(self.publish())

    async def publish(self):
        """The ordinary life that the bad session must not disturb."""
        while True:
            count = len(self.published)
            # Again where the same session asked for much beside.
            reply = await self.writer.settle("publish", channel="news", payload=count)
            self.published.append(reply["timetoken"])
            await asyncio.sleep(0.002)

    async def check_that_nobody_noticed(self):
        self.assertFalse(self.publishing.done(), "The writer was disturbed.")
        self.publishing.cancel()
        await asyncio.gather(self.publishing, return_exceptions=True)
        last = await self.writer.publish("news", "last")
        await self.watcher.reach("news", last)
        seen = [it["d"] for push in self.watcher.pushes for it in push["m"]]
        self.assertEqual(seen[:-1], list(range(len(seen) - 1)))
        self.assertGreaterEqual(len(seen) - 1, len(self.published))
        self.assertEqual(self.bad.unmatched, [])
        self.assertEqual(await self.bad.all_actions("room"), [], "Something was applied.")
        self.assertEqual(await self.bad.all_messages("room"), [], "Something was applied.")

    async def exchange(self, text):
        """The one answer to a text: what comes before the answer to a ping sent after it.

        Replies may overtake each other, so the ping is sent when an answer is there; a second
        answer would show up before the next one.
        """
        await self.bad.send_text(text)
        await self.bad.until(lambda: self.bad.unmatched, f"an answer to {text[:80]!r}")
        await self.bad.command("ping")
        answers, self.bad.unmatched = self.bad.unmatched, []
        self.assertEqual(len(answers), 1, f"{text[:80]!r}: {answers}")
        return answers[0]

    def check(self, answer, number, code, mentions=""):
        self.assertEqual(list(answer), ["id", "error"], answer)
        self.assertEqual(answer["id"], number, answer)
        mentioned = f'"{mentions}"' if mentions else ""
        self.check_error(answer["error"], 400, code, mentioned)

    async def test_texts_that_are_no_commands(self):
        for name, text, code in bad_input.texts():
            with self.subTest(name):
                self.check(await self.exchange(text), None, code)
        await self.check_that_nobody_noticed()

    async def test_what_is_too_deep_is_answered_by_its_id(self):
        text = bad_input.nested(33).replace('"id":1', '"id":999998')
        self.check(await self.exchange(text), 999998, "json_too_deep")
        await self.check_that_nobody_noticed()

    async def test_odd_json_comes_back_to_the_byte(self):
        """In a push, in history and at the other door, from either door; unknown members too."""
        await self.bad.subscribe("odd")
        sent, heard = {}, {}
        for number, text in enumerate(bad_input.odd_texts()):
            command = (f'{{"id":{700_000 + number},"op":"publish","channel":"odd","x":{text},'
                       f'"payload":{text},"meta":{text}}}')
            await self.bad.send_text(command)
            await self.bad.until(lambda: self.bad.unmatched, text)
            (reply,), self.bad.unmatched = self.bad.unmatched, []
            sent[reply["ok"]["timetoken"]] = text
        with Rest(self.daemon) as web:
            for text in bad_input.odd_texts():
                path = f"/publish/{{pub}}/{{sub}}/0/odd/0/{quoted(text)}"
                sent[web.ok(path, {"meta": text})[2]] = text
            body = web.get("/v3/history/sub-key/{sub}/channel/odd", {"include_meta": "true"}).body
        for text, timetoken in re.findall(
                r'"message":(.*?),"timetoken":"(\d{17})","meta":\1\}', body.decode()):
            heard[timetoken] = text
        self.assertEqual(heard, sent)
        await self.bad.until(lambda: sum(
            len(it["m"]) for it in self.bad.pushes if it["c"] == "odd") == len(sent), "all")
        pushed = {
            it["p"]["t"]: it["d"] for push in self.bad.pushes for it in push["m"]
            if push["c"] == "odd"}
        self.assertEqual(pushed.keys(), sent.keys())
        for timetoken, text in sent.items():
            self.assertEqual(repr(pushed[timetoken]), repr(json.loads(text)))
        await self.check_that_nobody_noticed()

    async def test_a_retry_in_another_order_is_the_same_write(self):
        replies = []
        for text in ('{"a":1,"b":{"c":100,"d":"\u00e9"}}', '{ "b":{"d":"\\u00e9","c":1e2}, "a":1.0}'):
            await self.bad.send_text(
                f'{{"id":{800_000 + len(replies)},"op":"publish","channel":"order",'
                f'"payload":{text},"mutation":"same"}}')
            await self.bad.until(lambda: self.bad.unmatched, text)
            (reply,), self.bad.unmatched = self.bad.unmatched, []
            replies.append(reply.get("ok", reply))
        self.assertEqual(replies[0], replies[1])
        await self.check_that_nobody_noticed()

    async def test_history_says_where_actions_were_cut(self):
        """Thirty long ones, of which eight fit; both doors say that there are more."""
        ada = self.writer
        message = (await ada.command("publish", channel="long", payload=1))["timetoken"]
        values = [f"{number:02}" + "x" * 30_000 for number in range(30)]
        for value in values:
            await ada.settle("addAction", channel="long", messageTimetoken=message, value=value)
        page = await ada.settle("history", channel="long", actions=True)
        (found,) = page["messages"]
        self.assertLess(len(found["actions"]), 30)
        self.assertEqual(found["more"], found["actions"][-1]["actionTimetoken"])
        actions, after = found["actions"], found["more"]
        while after is not None:
            page = await ada.command(
                "actions", channel="long", messageTimetoken=message, after=after)
            actions, after = actions + page["actions"], page.get("next")
        self.assertEqual([it["value"] for it in actions], values)
        with Rest(self.daemon) as web:
            body = web.ok("/v3/history-with-actions/sub-key/{sub}/channel/long")
            self.assertEqual(body["more"]["start"], message)
            rest = web.ok(
                "/v3/history-with-actions/sub-key/{sub}/channel/long", {"start": message})
            self.assertEqual((rest["channels"], "more" in rest), ({}, False))
        await self.check_that_nobody_noticed()

    async def test_32_levels_are_not_too_deep(self):
        answer = await self.exchange(bad_input.nested(32).replace('"id":1', '"id":999999'))
        self.assertEqual((answer["id"], list(answer)), (999999, ["id", "ok"]))
        await self.check_that_nobody_noticed()

    async def test_ids_and_ops(self):
        for name, command, code, field in bad_input.identities():
            with self.subTest(name):
                number = command.get("id") if field != "id" else None
                self.check(await self.exchange(json.dumps(command)), number, code, field)
        await self.check_that_nobody_noticed()

    async def test_every_member_of_every_op(self):
        for number, (name, op, fields, code, field) in enumerate(bad_input.members()):
            with self.subTest(name):
                text = json.dumps({"id": 100_000 + number, "op": op, **fields})
                self.check(await self.exchange(text), 100_000 + number, code, field)
        await self.check_that_nobody_noticed()

    async def test_too_many_channels_in_a_command(self):
        for op, element in (("subscribe", lambda n: {"name": f"{n}"}), ("unsubscribe", str)):
            async with self.refused(400, "too_many_channels"):
                await self.bad.command(op, channels=[element(n) for n in range(1001)])
        await self.check_that_nobody_noticed()

    async def test_too_many_channels_in_a_session(self):
        """Ten thousand are allowed, and one more is not, until one of them is given up."""
        for start in range(0, 10_000, 1000):
            await self.bad.subscribe(*(f"c{n}" for n in range(start, start + 1000)))
        async with self.refused(400, "too_many_channels"):
            await self.bad.subscribe("one-more")
        await self.bad.subscribe("c0")
        await self.bad.command("unsubscribe", channels=["c1"])
        await self.bad.subscribe("one-more")
        await self.bad.reach("one-more", await self.writer.publish("one-more", 1))
        await self.check_that_nobody_noticed()

    async def test_limits_themselves_are_allowed(self):
        """The largest value of each member, next to which the tables put one byte more."""
        channel = "👍" * 63 + "xyz"
        self.assertEqual(len(channel.encode()), 255)
        await self.bad.subscribe(channel)
        message = await self.bad.publish(channel, 1, mutation="x" * 64)
        added = await self.bad.add(channel, message, "👍", type="t" * 64)
        await self.bad.reach(channel, added["action"]["actionTimetoken"])
        await self.bad.command("history", channel=channel, limit=100)
        await self.bad.command("actions", channel=channel, limit=1000, after=str(2**63 - 1))
        await self.bad.subscribe(*(f"c{n}" for n in range(1000)))
        await self.bad.command("unsubscribe", channels=[f"c{n}" for n in range(1000)])
        await self.check_that_nobody_noticed()


class BadGreeting(DaemonTestCase):
    """Before and around `hello`."""

    async def test_commands_before_hello(self):
        device = self.offline_device(self.start_daemon(), "ada")
        await device.open()
        for op, fields in (bad_input.COMMANDS | {"ping": {}}).items():
            with self.subTest(op):
                async with self.refused(401, "hello_first"):
                    await device.command(op, **fields)
        device.welcome = await device.command("hello", userId="ada", deviceId="phone")
        self.assertEqual(await device.all_messages("room"), [])

    async def test_a_hello_that_does_not_say_who_connects(self):
        device = self.offline_device(self.start_daemon(), "ada")
        await device.open()
        for name, fields, code, field in bad_input.greetings():
            with self.subTest(name):
                async with self.refused(400, code, f'"{field}"'):
                    await device.command("hello", **fields)
        device.welcome = await device.command("hello", userId="x" * 255, deviceId="y" * 255)
        await device.command("ping")

    async def test_a_second_hello(self):
        device = await self.device(self.start_daemon(), "ada")
        for user in ("ada", "bob"):
            async with self.refused(409, "hello_again"):
                await device.command("hello", userId=user, deviceId="phone")
        added = await device.add("room", bad_input.MESSAGE, "👍")
        self.assertEqual(added["action"]["uuid"], "ada", "The session is still Ada's.")

    async def test_a_url_that_says_badly_who_connects(self):
        """What `hello` refuses must not slip in by the URL; a right hello mends it."""
        daemon = self.start_daemon()
        for query in ("?userId=&deviceId=phone", "?userId=ada&deviceId=",
                      f"?userId={'x' * 256}&deviceId=phone", f"?userId=ada&deviceId={'x' * 256}",
                      "?userId=%ff&deviceId=phone", "?userId=ada&deviceId=x&keyset="):
            with self.subTest(query[:40]):
                device = self.offline_device(daemon, "ada", "phone")
                await device.open(query)
                await device.until(lambda d=device: d.unmatched, "an answer to the URL")
                self.assertEqual([it["id"] for it in device.unmatched], [0])
                self.check_error(device.unmatched[0].get("error", {}), 400, "invalid_field")
                await device.command("hello", userId="ada", deviceId="phone")

    async def test_a_url_with_a_zero_byte(self):
        device = self.offline_device(self.start_daemon(), "ada", "phone")
        with self.assertRaises((OSError, websockets.InvalidHandshake)):
            await device.open("?userId=%00&deviceId=phone")

    async def test_a_url_that_says_half_of_who_connects(self):
        """Whether it answers at once or waits for a hello: the session has no name before."""
        daemon = self.start_daemon()
        for query in ("?userId=ada", "?deviceId=phone", "?keyset=default", "?", "?x=1"):
            with self.subTest(query):
                device = self.offline_device(daemon, "ada", "phone")
                await device.open(query)
                async with self.refused(401, "hello_first"):
                    await device.command("ping")
                await device.command("hello", userId="ada", deviceId="phone")
                self.assertFalse(any("ok" in it for it in device.unmatched), device.unmatched)


if __name__ == "__main__":
    unittest.main()
