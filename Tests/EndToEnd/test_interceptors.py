"""Interceptors: asked before something is written, by whatever door it comes."""

import asyncio
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.request

from api import Api
from case import eventually
from daemon import binary, clean_environment
from device import Refused
from sdk import Client
from test_webhooks import SECRET, WebhookTestCase

WRITES = int(os.environ.get("INTERCEPTED_WRITES", "300"))


class InterceptorTestCase(WebhookTestCase):
    def moderator(self, decide):
        """A server that says to each question what `decide` says to its words."""
        return self.receiver(SECRET, behave=lambda _, request: decide(request["json"]))

    def interceptor(self, receiver, name="mod", **settings):
        return self.section(receiver, name, **settings).replace("[webhook ", "[interceptor ")

    def counts(self, daemon, name="mod"):
        with urllib.request.urlopen(f"http://{daemon.host}:{daemon.port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        head, tail = "syncdaemon_interceptor_", f'{{interceptor="{name}"}}'
        return {line.rpartition(" ")[0].removeprefix(head).removesuffix(tail): int(line.split()[-1])
                for line in lines if line.startswith(head) and tail in line}


class Verdicts(InterceptorTestCase):
    """What becomes of a write."""

    async def test_it_allows_changes_and_refuses_whatever_the_door(self):
        def decide(asked):
            if "bad" in json.dumps(asked.get("payload", asked.get("value"))):
                return {"allow": False, "reason": "Be kind."}
            if asked["before"] == "publish" and isinstance(asked["payload"], str):
                return {"allow": True, "payload": asked["payload"].upper(), "meta": {"seen": 1}}
            return {"allow": True}

        receiver = self.moderator(decide)
        daemon = self.start(self.interceptor(receiver, channels="chat.*"))
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        await bob.subscribe("chat.1")
        written = await ada.publish("chat.1", "hello", mutation="m1")
        with self.assertRaises(Refused) as refusal:
            await ada.publish("chat.1", "bad")
        self.assertEqual((refusal.exception.status, refusal.exception.code,
                          refusal.exception.message),
                         (403, "refused_by_interceptor", "Be kind."))
        with self.assertRaises(Refused):
            await ada.add("chat.1", written, "bad")
        with self.assertRaises(Refused):
            await ada.command(
                "editMessage", channel="chat.1", messageTimetoken=written, payload="bad")
        await ada.add("chat.1", written, "👍")
        await ada.publish("other", "bad")
        # A retry is the same write, though what is stored is not what it says.
        self.assertEqual(await ada.publish("chat.1", "hello", mutation="m1"), written)

        api = Api(daemon)
        self.addCleanup(api.close)
        refused = api.post("publish", {"channel": "chat.1", "payload": "bad", "as": "eve"})
        self.assertEqual((refused.status_code, refused.json()["error"]["code"]),
                         (403, "refused_by_interceptor"))
        api.write("publish", channel="chat.1", payload="api", author="eve")
        joe = Client(daemon, "joe")
        self.addCleanup(joe.close)
        await asyncio.to_thread(joe.publish, "chat.1", "sdk")
        with self.assertRaises(Exception) as failure:
            await asyncio.to_thread(joe.publish, "chat.1", "bad")
        self.assertIn("Be kind.", str(failure.exception))

        messages = (await bob.command("history", channel="chat.1"))["messages"]
        self.assertEqual([(it["payload"], it.get("meta")) for it in messages],
                         [(word, {"seen": 1}) for word in ("HELLO", "API", "SDK")])
        self.assertEqual([row[2] for row in await bob.all_actions("chat.1")], ["👍"])
        self.assertNotIn("other", [it["json"]["channel"] for it in receiver.requests])
        first = receiver.requests[0]["json"]
        self.assertEqual(
            {name: first[name] for name in first if name != "id"},
            {"interceptor": "mod", "before": "publish", "keyset": "default", "channel": "chat.1",
             "user": "ada", "device": "ada-phone", "mutation": "m1", "payload": "hello"})
        counts = self.counts(daemon)
        self.assertEqual((counts["writes_total"], counts["refusals_total"], counts["waiting"]),
                         (len(receiver.requests), 5, 0))

    async def test_signals_and_what_is_not_stored(self):
        def decide(asked):
            return {"allow": asked["payload"] != "bad", "payload": "good"}

        receiver = self.moderator(decide)
        daemon = self.start(
            "[keyset app]\nsubscribe_key = sub-app\nstore = no\n",
            self.interceptor(receiver, before="publish, signal"))
        ada = await self.device(daemon, "ada", keyset="sub-app")
        bob = await self.device(daemon, "bob", keyset="sub-app")
        got = []
        await bob.subscribe("room")
        for op in ("signal", "publish"):
            got.append((await ada.command(op, channel="room", payload="x"))["timetoken"])
            with self.assertRaises(Refused):
                await ada.command(op, channel="room", payload="bad")
        self.assertEqual(got, sorted(got))
        self.assertEqual([it["json"]["before"] for it in receiver.requests],
                         ["signal", "signal", "publish", "publish"])

    async def test_a_question_has_what_its_author_wrote_and_who_sends_it(self):
        key = "backend-" + "b" * 32
        self.secret("keys.json", json.dumps({"keys": [
            {"name": "backend", "key": key},
            {"name": "feed", "key": key[::-1], "permissions": {
                "channels": {"room": ["write"]}}}]}))
        receiver = self.moderator(lambda _: {"allow": True})
        daemon = self.start(
            "[keyset app]\nsubscribe_key = sub-app\n"
            f"server_keys_file = {self.directory / 'keys.json'}\n", self.interceptor(receiver))
        ada = await self.device(daemon, "ada", keyset="sub-app")
        message = await ada.publish("room", 1, ttl=24)
        await ada.add("room", message, "👍", score=3)
        await ada.publish("room", 2, store=False)
        for bearer in (key, key[::-1]):
            api = Api(daemon, bearer)
            self.addCleanup(api.close)
            api.write("publish", channel="room", payload=3, author="eve")
            api.write("publish", channel="room", payload=4, store=False, author="eve")
        names = ("user", "ttl", "score", "store", "server")
        asked = [{name: it["json"][name] for name in names if name in it["json"]}
                 for it in receiver.requests]
        served = {"user": "eve", "server": True}
        self.assertEqual(asked, [
            {"user": "ada", "ttl": 24}, {"user": "ada", "score": 3}, {"user": "ada", "store": False},
            *([served, served | {"store": False}] * 2)])

    async def test_nobody_overtakes_their_own_writes(self):
        def decide(asked):
            # The first ones take longest.
            time.sleep(0.2 / (1 + asked.get("payload", 0)))
            return {"allow": True}

        receiver = self.moderator(decide)
        daemon = self.start(self.interceptor(receiver, before="publish, add_action"))
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        times = await asyncio.gather(*(ada.publish("room", number) for number in range(20)))
        self.assertEqual(list(times), sorted(times))
        # The removal asks nobody, and waits for the add.
        add, remove = await asyncio.gather(
            ada.add("room", times[0], "👍"), ada.remove("room", times[0], "👍"))
        self.assertEqual((add["applied"], remove["applied"]), ("added", "removed"))
        # Somebody else does not wait for ada.
        slow = asyncio.ensure_future(ada.publish("room", 0))
        await asyncio.sleep(0.02)
        await bob.publish("room", 1000)
        self.assertFalse(slow.done())
        await slow


    async def test_what_it_makes_of_one_write_is_that_write_s_matter(self):
        def decide(asked):
            if asked["before"] == "edit":
                return {"allow": True, "payload": "masked"}
            if asked["payload"] == "long":
                return {"allow": True, "payload": "x" * 70_000}
            return {"allow": True, "payload": None, "meta": None}

        receiver = self.moderator(decide)
        daemon = self.start(self.interceptor(receiver, before="publish, edit", on_failure="allow"))
        ada = await self.device(daemon, "ada")
        for _ in range(12):
            with self.assertRaises(Refused) as refusal:
                await ada.publish("room", "long")
            self.assertEqual(refusal.exception.code, "refused_by_interceptor")
        self.assertNotIn("An interceptor fails", daemon.log())
        message = await ada.publish("room", "secret", meta={"secret": 1})
        # As SDKs for chats edit.
        await ada.add("room", message, "bad", type="edited")
        found, = (await ada.command("history", channel="room"))["messages"]
        self.assertEqual((found["payload"], "meta" in found, found["edited"]["payload"]),
                         (None, False, "masked"))

    async def test_a_retried_edit_says_what_stands(self):
        words = ["first"]
        receiver = self.moderator(
            lambda asked: {"allow": True} | ({"payload": words[0]} if asked["before"] == "edit" else {}))
        daemon = self.start(self.interceptor(receiver))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", "text")
        edit = {"channel": "room", "messageTimetoken": message, "payload": "x", "mutation": "e1"}
        one = await ada.command("editMessage", **edit)
        words[0] = "second"
        again = await ada.command("editMessage", **edit)
        self.assertEqual(one["action"], again["action"])
        self.assertEqual(one["action"]["value"], '"first"')


class Retries(InterceptorTestCase):
    """What was carried out is answered as it was, and nobody is asked."""

    async def test_what_stands_is_said_whatever_the_interceptor_says_now(self):
        allows = [True]
        receiver = self.moderator(lambda _: {"allow": allows[0], "reason": "Not today."})
        daemon = self.start(self.interceptor(receiver, before="publish, edit, add_action"))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", "text", mutation="p")
        writes = {
            "publish": {"payload": "text", "mutation": "p"},
            "editMessage": {"messageTimetoken": message, "payload": "new", "mutation": "e"},
            "addAction": {"messageTimetoken": message, "type": "reaction", "value": "👍",
                          "mutation": "a"},
        }
        first = {op: await ada.command(op, channel="room", **fields)
                 for op, fields in writes.items()}
        self.assertEqual(len(receiver.requests), 3)
        allows[0] = False
        for life in range(2):
            again = {op: await ada.command(op, channel="room", **fields)
                     for op, fields in writes.items()}
            self.assertEqual(again, first)
            with self.assertRaises(Refused) as refusal:
                await ada.publish("room", "another", mutation="p")
            self.assertEqual(refusal.exception.code, "mutation_reused")
            if life == 0:
                await asyncio.to_thread(daemon.kill)
                daemon.start()
                ada = await self.device(daemon, "ada")
        self.assertEqual(len(receiver.requests), 3)
        self.assertEqual(self.counts(daemon)["writes_total"], 0, "in this life")

        # What was refused was not carried out: it is asked about again.
        for _ in range(2):
            with self.assertRaises(Refused) as refusal:
                await ada.publish("room", "text", mutation="q")
            self.assertEqual(refusal.exception.code, "refused_by_interceptor")
        self.assertEqual(len(receiver.requests), 5)

        # A server's retry, too.
        api = Api(daemon)
        self.addCleanup(api.close)
        wish = {"channel": "room", "payload": "api", "as": "eve"}
        allows[0] = True
        one = api.post("publish", wish, Idempotency_Key="order-1").json()
        allows[0] = False
        self.assertEqual(api.post("publish", wish, Idempotency_Key="order-1").json(), one)

    async def test_a_retry_that_comes_while_its_write_waits_hears_the_same(self):
        asked, open_gate = threading.Semaphore(0), threading.Event()
        self.addCleanup(open_gate.set)
        answers = iter([True, False, False])

        def decide(_):
            asked.release()
            open_gate.wait(20)
            return {"allow": next(answers)}

        receiver = self.moderator(decide)
        daemon = self.start(self.interceptor(receiver, timeout_milliseconds=10_000))
        lives = [await self.device(daemon, "ada", "phone") for _ in range(3)]
        writes = []
        for device in lives:
            writes.append(asyncio.ensure_future(device.publish("room", "text", mutation="m")))
            if len(writes) == 1:
                await asyncio.to_thread(asked.acquire)
        # They are there, and nothing else of theirs overtakes them.
        for device in lives[1:]:
            await device.command("history", channel="room")
        open_gate.set()
        self.assertEqual(len(set(await asyncio.gather(*writes))), 1)
        self.assertEqual(len(receiver.requests), 1)
        self.assertEqual(self.counts(daemon)["waiting"], 0)


class Failures(InterceptorTestCase):
    """When it does not answer."""

    async def test_without_an_answer_the_owner_decides(self):
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        receiver = self.moderator(lambda _: hanging.wait(20) and {"allow": True})
        daemon = self.start(
            self.interceptor(receiver, "strict", channels="strict", timeout_milliseconds=100),
            self.interceptor(receiver, "lax", channels="lax", timeout_milliseconds=100,
                             on_failure="allow"))
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        await ada.publish("lax", "as it is")
        with self.assertRaises(Refused) as refusal:
            await ada.publish("strict", 1)
        self.assertEqual((refusal.exception.status, refusal.exception.code),
                         (503, "interceptor_failed"))
        self.assertEqual(len((await bob.command("history", channel="lax"))["messages"]), 1)
        self.assertEqual(self.counts(daemon, "strict")["failures_total"], 1)

    async def test_one_that_is_dead_is_hardly_asked_until_it_is_back(self):
        receiver = self.moderator(lambda _: {"allow": True})
        daemon = self.start(self.interceptor(receiver, timeout_milliseconds=500))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", 1)
        receiver.stop()
        for _ in range(40):
            with self.assertRaises(Refused):
                await ada.publish("room", 2)
        self.assertIn("An interceptor fails", daemon.log())
        with urllib.request.urlopen(f"http://{daemon.host}:{daemon.port}/readyz") as answer:
            self.assertEqual((answer.status, b"interceptors_failing" in answer.read()), (200, True))
        # What asks nobody goes on, and others' channels too.
        await ada.remove("room", message, "👍")
        receiver.start()

        # A device goes on trying; the first question of a second is the one that is asked.
        await ada.settle("publish", channel="room", payload=3)
        self.assertIn("An interceptor answers again", daemon.log())

    async def test_a_flood_is_too_much_and_no_failure(self):
        def decide(_):
            # Ten rounds of 64 take longer than they have, and one does not on a slow machine.
            time.sleep(0.6)
            return {"allow": False}

        receiver = self.moderator(decide)
        daemon = self.start(
            self.interceptor(receiver, on_failure="allow", timeout_milliseconds=3000))
        floods = [await self.device(daemon, "eve", f"eve-{number}") for number in range(8)]
        bob = await self.device(daemon, "bob")

        async def publish(device):
            try:
                await device.publish("room", "bad")
                return "written"
            except Refused as refusal:
                return refusal.code

        flood = asyncio.gather(*(publish(device) for device in floods for _ in range(80)))
        await asyncio.sleep(0.05)
        # Users are asked about in turn, so he is heard as if nothing was going on.
        self.assertEqual([await publish(bob) for _ in range(3)], ["refused_by_interceptor"] * 3)
        found = await flood
        self.assertEqual(set(found), {"refused_by_interceptor", "overloaded"})
        self.assertNotIn("An interceptor fails", daemon.log())
        self.assertEqual(self.counts(daemon)["unasked_total"], found.count("overloaded"))

    async def test_a_flood_is_refused_itself_and_harms_no_others(self):
        flooded = threading.Event()

        def decide(asked):
            if asked["user"] == "eve":
                flooded.wait(5)
            return {"allow": True}

        receiver = self.moderator(decide)
        keysets = "[keyset app]\nsubscribe_key = sub-app\n[keyset den]\nsubscribe_key = sub-den\n"
        daemon = self.start(
            keysets, self.interceptor(receiver, timeout_milliseconds=10_000))
        self.addCleanup(flooded.set)
        floods = [await self.device(daemon, "eve", f"eve-{number}", keyset="sub-app")
                  for number in range(8)]
        others = [await self.device(daemon, "ada", keyset="sub-app"),
                  await self.device(daemon, "bob", keyset="sub-den")]

        async def publish(device):
            try:
                await device.publish("room", "loud")
                return "written"
            except Refused as refusal:
                return refusal.code

        # More than there is room for.
        flood = [asyncio.ensure_future(publish(device)) for device in floods for _ in range(700)]
        await eventually(lambda: any(it.done() for it in flood), "a refusal")
        for _ in range(20):
            self.assertEqual(
                await asyncio.gather(*(publish(device) for device in others)), ["written"] * 2)
        self.assertFalse(flooded.is_set())
        flooded.set()
        found = await asyncio.gather(*flood)
        self.assertEqual(set(found), {"written", "overloaded"})
        self.assertGreater(found.count("written"), 1000)

    async def test_a_flood_at_a_slow_receiver_does_not_switch_it_off(self):
        one_at_a_time = threading.Lock()

        def decide(_):
            with one_at_a_time:
                time.sleep(0.12)
            return {"allow": False}

        receiver = self.moderator(decide)
        daemon = self.start(
            self.interceptor(receiver, on_failure="allow", timeout_milliseconds=10000))
        floods = [await self.device(daemon, "eve", f"eve-{number}") for number in range(8)]
        others = [await self.device(daemon, user) for user in ("ada", "bob")]
        flood = asyncio.gather(*(self.tried(device) for device in floods for _ in range(80)))
        for _ in range(3):
            found = await asyncio.gather(*(self.tried(device) for device in others))
            self.assertEqual(found, ["refused_by_interceptor"] * 2)
        self.assertEqual(set(await flood), {"refused_by_interceptor", "overloaded"})
        self.assertNotIn("An interceptor fails", daemon.log())

    async def test_a_text_on_which_it_hangs_is_its_author_s_trouble(self):
        hanging = threading.Event()
        self.addCleanup(hanging.set)

        def decide(asked):
            if asked["user"] == "eve":
                hanging.wait(30)
            return {"allow": True}

        receiver = self.moderator(decide)
        keysets = "[keyset app]\nsubscribe_key = sub-app\n[keyset den]\nsubscribe_key = sub-den\n"
        daemon = self.start(keysets, self.interceptor(receiver, timeout_milliseconds=1000))
        floods = [await self.device(daemon, "eve", f"eve-{number}", keyset="sub-app")
                  for number in range(16)]
        others = [await self.device(daemon, "ada", keyset="sub-app"),
                  await self.device(daemon, "bob", keyset="sub-den")]
        found, is_over = set(), False

        async def write_on(device):
            while not is_over:
                found.add(await self.tried(device))
                await asyncio.sleep(0.02)

        flood = [asyncio.ensure_future(write_on(device)) for device in floods]
        # Longer than it takes ten of them to have no answer.
        begin = time.monotonic()
        while time.monotonic() < begin + 6:
            self.assertEqual(
                await asyncio.gather(*(self.tried(device) for device in others)), ["written"] * 2)
            await asyncio.sleep(0.05)
        is_over = True
        await asyncio.gather(*flood)
        self.assertLessEqual(found, {"interceptor_failed", "overloaded"})

    async def tried(self, device):
        """What becomes of a write."""
        try:
            await device.publish("room", "loud")
            return "written"
        except Refused as refusal:
            return refusal.code

    async def test_a_stop_answers_who_waits(self):
        hanging = threading.Event()
        self.addCleanup(hanging.set)
        receiver = self.moderator(lambda _: hanging.wait(30) and {"allow": True})
        daemon = self.start(self.interceptor(
            receiver, channels="slow", timeout_milliseconds=10_000))
        ada = await self.device(daemon, "ada")
        waiting = [asyncio.ensure_future(ada.publish(channel, 1)) for channel in ("slow", "other")]
        await eventually(lambda: receiver.requests, "a question")
        daemon.process.send_signal(signal.SIGTERM)
        found = await asyncio.gather(*waiting, return_exceptions=True)
        self.assertEqual([it.code for it in found], ["draining", "draining"])
        self.assertEqual(await ada.closed(), 1001)
        await eventually(lambda: daemon.process.poll() is not None, "the end")
        self.assertEqual(daemon.process.returncode, 0)

    async def test_a_reload_has_it_asked_or_not(self):
        receiver = self.moderator(lambda _: {"allow": False})
        daemon = self.start("")
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        self.configure(self.interceptor(receiver))
        await self.reload(daemon)
        with self.assertRaises(Refused):
            await ada.publish("room", 2)
        self.configure("")
        await self.reload(daemon)
        await ada.publish("room", 3)
        self.assertEqual(len(receiver.requests), 1)
        self.assertEqual(self.counts(daemon), {}, "it is gone, and so are its figures")

    async def test_garbage_is_no_answer(self):
        answers = iter([{"allowed": True}, 200, 500, (302, {"Location": "http://127.0.0.1:1/"}),
                        None, {"allow": True, "value": "x", "payload": "y" * 200_000}])
        # The last one is longer than anybody reads.
        receiver = self.receiver(SECRET, behave=lambda *_: next(answers))
        daemon = self.start(self.interceptor(receiver))
        ada = await self.device(daemon, "ada")
        for _ in range(6):
            with self.assertRaises(Refused) as refusal:
                await ada.publish("room", 1)
            self.assertEqual(refusal.exception.code, "interceptor_failed")

    async def test_wrong_answers_are_told_and_do_not_end_the_asking(self):
        answers = [{}]
        receiver = self.receiver(SECRET, behave=lambda *_: answers[0])
        daemon = self.start(self.interceptor(receiver))
        ada = await self.device(daemon, "ada")
        address = f"http://{daemon.host}:{daemon.port}"

        def ready():
            with urllib.request.urlopen(f"{address}/readyz") as answer:
                return answer.status, answer.read().decode()

        def shown():
            with urllib.request.urlopen(f"{address}/webhooks") as answer:
                (found,) = json.load(answer)["interceptors"]
                return found

        async def refused():
            with self.assertRaises(Refused) as refusal:
                await ada.publish("room", 1)
            self.assertEqual(refusal.exception.code, "interceptor_failed")
            self.assertIn("answers what is no answer", refusal.exception.message)

        self.assertNotIn("reason", shown())
        await refused()
        told = r"(?m)warning.*An interceptor's answer is none\..*interceptor=\"?mod.*has no.*allow"
        await eventually(lambda: re.search(told, daemon.log()), "the warning")
        for number in range(8):
            answers[0] = [{"allow": "yes"}, 204, 500][number % 3]
            await refused()
        self.assertNotIn("interceptors_failing", ready()[1])
        await refused()
        await eventually(lambda: "interceptors_failing" in ready()[1], "the trouble")
        status, text = ready()
        self.assertEqual(status, 200)
        self.assertIn("mod answers what is no answer", text)
        self.assertEqual(
            {name: shown()[name] for name in ("name", "url", "asked", "failures", "failing")},
            {"name": "mod", "url": receiver.url, "asked": 10, "failures": 10, "failing": True})
        self.assertIn("allow", shown()["reason"])
        # One user's odd message is not to switch it off: each write is still asked about.
        for _ in range(5):
            await refused()
        self.assertEqual(len(receiver.requests), 15)
        self.assertEqual(daemon.log().count("An interceptor's answer is none."), 1)

        answers[0] = {"allow": True}
        await ada.publish("room", 2)
        await eventually(lambda: "interceptors_failing" not in ready()[1], "its end")
        self.assertIn("An interceptor answers again", daemon.log())
        self.assertFalse(shown()["failing"])

    async def test_a_changed_reaction_is_refused_and_told(self):
        receiver = self.moderator(lambda asked: {"allow": True} | (
            {"payload": "x"} if asked["before"] == "add_action" else {}))
        daemon = self.start(self.interceptor(receiver))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", 1)
        with self.assertRaises(Refused) as refusal:
            await ada.add("room", message, "👍")
        self.assertEqual(refusal.exception.code, "refused_by_interceptor")
        self.assertRegex(daemon.log(), "An interceptor's answer is none.*it changes an action")

    async def test_what_may_not_be_changed_is_refused_and_told(self):
        receiver = self.moderator(lambda asked: {"allow": True} | {
            "publish": {"messageType": "x"}, "add_action": {"value": "👎"}}[asked["before"]])
        daemon = self.start(self.interceptor(receiver))
        ada = await self.device(daemon, "ada")
        with self.assertRaises(Refused) as refusal:
            await ada.publish("room", 1)
        self.assertEqual(refusal.exception.code, "refused_by_interceptor")
        with self.assertRaises(Refused) as refusal:
            await ada.add("room", "5", "👍")
        self.assertEqual(refusal.exception.code, "refused_by_interceptor")
        self.assertIn('it changes \\"messageType\\"', daemon.log())

    async def test_an_answer_that_is_too_long_is_said_to_be(self):
        receiver = self.moderator(lambda _: {"allow": True, "payload": "x" * 200_000})
        daemon = self.start(self.interceptor(receiver))
        ada = await self.device(daemon, "ada")
        with self.assertRaises(Refused) as refusal:
            await ada.publish("room", 1)
        self.assertEqual(refusal.exception.code, "interceptor_failed")
        with urllib.request.urlopen(
                f"http://{daemon.host}:{daemon.port}/webhooks") as answer:
            (found,) = json.load(answer)["interceptors"]
        self.assertEqual(found["reason"], "The answer is too long")

    async def test_an_operator_has_it_asked_again_at_once(self):
        receiver = self.moderator(lambda _: {"allow": True})
        receiver.stop()
        daemon = self.start(self.interceptor(receiver, timeout_milliseconds=500))
        ada = await self.device(daemon, "ada")
        for _ in range(12):
            with self.assertRaises(Refused) as refusal:
                await ada.publish("room", 1)
            self.assertIn("does not answer", refusal.exception.message)
        receiver.start()
        done = await asyncio.to_thread(
            subprocess.run,
            [binary("syncctl"), "admin", "webhooks", "retry", "mod", "--data-dir", daemon.data_dir,
             "--json"], capture_output=True, text=True, check=False, env=clean_environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout), {"waiting": 0})
        await ada.publish("room", 2)

    async def test_many_at_once_and_a_stop(self):
        seen = threading.Semaphore(0)

        def decide(_):
            seen.release()
            time.sleep(0.01)
            return {"allow": True}

        receiver = self.moderator(decide)
        daemon = self.start(self.interceptor(receiver, timeout_milliseconds=10_000))
        devices = [await self.device(daemon, f"u{number}") for number in range(10)]
        await asyncio.gather(*(
            device.settle_all(
                ("publish", {"channel": "room", "payload": number})
                for number in range(WRITES // 10)) for device in devices))
        messages = await devices[0].all_messages("room")
        self.assertEqual(len(messages), WRITES // 10 * 10)
        self.assertEqual(self.counts(daemon)["waiting"], 0)


if __name__ == "__main__":
    import unittest

    unittest.main()
