"""Caches that are wrong: found by what the daemon says they come to, and made equal."""

import asyncio
import base64
import shutil
import struct
import tempfile
import unittest

import reconcile
from case import DaemonTestCase
from disk import metric
from rest import Rest

#: How PubNub's SDKs delete messages: after `start`, up to `end`.
DELETE = "/v3/history/sub-key/{{sub}}/channel/{}"
#: Faces, so that a message has as many actions as a test wants.
FACES = [chr(0x1F600 + n) for n in range(60)]


class RepairCase(DaemonTestCase):
    """What the tests below share."""

    async def populate(self, writer, channel="room", messages=4, faces=10):
        """Messages with reactions; returns the messages."""
        found = [await writer.publish(channel, n) for n in range(messages)]
        await writer.settle_all([
            ("addAction", {"channel": channel, "messageTimetoken": message, "value": face})
            for message in found for face in FACES[:faces]])
        return found

    async def follower(self, daemon, user, channel="room"):
        """A device that has everything and would heal."""
        device = await self.device(daemon, user)
        device.heals = True
        await device.subscribe({"name": channel, "cursor": "0"})
        return device

    async def assert_equal(self, device, writer, channel="room"):
        """The device has what the daemon has, and says so itself."""
        last = await writer.publish(channel, "marker")
        await device.reach(channel, last)
        # That push may be the one that shows the damage.
        await device.until(
            lambda: not device.rows[channel].is_wrong and channel not in device.repairing,
            "the end of the repair")
        await device.reach(channel, last)
        truth = await writer.all_actions(channel)
        self.assertEqual(device.rows[channel].action_rows(), truth)
        messages = await writer.all_messages(channel)
        self.assertEqual(
            sorted((it, row[0]) for it, row in device.rows[channel].messages.items()),
            [(int(it["timetoken"]), it["uuid"]) for it in messages])
        self.assertTrue(device.rows[channel].is_whole)
        self.assertFalse(device.rows[channel].is_wrong)


