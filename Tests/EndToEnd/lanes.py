"""A load whose every outcome is known beforehand, and what must stand when it is over."""

import asyncio
import contextlib
from random import Random

#: Sequences of writes that one writer has under way at once, each of which waits for its replies.
LANES = 12


class Lane:
    """One sequence of writes, and what must stand when all of them are acknowledged.

    Every write has an outcome that is known beforehand: an add under a key that does not stand must
    be `added`, a removal of one that stands `removed`. A write that was applied before a crash and
    again after it would say `already` or `absent`, and so betray itself.
    """

    def __init__(self, device, name, seed):
        self.device = device
        self.name = name
        self.random = Random(seed)
        self.published = {}
        self.standing = {}
        self.acknowledged = 0
        self.surprises = []

    async def run(self, enough):
        while not enough.is_set():
            await self.step()

    async def step(self):
        kind = self.random.random()
        if kind < 0.3 or not self.published:
            text = f"{self.name}/{self.acknowledged}"
            reply = await self.device.settle("publish", channel="room", payload=text)
            if reply["timetoken"] in self.published:
                self.surprises.append(f"{text} got a timetoken again: {reply}")
            self.published[reply["timetoken"]] = text
        elif kind < 0.75 or not self.standing:
            message = self.random.choice(list(self.published))
            free = [it for it in "👍❤😂😲😢🔥🎉👏" if (message, it) not in self.standing]
            if not free:
                return
            value = self.random.choice(free)
            reply = await self.write("addAction", message, value, "added")
            action = reply.get("action", {})
            self.standing[message, value] = action.get("actionTimetoken")
        else:
            message, value = self.random.choice(list(self.standing))
            await self.write("removeAction", message, value, "removed")
            del self.standing[message, value]
        self.acknowledged += 1

    async def write(self, op, message, value, expected):
        reply = await self.device.settle(
            op, channel="room", messageTimetoken=message, value=value)
        if reply["applied"] != expected:
            self.surprises.append(f"{op} {message} {value} in {self.name} was {reply}")
        return reply


async def start_lanes(test, daemon, random, writers):
    """Devices of `writers` users that stay connected, and LANES lanes of each."""
    lanes = []
    for number in range(writers):
        device = await test.device(daemon, f"writer-{number}")
        device.keep_connected()
        lanes += [
            Lane(device, f"{number}.{lane}", random.randrange(2**32)) for lane in range(LANES)]
    return lanes


@contextlib.asynccontextmanager
async def under_load(test, daemon, random, writers):
    """Lanes that write while the block runs, and a device that watches them: `lanes, watcher`.

    When it has run all of them end, and what stands is what was acknowledged.
    """
    watcher = await test.device(daemon, "watcher")
    await watcher.subscribe({"name": "room", "cursor": "0"})
    watcher.keep_connected()
    lanes = await start_lanes(test, daemon, random, writers)
    enough = asyncio.Event()
    running = [asyncio.create_task(lane.run(enough)) for lane in lanes]
    try:
        yield lanes, watcher
    finally:
        enough.set()
    await asyncio.gather(*running)
    test.assertEqual([it for lane in lanes for it in lane.surprises], [])
    await watcher.until(watcher.online.is_set, "a connection")
    await check_lanes(test, lanes, watcher)


async def check_lanes(test, lanes, watcher):
    """The store, and a device that watched it all, hold exactly what was acknowledged."""
    published = {timetoken: text for lane in lanes for timetoken, text in
                 lane.published.items()}
    stored = await watcher.all_messages("room")
    test.assertEqual([it["timetoken"] for it in stored],
                     sorted(published, key=int), "Messages lost, or there twice.")
    test.assertEqual({it["timetoken"]: it["payload"] for it in stored}, published)

    standing = sorted(
        (int(message), "reaction", value, lane.device.user, int(since))
        for lane in lanes for (message, value), since in lane.standing.items())
    test.assertEqual(await watcher.all_actions("room"), standing)

    last = max([int(it) for it in published] + [row[4] for row in standing])
    await watcher.reach("room", last)
    await watcher.until(
        lambda: watcher.rows["room"].action_rows() == standing, "the last removals")
    test.assertEqual(sorted(watcher.rows["room"].messages), sorted(map(int, published)))
