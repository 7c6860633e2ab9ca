"""What was damaged in a browser's database is not believed, and costs nothing else."""

import asyncio

from test_web_client import WebCase

#: Of the only write that waits, what is left.
ROTTEN = {
    "no answer": "delete it.acknowledged",
    "another kind": "it.kind = 'zzz'",
    "a number for a mutation": "it.mutation = 5",
    "an empty acknowledgement": "it.acknowledged = ''",
    "another payload": "it.payload = 'EVIL'",
    "nearly nothing": "for (const name of Object.keys(it)) if (name !== 'order') delete it[name]",
}


class Damage(WebCase):
    """Found by an attack: a row of the outbox stopped a device for ever, and a read mark lied."""

    async def test_a_write_that_waits(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=1, faces=2)
        for name, harm in ROTTEN.items():
            with self.subTest(name):
                page = await self.web_user(daemon, "ada")
                await page.until("room.isVerified")
                before = await page.run("room.items.length")
                await page.run("room.whenVerified()")
                await asyncio.to_thread(daemon.stop)
                await page.until("client.status !== 'online'")
                await page.run("room.publish('sound')")
                await page.run("room.publish('damaged')")
                await page.reload()
                await page.run(f"""database('outbox', (store) => {{
                    store.getAll().onsuccess = ({{ target }}) => {{
                        const it = target.result.pop();
                        {harm};
                        store.put(it);
                    }};
                }})""")
                await asyncio.to_thread(daemon.start)
                await self.start_client(page, daemon, "ada")
                await page.until(f"room.items.length === {before + 1} && room.isVerified")
                await page.until("client.waiting === 0")
                self.assertEqual((await page.run("view()"))[-1]["payload"], "sound")
                problems = await page.run("problems")
                self.assertEqual([it for it in problems if "could not be reached" not in it],
                                 ["LostWritesError: 1 of the writes that waited cannot be read any"
                                  " more and will not be made: what was stored of them was"
                                  " damaged."])
                await page.run("room.publish('after')")
                await page.until("client.waiting === 0")
                await writer.connect()
                texts = [it["payload"] for it in await writer.all_messages("room")]
                self.assertEqual(texts[-2:], ["sound", "after"])
                await page.run("client.close()")

    async def test_a_read_mark(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=6, faces=0)
        page = await self.web_user(daemon, "ada", channel={"unread": True})
        await page.until("room.unread?.count === 6")
        await page.run(f"room.markRead('{messages[2]}')")
        await page.until("room.unread.count === 3")
        await page.run("room.whenVerified()")
        await page.reload()
        await page.run("""database('meta', (store) => {
            store.get(['read', 'room']).onsuccess = ({ target }) => store.put(
                { ...target.result, through: '99999999999999999' }, ['read', 'room']);
        })""")
        await self.start_client(page, daemon, "ada", channel={"unread": True})
        await page.until("room.isVerified && room.unread?.count === 3")
        # A wish would have been sent by now, and answered.
        await page.run("room.publish('marker')")
        await page.until("client.waiting === 0")
        (unread,) = await page.run("client.unread(['room'])")
        self.assertEqual((unread["count"], unread["through"]), (3, messages[2]))
