"""At its limits the daemon stays calm: descriptors run out, readers do not read, it must stop."""

import asyncio
import json
import os
import pathlib
import re
import socket
import subprocess
import time
import unittest

from case import DaemonTestCase, eventually
from daemon import ROOT, SANITIZED, Daemon, binary, run_to_end
from device import Disconnected, Refused
from raw import CLOSE, Ended, RawClient
from waiting import until



def kernel_bytes(daemon):
    """Bytes that the kernel has to send for the daemon's connections."""
    port = f":{daemon.address[1]:04X}"
    lines = pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return sum(int(fields[4].split(":")[0], 16) for fields in map(str.split, lines)
               if fields[1].endswith(port))


class Descriptors(DaemonTestCase):
    """Sixty-four file descriptors, and a hundred connections that want one each."""

    async def test_running_out_of_descriptors(self):
        daemon = self.start_daemon("--reactors", "1", descriptors_max=64)
        ada = await self.device(daemon, "ada")
        bob = await self.device(daemon, "bob")
        await bob.subscribe("room")
        lines_before = len(daemon.log().splitlines())

        crowd = []
        try:
            for _ in range(100):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(daemon.address)
                crowd.append(one)
            # What it uses while time passes is what is tested.
            busy = daemon.cpu_seconds()
            begun = time.monotonic()
            while (passed := time.monotonic() - begun) < 2:
                await ada.command("ping")
                await asyncio.sleep(0.1)
            share = (daemon.cpu_seconds() - busy) / passed
            self.assertLess(share, 0.5, "It burns a core while it has no descriptors.")
            await bob.reach("room", await ada.publish("room", "under siege"))
        finally:
            for one in crowd:
                one.close()

        await eventually(lambda: self.serves(daemon), "new connections to be served again")
        said = daemon.log().splitlines()[lines_before:]
        self.assertLess(len(said), 20, "\n".join(said[:40]))
        late = await self.device(daemon, "late")
        await late.subscribe({"name": "room", "cursor": "0"})
        await late.reach("room", await ada.publish("room", "after the siege"))

    @staticmethod
    def serves(daemon):
        try:
            with RawClient(daemon.address, seconds=5) as client:
                return client.get("/healthz").status == 200
        except (Ended, OSError):
            return False


