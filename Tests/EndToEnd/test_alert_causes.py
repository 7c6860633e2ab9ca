"""More alerts of contrib/, each with what it is for: of the machine, of what others have to do."""

import asyncio
import contextlib
import datetime
import resource
import signal
import socket
import unittest

from daemon import SANITIZED
from disk import Faults
from prometheus import WatchedTestCase
from raw import TEXT, RawClient, frame
from test_clock import DAY, SteppedDaemon
from test_tls import Authority
from test_webhooks import WebhookTestCase


class Machine(WatchedTestCase):
    async def test_restarts(self):
        daemon = self.start_daemon()
        daemon.listen = f"{daemon.host}:{daemon.port}"
        prometheus = await self.watch(daemon)

        def started():
            return [it["value"][1] for it in prometheus.query("process_start_time_seconds")]

        for _ in range(4):
            before = await asyncio.to_thread(started)
            # It is told in whole seconds.
            await asyncio.sleep(1)
            await asyncio.to_thread(daemon.kill)
            await asyncio.to_thread(daemon.start)
            await self.until(lambda it=before: started() not in ([], it), "another start")
        await self.fires(prometheus, "Restarts")

    async def test_commits_that_take_long(self):
        faults = Faults()
        self.addCleanup(faults.discard)
        daemon = self.start_daemon(**faults.options)
        ada = await self.device(daemon, "ada")
        prometheus = await self.watch(daemon)
        for number in range(3):
            faults.set("sync", 0, "syncdaemon.db-wal")
            write = asyncio.create_task(ada.publish("room", number))
            await asyncio.sleep(1)
            faults.clear("sync")
            await write
        await self.fires(prometheus, "CommitsSlow")

    @unittest.skipIf(SANITIZED, "Sanitizers take memory for themselves.")
    async def test_memory_that_is_nearly_used_up(self):
        daemon = self.start_daemon(
            "--memory-max", "32M", "--connections", "12000", "--connections-per-address", "12000")
        prometheus = await self.watch(daemon)
        with contextlib.ExitStack() as many:
            def open_sessions():
                resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
                with contextlib.suppress(OSError, AssertionError):
                    for number in range(11_000):
                        client = many.enter_context(RawClient(daemon.address))
                        client.hello("ada", f"phone-{number}")

            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
            # Some are refused in the end: that is what is given up first.
            await asyncio.to_thread(open_sessions)
            await self.fires(prometheus, "Memory")

    async def test_reactors_that_are_kept_busy(self):
        daemon = self.start_daemon("--reactors", "1")
        prometheus = await self.watch(daemon)
        clients = [RawClient(daemon.address) for _ in range(24)]
        for number, client in enumerate(clients):
            self.addCleanup(client.socket.close)
            await asyncio.to_thread(client.hello, "ada", f"phone-{number}")
        for _ in range(12):
            # What is sent while it stands still is one turn, amid which it stands still again.
            daemon.process.send_signal(signal.SIGSTOP)
            for client in clients:
                for _ in range(2):
                    client.send(frame(TEXT, client.command_text(
                        "signal", channel="room", payload=[0] * 10_000)))
            daemon.process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.003)
            daemon.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.4)
            daemon.process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.2)
        await self.fires(prometheus, "ReactorsBusy")

    @unittest.skipIf(SANITIZED, "A sanitizer must be loaded before libfaketime, and cannot.")
    async def test_a_clock_that_steps(self):
        daemon = SteppedDaemon()
        daemon.step(0)
        self.addCleanup(daemon.discard)
        self.addCleanup(self._stop, daemon)
        daemon.start()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "before")
        prometheus = await self.watch(daemon)
        daemon.step(31 * DAY)
        await ada.publish("room", "after")
        await self.fires(prometheus, "Clock")


class Others(WebhookTestCase, WatchedTestCase):
    """What others have to do for the daemon."""

    def nobody(self):
        """An address at which nobody listens."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return f"http://127.0.0.1:{taken.getsockname()[1]}/"

    async def test_a_receiver_that_is_gone(self):
        daemon = self.start(self.section(None, url=self.nobody()))
        ada = await self.device(daemon, "ada")
        prometheus = await self.watch(daemon)
        await ada.publish("room", "hi")
        await self.fires(prometheus, "WebhookBehind")

    async def test_an_interceptor_that_is_gone(self):
        section = self.section(None, url=self.nobody()).replace("[webhook ", "[interceptor ")
        daemon = self.start(section)
        ada = await self.device(daemon, "ada")
        prometheus = await self.watch(daemon)
        for _ in range(5):
            await ada.request("publish", channel="room", payload="hi")
            await asyncio.sleep(0.3)
        await self.fires(prometheus, "InterceptorFails")

    async def test_a_certificate_that_ends_soon(self):
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3)
        folder = self.directory / "authority"
        folder.mkdir()
        certificate, key = Authority(folder, "authority").certificate(
            "DNS:localhost", end=soon.strftime("%Y%m%d%H%M%SZ"))
        daemon = self.start(
            f"[tls]\nlisten = 127.0.0.1:0\ncertificate_file = {certificate}\nkey_file = {key}\n")
        prometheus = await self.watch(daemon)
        await self.fires(prometheus, "CertificateEnds")


if __name__ == "__main__":
    unittest.main()
