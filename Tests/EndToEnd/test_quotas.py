"""What a tenant may have, and what happens where the memory ends: refusals, and nobody is harmed."""

import asyncio
import pathlib
import re
import signal
import tempfile
import unittest

from pubnub.models.consumer.v3.channel import Channel

from case import DaemonTestCase, eventually
from daemon import SANITIZED
from device import Refused
from raw import RawClient
from rest import LongPoll, Rest
from sdk import PubNubTestCase


MIB = 1024 * 1024


def metric(daemon, name, keyset=None, quota=None):
    """A number of `/metrics`."""
    labels = f'{{keyset="{keyset}",quota="{quota}"}}' if quota else \
        f'{{keyset="{keyset}"}}' if keyset else ""
    with RawClient(daemon.address) as client:
        text = client.get("/metrics").body.decode()
    found = re.search(rf"^syncdaemon_{name}{re.escape(labels)} (\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else None


class Quotas(PubNubTestCase):
    """Two tenants, one of which was given little."""

    SETTINGS = """
[keyset small]
subscribe_key = small
connections_max = 3
subscriptions_max = 20
memberships_max = 2
groups_max = 1
[keyset large]
subscribe_key = large
"""

    def start(self, settings=SETTINGS):
        """A daemon with a configuration file, and the file."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        file = pathlib.Path(directory.name) / "sync.ini"
        file.write_text(settings, encoding="utf-8")
        return self.start_daemon("--config", str(file)), file

    async def test_connections_of_a_tenant_are_bounded(self):
        daemon, _ = self.start()
        three = [await self.device(daemon, f"ada-{n}", keyset="small") for n in range(3)]
        async with self.refused(429, "quota_exceeded", "connections"):
            await self.device(daemon, "eve", keyset="small")
        # Over HTTP it is the same account, and the same words.
        with Rest(daemon, keys=("any", "small")) as rest:
            answer = rest.get("/v2/history/sub-key/{sub}/channel/room")
            self.assertEqual(answer.status, 429)
            self.assertEqual(answer.headers["retry-after"], "5")
        # Nobody else is concerned.
        await self.device(daemon, "bob", keyset="large")
        self.assertEqual(metric(daemon, "keyset_held", "small", "connections"), 3)
        self.assertGreaterEqual(
            metric(daemon, "keyset_refusals_total", "small", "connections"), 2)

        await three[0].close()
        await eventually(
            lambda: metric(daemon, "keyset_held", "small", "connections") == 2,
            "the place to be free")
        await self.device(daemon, "eve", keyset="small")

    async def test_subscriptions_and_polls_share_an_account(self):
        daemon, _ = self.start()
        ada = await self.device(daemon, "ada", keyset="small")
        await ada.subscribe(*(f"room-{n}" for n in range(15)))
        reply = await ada.request(
            "subscribe", channels=[{"name": f"den-{n}"} for n in range(6)])
        self.check_error(reply["error"], 429, "quota_exceeded", "subscriptions")
        self.assertEqual(reply["error"]["retryAfter"], 5)
        # What it follows already is no new one.
        await ada.subscribe(*(f"room-{n}" for n in range(15)))
        with LongPoll(daemon, "bob", *(f"den-{n}" for n in range(5)),
                      keys=("any", "small")) as poll:
            poll.handshake()
            poll.begin()
            await eventually(
                lambda: metric(daemon, "keyset_held", "small", "subscriptions") == 20,
                "the poll to be counted")
            with Rest(daemon, keys=("any", "small")) as rest:
                answer = rest.get("/v2/subscribe/{sub}/one-more/0", {"tt": "1"})
                self.assertEqual(answer.status, 429, answer)
            await ada.publish("den-1", "there")
            poll.finish()
        await ada.close()
        for held in ("subscriptions", "connections"):
            await eventually(
                lambda held=held: metric(daemon, "keyset_held", "small", held) == 0,
                f"all {held} to be given back")

    async def test_one_connection_has_no_more_than_a_share(self):
        daemon, _ = self.start(self.SETTINGS.replace("= 20", "= 2000"))
        device = await self.device(daemon, "ada", keyset="small")
        self.assertEqual(device.welcome["limits"]["channels"], 1000)
        await device.request("subscribe", channels=[{"name": f"r-{n}"} for n in range(600)])
        reply = await device.request(
            "subscribe", channels=[{"name": f"r-{n}"} for n in range(600, 1100)])
        self.check_error(
            reply["error"], 429, "quota_exceeded", "One connection may follow 1000")
        self.assertEqual(reply["error"]["retryAfter"], 5)
        await device.request("subscribe", channels=[{"name": f"r-{n}"} for n in range(600, 1000)])
        await eventually(
            lambda: metric(daemon, "keyset_held", "small", "subscriptions") == 1000, "the rest")

    async def test_polls_of_clients_that_left_give_back_what_they_had(self):
        """Also those that had to wait for their turn, because they name many channels."""
        daemon, _ = self.start()
        crowd = []
        names = ",".join(f"a-channel-with-a-long-name-{n}" for n in range(60))
        for _ in range(40):
            one = RawClient(daemon.address)
            crowd.append(one)
            one.send(one.request("GET", f"/v2/subscribe/large/{names}/0?tt=17{'0' * 15}"))
        await eventually(
            lambda: metric(daemon, "keyset_held", "large", "subscriptions") == 2400,
            "all to be polls")
        for one in crowd:
            one.finish()
        for one in crowd:
            self.assertEqual(await asyncio.to_thread(one.rest), b"")
        await eventually(
            lambda: metric(daemon, "keyset_held", "large", "subscriptions") == 0,
            "all to be given back")
        self.assertEqual(metric(daemon, "keyset_held", "large", "connections"), 0)

    async def test_a_backend_is_no_client(self):
        """Those who have all of a tenant's connections do not keep it from being heard."""
        daemon, _ = self.start("""
[keyset small]
subscribe_key = small
publish_key = pub
secret_key = sec
connections_max = 1
""")
        await self.device(daemon, "ada", keyset="small")
        backend = self.client(daemon, "backend", ("pub", "small"), secret_key="sec")
        token = backend.sdk.grant_token().ttl(5).channels(
            [Channel.id("room").read()]).sync().result.token
        await asyncio.to_thread(backend.sdk.revoke_token(token).sync)
        with Rest(daemon, keys=("pub", "small")) as rest:
            self.assertEqual(rest.get("/v2/history/sub-key/{sub}/channel/room").status, 429)

    async def test_groups_and_memberships_of_a_tenant_are_bounded(self):
        daemon, _ = self.start()
        groups = "/v1/channel-registration/sub-key/{sub}/channel-group/"
        with Rest(daemon, keys=("any", "small")) as rest:
            rest.ok(groups + "one", {"add": "room"})
            answer = rest.get(groups + "two", {"add": "room"})
            self.assertEqual((answer.status, answer.headers["retry-after"]), (429, "5"))
            self.assertIn(b"groups", answer.body)
            rest.ok(groups + "one/remove")
            rest.ok(groups + "two", {"add": "room"})
            beat = "/v2/presence/sub-key/{sub}/channel/room/heartbeat"
            for user, status in [("a", 200), ("b", 200), ("c", 429), ("a", 200)]:
                with Rest(daemon, user, keys=("any", "small")) as other:
                    answer = other.get(beat)
                    self.assertEqual(answer.status, status, user)
                    if status == 429:
                        self.assertEqual(answer.headers["retry-after"], "5")
                        self.assertIn(b"memberships", answer.body)
        self.assertEqual(metric(daemon, "keyset_refusals_total", "small", "memberships"), 1)
        with Rest(daemon, "c", keys=("any", "large")) as rest:
            rest.ok("/v2/presence/sub-key/{sub}/channel/room/heartbeat")
        await asyncio.to_thread(daemon.restart)
        with Rest(daemon, keys=("any", "small")) as rest:
            self.assertEqual(rest.get(groups + "three", {"add": "room"}).status, 429)
        self.assertEqual(metric(daemon, "keyset_held", "small", "groups"), 1)

    async def test_what_a_tenant_stores_is_bounded(self):
        daemon, file = self.start(self.SETTINGS.replace(
            "groups_max = 1", "groups_max = 1\nchannels_max = 2\nstored_bytes_max = 2K"))
        ada = await self.device(daemon, "ada", keyset="small")
        first = await ada.publish("one", "x" * 600)
        await ada.publish("two", "y" * 600)
        async with self.refused(429, "quota_exceeded", "channels"):
            await ada.publish("three", "z")
        async with self.refused(429, "quota_exceeded", "stored_bytes"):
            await ada.publish("one", "x" * 600)
        added = await ada.add("one", first, "+1")
        self.assertEqual(added["applied"], "added")
        with Rest(daemon, keys=("any", "small")) as rest:
            answer = rest.get("/publish/{pub}/{sub}/0/three/0/1")
            self.assertEqual((answer.status, answer.headers["retry-after"]), (429, "5"))
        # Signals are not stored, and others have room.
        with Rest(daemon, keys=("any", "small")) as rest:
            rest.ok("/signal/{pub}/{sub}/0/three/0/1")
        await (await self.device(daemon, "bob", keyset="large")).publish("three", "x" * 3000)
        held = 2 * (100 + 602 + 3) + 100 + len("reaction") + 2 + 3
        await eventually(
            lambda: metric(daemon, "keyset_held", "small", "stored_bytes") == held,
            f"{held} bytes to be held", lambda: metric(daemon, "keyset_held", "small", "channels"))
        self.assertEqual(metric(daemon, "keyset_held", "small", "channels"), 2)
        self.assertEqual(metric(daemon, "keyset_refusals_total", "small", "channels"), 2)
        # Deletions make room; and it is known after a restart and a crash, too.
        await ada.command("deleteMessages", channel="one", after="0", through=first)
        await ada.publish("one", "x" * 600)
        daemon.kill()
        await asyncio.to_thread(daemon.start)
        ada = await self.device(daemon, "ada", keyset="small")
        async with self.refused(429, "quota_exceeded", "stored_bytes"):
            await ada.publish("one", "x" * 900)
        file.write_text(file.read_text(encoding="utf-8").replace("2K", "3K"), encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        await eventually(lambda: "Configuration reloaded." in daemon.log(), "the reload")
        await ada.publish("one", "x" * 900)

    async def test_the_rate_of_a_tenant_is_one_for_all_its_clients(self):
        daemon, file = self.start(self.SETTINGS.replace(
            "groups_max = 1", "groups_max = 1\ncommands_per_second_max = 5"))
        ada = await self.device(daemon, "ada", keyset="small")
        bob = await self.device(daemon, "bob", keyset="large")
        refused = 0
        for _ in range(40):
            try:
                await ada.command("ping")
            except Refused as error:
                self.check_error(vars(error), 429, "rate_limited")
                refused += 1
        self.assertGreater(refused, 0)
        with Rest(daemon, keys=("any", "small")) as rest:
            answers = [rest.get("/v2/history/sub-key/{sub}/channel/room").status
                       for _ in range(20)]
            self.assertIn(429, answers)
        for _ in range(40):
            await bob.command("ping")
        self.assertGreater(metric(daemon, "keyset_rate_limited_total", "small"), 0)
        # More, without a restart.
        file.write_text(self.SETTINGS, encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        await eventually(lambda: "Configuration reloaded." in daemon.log(), "the reload")
        for _ in range(40):
            await ada.command("ping")

    async def test_an_http_connection_may_ask_only_so_often(self):
        daemon = self.start_daemon("--commands-per-second", "10")
        with RawClient(daemon.address) as client:
            answers = [client.get("/time/0").status for _ in range(40)]
        self.assertEqual(answers[:10], [200] * 10)
        self.assertIn(429, answers)
        with RawClient(daemon.address) as other:
            self.assertEqual(other.get("/time/0").status, 200)


class Memory(DaemonTestCase):
    """Clients that want all the memory there is."""

    def used(self, daemon):
        return metric(daemon, "memory_bytes")

    async def test_responses_that_nobody_reads_fill_no_memory(self):
        daemon = self.start_daemon("--memory-max", "400M")
        ada = await self.device(daemon, "ada")
        payload = "x" * 30_000
        await ada.settle_all([
            ("publish", {"channel": "room", "payload": payload}) for _ in range(100)])
        target = "/v3/history/sub-key/default/channel/room?max=100"
        crowd = []
        try:
            for _ in range(150):
                one = RawClient(daemon.address, receive_buffer=4096)
                crowd.append(one)
                one.send(one.request("GET", target))
            worst = 0
            for _ in range(20):
                await ada.command("ping")
                worst = max(worst, metric(daemon, "unsent_bytes"))
                await asyncio.sleep(0.05)
            self.assertLess(worst, 270 * MIB)
            if not SANITIZED:
                self.assertLess(self.used(daemon), 500 * MIB)
            # Who reads is served all along.
            with RawClient(daemon.address) as client:
                self.assertEqual(client.get("/time/0").status, 200)
            await ada.publish("room", "still here")
        finally:
            for one in crowd:
                one.__exit__(None, None, None)
        await eventually(lambda: metric(daemon, "unsent_bytes") == 0, "everything to be dropped")

    async def write(self, device, megabytes):
        """Has the store's pages come into memory, as many as may."""
        await device.settle_all([
            ("publish", {"channel": f"large-{n % 50}", "payload": "x" * 30_000})
            for n in range(megabytes * MIB // 30_000)])

    @unittest.skipIf(SANITIZED, "the size of the process says nothing")
    async def test_with_little_memory_its_own_caches_shut_nobody_out(self):
        daemon = self.start_daemon("--memory-max", "32M")
        ada = await self.device(daemon, "ada")
        await ada.subscribe("room")
        await self.write(ada, 80)
        for number in range(0, 50, 5):
            await ada.command("history", channel=f"large-{number}", limit=100)
        self.assertEqual(metric(daemon, "memory_level"), 0, self.used(daemon))
        await self.device(daemon, "eve")
        await ada.reach("room", await ada.publish("room", "hello"))

    @unittest.skipIf(SANITIZED, "the size of the process says nothing")
    async def test_near_its_ceiling_the_daemon_refuses_and_goes_on(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "sync.ini"
            file.write_text("[limits]\nmemory_max = 1G\n", encoding="utf-8")
            daemon = self.start_daemon("--config", str(file))
            ada = await self.device(daemon, "ada")
            await ada.subscribe("room")
            await self.write(ada, 50)
            # As if there were less: what there is now is 90 percent of it.
            ceiling = self.used(daemon) * 100 // 90
            self.assertGreater(ceiling, 32 * MIB, "It could not be configured.")
            file.write_text(f"[limits]\nmemory_max = {ceiling}\n", encoding="utf-8")
            daemon.process.send_signal(signal.SIGHUP)
            await eventually(lambda: "Configuration reloaded." in daemon.log(), "the reload")
        await eventually(lambda: metric(daemon, "memory_level") in (2, 3), "the ceiling")
        async with self.refused(503, "overloaded", "memory_max"):
            await self.device(daemon, "eve")
        await ada.reach("room", await ada.publish("room", "goes on"))

        def readiness():
            with RawClient(daemon.address) as client:
                return client.get("/readyz")

        await eventually(lambda: readiness().status == 503, "that it is not ready")
        self.assertIn(b"memory_short", readiness().body)
        self.assertIn("The memory is nearly used up", daemon.log())
        with RawClient(daemon.address) as client:
            self.assertEqual(client.get("/healthz").status, 200)

    async def test_devices_that_leave_at_once_hold_nobody_up(self):
        daemon = self.start_daemon("--reactors", "1")
        ada = await self.device(daemon, "ada")
        crowd = []
        for number in range(6):
            device = await self.device(daemon, f"eve-{number}")
            for start in range(0, 5000, 1000):
                await device.request("subscribe", channels=[
                    {"name": f"c-{number}-{n}"} for n in range(start, start + 1000)])
            crowd.append(device)
        await eventually(
            lambda: metric(daemon, "subscriptions") == 30_000, "all to be followed")
        for device in crowd:
            await device.close()
        # Some are still being taken out while others are served.
        await ada.subscribe("room")
        await ada.reach("room", await ada.publish("room", "hello"))
        await eventually(lambda: metric(daemon, "subscriptions") == 1, "all to be gone")
