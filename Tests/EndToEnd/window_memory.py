#!/usr/bin/python3
"""What a device holds while it looks at a hundred pages of a channel with a budget.

    window_memory.py [--binary PATH] [--messages N] [--pages N] [--keeping N] [--web | --swift]

A page in Chromium (the web client) and `syncctl chat` (the Swift one, which keeps 1000) scroll
back, page by page. As soon as the window is full, what comes are pages of news, each pushing the
oldest out, and in Chromium a page that is only looked at beside each. Every tenth page: the page's
heap after a collection, or what of the program's memory is its own, and how many messages show.
"""

import asyncio
import pathlib

from measuring import Arguments

PAGE = 50

UP, PAGE_UP, END = "\x1bOA", "\x1b[5~", "\x1bOF"

SCRIPT = """(async () => {
  window.client = new sync.SyncClient({ url: '%s', userId: 'ada', cache: 'memory' });
  window.room = client.channel('long', { window: { last: %d, keeping: %d } });
  await room.whenVerified();
})()"""

LOOK = f"room.page({{ before: room.items[0].timetoken, count: {PAGE} }}).then(() => null)"


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--keeping", type=int, default=1000)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--web", action="store_true")
    kind.add_argument("--swift", action="store_true")
    arguments = parser.parse_args()
    from daemon import Daemon
    from long_channel import begin
    with Daemon() as daemon:
        begin(daemon, arguments.messages)
        daemon.start()
        if not arguments.swift:
            asyncio.run(scroll_page(daemon, arguments))
        if not arguments.web:
            asyncio.run(scroll_chat(daemon, arguments.pages))


def write_news(client, number):
    """A page of messages with a reaction each; the last one says which page it is."""
    for at in range(PAGE):
        payload = f"news {number}" if at == PAGE - 1 else "x" * 60
        message = client.command("publish", channel="long", payload=payload)["timetoken"]
        client.command("addAction", channel="long", messageTimetoken=message, type="reaction",
                       value="👍")


def head(*names):
    print(f"\n| {' | '.join(names)} |\n{'|--:' * len(names)}|", flush=True)


async def scroll_page(daemon, arguments):
    from browser import Browser, Pages
    from raw import RawClient
    pages, browser = Pages(), await Browser().start()
    try:
        page = await browser.page(f"{pages.origin}/tests/page.html", await browser.context())
        await page.run(SCRIPT % (daemon.url, PAGE, arguments.keeping))
        head("web client: pages", "messages shown", "heap, KiB")
        with RawClient(daemon.address) as writer:
            writer.hello("zoe", "desk")
            for number in range(arguments.pages + 1):
                if number and await page.run(f"room.older({PAGE})") == "full":
                    write_news(writer, number)
                    await page.until(f"room.items.at(-1).payload === 'news {number}'")
                    await page.run(LOOK)
                if number % 10 == 0:
                    await page.run("room.whenVerified()")
                    await browser.command("HeapProfiler.collectGarbage", page.session)
                    heap = await browser.command("Runtime.getHeapUsage", page.session)
                    shown = await page.run("room.items.length")
                    print(f"| {number} | {shown} | {heap['usedSize'] / 1024:.0f} |", flush=True)
    finally:
        await browser.close()
        pages.close()


async def scroll_chat(daemon, count):
    from daemon import binary, clean_environment
    from raw import RawClient
    from terminal import Terminal
    terminal = Terminal(
        [binary("syncctl"), "chat", "long", "--url", daemon.url, "--user", "ada"], 80, 24,
        clean_environment() | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
    try:
        await terminal.shows("online")
        head("`syncctl chat`: pages", "own memory, KiB")
        with RawClient(daemon.address) as writer:
            writer.hello("zoe", "desk")
            for number in range(count + 1):
                if number and not await load_older(daemon, terminal):
                    write_news(writer, number)
                    # In the chat's own time they are there, and END goes to the last of them.
                    while f"news {number}" not in terminal.text:
                        terminal.type(END)
                        await asyncio.sleep(0.2)
                    await terminal.shows(f"news {number}")
                if number % 10 == 0:
                    print(f"| {number} | {own_memory(terminal.process.pid)} |", flush=True)
    finally:
        terminal.close()


async def load_older(daemon, terminal):
    """Whether the daemon was asked for a page, from the top of the log."""
    before = asked(daemon)
    terminal.type(UP + "g" + PAGE_UP)
    await asyncio.sleep(0.5)
    await terminal.hides("loading…")
    return asked(daemon) > before


def asked(daemon):
    """The pages of windows that the daemon has read."""
    from disk import metric
    return metric(daemon, "window_pages_total")


def own_memory(process):
    """KiB in memory that no file has and no other process."""
    lines = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(line.split()[1] for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    main()
