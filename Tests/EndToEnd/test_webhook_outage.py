"""Webhooks while the store cannot be read: they go on by themselves, and nothing is lost."""

import unittest

from case import eventually
from postgres import shared
from test_webhooks import WebhookTestCase

SCHEMA = "t_webhook_outage"


class Outage(WebhookTestCase):
    """What waits is out of reach for a moment; the ledger needs nothing of it."""

    async def test_they_go_on_when_the_store_can_be_read_again(self):
        server = shared()
        receiver = self.receiver(behave=lambda *_: 500)
        self.configure(self.section(receiver))
        daemon = self.start_daemon(
            "--config", str(self.directory / "sync.ini"), "--store", "postgres",
            "--store-url", server.url, "--store-schema", SCHEMA)
        ada = await self.device(daemon, "ada")
        said = [await ada.publish("room", number) for number in range(3)]
        await eventually(lambda: receiver.requests, "an attempt")
        for _ in range(2):
            before = len(daemon.log())
            server.sql(f"ALTER TABLE {SCHEMA}.outbox RENAME TO away")
            await eventually(
                lambda: "Webhooks wait until the store can be read." in daemon.log()[before:],
                "an attempt to read")
            server.sql(f"ALTER TABLE {SCHEMA}.away RENAME TO outbox")
            await eventually(lambda: "Webhooks go on." in daemon.log()[before:], "a reader")
        receiver.behave = lambda *_: 200
        await eventually(
            lambda: self.metrics(daemon)['waiting{webhook="hook"}'] == 0, "an end")

        self.assertEqual([it["p"]["t"] for it in receiver.events()], said)
        said.append(await ada.publish("room", "afterwards"))
        await eventually(lambda: len(receiver.events()) == len(said), "what comes then")


if __name__ == "__main__":
    unittest.main()
