"""Measures what users feel: how long a reaction takes, and how many the daemon carries.

Runs the release build on this machine with its embedded store, every write durable, clients and
daemon on the same cores. The clients are Python and the slower side: "deliveries/s" is what they
can read. The numbers compare releases on one machine, not machines.
"""

import asyncio
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import websockets

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = os.environ.get("SYNCDAEMON_BINARY", str(ROOT / ".build/release/syncdaemon"))
CHANNEL = "bench"


class Device:
    """One connection, with its replies by id and its pushed events in order."""

    def __init__(self, user, name):
        self.user, self.name = user, name
        self.replies = {}
        self.events = asyncio.Queue()
        self.last_id = 0

    async def connect(self, url):
        self.socket = await websockets.connect(
            f"{url}/v1/sync", subprotocols=["sync.v1.json"], compression=None, max_queue=None,
            ping_interval=None,
        )
        self.reader = asyncio.create_task(self.read())
        await self.ask("hello", userId=self.user, deviceId=self.name)
        return self

    async def read(self):
        async for text in self.socket:
            frame = json.loads(text)
            if "id" in frame:
                self.replies.pop(frame["id"]).set_result(frame)
            else:
                now = time.perf_counter()
                for event in frame["m"]:
                    self.events.put_nowait((now, event))

    async def ask(self, op, **fields):
        """Sends a command and returns what its reply says under `ok`."""
        self.last_id += 1
        command = {"id": self.last_id, "op": op, **fields}
        reply = self.replies[self.last_id] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps(command, separators=(",", ":")))
        frame = await reply
        if "ok" not in frame:
            raise SystemExit(f"The daemon refused {command}: {frame}")
        return frame["ok"]

    async def subscribe(self):
        await self.ask("subscribe", channels=[{"name": CHANNEL}])

    async def react(self, message, value):
        return await self.ask("addAction", channel=CHANNEL, messageTimetoken=message, value=value)

    async def close(self):
        await self.socket.close()
        self.reader.cancel()


def milliseconds(seconds):
    ordered = sorted(seconds)
    p50, p99 = (ordered[int((len(ordered) - 1) * share)] for share in (0.5, 0.99))
    return f"{p50 * 1000:8.2f} {p99 * 1000:8.2f} {ordered[-1] * 1000:8.2f}"


async def light_load(url, count):
    """One reaction at a time: until it is acknowledged, and until another device has it."""
    author = await Device("ada", "phone").connect(url)
    other = await Device("bob", "phone").connect(url)
    await other.subscribe()
    message = (await author.ask("publish", channel=CHANNEL, payload="hi"))["timetoken"]
    await other.events.get()
    acknowledged, delivered = [], []
    for number in range(count):
        start = time.perf_counter()
        await author.react(message, f"v{number}")
        acknowledged.append(time.perf_counter() - start)
        arrived, _ = await other.events.get()
        delivered.append(arrived - start)
    await author.close()
    await other.close()
    return acknowledged, delivered


async def heavy_load(url, writers, subscribers, count):
    """Every writer keeps 32 reactions under way; every subscriber gets all of them."""
    message = "17000000000000000"
    devices = await asyncio.gather(*(
        Device(f"user{n}", f"device{n}").connect(url) for n in range(writers + subscribers)))
    authors, readers = devices[:writers], devices[writers:]
    await asyncio.gather(*(device.subscribe() for device in readers))
    total = writers * count
    start = time.perf_counter()

    async def write(author):
        under_way = asyncio.Semaphore(32)

        async def one(number):
            async with under_way:
                await author.react(message, f"w{writers}-{subscribers}-{number}")

        await asyncio.gather(*(one(number) for number in range(count)))

    async def read(reader):
        for _ in range(total):
            await reader.events.get()

    await asyncio.gather(*map(write, authors), *map(read, readers))
    elapsed = time.perf_counter() - start
    await asyncio.gather(*(device.close() for device in devices))
    return total / elapsed, total * subscribers / elapsed


async def idle_memory(url, process, count):
    """Bytes of the daemon's memory per connection that does nothing."""

    def resident():
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    before = resident()
    devices = []
    for first in range(0, count, 100):
        devices += await asyncio.gather(*(
            Device(f"idle{n}", "phone").connect(url) for n in range(first, first + 100)))
    grown = resident() - before
    await asyncio.gather(*(device.close() for device in devices))
    return grown / count


async def measure(url, process):
    acknowledged, delivered = await light_load(url, 2000)
    print("One reaction at a time (ms)        p50      p99      max")
    print(f"  sent to acknowledged        {milliseconds(acknowledged)}")
    print(f"  sent to the other device    {milliseconds(delivered)}")
    print()
    print("Under load              durable writes/s   deliveries/s")
    for writers, subscribers in [(1, 1), (8, 8), (8, 64)]:
        writes, deliveries = await heavy_load(url, writers, subscribers, 4000 // writers)
        print(f"  {writers} writers, {subscribers:2} subscribers {writes:13,.0f} {deliveries:14,.0f}")
    print()
    print(f"Memory per idle connection: {await idle_memory(url, process, 1000) / 1024:.1f} KiB")


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="syncdaemon-bench-") as directory:
        command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--data-dir", directory]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                line = process.stdout.readline()
                found = re.fullmatch(r"syncdaemon: listening on http://(\S+)\n", line)
                if not found:
                    raise SystemExit(f"The daemon did not start; it said {line!r}.")
                asyncio.run(measure(f"ws://{found.group(1)}", process))
            finally:
                process.terminate()
        if process.returncode != 0:
            sys.exit(f"The daemon ended with {process.returncode}.")


if __name__ == "__main__":
    main()
