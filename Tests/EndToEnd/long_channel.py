#!/usr/bin/python3
"""The end of a channel with very many messages: what a page of a window costs there.

    long_channel.py [--binary PATH] [--messages N] [--pages N] [--colds N]

The rows are put into the file of a daemon that is stopped, which then begins with an upgrade: the
file says that it has no segments yet. Then: how long that takes. When it has come to rest and was
started anew: the first page, the pages before it, and `older` with `last` 0, in time, bytes and
processor of the daemon. Every page is checked: with what is before it, it comes to the whole.
How much is in the first page is chance: it ends where a segment begins. So the daemon is started
anew some times more, and asked for the page before another boundary, as its first question.
"""

import os
import pathlib
import sqlite3
import statistics
import time

from measuring import Arguments


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--colds", type=int, default=20)
    arguments = parser.parse_args()
    from daemon import Daemon
    with Daemon() as daemon:
        begin(daemon, arguments.messages)
        start = time.perf_counter()
        daemon.start()
        print(f"upgrade and start: {time.perf_counter() - start:.1f} s", flush=True)
        settle(daemon)
        daemon.stop()
        daemon.start()
        boundaries = measure(daemon, arguments.pages)
        measure_cold(daemon, boundaries[::max(1, len(boundaries) // arguments.colds)])


def begin(daemon, count):
    """A file in which the channel `long` has messages with three reactions each."""
    from raw import RawClient
    with RawClient(daemon.start().address) as client:
        newest = int(client.hello().command("publish", channel="long", payload=1)["timetoken"])
    daemon.stop()
    path = os.path.join(daemon.data_dir, "syncdaemon.db")
    database = sqlite3.connect(path)
    with database:
        channel, = database.execute("SELECT id FROM channel WHERE name = 'long'").fetchone()
        places = range(newest - count * 100, newest, 100)
        database.executemany(
            "INSERT INTO message (timetoken, channel, uuid, payload) VALUES (?, ?, ?, ?)",
            ((at, channel, f"user{at // 100 % 997}", '"' + "x" * 60 + '"') for at in places))
        database.executemany(
            "INSERT INTO action (channel, message, type, value, uuid, added, changed, live) "
            "VALUES (?, ?, 'reaction', ?, ?, ?, ?, 1)",
            ((channel, at, "👍❤️😂"[n], f"user{(at // 100 + n) % 997}", at + 1 + n, at + 1 + n)
             for at in places for n in range(3)))
        for what in ("TABLE segment", "TABLE read_mark", "INDEX message_by_entry", "TABLE outbox",
                     "TABLE dead_letter", "TABLE push_device",
                     "TABLE file"):
            database.execute(f"DROP {what}")
        for column in "count", "lane0", "lane1":
            database.execute(f"ALTER TABLE channel ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
        database.execute("PRAGMA user_version = 19")
    database.close()
    print(f"{count} messages, {os.path.getsize(path) >> 20} MiB", flush=True)


def settle(daemon):
    """Until old rows have their checksums, which the daemon computes when it has nothing to do."""
    last, now = 0, busy(daemon)
    while now - last > 0.05:
        time.sleep(1)
        last, now = now, busy(daemon)


def busy(daemon):
    """Seconds that the daemon's threads have run."""
    tasks = pathlib.Path(f"/proc/{daemon.process.pid}/task").glob("*/schedstat")
    return sum(int(it.read_text(encoding="ascii").split()[0]) for it in tasks) / 1e9


def counting(daemon):
    """A client that counts what comes."""
    from raw import RawClient

    class Counted(RawClient):
        received = 0

        def frame(self):
            opcode, payload = super().frame()
            self.received += len(payload)
            return opcode, payload

        def timed(self, op, **fields):
            before, received, start = busy(daemon), self.received, time.perf_counter()
            reply = self.command(op, channel="long", **fields)
            took = time.perf_counter() - start
            return reply, took * 1000, self.received - received, (busy(daemon) - before) * 1000

    return Counted(daemon.address)


def line(name, times, sizes, costs, most=statistics.median):
    print(f"| {name} | {most(times):.2f} | {most(sizes):.0f} | {most(costs):.2f} |", flush=True)


def measure(daemon, pages):
    import reconcile
    print("| median | ms | bytes | ms of a processor |\n|---|--:|--:|--:|")
    boundaries = []
    with counting(daemon) as client:
        client.hello()
        key = bytes.fromhex(client.command(
            "subscribe", channels=[{"name": "long", "window": {}}])["channels"][0]["key"])
        held, through, found = [], {}, []
        for number in range(pages):
            page, *cost = client.timed("older", last=50, **through)
            held += reconcile.unpack_rows(page["rows"]) + [
                (int(it["timetoken"]), it["uuid"], "") for it in page["messages"]]
            if number in (0, 1, pages - 1):
                check(key, held, page)
            if number == 0:
                line("the newest 50, cold", *([it] for it in cost))
            else:
                found.append(cost)
            through = {"through": page["after"]}
            boundaries.append(page["after"])
        line("50 before them, first ten", *zip(*found[:10]))
        line("50 before them, last ten", *zip(*found[-10:]))
        line("the newest 50 again", *zip(*(client.timed("older", last=50)[1:]
                                           for _ in range(50))))
        line("what is before them alone", *zip(*(client.timed(
            "older", last=0, through=page["after"])[1:] for _ in range(50))))
    return boundaries


def measure_cold(daemon, boundaries):
    costs = []
    for boundary in boundaries:
        daemon.stop()
        daemon.start()
        with counting(daemon) as client:
            client.hello()
            client.command("subscribe", channels=[{"name": "long", "window": {}}])
            costs.append(client.timed("older", last=50, through=boundary)[1:])
    line(f"50 as the first question, {len(costs)} times", *zip(*costs))
    line("the most of these", *zip(*costs), most=max)


def check(key, held, page):
    """The rest and what is held are the whole."""
    import reconcile
    lanes = [int(page["s"]["d"][at:at + 16], 16) - int(page["rest"]["d"][at:at + 16], 16)
             for at in (0, 16)]
    text = "".join(f"{it & reconcile.MASK64:016x}" for it in lanes)
    assert (text, page["s"]["n"] - page["rest"]["n"]) == (reconcile.digest(key, held), len(held))


if __name__ == "__main__":
    main()
