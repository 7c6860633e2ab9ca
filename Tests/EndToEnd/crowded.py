#!/usr/bin/python3
"""A message with very many reactions beside one with three: what each operation costs there.

    crowded.py [--binary PATH] [--rows N] [--scores SHARE]

The rows are put into the file of a daemon that is stopped, as a million users would take an hour.
Then: add, remove, the first page of who reacted, and all pages, in all orders and directions; and
how long it takes from an add to the change that a live query is told.
"""

import itertools
import os
import random
import sqlite3
import statistics
import time

from measuring import Arguments

#: Of each operation, of which the median counts.
REPEATS = 200
FIRST_PAGE, PAGE = 25, 1000


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--scores", type=float, default=0.5,
                        help="the share of rows that count for something else than 1")
    arguments = parser.parse_args()
    from daemon import Daemon
    from raw import RawClient
    with Daemon() as daemon:
        with RawClient(daemon.start().address) as client:
            client.hello()
            crowded = client.command("publish", channel="crowded", payload=1)["timetoken"]
            client.command("addAction", channel="crowded", messageTimetoken=crowded, value="👍")
        daemon.stop()
        fill(os.path.join(daemon.data_dir, "syncdaemon.db"), int(crowded), arguments.rows,
             arguments.scores)
        daemon.start()
        wait_for_sums(os.path.join(daemon.data_dir, "syncdaemon.db"))
        with RawClient(daemon.address) as client:
            client.hello()
            empty = client.command("publish", channel="empty", payload=1)["timetoken"]
            print("| ms, median | add | remove | first page by time | by value | by score | best first | add to live change |")
            print("|---|--:|--:|--:|--:|--:|--:|--:|")
            for channel, message in (("empty", empty), ("crowded", crowded)):
                found = [*costs(client, channel, message), live_change(daemon, channel, message)]
                print(f"| {channel} | {' | '.join(found)} |", flush=True)
            print("\n| all pages by | users | pages | ms, first quarter | last quarter |")
            print("|---|--:|--:|--:|--:|")
            for order, descending in itertools.product(("value", "time", "score"), (False, True)):
                print(all_pages(client, crowded, order, descending), flush=True)


def fill(path, message, count, share):
    """One in four says something else."""
    dice = random.Random(1)
    database = sqlite3.connect(path)
    with database:
        channel, = database.execute("SELECT id FROM channel WHERE name = 'crowded'").fetchone()
        database.executemany(
            "INSERT INTO action (channel, message, type, value, uuid, added, changed, live, "
            "score) "
            "VALUES (?, ?, 'reaction', ?, ?, ?, ?, 1, ?)",
            ((channel, message, "👍" if n % 4 else "🎉", f"user{n * 7919 % count:07}",
              message - count + n, message - count + n,
              dice.randrange(2, 1000) if dice.random() < share else 1) for n in range(count)))
    database.close()


def wait_for_sums(path):
    """Until the daemon has been through the rows: it gives old ones a checksum, between commits."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    while database.execute("SELECT EXISTS (SELECT 1 FROM action WHERE sum IS NULL)").fetchone()[0]:
        time.sleep(0.5)
    database.close()


def costs(client, channel, message):
    """What each operation takes on a message."""
    def median(op, **fields):
        times = []
        for number in range(REPEATS):
            given = {name: it(number) if callable(it) else it for name, it in fields.items()}
            begin = time.perf_counter()
            client.command(op, channel=channel, messageTimetoken=message, **given)
            times.append(time.perf_counter() - begin)
        return f"{statistics.median(times) * 1000:.2f}"

    yield median("addAction", value=lambda number: f"own{number}")
    yield median("removeAction", value=lambda number: f"own{number}")
    for order in ("time", "value", "score"):
        yield median("actions", value="👍", limit=FIRST_PAGE, sort=order)
    yield median("actions", value="👍", limit=FIRST_PAGE, sort="score", descending=True)


def live_change(daemon, channel, message):
    """From an add to its change in the first page of a live query by score, best first."""
    from raw import RawClient
    times = []
    with RawClient(daemon.address) as watcher, RawClient(daemon.address) as writer:
        watcher.hello("eve", "eve")
        writer.hello("zoe", "zoe")
        watcher.command("actions", channel=channel, messageTimetoken=message, value="👍",
                        limit=FIRST_PAGE, sort="score", descending=True, live=True)
        for number in range(REPEATS):
            begin = time.perf_counter()
            writer.command("addAction", channel=channel, messageTimetoken=message, value="👍",
                           score=10_000 + number)
            watcher.message()
            times.append(time.perf_counter() - begin)
    return f"{statistics.median(times) * 1000:.2f}"


def all_pages(client, message, order, descending):
    """A row of the table."""
    users, times, place = set(), [], {}
    while not times or place:
        begin = time.perf_counter()
        page = client.command(
            "actions", channel="crowded", messageTimetoken=message, value="👍", limit=PAGE,
            sort=order, descending=descending, **place)
        times.append((time.perf_counter() - begin) * 1000)
        users |= {it["uuid"] for it in page["actions"]}
        place = {"after": page["next"]} if "next" in page else {}
    quarter = max(1, len(times) // 4)
    first, last = (statistics.median(it) for it in (times[:quarter], times[-quarter:]))
    name = f"{order}, descending" if descending else order
    return f"| {name} | {len(users)} | {len(times)} | {first:.2f} | {last:.2f} |"


if __name__ == "__main__":
    main()
