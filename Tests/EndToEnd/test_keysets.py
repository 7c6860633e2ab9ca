"""Tenants: a daemon whose file has two keysets, and what each of them sees of the other."""

import asyncio
import os
import pathlib
import subprocess
import tempfile

from case import DaemonTestCase
from daemon import binary, run_to_end
from device import Refused

KEYSETS = """
[keyset web]
subscribe_key = sub-web
secret_key = hush-hush

[keyset app]
subscribe_key = sub-app
"""
GUARDED = """
[keyset guarded]
subscribe_key = sub-guarded
access_control = yes
"""


class Keysets(DaemonTestCase):
    def file(self, text):
        """The path of a configuration file."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = os.path.join(directory.name, "sync.ini")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path

    def start(self, text, **options):
        """A daemon with a configuration file."""
        return self.start_daemon("--config", self.file(text), **options)

    async def tenant(self, daemon, keyset):
        """A device of ada's in one keyset; None names none."""
        device = self.offline_device(daemon, "ada", "phone")
        device.keyset = keyset
        await device.open()
        device.welcome = await device.command(
            "hello", userId="ada", deviceId="phone", keyset=keyset)
        return device

    async def test_syncctl_names_the_tenant_that_is_called_default(self):
        daemon = self.start("[keyset web]\nsubscribe_key = sub-web\n"
                            "[keyset old]\nsubscribe_key = default\n")
        web = await self.tenant(daemon, "sub-web")
        old = await self.tenant(daemon, "default")
        await web.publish("room", "of the web")
        await old.publish("room", "of old")
        for keyset, text in (("sub-web", "of the web"), ("default", "of old"), (None, "of the web")):
            arguments = ["--keyset", keyset] if keyset else []
            said = await asyncio.to_thread(
                subprocess.run, [binary("syncctl"), "history", "room", "--url", daemon.url,
                                 *arguments], capture_output=True, check=True, text=True)
            self.assertTrue(said.stdout.rstrip().endswith(text), (keyset, said.stdout))

    async def test_nothing_crosses(self):
        """The same user, device, channel, mutation and reaction on both sides."""
        daemon = self.start(KEYSETS)
        web = await self.tenant(daemon, "sub-web")
        app = await self.tenant(daemon, "sub-app")
        await web.subscribe({"name": "room", "cursor": "0"})
        await app.subscribe({"name": "room", "cursor": "0"})

        mine = await web.publish("room", "of the web", mutation="m")
        await web.add("room", mine, "👍", mutation="n")
        theirs = await app.publish("room", "of the app", mutation="m")
        self.assertNotEqual(mine, theirs, "A mutation id is the keyset's own.")
        last = await app.publish("room", "the last")
        await app.reach("room", last)
        end = await web.publish("room", "the end")
        await web.reach("room", end)

        self.assertEqual(self.payloads(web), ["of the web", "the end"])
        self.assertEqual(self.payloads(app), ["of the app", "the last"])
        history = await app.command("history", channel="room")
        self.assertEqual(
            [it["payload"] for it in history["messages"]], ["of the app", "the last"])
        self.assertEqual((await app.command("actions", channel="room"))["actions"], [])
        self.assertEqual(len((await web.command("actions", channel="room"))["actions"]), 1)

    @staticmethod
    def payloads(device):
        return [event["d"] for push in device.pushes for event in push["m"] if "e" not in event]

    async def test_who_names_none_is_in_the_first(self):
        daemon = self.start(KEYSETS)
        web = await self.tenant(daemon, "sub-web")
        nobody = await self.tenant(daemon, None)
        timetoken = await nobody.publish("room", "hello")

        messages = (await web.command("history", channel="room"))["messages"]

        self.assertEqual([it["timetoken"] for it in messages], [timetoken])

    async def test_what_was_written_before_belongs_to_the_default(self):
        daemon = self.start_daemon()
        before = await self.tenant(daemon, None)
        await before.publish("room", "old")
        await before.close()
        daemon.stop()
        daemon.arguments = [
            "--config", self.file(KEYSETS + "[keyset old]\nsubscribe_key = default\n")]
        daemon.start()

        old = await self.tenant(daemon, "default")
        web = await self.tenant(daemon, None)

        self.assertEqual(len((await old.command("history", channel="room"))["messages"]), 1)
        self.assertEqual((await web.command("history", channel="room"))["messages"], [])

    async def test_what_another_key_holds_since_0_1_0_is_reached_by_a_keyset(self):
        """There any key was a tenant of its own: the changelog says how to keep such data."""
        demo = "[keyset demo]\nsubscribe_key = demo\n"
        daemon = self.start(demo)
        old = await self.tenant(daemon, "demo")
        await old.publish("room", "old")
        await old.close()
        daemon.stop()
        arguments, daemon.arguments = daemon.arguments, []
        daemon.start()
        for keyset in (None, "demo"):
            now = await self.tenant(daemon, keyset)
            self.assertEqual((await now.command("history", channel="room"))["messages"], [])
            await now.close()
        daemon.stop()
        daemon.arguments = arguments
        daemon.start()
        again = await self.tenant(daemon, "demo")
        self.assertEqual(len((await again.command("history", channel="room"))["messages"]), 1)

    async def test_unknown_keysets_are_refused(self):
        daemon = self.start(KEYSETS)
        for keyset in ("default", "sub-web ", "SUB-WEB", "web", "\u212a"):
            with self.subTest(keyset):
                device = self.offline_device(daemon, "ada", "phone")
                await device.open()
                async with self.refused(401, "unknown_keyset", keyset):
                    await device.command(
                        "hello", userId="ada", deviceId="phone", keyset=keyset)
                async with self.refused(401, "hello_first"):
                    await device.command("ping")
                await device.command("hello", userId="ada", deviceId="phone", keyset="sub-web")

    async def test_unknown_keysets_in_the_url_are_refused(self):
        daemon = self.start(KEYSETS)
        device = self.offline_device(daemon, "ada", "phone")
        await device.open("?userId=ada&deviceId=phone&keyset=nobody")
        await device.until(lambda: device.unmatched, "the reply by itself")
        self.check_error(device.unmatched[0]["error"], 401, "unknown_keyset", "nobody")
        await device.close()
        await device.open("?userId=ada&deviceId=phone&keyset=sub-app")
        await device.until(lambda: len(device.unmatched) == 2, "the reply by itself")
        self.assertIn("ok", device.unmatched[1])

    async def test_a_keyset_with_access_control_admits_nobody_without_a_token(self):
        """So the daemon may listen on an address that other machines can reach."""
        daemon = self.start(GUARDED, listen="0.0.0.0:0")
        daemon.host = "127.0.0.1"
        for fields in ({}, {"keyset": "sub-guarded"}):
            device = self.offline_device(daemon, "ada", "phone")
            await device.open()
            async with self.refused(401, "token_missing", "token"):
                await device.command("hello", userId="ada", deviceId="phone", **fields)
            with self.assertRaises(Refused):
                await device.command("subscribe", channels=[{"name": "room"}])

    def test_one_open_keyset_needs_insecure(self):
        code, _, said = run_to_end(
            "config", "check", "--config", self.file(GUARDED + KEYSETS), "--listen", "0.0.0.0:0")

        self.assertEqual(code, 2)
        self.assertIn("--insecure", said)

    def test_secrets_are_not_printed(self):
        daemon = self.start(KEYSETS)

        code, printed, said = run_to_end("config", "print", *daemon.arguments)

        self.assertEqual(code, 0, said)
        self.assertIn("[keyset web]", printed)
        self.assertIn("secret_key = ***", printed)
        self.assertNotIn("hush-hush", printed + said + daemon.log())

    def test_mistakes_are_named_with_their_line(self):
        for text, line, mention in (
                ("[keyset web]\n", 1, "subscribe_key"),
                (KEYSETS + "[keyset more]\nsubscribe_key = sub-web\n", 9, "[keyset web]"),
                ("[keyset web]\nsubscribekey = x\n", 2, "Did you mean subscribe_key?"),
                ("[keyset web]\nsubscribe_key = x\nannounce_interval = 5\n", 3, "from 10 to")):
            with self.subTest(mention):
                path = self.file(text)
                code, _, said = run_to_end("config", "check", "--config", path)
                self.assertEqual(code, 2)
                self.assertIn(f"{path}:{line}: ", said)
                self.assertIn(mention, said)
