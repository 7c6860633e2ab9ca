"""A disk that is full, hangs or fails, and a data directory that vanishes: what is promised goes on."""

import asyncio
import contextlib
import errno
import os
import re
import shutil
import sqlite3
import unittest

from daemon import Daemon, run_to_end
from device import Disconnected
from disk import DiskTestCase, SmallDisk, cannot_mount, database, metric
from waiting import Patience


class FullDisk(DiskTestCase):
    """A small file system that is filled to the last byte."""

    def setUp(self):
        if reason := cannot_mount():
            print(f"{self.id()}: skipped. {reason}")
            self.skipTest(reason)

    def small_disk(self, size=10 << 20):
        disk = SmallDisk(size)
        self.addCleanup(disk.close)
        return disk

    async def fill(self, disk, device):
        """Fills the disk, and publishes until a write is refused; returns what was acknowledged."""
        disk.fill()
        acknowledged = []
        while True:
            reply = await device.request(
                "publish", channel="room", payload="x" * 20_000 + str(len(acknowledged)))
            if "error" in reply:
                self.check_error(reply["error"], 507, "store_full")
                return acknowledged
            acknowledged.append("x" * 20_000 + str(len(acknowledged)))

    async def test_a_daemon_that_was_killed_on_a_full_disk_starts_reads_and_recovers_by_itself(self):
        disk = self.small_disk()
        daemon = self.start_daemon(data_dir=disk.data_dir)
        device = await self.device(daemon, "ada")
        await device.subscribe({"name": "room", "cursor": "0"})
        first = await device.publish("room", "first")
        await device.add("room", first, "👍")
        kept = ["first"] + await self.fill(disk, device)
        await device.close()
        for _ in range(2):
            await asyncio.to_thread(daemon.kill)
            # What the start itself gave back is taken, too.
            disk.fill()
            await asyncio.to_thread(daemon.start)

        text = await self.readiness(daemon, 503, "disk_full")
        self.assertIn(disk.data_dir, text)
        self.assertIn("Free some space", text)
        device = await self.device(daemon, "ada", "tablet")
        await device.subscribe({"name": "room", "cursor": "0"})
        await device.reach("room", first)
        self.assertEqual(await self.messages(device), kept)
        self.assertEqual([row[2] for row in await device.all_actions("room")], ["👍"])
        async with self.refused(507, "store_full", "disk is full"):
            await device.publish("room", "y" * 30_000)
        async with self.refused(507, "store_full"):
            await device.add("room", first, "z" * 30_000)
        self.assertGreaterEqual(metric(daemon, "writes_refused_total"), 2)
        self.assertEqual(metric(daemon, "ready"), 0)

        disk.empty()
        # Nobody writes: it finds out by itself.
        await self.readiness(daemon, 200, "ready")
        second = await device.publish("room", "second")
        await device.reach("room", second)
        self.assertEqual(await self.messages(device), kept + ["second"])
        self.assertEqual(metric(daemon, "ready"), 1)
        await device.close()
        await asyncio.to_thread(daemon.restart)
        device = await self.device(daemon, "ada", "laptop")
        self.assertEqual(await self.messages(device), kept + ["second"])

    def hidden(self, daemon):
        """Large deletions whose rows are still in the file."""
        with contextlib.closing(
                sqlite3.connect(f"file:{database(daemon)}?mode=ro", uri=True)) as file:
            return sum(file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                       for table in ("hidden", "hidden_clearing"))

    async def test_what_an_operator_deletes_makes_room_on_a_full_disk(self):
        """However large, it is answered and takes place on a disk without a free byte."""
        for operation, covered in (("removeActions", {"value": "👍"}),
                                   ("deleteMessages", {"through": str(1 << 62)}),
                                   ("deleteMessage", {})):
            with self.subTest(operation=operation):
                disk = self.small_disk(16 << 20)
                daemon = self.start_daemon(
                    "--commands-per-second", "1000000", data_dir=disk.data_dir)
                device = await self.device(daemon, "ada")
                message = await device.publish("big", "x")
                spread = operation == "removeActions"
                await device.settle_all([
                    ("addAction", {"channel": "big", "value": "👍" if spread else f"{number}",
                                   "messageTimetoken": str(number) if spread else message})
                    for number in range(1, 4001)])
                await self.fill(disk, device)
                await self.readiness(daemon, 503, "disk_full")
                fields = {"channel": "big", **covered}
                if operation == "deleteMessage":
                    fields["messageTimetoken"] = message
                reply = await asyncio.wait_for(
                    device.request(operation, mutation="m", **fields), 60)
                self.assertIn("ok", reply)
                self.assertEqual(await device.all_actions("big"), [])
                # In room for two or three rows all of them go, and others take their place.
                os.truncate(disk.ballast, os.path.getsize(disk.ballast) - (128 << 10))
                patience = Patience(lambda: self.hidden(daemon))
                while self.hidden(daemon):
                    patience.check("the rows to go")
                    await asyncio.sleep(0.1)
                for number in range(100):
                    await device.publish("den", "y" * 1000)
                await asyncio.to_thread(daemon.restart)
                await device.connect()
                self.assertEqual(await device.all_actions("big"), [])
                self.assertEqual((await device.request(operation, mutation="m", **fields))["ok"],
                                 reply["ok"])
                await device.close()
                await asyncio.to_thread(daemon.stop)

    async def test_whoever_deletes_gets_out_of_a_full_disk(self):
        """Found by an attack: with MiB free within the file, and nearly none on the disk, each
        deletion was refused for good, while publishes took the free pages."""
        disk = self.small_disk(24 << 20)
        daemon = self.start_daemon(data_dir=disk.data_dir)
        device = await self.device(daemon, "ada")
        text, messages = "x" * 20_000, []
        while "ok" in (reply := await device.request("publish", channel="big", payload=text)):
            messages.append(reply["ok"]["timetoken"])
        self.check_error(reply["error"], 507, "store_full")

        async def delete(first, last):
            reply = await device.request(
                "deleteMessages", channel="big", after=str(int(first) - 1), through=last)
            self.assertIn("ok", reply)

        for message in messages[:40]:
            await delete(message, message)
            await device.request("publish", channel="small", payload="y" * 200)
        await delete(messages[100], messages[400])
        for message in messages[500:510]:
            await device.request("publish", channel="big", payload=text)
            await delete(message, message)
        await self.readiness(daemon, 200)
        await delete("1", messages[-1])
        await device.publish("den", text)

    async def test_the_log_never_eats_the_room_that_is_freed(self):
        disk = self.small_disk(12 << 20)
        daemon = self.start_daemon(data_dir=disk.data_dir)
        device = await self.device(daemon, "ada")
        acknowledged, reactions = [], {}
        message = await device.publish("other", "reacted to")

        async def write(count, fills=False):
            """Mostly reactions, whose pages are in the log again and again; ends when refused."""
            for number in range(count):
                if fills:
                    disk.fill()
                value = f"v{number % 9}"
                name = "removeAction" if reactions.get(value) else "addAction"
                reply = await device.request(
                    name, channel="other", messageTimetoken=message, value=value)
                if "error" not in reply:
                    reactions[value] = name == "addAction"
                    if number % 3:
                        continue
                    payload = f"{len(acknowledged)}" + "z" * 5000
                    reply = await device.request("publish", channel="room", payload=payload)
                if "error" in reply:
                    return self.check_error(reply["error"], 507, "store_full")
                acknowledged.append(payload)

        for attempt in range(4):
            await write(300)
            await write(5000, fills=True)
            await self.readiness(daemon, 503, "disk_full")
            if attempt % 2:
                await device.close()
                await asyncio.to_thread(daemon.kill)
                await asyncio.to_thread(daemon.start)
                device = await self.device(daemon, "ada", f"tablet-{attempt}")
            disk.empty()
            await self.readiness(daemon, 200)
            # It is ready because the log is no longer in the way.
            self.assertLess(os.path.getsize(database(daemon) + "-wal"), 1 << 20)
        self.assertEqual(await self.messages(device), acknowledged)
        rows = await device.all_actions("other")
        self.assertEqual({row[2] for row in rows}, {it for it, on in reactions.items() if on})
        # Also without a byte left.
        await write(200)
        disk.fill()
        await device.close()
        await asyncio.to_thread(daemon.stop)
        self.assertEqual(os.path.getsize(database(daemon) + "-wal"), 0)
        connection = sqlite3.connect(database(daemon))
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        connection.close()

    async def test_a_full_disk_says_how_much_room_is_needed(self):
        disk = self.small_disk()
        daemon = self.start_daemon(data_dir=disk.data_dir)
        device = await self.device(daemon, "ada")
        await self.fill(disk, device)
        text = await self.readiness(daemon, 503, "disk_full")
        needed = int(re.search(r"\((\d+) bytes at least\)", text)[1])
        self.assertLessEqual(needed, 1 << 20)
        self.assertRegex(self.lines(daemon, "disk is full")[0], r" needed_bytes=\d+ ")

    async def test_a_full_disk_is_one_line_when_it_begins_and_one_when_it_ends(self):
        disk = self.small_disk()
        daemon = self.start_daemon(data_dir=disk.data_dir)
        device = await self.device(daemon, "ada")
        await self.fill(disk, device)
        for _ in range(300):
            async with self.refused(507, "store_full"):
                await device.publish("room", "y" * 30_000)
        begun = self.lines(daemon, "disk is full")
        # A reminder may come once a minute, and the machine may be slow.
        self.assertLessEqual(len(begun), 2, begun)
        self.assertRegex(begun[0], rf" error .* path={re.escape(disk.data_dir)} free_bytes=\d+")

        disk.empty()
        await self.readiness(daemon, 200)
        ended = self.lines(daemon, "room on the disk again")
        self.assertEqual(len(ended), 1, daemon.log())
        self.assertRegex(ended[0], rf" path={re.escape(disk.data_dir)} free_bytes=\d+ refused=\d+")

    async def test_a_new_store_on_a_full_disk_says_so(self):
        disk = self.small_disk(1 << 20)
        disk.fill()
        code, _, error = await asyncio.to_thread(
            run_to_end, "serve", "--data-dir", disk.data_dir, "--listen", "127.0.0.1:0")
        self.assertEqual(code, 1, error)
        self.assertIn(disk.data_dir, error)
        self.assertRegex(error, r"full \(0 bytes free\)|No space left")
        self.assertIn("Free some space", error)


