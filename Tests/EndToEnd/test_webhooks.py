"""Webhooks: signed, in order per channel, kept until the receiver has them, whatever happens."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import tempfile
import threading
import time
import urllib.request

from case import DaemonTestCase, eventually
from daemon import run_to_end
from receiver import Receiver
from test_tls import Authority

SECRET = "0123456789abcdef0123456789abcdef"
OTHER = "fedcba9876543210fedcba9876543210"
#: Seconds for which the receiver is dead; `WEBHOOK_DEAD=60` is what operators fear.
DEAD = float(os.environ.get("WEBHOOK_DEAD", "3"))
KILLS = int(os.environ.get("WEBHOOK_KILLS", "4"))
CHANNELS = [f"room-{number}" for number in range(6)]


class WebhookTestCase(DaemonTestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.secret("secret", SECRET)
        self.secret("previous", OTHER)

    def secret(self, name, text):
        path = self.directory / name
        path.write_text(text + "\n", encoding="ascii")
        path.chmod(0o600)

    def receiver(self, *secrets, **options):
        receiver = Receiver(*(secrets or (SECRET,)), **options).start()
        self.addCleanup(receiver.stop)
        self.addCleanup(lambda: self.assertEqual(receiver.faults, []))
        return receiver

    def section(self, receiver, name="hook", **settings):
        lines = {"secret_file": self.directory / "secret"} | settings
        if receiver:
            lines = {"url": receiver.url} | lines
        return f"[webhook {name}]\n" + "".join(f"{key} = {it}\n" for key, it in lines.items())

    def start(self, *sections, **options):
        self.configure(*sections)
        return self.start_daemon("--config", str(self.directory / "sync.ini"), **options)

    def configure(self, *sections):
        (self.directory / "sync.ini").write_text("\n".join(sections), encoding="utf-8")

    async def reload(self, daemon):
        before = len(daemon.log())
        daemon.process.send_signal(signal.SIGHUP)
        await eventually(lambda: "Configuration reloaded." in daemon.log()[before:], "a reload")

    def metrics(self, daemon):
        with urllib.request.urlopen(f"http://{daemon.host}:{daemon.port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return {line.rpartition(" ")[0].removeprefix("syncdaemon_webhook_"): int(line.split()[-1])
                for line in lines if line.startswith("syncdaemon_webhook_")}


class Contents(WebhookTestCase):
    """What a receiver is told."""

    async def test_it_gets_events_as_followers_do(self):
        receiver = self.receiver()
        daemon = self.start(self.section(receiver))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", {"text": "é"}, meta={"a": 1})
        await ada.add("room", message, "👍")
        await ada.command("editMessage", channel="room", messageTimetoken=message, payload="new")
        await ada.remove("room", message, "👍")
        await ada.command("signal", channel="room", payload="typing")
        await ada.command("deleteMessage", channel="room", messageTimetoken=message)
        await eventually(lambda: len(receiver.events()) >= 5, "five events")

        events = receiver.events()
        self.assertEqual([it.get("e") for it in events], [None, 3, 3, 3, 5])
        self.assertEqual(events[0]["d"], {"text": "é"})
        self.assertEqual((events[0]["c"], events[0]["i"], events[0]["p"]["t"], events[0]["u"]),
                         ("room", "ada", message, {"a": 1}))
        self.assertEqual([it["d"]["event"] for it in events[1:]],
                         ["added", "added", "removed", "deleted"])
        self.assertEqual(receiver.requests[0]["path"], "/hook")
        self.assertEqual(receiver.requests[0]["json"]["webhook"], "hook")
        self.assertTrue(receiver.requests[0]["id"].startswith("hook-"))
        await eventually(lambda: self.metrics(daemon)['waiting{webhook="hook"}'] == 0, "an end")
        self.assertEqual(self.metrics(daemon)['delivered_total{webhook="hook"}'], 5)

    async def test_kinds_channels_and_keysets_are_chosen(self):
        receiver = self.receiver()
        keysets = "[keyset app]\nsubscribe_key = sub-app\n[keyset den]\nsubscribe_key = sub-den\n"
        daemon = self.start(
            keysets,
            self.section(receiver, "a", events="message, entry", channels="chat.*", keyset="den"),
            self.section(receiver, "b", events="action_added"))
        for keyset in ("sub-app", "sub-den"):
            ada = await self.device(daemon, "ada", keyset=keyset)
            for channel in ("chat.1", "other"):
                await ada.add(channel, await ada.publish(channel, keyset), "👍")
        await eventually(lambda: len(receiver.events()) >= 5, "five events")
        await asyncio.sleep(0.2)

        told = {"a": [], "b": []}
        for request in receiver.distinct():
            told[request["json"]["webhook"]] += request["json"]["events"]
        self.assertEqual([(it["c"], it["d"]) for it in told["a"]], [("chat.1", "sub-den")])
        self.assertEqual(sorted((it["k"], it["c"]) for it in told["b"]),
                         [("sub-app", "chat.1"), ("sub-app", "other"),
                          ("sub-den", "chat.1"), ("sub-den", "other")])

    async def test_reactions_to_ones_messages_are_collected(self):
        receiver = self.receiver()
        daemon = self.start(self.section(receiver, collect="author", collect_seconds=2))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", "hello")
        await ada.add("room", message, "👍")
        for name in ("bob", "eve", "joe"):
            device = await self.device(daemon, name)
            await device.add("room", message, "👍")
            if name == "joe":
                await device.remove("room", message, "👍")
                await device.add("room", message, "❤️")
        await eventually(lambda: receiver.requests, "a request")

        said = receiver.requests[0]["json"]
        self.assertEqual((said["author"], said["keyset"]), ("ada", "default"))
        self.assertEqual(
            [(it["value"], it["added"], it["removed"], it["users"]) for it in said["reactions"]],
            [("👍", 2, 0, ["bob", "eve"]), ("❤️", 1, 0, ["joe"])])
        self.assertEqual({it["messageTimetoken"] for it in said["reactions"]}, {message})
        await eventually(lambda: self.metrics(daemon)['waiting{webhook="hook"}'] == 0, "an end")
        self.assertEqual(len(receiver.requests), 1)

    async def test_reactions_that_were_cleared_are_not_told(self):
        receiver = self.receiver()
        daemon = self.start(self.section(receiver, collect="author", collect_seconds=2))
        ada, bob = await self.device(daemon, "ada"), await self.device(daemon, "bob")
        messages = [await ada.publish("room", number) for number in range(3)]
        for message in messages:
            await bob.add("room", message, "👍")
        await bob.add("room", messages[0], "❤️")
        await ada.command("removeActions", channel="room", messageTimetoken=messages[1])
        await ada.command("removeActions", channel="room", value="❤️")
        await ada.command("deleteMessage", channel="room", messageTimetoken=messages[2])
        await eventually(lambda: receiver.requests, "a request")

        self.assertEqual(
            [(it["messageTimetoken"], it["value"], it["added"], it["removed"])
             for it in receiver.requests[0]["json"]["reactions"]],
            [(messages[0], "👍", 1, 0)])

    async def test_a_full_request_does_not_wait(self):
        receiver = self.receiver()
        daemon = self.start(
            self.section(receiver, batch_events_max=3, batch_milliseconds=10_000))
        ada = await self.device(daemon, "ada")
        begin = time.monotonic()
        messages = [await ada.publish("room", number) for number in range(7)]
        await eventually(lambda: len(receiver.events()) == 6, "two full requests")
        self.assertLess(time.monotonic() - begin, 9)
        self.assertEqual([it["p"]["t"] for it in receiver.events()], messages[:6])

    async def test_two_secrets_sign_while_one_is_replaced(self):
        receiver = self.receiver()
        daemon = self.start(self.section(receiver))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        await eventually(lambda: len(receiver.events()) == 1, "one event")
        receiver.secrets = [OTHER.encode(), SECRET.encode()]
        self.configure(self.section(
            receiver, secret_file=self.directory / "previous",
            secret_previous_file=self.directory / "secret"))
        await self.reload(daemon)
        await ada.publish("room", 2)
        await eventually(lambda: len(receiver.events()) == 2, "two events")

    async def test_a_reload_begins_and_ends_it(self):
        receiver = self.receiver()
        daemon = self.start("")
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        self.configure(self.section(receiver))
        await self.reload(daemon)
        await ada.publish("room", 2)
        await eventually(lambda: receiver.events(), "an event")
        self.configure("")
        await self.reload(daemon)
        await ada.publish("room", 3)
        await asyncio.sleep(0.3)
        self.assertEqual([it["d"] for it in receiver.events()], [2])

    def test_what_is_wrong_is_said(self):
        (self.directory / "short").write_text("short\n", encoding="ascii")
        receiver = Receiver(SECRET)
        for settings, what in [
            ({"url": "http://example.com/"}, "url cannot be"),
            ({"url": "https://user@example.com/"}, "url cannot be"),
            ({"events": "messages"}, "events cannot be"),
            ({"secret_file": self.directory / "short"}, "cannot sign requests"),
            ({"secret_file": self.directory / "absent"}, "cannot be read"),
            ({"keyset": "app"}, "no section [keyset app]"),
            ({"collect": "all"}, "collect cannot be"),
        ]:
            with self.subTest(what):
                self.configure(self.section(receiver, **settings))
                code, _, error = run_to_end(
                    "config", "check", "--config", str(self.directory / "sync.ini"),
                    "--data-dir", str(self.directory / "data"))
                self.assertEqual(code, 2, error)
                self.assertIn(what, error)


class Answers(WebhookTestCase):
    """What receivers say that is odd, and what the daemon says of it."""

    def server(self, answer):
        """The port of a server that answers each request with these bytes, and hangs up."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as connection, contextlib.suppress(OSError):
                        connection.recv(1 << 20)
                        connection.sendall(answer)
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(1 << 16):
                            pass

        threading.Thread(target=serve, daemon=True).start()
        return server.getsockname()[1]

    def untrusted(self):
        """The port of a server with a certificate that it made itself."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(
            *Authority(self.directory, "own").certificate("IP:127.0.0.1"))
        server = context.wrap_socket(
            socket.create_server(("127.0.0.1", 0)), server_side=True)
        self.addCleanup(server.close)

        def serve():
            while server.fileno() >= 0:
                with contextlib.suppress(OSError):
                    server.accept()[0].close()

        threading.Thread(target=serve, daemon=True).start()
        return server.getsockname()[1]

    async def test_a_2xx_is_one_whatever_becomes_of_its_body(self):
        answers = {
            "short": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
            "chunked": b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "continued": b"HTTP/1.1 100 Continue\r\n\r\n"
                         b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
            "long": b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n" + b"x" * 200_000,
        }
        daemon = self.start(*self.sections(answers))
        await (await self.device(daemon, "ada")).publish("room", 1)
        for name in answers:
            delivered = f'delivered_total{{webhook="{name}"}}'
            await eventually(lambda it=delivered: self.metrics(daemon).get(it) == 1, name)
            self.assertEqual(self.metrics(daemon)[f'failures_total{{webhook="{name}"}}'], 0)

    async def test_a_reason_says_what_is_wrong(self):
        answers = {
            "headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
            "header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
            "words": b"220 mail.example.com ESMTP\r\n",
            "half": b"HTTP/1.1 200 OK\r\nX: y\r\n",
        }
        reasons = {"headers": "The answer's headers are too long",
                   "header": "The answer's headers are too long",
                   "words": "What answers speaks no HTTP",
                   "half": "The answer breaks off in its headers",
                   "untrusted": "Its certificate is not trusted, or not of this name: have an "
                                "authority sign it that this machine trusts "
                                "(update-ca-certificates)",
                   "secure": "There is no TLS that both know: should the url begin with http://?"}
        port = self.server(answers["words"])
        daemon = self.start(
            *self.sections(answers),
            self.section(None, "secure", url=f"https://127.0.0.1:{port}/"),
            self.section(None, "untrusted", url=f"https://127.0.0.1:{self.untrusted()}/"))
        await (await self.device(daemon, "ada")).publish("room", 1)
        await eventually(
            lambda: len(self.failing(daemon)) == len(answers) + 2, "all of them fail")
        found = self.failing(daemon)
        self.assertEqual(found, reasons)

    def sections(self, answers):
        return [self.section(None, name, url=f"http://127.0.0.1:{self.server(answer)}/")
                for name, answer in answers.items()]

    def failing(self, daemon):
        with urllib.request.urlopen(f"http://{daemon.host}:{daemon.port}/webhooks") as answer:
            hooks = json.load(answer)["webhooks"]
        return {it["name"]: it["reason"] for it in hooks if it["failing"]}


class Hardship(WebhookTestCase):
    """Nothing is missed, a channel's order is kept, nothing comes under two ids."""

    async def test_a_backlog_keeps_nobody_from_hearing_that_they_are_equal(self):
        """Found by an attack: what waited took a place before the reactors began, and those who
        came back to one behind another were told nothing, until somebody wrote something."""
        daemon = self.start(self.section(None, url="http://127.0.0.1:9/"), listen="127.0.0.1:0")
        daemon.listen = f"127.0.0.1:{daemon.port}"
        ada = await self.device(daemon, "ada")
        await ada.subscribe({"name": "room", "cursor": "0"})
        await ada.publish("room", "something that waits for the receiver")
        await eventually(lambda: ada.rows["room"].messages, "the message")
        await ada.close()
        for _ in range(3):
            await asyncio.to_thread(daemon.restart)
            for _ in range(4):
                before = len(ada.pushes)
                await ada.open()
                ada.welcome = await ada.command("hello", userId="ada", deviceId=ada.name)
                (room,) = await ada.resume()
                if "s" not in room:
                    await eventually(
                        lambda before=before: any("s" in it for it in ada.pushes[before:]),
                        f"the state after {room}")
                await ada.close()

    async def writers(self, daemon, enough):
        """Devices that publish and react in every channel; returns what was acknowledged."""
        truth = {channel: [] for channel in CHANNELS}

        async def write(device, channel):
            number = 0
            while not enough.is_set():
                number += 1
                reply = await device.settle("publish", channel=channel, payload=number)
                truth[channel].append(reply["timetoken"])
                if number % 3 == 0:
                    added = await device.settle(
                        "addAction", channel=channel, messageTimetoken=reply["timetoken"],
                        value="👍")
                    truth[channel].append(added["action"]["actionTimetoken"])

        tasks = []
        for number, channel in enumerate(CHANNELS):
            device = await self.device(daemon, f"writer-{number}")
            device.keep_connected()
            tasks.append(asyncio.create_task(write(device, channel)))
        return truth, tasks

    def check(self, receiver, truth):
        told = {channel: [] for channel in CHANNELS}
        for event in receiver.events():
            told[event["c"]].append(event["p"]["t"])
        for channel, expected in truth.items():
            # A writer has one write at a time, so the order of its answers is that of its events.
            self.assertEqual(told[channel], expected, channel)

    async def test_a_receiver_that_is_dead_slow_and_late_while_the_daemon_is_killed(self):
        random = self.random()

        def behave(receiver, _):
            with receiver.lock:
                chance = random.random()
            if chance < 0.1:
                return 500
            if chance < 0.15:
                return None
            if chance < 0.2:
                time.sleep(1.2)  # Longer than the daemon waits: it comes again.
            elif chance < 0.5:
                time.sleep(chance / 10)
            return 200

        receiver = self.receiver(behave=behave)
        daemon = self.start(self.section(
            receiver, timeout_seconds=1, batch_events_max=20, batch_milliseconds=20))
        enough = asyncio.Event()
        truth, tasks = await self.writers(daemon, enough)
        await eventually(lambda: len(receiver.requests) > 5, "requests")
        for round_ in range(KILLS):
            if round_ == 1:
                receiver.stop()
            await asyncio.sleep(random.uniform(0.1, 0.8))
            await asyncio.to_thread(daemon.kill)
            await asyncio.to_thread(daemon.start)
            if round_ == 1:
                await asyncio.sleep(DEAD)
                receiver.start()
        await asyncio.sleep(1)
        enough.set()
        await asyncio.gather(*tasks)
        receiver.behave = lambda *_: 200
        count = sum(len(it) for it in truth.values())
        await self.until_all(receiver, count)
        await asyncio.sleep(0.3)

        self.check(receiver, truth)
        again = len(receiver.requests) - len(receiver.distinct())
        print(f"{count} events in {len(receiver.distinct())} requests, {again} of them again")
        self.assertGreater(again, 0, "Nothing was hard.")
        await eventually(lambda: self.metrics(daemon).get('waiting{webhook="hook"}') == 0, "an end")

    async def until_all(self, receiver, count):
        """Pauses after failures are up to a minute by then."""
        end = time.monotonic() + 240
        while len(receiver.events()) < count and time.monotonic() < end:
            await asyncio.sleep(0.1)
        self.assertEqual(len(receiver.events()), count)

    async def test_what_is_unwelcome_becomes_dead_letters_and_can_be_sent_again(self):
        receiver = self.receiver(behave=lambda *_: 410)
        daemon = self.start(self.section(receiver))
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", 1)
        dead = 'dead_letters{webhook="hook"}'
        await eventually(lambda: self.metrics(daemon).get(dead) == 1, "a dead letter")
        self.assertEqual(self.metrics(daemon)['waiting{webhook="hook"}'], 0)
        self.assertIn("its events become dead letters", daemon.log())

        daemon.restart()
        await eventually(lambda: self.metrics(daemon).get(dead) == 1, "a dead letter")
        receiver.behave = lambda *_: 200
        self.replay(daemon)
        await eventually(lambda: self.metrics(daemon)[dead] == 0, "nothing dead")
        await eventually(lambda: len(receiver.requests) == 2, "two requests")
        self.assertEqual([it["p"]["t"] for it in receiver.events()], [message])
        self.assertEqual(receiver.requests[0]["id"], receiver.requests[1]["id"])

    def replay(self, daemon):
        address = f"http://{daemon.host}:{daemon.port}/webhooks"
        with urllib.request.urlopen(address) as answer:
            hook, = json.load(answer)["webhooks"]
        self.assertEqual((hook["name"], hook["deadLetters"]), ("hook", 1))
        self.assertEqual(
            [(it["events"], it["reason"]) for it in hook["oldestDead"]], [(1, "status 410")])
        request = urllib.request.Request(f"{address}/hook/replay", b"", method="POST")
        with urllib.request.urlopen(request) as answer:
            self.assertEqual((answer.status, json.load(answer)), (202, {"events": 1}))
        line = next(it for it in daemon.log().splitlines() if "An operator changes" in it)
        for word in ("webhooks replay", "name=hook", "done"):
            self.assertIn(word, line)

    async def test_what_is_given_up_leaves_no_trouble_where_nothing_waits(self):
        receiver = self.receiver(behave=lambda *_: 410)
        daemon = self.start(self.section(receiver))
        await (await self.device(daemon, "ada")).publish("room", 1)
        await eventually(
            lambda: self.metrics(daemon).get('dead_letters{webhook="hook"}') == 1, "a dead letter")

        def fails():
            with urllib.request.urlopen(f"http://{daemon.host}:{daemon.port}/webhooks") as answer:
                hook, = json.load(answer)["webhooks"]
            return hook["failing"]

        await eventually(lambda: not fails(), "the end of the trouble")

    async def test_what_waits_for_one_that_was_removed_has_an_age(self):
        receiver = self.receiver(behave=lambda *_: 500)
        daemon = self.start(self.section(receiver))
        await (await self.device(daemon, "ada")).publish("room", 1)
        await eventually(
            lambda: self.metrics(daemon).get('waiting{webhook="hook"}') == 1, "an event")
        self.configure("")
        await self.reload(daemon)
        for again in (False, True):
            if again:
                await asyncio.to_thread(daemon.restart)
            await eventually(
                lambda: self.metrics(daemon).get('removed{webhook="hook"}') == 1, "its end")
            await eventually(
                lambda: self.metrics(daemon)['oldest_seconds{webhook="hook"}'] > 0, "its age")

    async def test_it_waits_as_long_as_it_is_asked_to(self):
        answers = [(503, {"Retry-After": "2"}), 200]
        times = []

        def behave(*_):
            times.append(time.monotonic())
            return answers[len(times) - 1]

        receiver = self.receiver(behave=behave)
        daemon = self.start(self.section(receiver))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        await eventually(lambda: len(times) == 2, "a second attempt")
        self.assertGreater(times[1] - times[0], 1.9)
        await eventually(lambda: "answers again" in daemon.log(), "the end of it in the log")
        self.assertIn("A webhook's receiver fails", daemon.log())

    async def test_a_receiver_that_limits_its_rate_is_asked_when_it_says(self):
        """429 is no end, costs nothing but time, and other receivers none of that."""
        limited, times = [(429, {"Retry-After": "2"}), (429, {"Retry-After": "0"}), 200], []

        def behave(*_):
            times.append(time.monotonic())
            return limited[min(len(times), len(limited)) - 1]

        receiver, other = self.receiver(behave=behave), self.receiver()
        daemon = self.start(self.section(receiver, "slow"), self.section(other, "quick"))
        ada = await self.device(daemon, "ada")
        messages = [await ada.publish("room", 0)]
        await eventually(lambda: times, "the first request")
        messages += [await ada.publish("room", number) for number in (1, 2)]
        await eventually(lambda: len(other.events()) == 3, "the other's events")
        await eventually(
            lambda: self.metrics(daemon)['delivered_total{webhook="slow"}'] == 3, "all events")
        self.assertGreater(times[1] - times[0], 1.9)
        self.assertEqual([it["p"]["t"] for it in receiver.events()], messages)
        self.assertEqual(len({it["id"] for it in receiver.requests[:3]}), 1, "one and the same")
        await eventually(
            lambda: self.metrics(daemon)['waiting{webhook="slow"}'] == 0, "nothing that waits")
        self.assertEqual(self.metrics(daemon)['dead_letters{webhook="slow"}'], 0)
        self.assertEqual(self.metrics(daemon)['failures_total{webhook="slow"}'], 2)

    async def test_a_pause_that_is_no_number_is_none(self):
        pauses = ["soon", "-5", "1e9", "Wed, 21 Oct 2015 07:28:00 GMT"]
        answers = [(429, {"Retry-After": it}) for it in pauses] + [200]
        receiver = self.receiver(
            behave=lambda it, _: answers[min(len(it.requests), len(answers)) - 1])
        daemon = self.start(self.section(receiver))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        await eventually(
            lambda: self.metrics(daemon)['delivered_total{webhook="hook"}'] == 1, "an answer")
        self.assertEqual(len(receiver.requests), len(answers))

    async def test_redirects_are_not_followed(self):
        other = self.receiver()
        receiver = self.receiver(behave=lambda *_: (307, {"Location": other.url}))
        daemon = self.start(self.section(receiver))
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        await eventually(lambda: len(receiver.requests) > 1, "a second attempt")
        self.assertEqual(other.requests, [])


if __name__ == "__main__":
    import unittest

    unittest.main()
