#!/usr/bin/python3
"""How the components keep up in Chromium: 1,000 messages with five reactions each.

    web_ui_speed.py [--binary PATH] [--messages N] [--rounds N]

Painted from the cache: from when the client is made to the end of the frame that shows the newest
messages. Frames: how long one takes while a list is scrolled through, and while 200 reactions a
second come to what is in sight, beside those of an empty page. A tap: from the click to the end of
the frame that shows it, and to the end of the other device's frame; taps come at any moment of a
frame.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import statistics
import sys
import time

#: How long a page shows one, in seconds.
FRAME = 1 / 60
VALUES = ["👍", "❤️", "😂", "😲", "🔥"]

#: Ends with the frame that shows what is there now.
SCRIPTS = """
window.painted = () => new Promise((resolve) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => resolve(performance.now());
  port2.postMessage(null);
}));
window.until = async (condition) => { while (!condition()) await painted(); return performance.now(); };
window.frames = async (milliseconds, each = () => {}) => {
  const times = [];
  const begun = performance.now();
  let last = await new Promise(requestAnimationFrame);
  while (performance.now() - begun < milliseconds) {
    each();
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  return [times.length, times.reduce((a, b) => a + b) / times.length, at(.5), at(.95), at(.99)];
};
window.log = () => list.shadowRoot.querySelector('[part=log]');
"""
FIRST_PAINT = """(async () => {
  const begun = performance.now();
  start(%s);
  await until(() => list.shadowRoot.querySelectorAll('[part~=message] sync-reactions').length > 5);
  const shown = await painted() - begun;
  await until(() => room.isLoaded);
  const rows = list.shadowRoot.querySelectorAll('[part~=message]').length;
  return [shown, room.items.length, rows];
})()"""
TAP = """(async () => {
  const bar = [...list.shadowRoot.querySelectorAll('sync-reactions')].at(-1);
  const button = bar.shadowRoot.querySelector('[part=toggle]');
  const before = button.getAttribute('aria-pressed');
  const at = Date.now();
  const begun = performance.now();
  button.click();
  await until(() => button.getAttribute('aria-pressed') !== before);
  return [at, performance.now() - begun];
})()"""
WATCH = """(() => {
  window.seen = null;
  const bar = [...list.shadowRoot.querySelectorAll('sync-reactions')].at(-1);
  new MutationObserver(async (_, observer) => {
    observer.disconnect();
    await painted();
    window.seen = Date.now();
  }).observe(bar.shadowRoot, { subtree: true, childList: true, characterData: true, attributes: true });
})()"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    if arguments.binary:
        os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(arguments.binary).resolve())
    from daemon import Daemon
    with Daemon() as daemon:
        daemon.start()
        asyncio.run(measure(daemon, arguments))


async def populate(daemon, count):
    from device import Device
    people = [await Device(daemon, f"user{n}", f"user{n}-phone").connect() for n in range(3)]
    for begin in range(0, count, 200):
        published = await people[0].settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(begin, min(begin + 200, count))])
        await people[1].settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": it["timetoken"], "value": value})
            for it in published for value in VALUES])
    return people, published[-10:]


async def measure(daemon, arguments):
    from browser import Browser, Pages
    from hands import Hands
    pages, browser = Pages(), await Browser().start()
    people, newest = await populate(daemon, arguments.messages)

    async def device(user):
        page = await browser.page(
            f"{pages.origin}/tests/ui.html", await browser.context())
        await Hands(page).be(motion="no-preference")
        await page.run(SCRIPTS + "0")
        return page

    def settings(user, **options):
        return json.dumps({"url": daemon.url, "userId": user, "options": options})

    def row(name, values):
        print(f"| {name} | " + " | ".join(f"{it:.1f}" for it in values) + " |", flush=True)

    try:
        print("| | median ms | most ms |\n|---|--:|--:|")

        async def paint(name, page, count, **options):
            asked = FIRST_PAINT % settings("ada", **options)
            await page.run(asked)
            await page.run("room.whenVerified()")
            shown = []
            for _ in range(arguments.rounds):
                await page.run("client.close()")
                await page.reload()
                await page.run(SCRIPTS + "0")
                took, there, rows = await page.run(asked)
                shown.append(took)
                assert there >= count and rows < 60, (there, rows)
                await page.run("room.whenVerified()")
            row(f"painted from the cache, {name} held", [statistics.median(shown), max(shown)])

        part = await device("ada")
        await paint("the newest 50", part, 50, window={"last": 50})
        await part.close()
        ada = await device("ada")
        await paint("all", ada, arguments.messages)

        bob = await device("bob")
        await bob.run(FIRST_PAINT % settings("bob"))
        await bob.run("room.whenVerified()")
        here, there = [], []
        for _ in range(3 * arguments.rounds):
            await bob.run(WATCH)
            # Else each tap comes behind a frame of the other page, and just misses its own.
            await asyncio.sleep(random.uniform(0, FRAME))
            at, took = await ada.run(TAP)
            await bob.until("window.seen")
            here.append(took)
            there.append(await bob.run("seen") - at)
        row("a tap, painted here", [statistics.median(here), max(here)])
        row("a tap, painted there", [statistics.median(there), max(there)])
        await bob.close()

        empty = await browser.page("about:blank", await browser.context(), ready="document.body")
        await empty.run(SCRIPTS + "0")
        print("\n| frames | count | mean ms | median | p95 | p99 |\n|---|--:|--:|--:|--:|--:|")
        row("an empty page", await empty.run("frames(4000)"))
        await empty.close()
        row("scrolling", await ada.run(
            "frames(4000, () => { log().scrollTop -= 37; if (log().scrollTop < 100)"
            " log().scrollTop = 1e9; })"))
        await ada.run("list.toNewest()")
        running = asyncio.create_task(storm(people[2], newest, 4.5))
        row("200 reactions/s in sight", await ada.run("frames(4000)"))
        print(f"\nreactions sent: {await running}")
    finally:
        await browser.close()
        pages.close()
        for one in people:
            await one.close()


async def storm(device, messages, seconds):
    """Adds and takes back 200 a second, on messages in sight."""
    end, count, sent = time.monotonic() + seconds, 0, []
    begin = time.monotonic()
    while time.monotonic() < end:
        for _ in range(4):
            message = messages[count % len(messages)]["timetoken"]
            value = VALUES[count // len(messages) % 5]
            op = "addAction" if count // (5 * len(messages)) % 2 == 0 else "removeAction"
            sent.append(asyncio.create_task(device.command(
                op, channel="room", messageTimetoken=message, value=value,
                mutation=device.new_mutation())))
            count += 1
        await asyncio.sleep(max(0, begin + count / 200 - time.monotonic()))
    await asyncio.gather(*sent)
    return count


if __name__ == "__main__":
    main()