class FailingDisk(DiskTestCase):
    """System calls that fail or hang, by a library that is loaded before the C library."""

    async def test_a_used_up_quota_is_a_full_disk_and_never_a_stop(self):
        faults, daemon = self.faulty_daemon()
        device = await self.device(daemon, "ada")
        await device.publish("room", "before")
        faults.set("write", errno.EDQUOT, ".db-wal")
        for _ in range(20):
            async with self.refused(507, "store_full"):
                await device.publish("room", "no room")
        await self.readiness(daemon, 503, "disk_full")
        self.assertEqual(await self.messages(device), ["before"])
        await device.close()
        # Also for one that starts.
        await asyncio.to_thread(daemon.kill)
        await asyncio.to_thread(daemon.start)
        await self.readiness(daemon, 503, "disk_full")
        device = await self.device(daemon, "ada", "tablet")
        self.assertEqual(await self.messages(device), ["before"])

        faults.clear("write")
        await self.readiness(daemon, 200)
        await device.publish("room", "after")
        self.assertEqual(await self.messages(device), ["before", "after"])

    async def test_no_room_for_the_logs_index_is_a_full_disk(self):
        faults, daemon = self.faulty_daemon()
        device = await self.device(daemon, "ada")
        await device.publish("room", "before")
        await device.close()
        await asyncio.to_thread(daemon.stop)
        os.remove(database(daemon) + "-shm")
        faults.set("write", errno.ENOSPC, ".db-shm")
        daemon.spawn()
        self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
        self.assertIn("Free some space", daemon.log())
        self.assertIn(daemon.data_dir, daemon.log())
        faults.clear("write")
        await asyncio.to_thread(daemon.start)

    async def test_a_failed_sync_ends_the_process_and_loses_nothing(self):
        for call in ("sync", "write"):
            with self.subTest(call):
                faults, daemon = self.faulty_daemon()
                device = await self.device(daemon, "ada")
                await device.publish("room", "before")
                faults.set(call, errno.EIO, ".db-wal")
                with self.assertRaises(Disconnected):
                    reply = await device.request("publish", channel="room", payload="lost?")
                    self.assertIn("error", reply)
                    await device.closed()
                    raise Disconnected
                self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
                self.assertIn("The daemon stops here.", daemon.log())
                self.assertIn(database(daemon), daemon.log())
                faults.clear(call)
                await asyncio.to_thread(daemon.start)
                device = await self.device(daemon, "ada", "tablet")
                self.assertEqual((await self.messages(device))[0], "before")

    async def test_a_ledger_that_hangs_is_not_ready_until_it_goes_on(self):
        faults, daemon = self.faulty_daemon()
        device = await self.device(daemon, "ada")
        await self.readiness(daemon, 200)
        faults.set("sync", 0, ".db-wal")
        write = asyncio.create_task(device.publish("room", "patience"))
        await self.readiness(daemon, 503, "ledger_stalled")
        self.assertFalse(write.done())
        faults.clear("sync")
        await write
        await self.readiness(daemon, 200)

    async def test_readers_that_hang_are_not_ready_until_they_go_on(self):
        faults, daemon = self.faulty_daemon()
        device = await self.device(daemon, "ada")
        for number in range(200):
            await device.publish(f"room-{number}", "x" * 3000)
        await device.close()
        await asyncio.to_thread(daemon.restart)
        device = await self.device(daemon, "ada", "tablet")
        await self.readiness(daemon, 200)
        for suffix in (".db-wal", ".db"):
            faults.set("read", 0, suffix)
            reads = [asyncio.create_task(device.command("history", channel=f"room-{number}"))
                     for number in range(200)]
            done, _ = await asyncio.wait(reads, timeout=1)
            if len(done) < len(reads):
                break
        await self.readiness(daemon, 503, "readers_stalled")
        faults.clear("read")
        self.assertEqual(
            [len(it["messages"]) for it in await asyncio.gather(*reads)], [1] * len(reads))
        await self.readiness(daemon, 200)