class States(RepairCase):
    """What the daemon says a channel comes to."""

    async def test_every_live_batch_can_be_verified(self):
        random = self.random()
        daemon = self.start_daemon("--reactors", "2")
        writer = await self.device(daemon, "ada")
        readers = [await self.follower(daemon, f"reader-{n}") for n in range(3)]
        for reader in readers:
            reader.heals = False
        messages = await self.populate(writer)
        for _ in range(30):
            commands = []
            for _ in range(random.randrange(1, 12)):
                op = random.choice(["addAction", "removeAction"])
                commands.append((op, {
                    "channel": "room", "messageTimetoken": random.choice(messages),
                    "value": random.choice(FACES[:12])}))
            await writer.settle_all(commands)
        last = await writer.publish("room", "end")
        for reader in readers:
            await reader.reach("room", last)
            self.assertGreater(reader.rows["room"].verified, 10)
            self.assertIn("s", reader.pushes[-1])
            await self.assert_equal(reader, writer)

    async def test_a_deletion_takes_its_actions_out_of_the_state(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        reader.heals = False
        messages = await self.populate(writer)
        await reader.reach("room", await writer.publish("room", "before"))
        with Rest(daemon, "ada", keys=("any", "default")) as rest:
            rest.ok(DELETE.format("room"), {"start": messages[0], "end": messages[2]},
                    method="DELETE")
        await reader.until(lambda: len(reader.rows["room"].actions) == 20, "the deletion")
        await self.assert_equal(reader, writer)

    async def test_a_channel_in_which_nothing_happens_is_verified_too(self):
        # Each reactor has a memory of its own.
        daemon = self.start_daemon("--reactors", "1")
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        await self.populate(writer)
        await self.assert_equal(reader, writer)
        await asyncio.to_thread(daemon.restart)
        reader.pushes.clear()
        before = reader.rows["room"].verified
        await reader.connect()
        await reader.until(lambda: reader.rows["room"].verified > before, "the state")
        self.assertEqual([push["m"] for push in reader.pushes if push["m"]], [])
        # Now the daemon has it at hand.
        await reader.cut()
        await reader.connect()
        (reply,) = await reader.resume()
        self.assertEqual((reply["mode"], reply["s"]), ("current", reader.rows["room"].state()))
        self.assertEqual(reader.repairs, {})

    async def test_an_empty_channel_comes_to_nothing(self):
        daemon = self.start_daemon()
        device = await self.follower(daemon, "ada", "den")
        await device.until(lambda: device.rows["den"].verified > 0, "the state")
        self.assertEqual(device.rows["den"].state(), {"n": 0, "d": "0" * 32})
        await device.reach("den", await device.publish("den", 1))
        self.assertEqual(device.pushes[-1]["s"]["n"], 1)

    async def test_channels_have_keys_of_their_own_that_last(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        room, den = await device.subscribe("room", "den")
        self.assertNotEqual(room["key"], den["key"])
        await device.cut()
        await asyncio.to_thread(daemon.restart)
        await device.connect()
        (again,) = await device.subscribe("room")
        self.assertEqual(again["key"], room["key"])
        stranger = await self.device(self.start_daemon(), "ada")
        (other,) = await stranger.subscribe("room")
        self.assertNotEqual(other["key"], room["key"])


class Repairs(RepairCase):
    """Caches that what changed cannot mend."""

    async def test_removals_that_are_forgotten_are_found(self):
        daemon = self.start_daemon("--tombstone-days", "0")
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        messages = await self.populate(writer)
        await self.assert_equal(reader, writer)
        await reader.cut()
        # One that was slow may have needed one already.
        reader.repairs.clear()
        for face in FACES[:5]:
            await writer.remove("room", messages[0], face)
        await writer.add("room", messages[1], FACES[30])
        missed = await writer.publish("room", "missed")
        # Each commit forgets a few.
        for n in range(20):
            await writer.publish("den", n)
        reader.pushes.clear()
        await reader.connect()
        # Under few keys the first symbols do not tell, and more are asked for.
        await reader.until(
            lambda: any("rows" in it for it in reader.repairs.get("room", [])), "the repair")
        await reader.reach("room", missed)
        (answer,) = [it for it in reader.repairs["room"] if "rows" in it]
        self.assertEqual(len(reconcile.unpack_timetokens(answer["drop"])), 5)
        self.assertEqual(len(reconcile.unpack_rows(answer["rows"])), 1)
        events = [it for push in reader.pushes for it in push["m"]]
        self.assertEqual([it.get("e") for it in events], [None] * len(events),
                         "What the repair brought comes once.")
        await self.assert_equal(reader, writer)

    async def test_after_a_repair_the_cursor_is_above_what_is_forgotten(self):
        daemon = self.start_daemon("--tombstone-days", "0")
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        messages = await self.populate(writer)
        await self.assert_equal(reader, writer)
        await reader.cut()
        for face in FACES[:5]:
            await writer.remove("room", messages[0], face)
        for n in range(20):
            await writer.publish("den", n)
        await reader.connect()
        before = reader.rows["room"].cursor
        await reader.until(
            lambda: reader.rows["room"].cursor > before, "a push that moves the cursor")
        await reader.cut()
        await reader.connect()
        await self.assert_equal(reader, writer)
        self.assertEqual(len(reader.repairs["room"]), 1)

    async def test_a_cache_that_was_damaged_while_its_device_was_away(self):
        for damage in self.DAMAGES:
            damage = getattr(self, damage)
            with self.subTest(damage=damage.__name__):
                daemon = self.start_daemon()
                writer = await self.device(daemon, "ada")
                reader = await self.follower(daemon, "bob")
                await self.populate(writer)
                await self.assert_equal(reader, writer)
                await reader.cut()
                damage(reader.rows["room"])
                await reader.connect()
                await reader.until(lambda: "room" in reader.repairs, "the repair")
                await self.assert_equal(reader, writer)
                self.assertEqual(len(reader.repairs["room"]), 1)

    async def test_a_cache_that_is_damaged_under_a_live_stream(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        messages = await self.populate(writer)
        await self.assert_equal(reader, writer)
        for damage in self.DAMAGES:
            damage = getattr(self, damage)
            before = len(reader.repairs.get("room", []))
            damage(reader.rows["room"])
            await writer.add("room", messages[0], FACES[40])
            await writer.remove("room", messages[0], FACES[40])
            await reader.until(
                lambda count=before: len(reader.repairs.get("room", [])) > count, "the repair")
            await self.assert_equal(reader, writer)

    DAMAGES = ("lose", "invent", "alter", "lose_message", "invent_message", "alter_message")

    @staticmethod
    def lose(rows):
        """A row that was never written."""
        del rows.actions[sorted(rows.actions)[7]]

    @staticmethod
    def invent(rows):
        """A row that no server ever had."""
        rows.actions[5, "reaction", "👻", "ghost"] = 6

    @staticmethod
    def alter(rows):
        """Other content under a timetoken that the server knows."""
        key = sorted(rows.actions)[3]
        rows.actions[key[0], key[1], "💩", key[3]] = rows.actions.pop(key)

    @staticmethod
    def lose_message(rows):
        """A message that was never written; its actions are there."""
        del rows.messages[sorted(rows.messages)[1]]

    @staticmethod
    def invent_message(rows):
        """A message that no server ever had."""
        rows.messages[7] = ("ghost", "boo", None, None)

    @staticmethod
    def alter_message(rows):
        """Another author under a timetoken that the server knows."""
        message = sorted(rows.messages)[2]
        rows.messages[message] = ("mallory", *rows.messages[message][1:])

    async def test_many_differences_take_several_frames(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        await self.populate(writer, messages=100, faces=60)
        await self.assert_equal(reader, writer)
        await reader.cut()
        rows = reader.rows["room"]
        for key in sorted(rows.actions)[:700]:
            del rows.actions[key]
        for n in range(500):
            rows.actions[5 + n, "reaction", "👻", "ghost"] = 2000 + n
        await reader.connect()
        await reader.until(
            lambda: "rows" in reader.repairs.get("room", [{}])[-1], "the repair")
        self.assertGreater(max(it.get("need", 0) for it in reader.repairs["room"]), 1300)
        self.assertLess(len(reader.repairs["room"]), 8)
        await self.assert_equal(reader, writer)

    async def test_a_channel_that_is_empty_here(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob", "den")
        await reader.reach("den", await writer.publish("den", 1))
        await reader.cut()
        for n in range(20):
            reader.rows["den"].actions[5, "reaction", FACES[n], "ghost"] = 6 + n
        await reader.connect()
        await reader.until(lambda: "den" in reader.repairs, "the repair")
        await self.assert_equal(reader, writer, "den")
        self.assertEqual(reader.rows["den"].actions, {})

    async def test_nothing_is_pushed_before_the_repair(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        messages = await self.populate(writer)
        await self.assert_equal(reader, writer)
        await reader.subscribe("den")
        reader.patient.add("room")
        rows = reader.rows["room"]
        self.lose(rows)
        (reply,) = await reader.subscribe({"name": "room", **rows.base(), "repair": True})
        self.assertEqual((reply["mode"], "s" in reply), ("repair", False))
        reader.pushes.clear()
        await writer.add("room", messages[0], FACES[50])
        missed = await writer.publish("room", "missed")
        await reader.reach("den", await writer.publish("den", 1))
        self.assertEqual({push["c"] for push in reader.pushes}, {"den"})
        await reader.repair("room")
        await reader.reach("room", missed)
        await self.assert_equal(reader, writer)

    async def test_what_a_repair_may_not_say(self):
        daemon = self.start_daemon()
        device = await self.follower(daemon, "ada")
        await self.populate(device)
        device.patient.add("room")
        symbols = reconcile.symbols_text([[0, 0, 0, 0]], 0, 0)
        async with self.refused(409, "no_repair"):
            await device.command("repair", channel="den", count=0, symbols=symbols, **{"from": 0})
        async with self.refused(409, "no_repair"):
            await device.command("repair", channel="room", count=0, symbols=symbols, **{"from": 0})
        await device.subscribe({"name": "room", "cursor": "0", "repair": True})
        async with self.refused(409, "no_repair"):
            await device.command("repair", channel="room", count=0, symbols=symbols, **{"from": 1})
        async with self.refused(400, "invalid_field", "symbols"):
            await device.command("repair", channel="room", count=0, symbols="?", **{"from": 0})
        answer = await device.command(
            "repair", channel="room", count=0, symbols=symbols, **{"from": 0})
        self.assertGreater(answer["need"], 1)
        async with self.refused(409, "no_repair"):
            await device.command("repair", channel="room", count=0, symbols=symbols, **{"from": 2})
        device.rows["room"].clear()
        await device.repair("room")
        await self.assert_equal(device, device)

    async def test_hostile_symbols_harm_nobody(self):
        """No timetoken, one timetoken twice, and noise: whatever comes, the daemon answers."""
        random = self.random()
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        await self.populate(writer)
        key = bytes.fromhex((await writer.subscribe("room"))[0]["key"])
        twins = [(1, "a", "b", "c", 7), (1, "a", "d", "c", 7)]
        sets = [twins, [(1, "a", "b", "c", 0)], [(1, "a", "b", "c", 2**63 - 1)]]
        device = await self.follower(daemon, "eve")
        device.patient.add("room")
        for rows in sets:
            await device.subscribe({"name": "room", "cursor": "0", "repair": True})
            text = reconcile.symbols_text(
                reconcile.symbols(key, reconcile.row_items(key, rows), 400), 0, len(rows))
            answer = await device.request(
                "repair", channel="room", count=len(rows), symbols=text, **{"from": 0})
            self.assertIn("id", answer)
        for _ in range(20):
            await device.subscribe({"name": "room", "cursor": "0", "repair": True})
            noise = b"".join(
                struct.pack("<QIIB", random.getrandbits(63), random.getrandbits(32),
                            random.getrandbits(32), random.randrange(128)) for _ in range(64))
            answer = await device.request(
                "repair", channel="room", count=random.randrange(100),
                symbols=base64.b64encode(noise).decode(), **{"from": 0})
            self.assertTrue(
                answer.get("error", {}).get("code") == "invalid_field"
                or {"need", "snapshot"} & set(answer["ok"]), answer)
        device.patient.clear()
        device.rows.clear()
        await device.subscribe({"name": "room", "cursor": "0"})
        await self.assert_equal(device, writer)


class SegmentRepairs(RepairCase):
    """Devices with so much that their segments are compared first."""

    async def long_room(self):
        """A device with over 5,000 rows, and who wrote them."""
        self.daemon = self.start_daemon()
        writer = await self.device(self.daemon, "ada")
        messages = await self.populate(writer, messages=600, faces=9)
        reader = await self.follower(self.daemon, "bob")
        await self.assert_equal(reader, writer)
        return writer, reader, messages

    def damage(self, reader, messages):
        """Some rows are lost, one is another one, and one never was."""
        rows = reader.rows["room"]
        for key in sorted(rows.actions)[::1500]:
            del rows.actions[key]
        del rows.messages[int(messages[77])]
        rows.actions[(int(messages[400]), "reaction", "made up", "eve")] = int(messages[400]) + 1
        rows.actions[(0, "reaction", "made up", "eve")] = int(messages[400]) + 2

    async def held(self, reader):
        """Comes back, and lets the test do the repair."""
        reader.patient.add("room")
        await reader.connect()
        await reader.until(
            lambda: "room" in reader.repairing and reader.rows["room"].segments is not None,
            "the mode")

    async def test_only_the_rows_of_segments_that_differ_are_compared(self):
        writer, reader, messages = await self.long_room()
        await reader.cut()
        self.damage(reader, messages)
        await reader.connect()
        # Nothing is to change between the levels.
        await reader.until(
            lambda: "room" in reader.repairs and "room" not in reader.repairing, "the repair")
        await self.assert_equal(reader, writer)
        self.assertEqual(reader.rows["room"].segments, 32)
        answers = [sorted(it) for it in reader.repairs["room"] if len(it) > 1]
        self.assertEqual(answers[0], ["need", "segments", "states"])
        self.assertEqual(answers[-1], ["cursor", "drop", "messages", "rows", "s"])
        self.assertEqual((metric(self.daemon, "segment_repairs_total"),
                          metric(self.daemon, "repairs_total")), (1, 0))

    async def test_what_changes_between_the_levels_comes_with_the_pushes(self):
        writer, reader, messages = await self.long_room()
        await reader.cut()
        self.damage(reader, messages)
        await self.held(reader)
        rows = reader.rows["room"]
        items = reconcile.segment_items(rows.key, rows.all_rows(), rows.segments)
        answer = await reader.send_symbols("room", items, 128, of="segments")
        stretches = reconcile.unpack_stretches(answer["segments"])
        first, end = stretches[-1]
        inside = next(it for it in messages if first <= int(it) < end)
        outside = next(it for it in messages if not any(a <= int(it) < b for a, b in stretches))
        for message in (inside, outside):
            await writer.add("room", message, "⏱")
            await writer.remove("room", message, FACES[0])
        reader.repairs.clear()
        await reader.repair_rows("room", [
            row for row in rows.all_rows()
            if any(a <= max(row[0], 1) < b for a, b in stretches)], of="rows")
        self.assertNotIn("s", reader.repairs["room"][-1])
        await self.assert_equal(reader, writer)

    async def test_a_device_may_compare_all_rows_at_once(self):
        writer, reader, messages = await self.long_room()
        await reader.cut()
        self.damage(reader, messages)
        await self.held(reader)
        async with self.refused(409, "no_repair"):
            await reader.repair_rows("room", reader.rows["room"].all_rows(), of="rows")
        async with self.refused(400, "invalid_field", "of"):
            await reader.repair_rows("room", reader.rows["room"].all_rows(), of="all")
        await reader.repair_rows("room", reader.rows["room"].all_rows())
        await self.assert_equal(reader, writer)
        self.assertEqual((metric(self.daemon, "segment_repairs_total"),
                          metric(self.daemon, "repairs_total")), (0, 1))


class Stores(RepairCase):
    """Stores that are not what they were."""

    async def test_a_backup_that_was_put_back(self):
        for restarts in (0, 1):
            with self.subTest(restarts=restarts):
                await self.put_back(restarts)

    async def put_back(self, restarts):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        messages = await self.populate(writer)
        await self.assert_equal(reader, writer)
        await asyncio.to_thread(daemon.stop)
        backup = tempfile.mkdtemp(prefix="syncdaemon-backup-")
        self.addCleanup(shutil.rmtree, backup, ignore_errors=True)
        shutil.copytree(daemon.data_dir, backup, dirs_exist_ok=True)
        # The life that will be lost.
        for _ in range(1 + restarts):
            daemon.start()
            await writer.connect()
            await reader.connect()
            await writer.remove("room", messages[0], FACES[0])
            await writer.add("room", messages[0], FACES[45])
            await reader.reach("room", await writer.publish("room", "lost"))
            await asyncio.to_thread(daemon.stop)
        lost = reader.rows["room"].cursor
        shutil.rmtree(daemon.data_dir)
        shutil.copytree(backup, daemon.data_dir)
        daemon.start()
        await writer.connect()
        # Let the restored store go beyond what the device has.
        while int(await writer.publish("room", "new")) <= lost:
            pass
        await writer.add("room", messages[1], FACES[46])
        await reader.connect()
        await self.assert_equal(reader, writer)
        payloads = [row[1] for row in reader.rows["room"].messages.values()]
        self.assertNotIn("lost", payloads)

    async def test_a_store_that_was_replaced(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.follower(daemon, "bob")
        await self.populate(writer)
        await self.assert_equal(reader, writer)
        await asyncio.to_thread(daemon.stop)
        shutil.rmtree(daemon.data_dir)
        daemon.start()
        await writer.connect()
        await self.populate(writer, messages=2, faces=3)
        await reader.connect()
        await self.assert_equal(reader, writer)
        self.assertEqual(len(reader.rows["room"].actions), 6)
        self.assertEqual(reader.repairs, {})


class HammeredRepairs(RepairCase):
    """Damage, absence and repairs at any moment, while others write."""

    async def test_whatever_happens_every_cache_is_equal_in_the_end(self):
        random = self.random()
        daemon = self.start_daemon("--reactors", "2", "--tombstone-days", "0")
        writer = await self.device(daemon, "ada")
        messages = await self.populate(writer, messages=6, faces=20)
        devices = [await self.follower(daemon, f"device-{n}") for n in range(4)]
        enough = asyncio.Event()

        async def write():
            while not enough.is_set():
                fields = {"channel": "room", "messageTimetoken": random.choice(messages),
                          "value": random.choice(FACES)}
                await writer.command(random.choice(["addAction", "removeAction"]), **fields)
                if random.random() < 0.05:
                    await writer.publish("room", "noise")

        writing = asyncio.create_task(write())
        for _ in range(60):
            await asyncio.sleep(random.random() * 0.02)
            device = random.choice(devices)
            rows = device.rows["room"]
            damages = 0 if "room" in device.repairing else random.choice([0, 0, 1, 5, 40])
            for _ in range(damages):
                if rows.actions and random.random() < 0.6:
                    del rows.actions[random.choice(sorted(rows.actions))]
                else:
                    number = random.randrange(10**6)
                    rows.actions[number, "reaction", "👻", "ghost"] = number + 1
            if random.random() < 0.5:
                await device.cut()
                await asyncio.sleep(random.random() * 0.05)
                await device.connect()
        enough.set()
        await writing
        for device in devices:
            await self.assert_equal(device, writer)
        self.assertGreater(sum(len(it.repairs.get("room", [])) for it in devices), 10)


if __name__ == "__main__":
    unittest.main()