class SlowReaders(DaemonTestCase):
    """A session that does not read must cost the others nothing, and memory only so much."""

    MESSAGES = 600
    PAYLOAD = "x" * 30_000

    async def test_what_nobody_reads_is_not_kept_by_the_kernel(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        await writer.settle_all(
            [("publish", {"channel": "large", "payload": [n, "x" * 30_000]}) for n in range(100)])
        with RawClient(daemon.address, receive_buffer=4096) as slow:
            before = kernel_bytes(daemon)
            slow.send(slow.request(
                target="/v3/history/sub-key/default/channel/large?max=100&uuid=m"))
            await eventually(
                lambda: kernel_bytes(daemon) > before + 32 * 1024, "its answer is on its way")
            # It would take four megabytes: what is unsent is the daemon's to count.
            for _ in range(10):
                await asyncio.sleep(0.05)
                self.assertLess(kernel_bytes(daemon), before + 1024 * 1024)

    async def test_a_reader_that_does_not_read(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "ada")
        reader = await self.device(daemon, "bob")
        await reader.subscribe("room")
        with RawClient(daemon.address, receive_buffer=4096) as slow:
            await asyncio.to_thread(slow.hello, "slow", "slow-phone")
            reply = await asyncio.to_thread(
                lambda: slow.command("subscribe", channels=[{"name": "room"}]))
            cursor = reply["channels"][0]["cursor"]
            before = daemon.resident_bytes()
            await writer.settle_all(
                [("publish", {"channel": "room", "payload": [n, self.PAYLOAD]})
                 for n in range(self.MESSAGES)])
            last = await writer.publish("room", "last")
            await reader.reach("room", last)
            grown = daemon.resident_bytes() - before
            # Its close frame waits behind what the socket is full of, and is given up.
            await eventually(
                lambda: self.metric(daemon, "slow_consumers_closed_total") == 1, "it to be closed")
            await eventually(
                lambda: self.metric(daemon, "sessions") == 2, "its connection to be cut")
            code, cursor, seen = await asyncio.to_thread(self.read_at_last, slow, cursor)

        everything = [it["p"]["t"] for push in reader.pushes for it in push["m"]]
        self.assertEqual(len(everything), self.MESSAGES + 1, "The others missed something.")
        self.assertEqual(seen, everything[:len(seen)], "What did come was not in order.")
        self.assertEqual(code, 1006, "As docs/PROTOCOL.md says.")
        if not SANITIZED:
            self.assertLess(grown, 64 * 1024 * 1024, "Its queue grew without a bound.")

        again = await self.device(daemon, "slow", "slow-phone")
        await again.subscribe(
            {"name": "room", "cursor": cursor, "epoch": again.welcome["epoch"]})
        await again.reach("room", last)
        rest = [it["p"]["t"] for push in again.pushes for it in push["m"]]
        self.assertEqual(seen + rest, everything, "With its cursor, nothing is lost.")

    @staticmethod
    def metric(daemon, name):
        with RawClient(daemon.address) as client:
            text = client.get("/metrics").body.decode()
        return int(re.search(rf"^syncdaemon_{name} (\d+)$", text, re.MULTILINE)[1])

    @staticmethod
    def read_at_last(slow, cursor):
        """Close code, last cursor and timetokens of what was waiting for the slow reader.

        1006, as a client's library would say, where no close frame came through.
        """
        seen = []
        while True:
            try:
                push = slow.message()
            except Ended as end:
                closed = str(end).startswith("closed with ")
                return int(str(end).split()[2], 16) if closed else 1006, cursor, seen
            if "t" in push:
                cursor = push["t"]["t"]
                seen += [it["p"]["t"] for it in push["m"]]


class Drain(DaemonTestCase):
    """SIGTERM under load."""

    async def test_fifty_sessions_and_ten_writers(self):
        daemon = self.start_daemon()
        readers = [await self.device(daemon, f"reader-{n}") for n in range(40)]
        for reader in readers:
            await reader.subscribe("room")
        writers = [await self.device(daemon, f"writer-{n}") for n in range(10)]
        acknowledged, refused = [], []
        writing = [
            asyncio.create_task(self.write(writer, acknowledged, refused)) for writer in writers]
        await eventually(lambda: len(acknowledged) > 200, "load")

        begun = time.monotonic()
        await asyncio.to_thread(daemon.stop)
        took = time.monotonic() - begun
        await asyncio.gather(*writing)
        codes = [await device.closed() for device in readers + writers]
        self.assertEqual(codes, [1001] * 50, f"The drain took {took:.1f} s.")
        self.assertLessEqual({it.code for it in refused}, {"draining"})

        daemon.start()
        back = await self.device(daemon, "reader-0")
        stored = {it["timetoken"] for it in await back.all_messages("room")}
        self.assertEqual(set(acknowledged) - stored, set(), "Acknowledged, and lost.")
        for reader in readers:
            pushed = {it["p"]["t"] for push in reader.pushes for it in push["m"]}
            self.assertEqual(pushed - stored, set(), "Pushed, and lost.")

    @staticmethod
    async def write(writer, acknowledged, refused):
        """Publishes without a pause until the connection ends."""
        while True:
            try:
                acknowledged.append(await writer.publish("room", len(acknowledged)))
            except Refused as refusal:
                refused.append(refusal)
                await asyncio.sleep(0.01)
            except Disconnected:
                return

    async def test_a_drain_does_not_wait_for_those_who_do_not_answer(self):
        daemon = self.start_daemon()
        clients = [RawClient(daemon.address) for _ in range(3)]
        for client in clients:
            self.addCleanup(client.socket.close)
        await asyncio.to_thread(clients[0].hello)
        clients[1].upgrade()
        clients[2].send(b"GET /healthz HT")
        await asyncio.to_thread(daemon.stop)
        self.assertEqual(clients[0].frame()[0], CLOSE)

    async def test_a_second_sigterm_changes_nothing(self):
        daemon = self.start_daemon()
        await self.device(daemon, "ada")
        daemon.terminate()
        if daemon.is_running:
            daemon.terminate()
        self.assertEqual(await asyncio.to_thread(daemon.wait), 0)


class Refusals(DaemonTestCase):
    """What an operator may get wrong: an exit code, and a sentence that says what to mend."""

    def setUp(self):
        self.scratch = Daemon()
        self.addCleanup(self.scratch.discard)

    def refuse(self, code, *arguments, mentions=(), environment=None):
        """Runs the daemon, which must not start; returns what it said."""
        got, out, said = run_to_end(*arguments, environment=environment)
        self.assertEqual(got, code, said)
        self.assertNotIn("listening on", out)
        for text in mentions:
            self.assertIn(text, said)
        self.assertLess(len(said.splitlines()), 10, said)
        self.assertNotIn("Fatal error", said)
        return said

    def configuration(self, text):
        path = os.path.join(self.scratch.scratch, "bad.conf")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path

    def test_bad_configuration_files(self):
        for text, line in (("\n[server]\nnonsense = 1\n", 3), ("# hello\nthis is no setting\n", 2),
                           ("[nowhere]\nlisten = 1\n", 2)):
            path = self.configuration(text)
            for arguments in (["serve", "--data-dir", self.scratch.data_dir], ["config", "check"]):
                with self.subTest(text=text, command=arguments[0]):
                    self.refuse(2, *arguments, "--config", path, mentions=[f"{path}:{line}"])

    def test_a_configuration_file_that_is_not_there(self):
        path = os.path.join(self.scratch.scratch, "missing.conf")
        self.refuse(2, "serve", "--config", path, mentions=[path])

    def test_flags_that_nobody_knows(self):
        for arguments in (["serve", "--nonsense"], ["serve", "--listen"], ["dance"],
                          ["serve", "--listen", "127.0.0.1:99999"], ["serve", "--reactors", "-1"],
                          ["serve", "--listen", "nonsense"], ["serve", "--reactors", "many"]):
            with self.subTest(arguments):
                self.refuse(2, *arguments, mentions=[arguments[-1].removeprefix("serve")])

    def test_other_addresses_need_insecure(self):
        for listen in ("0.0.0.0:0", "[::]:0"):
            with self.subTest(listen):
                self.refuse(2, "serve", "--listen", listen, "--data-dir", self.scratch.data_dir,
                            mentions=["--insecure"])
        daemon = self.start_daemon("--insecure", listen="0.0.0.0:0")
        with RawClient(("127.0.0.1", daemon.port)) as client:
            self.assertEqual(client.get("/healthz").status, 200)

    async def test_a_data_directory_has_one_daemon(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada")
        said = await asyncio.to_thread(
            self.refuse, 1, "serve", "--listen", "127.0.0.1:0", "--data-dir", daemon.data_dir,
            mentions=[daemon.data_dir])
        self.assertTrue(said)
        await device.publish("room", "undisturbed")
        daemon.kill()
        daemon.start()

    def test_a_port_has_one_daemon(self):
        daemon = self.start_daemon()
        self.refuse(1, "serve", "--listen", f"127.0.0.1:{daemon.port}", "--data-dir",
                    self.scratch.data_dir, mentions=[str(daemon.port)])

    def test_a_data_directory_that_cannot_be(self):
        path = self.configuration("I am a file.")
        self.refuse(1, "serve", "--listen", "127.0.0.1:0", "--data-dir", path, mentions=[path])

    def test_all_programs_say_the_same_version(self):
        code, out, _ = run_to_end("--version")
        self.assertEqual(code, 0)
        version = re.fullmatch(r"syncdaemon (\d+\.\d+\.\d+(-dev)?)\n", out)[1]
        said = subprocess.run([binary("syncctl"), "--version"], capture_output=True, check=True)
        self.assertEqual(said.stdout.decode(), f"syncctl {version}\n")
        package = json.loads((ROOT / "clients/web/package.json").read_text(encoding="utf-8"))
        self.assertEqual(package["version"], version)
        daemon = self.start_daemon()
        until(lambda: f"version={version}" in daemon.log(), "the version in the log")
        # Between two releases it is neither.
        changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertNotEqual(version, "0.1.0")
        self.assertEqual(version.endswith("-dev"), f"\n## [{version}]" not in changes)


if __name__ == "__main__":
    unittest.main()