class LostDirectory(DiskTestCase):
    """`rm -r` under a running daemon."""

    async def test_nothing_is_acknowledged_into_files_that_are_gone(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        await device.publish("room", "before")
        await self.readiness(daemon, 200)
        shutil.rmtree(daemon.data_dir)
        for _ in range(20):
            async with self.refused(503, "store_unavailable"):
                await device.publish("room", "lost")
        text = await self.readiness(daemon, 503, "directory_lost")
        self.assertIn(daemon.data_dir, text)
        # Another daemon may come: it has the path, and this one goes on refusing.
        other = Daemon(data_dir=daemon.data_dir)
        self.addCleanup(other.discard)
        self.addCleanup(self._stop, other)
        await asyncio.to_thread(other.start)
        newer = await self.device(other, "bob")
        await newer.publish("room", "here")
        async with self.refused(503, "store_unavailable"):
            await device.publish("room", "not here")
        self.assertEqual(await self.messages(newer), ["here"])
        await self.readiness(other, 200)
        self.assertEqual(len(self.lines(daemon, "directory was removed or replaced")), 1)

    async def test_it_is_noticed_without_a_write(self):
        for name in ("syncdaemon.db", "syncdaemon.db-wal", "syncdaemon.db-shm", "lock", ""):
            with self.subTest(name):
                daemon = self.start_daemon()
                device = await self.device(daemon, "ada")
                await device.publish("room", "before")
                await self.readiness(daemon, 200)
                path = os.path.join(daemon.data_dir, name)
                os.rename(path.rstrip("/"), path.rstrip("/") + ".away")
                await self.readiness(daemon, 503, "directory_lost")
                async with self.refused(503, "store_unavailable"):
                    await device.publish("room", "lost")
                await device.close()
                daemon.stop()


class StartErrors(DiskTestCase):
    """Files that cannot be served are named."""

    def serve(self, prepare):
        daemon = Daemon()
        self.addCleanup(daemon.discard)
        os.makedirs(daemon.data_dir)
        prepare(database(daemon))
        code, _, error = run_to_end("serve", "--data-dir", daemon.data_dir, "--listen",
                                    "127.0.0.1:0")
        self.assertEqual(code, 1, error)
        self.assertIn(database(daemon), error)
        return error

    def test_a_file_that_is_no_database_is_named(self):
        def prepare(path):
            with open(path, "wb") as file:
                file.write(b"this is a letter to my aunt\n" * 1000)

        self.assertIn("file is not a database", self.serve(prepare))

    def test_a_newer_schema_names_the_newest_that_can_be_served(self):
        def prepare(path):
            connection = sqlite3.connect(path)
            connection.execute("CREATE TABLE meta(name, value)")
            connection.execute("PRAGMA user_version = 4711")
            connection.commit()
            connection.close()

        error = self.serve(prepare)
        self.assertRegex(error, r"schema 4711, and this one knows up to \d+\b")


if __name__ == "__main__":
    unittest.main()
