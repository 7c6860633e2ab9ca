#!/usr/bin/python3
"""Restores many random moments of a loaded daemon, and compares each with what was told then.

    archive.py [--binary PATH] [--minutes N] [--moments N] [--rate N] [--work DIR]

Some write messages, reactions and deletions to a few channels of a daemon that archives. Others
hear of it, and keep what each push says: the state of its channel, and where that is. Then random
ones of these places are restored from the archive, and the state of every channel in the restored
file is compared with what was told last before that place.
"""

import argparse
import bisect
import collections
import contextlib
import json
import os
import pathlib
import random as chance
import sqlite3
import sys
import tempfile
import threading
import time

CHANNELS = 6
WRITERS = 3
#: Writes of one transaction.
WRITES_MAX = 256
#: The id of the recorder's last question.
LAST = 1 << 30
#: Behind all segments: where the state of a whole channel is kept.
TOTAL = (1 << 63) - 1


class Load:
    """Writers, and one who keeps what is told."""

    def __init__(self, daemon, seed, rate=None):
        from raw import RawClient
        self.daemon, self.rate = daemon, rate
        self.over = threading.Event()
        self.told = collections.defaultdict(list)
        self.written = 0
        self.recorder = RawClient(daemon.address).hello(user="recorder", device="recorder")
        self.recorder.command(
            "subscribe", channels=[{"name": name, "cursor": "0"} for name in self.channels])
        self.threads = [threading.Thread(target=self.record)] + [
            threading.Thread(target=self.write, args=(number, seed + number))
            for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    channels = [f"c{number}" for number in range(CHANNELS)]

    def record(self):
        asked = time.monotonic()
        while True:
            push = self.recorder.message()
            if push.get("id") == LAST:
                return
            if "t" in push:
                place = int(push["t"]["t"])
                # A push that more of its commit follows has no state.
                state = (push["s"]["n"], push["s"]["d"]) if "s" in push else None
                first = min([place, *(int(event["p"]["t"]) for event in push["m"])])
                self.told[push["c"]].append((place, state, first))
            # Who says nothing for long is taken for gone.
            if time.monotonic() > asked + 5 and not self.over.is_set():
                asked = time.monotonic()
                self.ask(LAST - 1)

    def ask(self, number):
        from raw import TEXT, frame
        self.recorder.send(frame(TEXT, json.dumps({"id": number, "op": "ping"}).encode()))

    def write(self, number, seed):
        from raw import Ended, RawClient
        random = chance.Random(seed)
        messages = collections.defaultdict(list)
        with contextlib.suppress(OSError, Ended), RawClient(self.daemon.address) as client:
            client.hello(user=f"user{number}", device=f"phone{number}")
            while not self.over.is_set():
                self.write_one(client, random, messages)
                self.written += 1
                if self.rate:
                    time.sleep(WRITERS / self.rate)

    def write_one(self, client, random, messages):
        channel = random.choice(self.channels)
        known = messages[channel]
        dice = random.random()
        if not known or dice < 0.4:
            known.append(client.command(
                "publish", channel=channel, payload="x" * random.randrange(200))["timetoken"])
        elif dice < 0.9:
            client.command(
                random.choice(("addAction", "addAction", "removeAction")), channel=channel,
                messageTimetoken=random.choice(known), type="reaction",
                value=random.choice("👍❤😂"))
        else:
            at = random.randrange(len(known))
            end = min(len(known), at + random.choice((1, 1, 3, 20)))
            client.command("deleteMessages", channel=channel,
                           after=str(int(known[at]) - 1), through=known[end - 1])
            del known[at:end]

    def stop(self):
        """Ends it, and returns when the daemon has nothing more to tell."""
        self.over.set()
        for thread in self.threads[1:]:
            thread.join()
        # Behind everything that is told.
        self.ask(LAST)
        self.threads[0].join()

    def places(self):
        return sorted(place for told in self.told.values() for place, *_ in told)

    def expected(self, moment):
        """What was told last of each channel, at a place or before; None where nobody told it."""
        states = {}
        for channel, told in self.told.items():
            index = bisect.bisect_right(told, moment, key=lambda it: it[0]) - 1
            states[channel] = told[index][1] if index >= 0 else (0, "0" * 32)
            # One push may be of several commits.
            if told[index + 1:] and told[index + 1][2] <= moment:
                states[channel] = None
        return states


def states(path):
    """The state of each channel in a file that has any row."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    with contextlib.closing(sqlite3.connect(path)) as database:
        for name, after, *state in database.execute(
                "SELECT name, after, count, lane0, lane1 FROM segment JOIN channel ON"
                " channel.id = segment.channel"):
            if after != TOTAL:
                sums[name] = [(a + b) % (1 << 64) for a, b in zip(sums[name], state)]
    return {name: (count, f"{one:016x}{two:016x}")
            for name, (count, one, two) in sums.items() if count}


def bases(archive):
    """The places of the whole copies."""
    return sorted(int(path.name.split("-")[1]) for path in archive.glob("*/base-*.db"))


def pieces(archive):
    """The places that the pieces of the log lead to."""
    return sorted(int(path.name.split("-")[1].split(".")[0]) for path in archive.glob("*/*.log.gz"))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--rate", type=int, help="writes a second; else as fast as it goes")
    parser.add_argument("--seed", type=int, default=chance.randrange(1 << 30))
    parser.add_argument("--work", help="a directory with room for all of it")
    arguments = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    if arguments.binary:
        os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(arguments.binary).resolve())
    from daemon import Daemon
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        archive = pathlib.Path(work) / "archive"
        archive.mkdir()
        with Daemon("--archive-directory", str(archive), data_dir=f"{work}/data") as daemon:
            daemon.start()
            load = Load(daemon, arguments.seed, arguments.rate)
            end = time.monotonic() + arguments.minutes * 60
            while time.monotonic() < end:
                time.sleep(min(60, max(0, end - time.monotonic())))
                size = sum(path.stat().st_size for path in archive.glob("*/*"))
                print(f"{load.written} writes, archive {size / 1e6:.0f} MB", flush=True)
            load.stop()
            # None is to be: each says why it is there.
            print(*(it for it in daemon.log().splitlines() if "gap" in it), sep="\n", flush=True)
        compare(archive, load, arguments.moments, arguments.seed, pathlib.Path(work))


def compare(archive, load, count, seed, work):
    random = chance.Random(seed)
    places = [place for place in load.places() if place >= bases(archive)[0]]
    wrong = 0
    for moment in sorted(random.sample(places, count)):
        start = time.perf_counter()
        last, state = restored(archive, moment, work / f"restored-{moment}")
        took = time.perf_counter() - start
        is_equal = is_right(load, moment, last, state)
        wrong += not is_equal
        print(f"{moment}: {'equal' if is_equal else 'DIFFERENT'}, {len(state)} channels,"
              f" {took:.1f} s", flush=True)
        if not is_equal:
            print(f"  {moment - last} ticks before: {state}, not {load.expected(last)}")
    print(f"{count - wrong} of {count} moments equal")
    sys.exit(wrong > 0)


def is_right(load, moment, last, state):
    """Whether a restored state is what was told, and misses no transaction but the one that ends
    behind the moment."""
    places = load.places()
    missed = bisect.bisect_right(places, moment) - bisect.bisect_right(places, last)
    told = {name: it for name, it in load.expected(last).items() if it is not None}
    return (last <= moment and missed <= WRITES_MAX and len(told) >= CHANNELS / 2
            and all(state.get(name, (0, "0" * 32)) == it for name, it in told.items()))


def restored(archive, moment, directory):
    """The end of the last transaction, and the states of the channels as they were."""
    from daemon import run_to_end
    code, said, error = run_to_end(
        "restore", "--data-dir", str(directory), "--at", str(moment), str(archive))
    if code != 0:
        raise AssertionError(f"{said}{error}")
    path = directory / "syncdaemon.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        (last,) = database.execute("SELECT last FROM clock").fetchone()
    return last, states(path)


if __name__ == "__main__":
    main()
