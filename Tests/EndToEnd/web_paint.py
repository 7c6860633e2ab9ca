#!/usr/bin/python3
"""How soon a page shows a window of a long channel in Chromium: from the network, and from a cache.

    web_paint.py [--binary PATH] [--messages N] [--last N] [--rounds N] [--whole]

From when the client is made to the end of the frame that shows the first messages with their
reactions, to the word that they are right, and what came over the network for it. Each round is a
new device, which then loads its page again. `--whole` also measures a device that holds all of the channel, for comparison.
"""

import asyncio
import statistics

from measuring import Arguments

#: Resolves with milliseconds and bytes. What is posted in a frame's callback comes when the frame
#: is laid out and painted.
SCRIPT = """(async () => {
  const begun = performance.now();
  const client = new sync.SyncClient({ url: '%s', userId: 'ada', cache: 'paint' });
  const room = client.channel('long', %s);
  const painted = new Promise((resolve) => room.observe((changes, items) => {
    if (items.length === 0 || document.body.childElementCount > 0) return;
    document.body.append(...items.map(({ payload, actions }) => {
      const line = document.createElement('p');
      line.textContent = JSON.stringify(payload) + actions.map(({ value }) => value).join(' ');
      return line;
    }));
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now() - begun);
      port2.postMessage(null);
    });
  }));
  await room.ready;
  const stored = room.items.length;
  const verified = room.whenVerified().then(() => performance.now() - begun);
  const found = [await painted, await verified, client.stats.received, room.items.length, stored];
  await client.close();
  return found;
})()"""


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--last", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    from daemon import Daemon
    from long_channel import begin
    with Daemon() as daemon:
        begin(daemon, arguments.messages)
        daemon.start()
        asyncio.run(measure(daemon, arguments))


async def measure(daemon, arguments):
    from browser import Browser, Pages
    pages, browser = Pages(), await Browser().start()
    try:
        print("| median | painted, ms | verified, ms | bytes | items | stored |\n"
              "|---|--:|--:|--:|--:|--:|")
        kinds = [("window", f"{{ window: {{ last: {arguments.last} }} }}", arguments.rounds)]
        if arguments.whole:
            kinds.append(("whole", "{}", min(3, arguments.rounds)))
        for name, options, rounds in kinds:
            found = {"network": [], "cache": []}
            for _ in range(rounds):
                page = await browser.page(
                    f"{pages.origin}/tests/page.html", await browser.context())
                for source in found:
                    found[source].append(await page.run(SCRIPT % (daemon.url, options)))
                    await page.reload()
                await page.close()
            for source, times in found.items():
                print(f"| {name}, from the {source} | " + " | ".join(
                    f"{statistics.median(column):.0f}" for column in zip(*times)) + " |", flush=True)
    finally:
        await browser.close()
        pages.close()


if __name__ == "__main__":
    main()
