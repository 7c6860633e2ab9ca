"""Coming back: what was missed comes first, then what is live, with no gap and nothing twice."""

import asyncio
import shutil
import unittest
from random import Random

from case import DaemonTestCase
from rows import Rows

#: Times that the hammered device leaves and comes back.
RESUMES = 200
WRITERS = 4


class Resume(DaemonTestCase):
    """A device that was away."""

    async def test_what_was_missed_comes_first_and_summed_up(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.device(daemon, "bob")
        await reader.subscribe("room")
        message = await writer.publish("room", 1)
        await writer.add("room", message, "👍")
        added = await writer.add("room", message, "❤️")
        await reader.reach("room", added["action"]["actionTimetoken"])
        await reader.cut()

        missed = await writer.publish("room", 2)
        await writer.remove("room", message, "👍")
        for _ in range(5):
            await writer.add("room", missed, "🔥")
            await writer.remove("room", missed, "🔥")
        await writer.add("room", missed, "🔥")
        last = await writer.publish("room", 3)

        reader.pushes.clear()
        await reader.connect()
        await reader.reach("room", last)
        keys = [
            (it["d"]["data"]["value"] if it.get("e") == 3 else it["d"])
            for push in reader.pushes for it in push["m"]]
        self.assertEqual(sorted(keys, key=str), sorted([2, "👍", "🔥", 3], key=str),
                         "Each message once, each action key once, as it stands now.")
        self.assertEqual(reader.rows["room"].action_rows(), await writer.all_actions("room"))

        live = await writer.publish("room", 4)
        await reader.reach("room", live)

    async def test_cursor_zero_means_everything(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        replies = await writer.settle_all(
            [("publish", {"channel": "room", "payload": n}) for n in range(1200)])
        await writer.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": it["timetoken"], "value": "👍"})
            for it in replies])
        late = await self.device(daemon, "bob")
        (reply,) = await late.subscribe({"name": "room", "cursor": "0"})
        self.assertEqual((reply["mode"], reply["cursor"]), ("delta", "0"))
        await late.reach("room", await writer.publish("room", "marker"))
        self.assertEqual(len(late.rows["room"].messages), 1201)
        self.assertEqual(late.rows["room"].action_rows(), await writer.all_actions("room"))

    async def test_a_cursor_that_is_up_to_date_brings_nothing_back(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        await device.subscribe("room")
        await device.reach("room", await device.publish("room", 1))
        await device.cut()
        await device.connect()
        marker = await device.publish("room", 2)
        await device.reach("room", marker)
        payloads = [it["d"] for push in device.pushes for it in push["m"]]
        self.assertEqual(payloads, [1, 2])

    async def test_a_second_subscribe_starts_again_from_its_cursor(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        await device.subscribe("room")
        first = await device.publish("room", 1)
        await device.reach("room", await device.publish("room", 2))
        device.pushes.clear()
        await device.subscribe({"name": "room", "cursor": first})
        await device.reach("room", await device.publish("room", 3))
        self.assertEqual([it["d"] for push in device.pushes for it in push["m"]], [2, 3])

    async def test_another_epoch_brings_a_snapshot(self):
        """The cursor of another store, however plausible, must not leave a row behind."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        message = await writer.publish("room", 1)
        await writer.add("room", message, "👍")
        device = await self.device(daemon, "bob")
        rows = device.rows["room"] = Rows("room")
        rows.messages[5] = ("ghost", "of another store", None, None)
        rows.actions[(5, "reaction", "👻", "ghost")] = 6
        now = (await device.command("ping"))["time"]
        (reply,) = await device.subscribe(
            {"name": "room", "cursor": now, "epoch": "0123456789abcdef"})
        self.assertEqual((reply["mode"], reply["cursor"]), ("snapshot", "0"))
        await device.reach("room", await writer.publish("room", 2))
        self.assertEqual(len(rows.messages), 2)
        self.assertEqual(rows.action_rows(), await writer.all_actions("room"))

    async def test_a_store_put_back_from_an_older_copy(self):
        """A cursor from the future of this store: what the device holds cannot be trusted."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        device = await self.device(daemon, "bob")
        await device.subscribe({"name": "room", "cursor": "0"})
        await writer.publish("room", "kept")
        await asyncio.to_thread(daemon.stop)
        backup = daemon.data_dir + ".backup"
        shutil.copytree(daemon.data_dir, backup)
        daemon.start()
        await writer.connect()
        await device.connect()
        await device.reach("room", await writer.publish("room", "lost"))
        await asyncio.to_thread(daemon.stop)
        shutil.rmtree(daemon.data_dir)
        shutil.copytree(backup, daemon.data_dir)
        daemon.start()
        await writer.connect()
        await device.connect()
        await device.reach("room", await writer.publish("room", "new"))
        payloads = [row[1] for _, row in sorted(device.rows["room"].messages.items())]
        self.assertEqual(payloads, ["kept", "new"])

    async def test_the_epoch_lives_as_long_as_the_store(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        epoch = device.welcome["epoch"]
        await device.close()
        await asyncio.to_thread(daemon.restart)
        await device.connect()
        store, run = device.welcome["epoch"].split(".")
        self.assertEqual(store, epoch.split(".")[0])
        self.assertNotEqual(run, epoch.split(".")[1], "Each start is a run of its own.")
        stranger = await self.device(self.start_daemon(), "ada")
        self.assertNotEqual(stranger.welcome["epoch"].split(".")[0], store)

    async def test_timetokens_and_cursors_go_on_after_a_restart(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.device(daemon, "bob")
        await reader.subscribe("room")
        before = await writer.publish("room", 1)
        await reader.reach("room", before)
        await asyncio.to_thread(daemon.restart)
        await writer.connect()
        await reader.connect()
        after = await writer.publish("room", 2)
        self.assertGreater(int(after), int(before))
        await reader.reach("room", after)
        self.assertEqual([it["d"] for push in reader.pushes for it in push["m"]], [1, 2])

    async def test_many_devices_come_back_to_many_channels(self):
        """A reconnect storm: 20 devices with 200 channels each, all of them behind."""
        daemon = self.start_daemon()
        channels = [f"room-{n}" for n in range(200)]
        devices = [await self.device(daemon, f"user-{n}") for n in range(20)]
        for device in devices:
            await device.subscribe(*({"name": name, "cursor": "0"} for name in channels))
        writer = await self.device(daemon, "ada")
        commands = [("publish", {"channel": name, "payload": n})
                    for n in range(5) for name in channels]
        await writer.settle_all(commands[:400])
        for device in devices:
            await device.cut()
        await writer.settle_all(commands[400:])
        await asyncio.gather(*(device.connect() for device in devices))
        lasts = {name: await writer.publish(name, "last") for name in channels}
        for device in devices:
            for name, last in lasts.items():
                await device.reach(name, last)
                payloads = sorted(str(row[1]) for row in device.rows[name].messages.values())
                self.assertEqual(payloads, ["0", "1", "2", "3", "4", "last"], name)

    async def test_changing_one_s_mind_while_catching_up(self):
        """Wishes that replace each other before their pages come: only the last one counts."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        await writer.settle_all(
            [("publish", {"channel": "room", "payload": n}) for n in range(1500)])
        device = await self.device(daemon, "bob")
        wish = {"name": "room", "cursor": "0"}
        for _ in range(20):
            wishes = [device.command("subscribe", channels=[wish]) for _ in range(3)]
            await asyncio.gather(
                *wishes[:2], device.command("unsubscribe", channels=["room"]), wishes[2])
        device.restored["room"] = ({}, {})
        await device.subscribe(wish)
        await device.reach("room", await writer.publish("room", "last"))
        self.assertEqual(len(device.rows["room"].messages), 1501)


class HammeredResume(DaemonTestCase):
    """Leaving and coming back at any moment, from any earlier position, under load."""

    async def test_no_gap_and_nothing_twice_however_often_a_device_comes_back(self):
        random = self.random()
        daemon = self.start_daemon()
        witness = await self.device(daemon, "eve")
        await witness.subscribe({"name": "room", "cursor": "0"})
        message = await witness.publish("room", "subject")
        enough = asyncio.Event()
        writers = [await self.device(daemon, f"writer-{n}") for n in range(WRITERS)]
        writing = [
            asyncio.create_task(self.write(writer, message, enough, random.randrange(2**32)))
            for writer in writers]

        tramp = await self.device(daemon, "tom")
        saved = [(0, {}, {})]
        await tramp.subscribe({"name": "room", "cursor": "0"})
        for turn in range(RESUMES):
            await asyncio.sleep(random.random() * 0.01)
            rows = tramp.rows["room"]
            saved.append((rows.cursor, dict(rows.messages), dict(rows.actions)))
            fate = random.random()
            if fate < 0.5:
                await tramp.cut()
            elif fate < 0.8:
                await tramp.close()
            # Otherwise the same connection subscribes again.
            cursor, messages, actions = random.choice(saved[-20:])
            tramp.restored["room"] = (dict(messages), dict(actions))
            wanted = {"name": "room", "cursor": str(cursor), "epoch": rows.epoch}
            if fate < 0.8:
                tramp.rows.clear()
                await tramp.connect()
            elif fate < 0.9:
                await tramp.command("unsubscribe", channels=["room"])
            # Otherwise live pushes of the old wish arrive until the new one is answered.
            await tramp.subscribe(wanted)
            self.assertEqual(tramp.violations, [], f"in turn {turn}")

        enough.set()
        written = sum(await asyncio.gather(*writing))
        last = await witness.publish("room", "end")
        await tramp.reach("room", last)
        await witness.reach("room", last)
        truth = await witness.all_actions("room")
        self.assertGreater(written, RESUMES)
        self.assertEqual(tramp.rows["room"].action_rows(), truth)
        self.assertEqual(witness.rows["room"].action_rows(), truth)
        self.assertEqual(tramp.rows["room"].canonical(), witness.rows["room"].canonical())

    @staticmethod
    async def write(writer, message, enough, seed):
        """Adds, removes and publishes without a pause; returns how many writes were made."""
        random = Random(seed)
        written = 0
        while not enough.is_set():
            value = random.choice("👍❤😂😲😢🔥")
            if random.random() < 0.1:
                await writer.publish("room", written)
            elif random.random() < 0.5:
                await writer.add("room", message, value)
            else:
                await writer.remove("room", message, value)
            written += 1
        return written


if __name__ == "__main__":
    unittest.main()
