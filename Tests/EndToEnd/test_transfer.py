"""`syncctl export` and `syncctl import`: beside a daemon, into another directory, killed, and again."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile

from case import DaemonTestCase
from daemon import binary, clean_environment
from disk import Faults
from rest import Rest
from waiting import PATIENCE, WORK_ALONE_MAX, until

SECONDS = PATIENCE * WORK_ALONE_MAX


class Transfer(DaemonTestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-transfer-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def syncctl(self, *arguments, code=0, stdin=None):
        """Runs it to its end; returns what it wrote, and to standard error."""
        done = subprocess.run(
            [binary("syncctl"), *map(str, arguments)], capture_output=True, text=True, check=False,
            timeout=SECONDS, env=clean_environment(), input=stdin)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def export(self, directory, name="export.jsonl", *selection):
        path = self.scratch / name
        self.syncctl(
            "export", *(selection or ("--all",)), "--tombstones", "--data-dir", directory,
            "--output", path)
        return path

    def served(self, directory):
        """A daemon on a directory that was imported into."""
        return self.start_daemon(data_dir=str(directory))

    def digests(self, directory):
        path = pathlib.Path(directory) / "syncdaemon.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute(
                "SELECT keyset, name, count, lane0, lane1 FROM channel JOIN segment AS last"
                " ON channel = id WHERE after = (SELECT max(after) FROM segment"
                " WHERE channel = last.channel) ORDER BY 1, 2").fetchall()

    async def fill(self, ada):
        """Something of everything that a channel can hold."""
        sent = [await ada.publish("room", {"text": f"hi {number}"}, meta={"n": number})
                for number in range(40)]
        await ada.publish("room", "reply", parent=sent[0], messageType="text")
        for message in sent[:20]:
            await ada.add("room", message, "👍")
        await ada.add("room", sent[3], "👏", score=7)
        await ada.remove("room", sent[4], "👍")
        await ada.command("editMessage", channel="room", messageTimetoken=sent[5], payload="new")
        await ada.command("deleteMessages", channel="room", after=sent[7], through=sent[9])
        await ada.command("markRead", channel="room", through=sent[30])
        await ada.command("changeGroup", group="friends", add=["room", "den"])
        await ada.command("setUser", userId="ada", set={"name": "Ada"})
        return sent

    async def shown(self, device, channel="room"):
        """What anybody sees of a channel, page by page."""
        return (await device.all_messages(channel), await device.all_actions(channel))

    async def test_a_channel_is_the_same_in_another_directory(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await self.fill(ada)
        await ada.subscribe({"name": "room", "cursor": "0"})
        last = await ada.publish("room", "last")
        await ada.reach("room", last)

        # The daemon runs, and goes on.
        export = self.export(daemon.data_dir)
        self.assertEqual(export.stat().st_mode & 0o777, 0o600)
        seen, state = await self.shown(ada), ada.rows["room"].state()
        await ada.publish("room", "later")
        target = self.scratch / "other"
        said, _ = self.syncctl("import", export, "--data-dir", target)
        self.assertIn("rows written, 0 were there already", said)

        other = self.served(target)
        bob = await self.device(other, "ada", "tablet")
        await bob.subscribe({"name": "room", "cursor": "0"})
        await bob.until(lambda: bob.rows["room"].cursor >= int(last), "all of the room")
        self.assertEqual(await self.shown(bob), seen)
        self.assertEqual(bob.rows["room"].state(), state)
        self.assertFalse(bob.rows["room"].is_wrong)
        unread = await bob.command("unread", channels=["room"])
        self.assertEqual(unread, await ada.command("unread", channels=["room"]))
        group = await bob.command("group", group="friends")
        self.assertEqual(group["channels"], ["den", "room"])
        users = await bob.command("users")
        self.assertEqual([it["name"] for it in users["entries"]], ["Ada"])
        self.assertGreater(int(await bob.publish("room", "new")), int(last))

        # To the byte, but for the first line, which names the store.
        other.stop()
        lines = export.read_text().splitlines()
        again = self.export(target, "again.jsonl").read_text().splitlines()
        self.assertEqual([it for it in again[1:] if '"new"' not in it and '"endOf' not in it],
                         [it for it in lines[1:] if '"endOf' not in it])
        other.start()

    async def test_through_a_pipe_and_one_channel(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await self.fill(ada)
        await ada.publish("den", "secret")
        export, said = self.syncctl(
            "export", "--channel", "room", "--data-dir", daemon.data_dir, "--json")
        self.assertEqual(json.loads(said)["channels"], 1)
        self.assertNotIn("secret", export)
        target = self.scratch / "other"
        said, _ = self.syncctl("import", "-", "--data-dir", target, "--json", stdin=export)
        report = json.loads(said)
        self.assertEqual((report["messages"], report["already"]), (39, 0))
        bob = await self.device(self.served(target), "bob")
        self.assertEqual(await self.shown(bob), await self.shown(ada))

    def pages(self, channels=4, messages=100, each=40):
        """PubNub's answers, a channel a line."""
        timetoken, lines = 17_900_000_000_000_000, []
        for channel in range(channels):
            found = []
            for _ in range(messages):
                timetoken += 1000
                users = [{"uuid": f"user-{n}", "actionTimetoken": str(timetoken + n + 1)}
                         for n in range(each)]
                found.append({"message": {"text": "hi"}, "timetoken": str(timetoken),
                              "uuid": "ada", "meta": "", "message_type": None,
                              "actions": {"reaction": {"👍": users}}})
            lines.append(json.dumps({"channels": {f"room-{channel}": found}}))
        return "\n".join(lines)

    async def test_an_import_that_is_killed_goes_on_where_it_was(self):
        source, target = self.scratch / "source", self.scratch / "target"
        pages = self.scratch / "pages.json"
        pages.write_text(self.pages(each=120))
        self.syncctl("import", "--from", "pubnub", pages, "--data-dir", source)
        export = self.export(source)

        def noted():
            """How far the import has come, by its own word."""
            with contextlib.suppress(sqlite3.Error), contextlib.closing(
                    sqlite3.connect(target / "syncdaemon.db")) as database:
                for (text,) in database.execute("SELECT value FROM meta WHERE name = 'import'"):
                    return json.loads(text)["line"]
            return 0

        before = kills = 0
        while kills < 2:
            tool = subprocess.Popen(
                [binary("syncctl"), "import", export, "--data-dir", target],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment())
            until(lambda: noted() > before or tool.poll() is not None, "the import to get on")
            self.assertIsNone(tool.poll(), "it was over before it could be killed")
            tool.send_signal(signal.SIGKILL)
            tool.wait()
            before, kills = noted(), kills + 1
        _, remarks = self.syncctl("import", export, "--data-dir", target)
        self.assertIn(f"behind line {before}", remarks)
        self.assertEqual(self.digests(target), self.digests(source))

        first = await self.device(self.served(source), "eve")
        second = await self.device(self.served(target), "eve")
        self.assertEqual(await self.shown(first, "room-3"), await self.shown(second, "room-3"))
        for device in (first, second):
            await device.subscribe({"name": "room-3", "cursor": "0"})
        for device in (first, second):
            rows = device.rows["room-3"]
            await device.until(lambda rows=rows: len(rows.all_rows()) == 100 * 121, "all of the room")
        self.assertEqual(first.rows["room-3"].state(), second.rows["room-3"].state())

    async def test_pubnubs_own_answers(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        sent = [await ada.publish("room", {"text": str(number)}) for number in range(5)]
        for message in sent:
            await ada.add("room", message, "👍")
        with Rest(daemon, "ada") as rest:
            answer = rest.get("/v3/history-with-actions/sub-key/{sub}/channel/room",
                              {"include_uuid": "true", "max": "25"})
        pages = self.scratch / "pages.json"
        pages.write_bytes(answer.body)
        target = self.scratch / "other"

        said, _ = self.syncctl(
            "import", "--from", "pubnub", pages, "--data-dir", target, "--dry-run")
        self.assertIn("Would import 1 channels, 5 messages and 5 reactions", said)
        self.assertIn("the file alone was read", said)
        self.assertFalse(target.exists())
        self.syncctl("import", "--from", "pubnub", pages, "--data-dir", target)
        bob = await self.device(self.served(target), "bob")
        self.assertEqual(await self.shown(bob), await self.shown(ada))

    async def test_half_of_memberships_is_refused(self):
        """They were in the channel's list and in no user's, and nothing mended them."""
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        await ada.command("setMembers", channel="room", set=[{"userId": "Doe, Jane"}])
        daemon.stop()
        export = self.export(daemon.data_dir, "half.jsonl", "--channel", "room,$members:room")
        for more in ([], ["--dry-run"]):
            _, error = self.syncctl(
                "import", export, "--data-dir", self.scratch / "half", *more, code=1)
            self.assertIn('"$members:room" by its name', error)
        # All of it comes across, also of whom no channel can be named after.
        whole = self.export(daemon.data_dir)
        self.syncctl("import", whole, "--data-dir", self.scratch / "whole")
        self.assertEqual(self.digests(self.scratch / "whole"), self.digests(daemon.data_dir))

    async def test_what_is_refused(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "hi")
        export = self.export(daemon.data_dir)

        _, error = self.syncctl("import", export, "--data-dir", daemon.data_dir, code=1)
        self.assertIn("A daemon or another import runs on", error)
        self.assertIn("Stop it first", error)
        _, error = self.syncctl(
            "import", export, "--data-dir", daemon.data_dir, "--json", code=1)
        self.assertEqual(json.loads(error)["error"]["code"], "in_use")
        _, error = self.syncctl("export", code=2)
        self.assertIn("--all", error)
        _, error = self.syncctl(
            "export", "--all", "--data-dir", daemon.data_dir, "--output", export, code=1)
        self.assertIn("exists already", error)
        hidden = self.scratch / "hidden"
        hidden.mkdir(mode=0o700)
        if os.geteuid() == 0:
            other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            refused = subprocess.run(
                [*other, binary("syncctl"), "export", "--all", "--data-dir", str(hidden)],
                capture_output=True, text=True, check=False)
            self.assertIn("Run the command as root", refused.stderr)
        # A typing error must not pass for an empty tenant.
        said, error = self.syncctl(
            "export", "--keyset", "NOPE", "--data-dir", daemon.data_dir, code=1)
        self.assertEqual(said, "")
        self.assertIn('the keyset "NOPE". Check --keyset', error)
        _, error = self.syncctl(
            "export", "--keyset", "NOPE", "--data-dir", daemon.data_dir, "--json", code=1)
        self.assertEqual(json.loads(error)["error"]["code"], "no_keyset")
        foreign = self.scratch / "foreign.json"
        for text in ('{"rows":[{"text":"hi"}]}', "[]", "[[],0,0]", '{"type":"x"}', "7", ""):
            foreign.write_text(text)
            for service, words in (("pubnub", "PubNub's history"), ("stream", "of Stream's")):
                _, error = self.syncctl(
                    "import", "--from", service, foreign, "--data-dir", self.scratch / "none",
                    code=1)
                self.assertIn(words, error, text)
            _, error = self.syncctl("import", foreign, "--data-dir", self.scratch / "none", code=1)
            self.assertIn("line 1: " if text else "is empty", error)
        # An answer without messages is one.
        foreign.write_text('{"channels":{"room":[]}}')
        self.syncctl("import", "--from", "pubnub", foreign, "--data-dir", self.scratch / "none")
        # It had nothing that a store would be needed for.
        self.assertFalse((self.scratch / "none").exists())
        _, error = self.syncctl("export", "--all", "--data-dir", self.scratch, code=1)
        self.assertIn("no syncdaemon.db", error)
        self.assertIn("do not reach PostgreSQL", error)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [binary("syncctl"), "export", "--all", "--data-dir", daemon.data_dir],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=SECONDS,
                env=clean_environment())
        self.assertEqual(done.returncode, 1)
        self.assertIn("Standard output takes no more: no space left on device", done.stderr)
        self.assertIn("--output", done.stderr)
        for names in ("", ","):
            said, error = self.syncctl(
                "export", "--channel", names, "--data-dir", daemon.data_dir, code=2)
            self.assertEqual(said, "")
            self.assertIn("--channel has an empty name", error)
        _, error = self.syncctl("import", self.scratch / "nothing", code=1)
        self.assertIn("No such file", error.replace("no such", "No such"))

        text = export.read_text()
        changed = self.scratch / "changed.jsonl"
        changed.write_text(text.replace('"payload":"hi"', '"payload":"ho"'))
        _, error = self.syncctl(
            "import", changed, "--data-dir", self.scratch / "wrong", code=1)
        self.assertIn("is not what was exported", error)
        self.assertFalse((self.scratch / "wrong").exists())
        twice = self.scratch / "twice.jsonl"
        twice.write_text(text + text)
        _, error = self.syncctl("import", twice, "--data-dir", self.scratch / "wrong", code=1)
        self.assertIn(f"line {len(text.splitlines()) + 1}: the export is over before it", error)
        self.assertIn("Import each export by itself", error)
        _, error = self.syncctl(
            "import", "--from", "pubnub", foreign, "--into", "a b", "--data-dir",
            self.scratch / "wrong", code=1)
        self.assertIn('the subscribe_key "a b"', error)
        cut = self.scratch / "cut.jsonl"
        cut.write_text("\n".join(text.splitlines()[:-1]) + "\n")
        _, error = self.syncctl("import", cut, "--data-dir", self.scratch / "cut", code=1)
        self.assertIn("is not whole", error)
        shorter = "".join(f"{line}\n" for line in text.splitlines()[:-2])
        _, error = self.syncctl(
            "import", "-", "--data-dir", self.scratch / "cut", stdin=shorter, code=1)
        self.assertIn("standard input ends before line", error)
        # A copy: what is read through a pipe goes on, too.
        shutil.copytree(self.scratch / "cut", self.scratch / "piped")
        said, remarks = self.syncctl("import", "-", "--data-dir", self.scratch / "piped", stdin=text)
        self.assertIn("Imported 1 channels", said)
        self.assertIn(f"Went on behind line {len(text.splitlines()) - 1}", remarks)
        # And the whole one brings the rest.
        said, _ = self.syncctl("import", export, "--data-dir", self.scratch / "cut")
        self.assertIn("Imported 1 channels", said)

    async def test_an_export_that_is_interrupted_leaves_nothing(self):
        if shutil.which("cc") is None:
            self.skipTest("There is no cc to build the faults with.")
        daemon = self.start_daemon()
        await (await self.device(daemon, "ada")).publish("room", "hi")
        faults = Faults()
        self.addCleanup(faults.discard)
        target = self.scratch / "export.jsonl"
        for number in (signal.SIGINT, signal.SIGTERM):
            faults.set("sync", 0, ".part")
            with subprocess.Popen(
                    [binary("syncctl"), "export", "--all", "--data-dir", daemon.data_dir,
                     "--output", target],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    env=clean_environment(**faults.options["environment"])) as export:
                # From then on signals are its own.
                threads = pathlib.Path(f"/proc/{export.pid}/task")
                until(lambda: any(it.read_text() == "signals\n" for it in threads.glob("*/comm")),
                      "the export to begin")
                export.send_signal(number)
                said, error = export.communicate()
            self.assertEqual((export.returncode, said), (128 + number, b""), error)
            self.assertIn(b"Interrupted", error)
            self.assertIn(str(target).encode(), error)
            self.assertEqual(list(self.scratch.iterdir()), [])
            faults.clear("sync")
        self.export(daemon.data_dir)

    async def test_a_contradiction_is_refused_unless_told(self):
        daemon = self.start_daemon()
        ada = await self.device(daemon, "ada")
        first = await ada.publish("room", "hi")
        await ada.add("room", first, "👍")
        export = self.export(daemon.data_dir)
        await ada.remove("room", first, "👍")
        daemon.stop()

        _, error = self.syncctl("import", export, "--data-dir", daemon.data_dir, code=1)
        self.assertIn("was removed at", error)
        self.assertIn("--keep", error)
        said, remarks = self.syncctl("import", export, "--data-dir", daemon.data_dir, "--keep")
        self.assertIn("0 rows written", said)
        self.assertIn("1 rows are otherwise here", remarks)
        daemon.start()
        bob = await self.device(daemon, "bob")
        self.assertEqual((await self.shown(bob))[1], [])

    async def test_what_a_moderator_removed_does_not_come_back(self):
        daemon = self.start_daemon()
        kim, bob = await self.device(daemon, "kim"), await self.device(daemon, "bob")
        message = await kim.publish("room", "m")
        await kim.add("room", message, "👍")
        await bob.add("room", message, "👍")
        export = self.export(daemon.data_dir)
        await bob.command("removeActions", channel="room", userId="kim")
        standing = await bob.all_actions("room")
        self.assertEqual(len(standing), 1)
        daemon.stop()

        _, error = self.syncctl("import", export, "--data-dir", daemon.data_dir, code=1)
        self.assertIn("was removed by a moderator at", error)
        _, remarks = self.syncctl("import", export, "--data-dir", daemon.data_dir, "--keep")
        self.assertIn("1 rows are otherwise here", remarks)
        daemon.start()
        eve = await self.device(daemon, "eve")
        self.assertEqual(await eve.all_actions("room"), standing)

    async def test_the_directory_of_a_daemon_on_a_server_is_left_alone(self):
        daemon = self.start_daemon()
        await (await self.device(daemon, "ada")).publish("room", "hi")
        export = self.export(daemon.data_dir)
        target = self.scratch / "server"
        (target / "files").mkdir(parents=True)
        (target / "files" / "00000000-0000-4000-8000-000000000001").write_bytes(b"live")

        _, error = self.syncctl("import", export, "--data-dir", target, code=1)

        self.assertIn("its store is on a PostgreSQL server, or lost", error)
        self.assertIn("syncdaemon store copy", error)
        self.assertEqual([it.name for it in target.iterdir()], ["files"])
