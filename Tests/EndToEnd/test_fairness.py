"""A few legal requests that cost a lot have nobody else wait for their end."""

import asyncio
import os
import threading
import unittest

import reconcile
from case import DaemonTestCase
from rest import Rest
from test_activation import Notifications

#: What a device without anything sends for a repair.
NOTHING = reconcile.symbols_text([[0, 0, 0, 0]] * 32, 0, 0)
#: Any publish key, and the one tenant.
KEYS = ("any", "default")
SURVEY = "/v2/presence/sub-key/{sub}"


class Readers(DaemonTestCase):
    """Repairs and wide polls beside somebody's history, with two readers."""

    async def histories_until(self, device, is_enough):
        """How often somebody's history is answered until something has happened."""
        count = 0
        while not is_enough():
            await device.command("history", channel="den", limit=10)
            count += 1
        return count

    async def test_history_goes_on_while_a_large_channel_is_read_for_repairs(self):
        daemon = self.start_daemon("--readers", "2")
        writer = await self.device(daemon, "ada")
        messages = [await writer.publish("room", n) for n in range(12)]
        await writer.publish("den", 1)
        await writer.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": messages[n % 12],
                           "value": f"v{n}"})
            for n in range(48_000)])
        devices = [await self.device(daemon, f"eve-{n}") for n in range(4)]

        async def repair(device):
            device.patient.add("room")
            await device.subscribe({"name": "room", "cursor": "0", "repair": True})
            return await device.request(
                "repair", channel="room", count=0, symbols=NOTHING, **{"from": 0})

        repairs = asyncio.gather(*(repair(device) for device in devices))
        count = await self.histories_until(writer, repairs.done)
        await repairs
        # Reading so many rows takes dozens of times as long as a page of history.
        self.assertGreater(count, 4 * 2, "Histories per repair.")

    async def test_history_goes_on_beside_polls_of_very_many_channels(self):
        daemon = self.start_daemon("--readers", "2")
        writer = await self.device(daemon, "ada")
        await writer.publish("den", 1)
        await writer.settle_all([
            ("publish", {"channel": f"w.{n}", "payload": n}) for n in range(3000)])
        # What is remembered would answer at once.
        await asyncio.to_thread(daemon.restart)
        await writer.connect()
        enough = threading.Event()
        polls = []

        def poll(number):
            with Rest(daemon, f"eve-{number}", keys=KEYS) as rest:
                while not enough.is_set():
                    cursor = 15_000_000_000_000_000 + number
                    answer = rest.ok(
                        "/v2/subscribe/{sub}/w.*/0", {"tt": cursor, "tr": 1})
                    polls.append(len(answer["m"]))

        running = asyncio.gather(*(asyncio.to_thread(poll, number) for number in range(4)))
        try:
            while len(polls) < 4:
                await asyncio.sleep(0.01)
            before = len(polls)
            count = await self.histories_until(writer, lambda: len(polls) >= before + 12)
        finally:
            enough.set()
            await running
        self.assertEqual(set(polls), {100})
        self.assertGreater(count, 5 * 12, "Histories beside twelve polls.")


class Surveys(DaemonTestCase):
    """Questions about everybody beside those who say that they are there."""

    async def test_presence_beats_between_surveys(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"syncdaemon-survey-{os.getpid()}")
        notifications = Notifications(path)
        self.addCleanup(os.unlink, path)
        self.addCleanup(notifications.close)
        daemon = self.start_daemon(environment={
            "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"})
        notifications.wait_for("READY=1")
        for part in range(20):
            names = ",".join(f"room-{part:02}-{n:03}-xxxxxxxxxxxxxxxxxxxx" for n in range(900))
            with Rest(daemon, f"ada-{part}", keys=KEYS) as rest:
                answer = rest.get(
                    f"/v2/presence/sub-key/{{sub}}/channel/{names}/heartbeat", {"heartbeat": 300})
                self.assertEqual(answer.status, 200)
        crowd = [Rest(daemon, f"eve-{number}", keys=KEYS) for number in range(250)]
        for one in crowd:
            self.addCleanup(one.close)
        surveys, before = 0, notifications.heard.count("WATCHDOG=1")
        while notifications.heard.count("WATCHDOG=1") < before + 4:
            for one in crowd:
                one.http.send(one.http.request("GET", one.target(SURVEY)))
            for one in crowd:
                payload = one.http.answer().json()["payload"]
                self.assertEqual(payload["total_channels"], 18_000)
                self.assertEqual(len(payload["channels"]), 1000)
                surveys += 1
                self.assertLess(surveys, 4000, "The watchdog is fed no more.")


if __name__ == "__main__":
    unittest.main()
