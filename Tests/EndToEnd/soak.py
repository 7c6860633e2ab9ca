#!/usr/bin/python3
"""Mixed load at about half of what the daemon can, for as long as asked; says what drifts.

    soak.py [--binary PATH] [--minutes N] [--share S] [--save FILE]

Half is measured first: as many operations of the mix as go through without a pause. Then devices
publish, react and take back, read history, poll by HTTP, come, catch up and go, in channels whose
messages are deleted as they get old, so that what stands stays as large as it is. After the warm-up
(a quarter of the time, ten minutes at most) memory, descriptors and files are looked at each
second. It ends with 1 when the last quarter's memory is over that of the first one after the
warm-up by more than DRIFT_MAX, its database by more than FILE_DRIFT_MAX, when the log is longer
than LOG_MAX, more descriptors are open, or an operation fails. soak_plot.py draws what --save has
kept.
"""

import argparse
import collections
import contextlib
import csv
import os
import pathlib
import random
import statistics
import sys
import threading
import time
import typing

#: How much memory may grow, from the first quarter after the warm-up to the last.
DRIFT_MAX = 0.01
#: The same of the database.
FILE_DRIFT_MAX = 0.01
#: What its log may come to: the file stays as long as it ever had to be.
LOG_MAX = 64 * 2 ** 20
WARM_UP_SECONDS_MAX = 600
CHANNELS = 20
#: Messages that a channel keeps, and how many more make it delete the oldest.
KEPT, TOO_MANY = 200, 250
#: Seconds of the mix without a pause, from which half is taken.
CALIBRATION_SECONDS = 5
#: Seconds after which it says how far it is.
PROGRESS_SECONDS = 300
#: Connections of each kind.
TALKERS, POLLERS = 4, 4


class Sample(typing.NamedTuple):
    """What a second found; sizes in bytes."""
    seconds: float
    operations: int
    #: What is no page of a file, and all that is in memory.
    anonymous: int
    resident: int
    descriptors: int
    #: The database, and its write-ahead log.
    database: int
    log: int


class Mix:
    """One connection's share of the load."""

    def __init__(self, daemon, number, **keys):
        from raw import RawClient
        self.daemon, self.number, self.counts = daemon, number, collections.Counter()
        self.random, self.keys = random.Random(number), keys
        self.client = RawClient(daemon.address).hello(f"u{number}", f"d{number}", **keys)
        self.messages = {}

    def step(self):
        """One operation of the mix."""
        channel = f"soak-{self.random.randrange(CHANNELS)}-{self.number}"
        messages = self.messages.setdefault(channel, [])
        dice = self.random.random()
        if dice < 0.30 or not messages:
            reply = self.client.command("publish", channel=channel, payload={
                "text": "x" * self.random.randrange(20, 400)})
            messages.append(reply["timetoken"])
            if len(messages) > TOO_MANY:
                self.client.command("deleteMessages", channel=channel, after="0",
                                    through=messages[-KEPT - 1])
                del messages[:-KEPT]
            self.counts["publish"] += 1
        elif dice < 0.75:
            values = {"channel": channel, "messageTimetoken": self.random.choice(messages),
                      "value": self.random.choice("👍❤😂😲😢🔥🎉👏")}
            op = self.random.choice(["addAction", "removeAction"])
            self.client.command(op, **values)
            self.counts["react"] += 1
        elif dice < 0.92:
            self.client.command("history", channel=channel, limit=25, actions=True)
            self.counts["history"] += 1
        elif dice < 0.97:
            self.come_and_go(channel)
            self.counts["session"] += 1
        else:
            self.client.command("actions", channel=channel, limit=100)
            self.counts["actions"] += 1

    def come_and_go(self, channel):
        """A device that catches up from the beginning, and leaves."""
        from raw import RawClient
        with RawClient(self.daemon.address) as client:
            client.hello(f"g{self.number}", f"g{self.number}", **self.keys)
            client.command("subscribe", channels=[{"name": channel, "cursor": "0"}])
            while "t" not in client.message():
                pass

    def run(self, stop, rate=None):
        """Until `stop`; `rate` is operations per second, None for no pause."""
        due = time.monotonic()
        while not stop.is_set():
            self.step()
            if rate is not None:
                due += self.random.expovariate(rate)
                time.sleep(max(0.0, due - time.monotonic()))


class Poller:
    """Polls by HTTP for what a talker publishes."""

    def __init__(self, daemon, number):
        from rest import Rest
        self.rest = Rest(daemon, f"p{number}", ("any", "default"))
        self.number, self.counts = number, collections.Counter()

    def run(self, stop, _=None):
        cursor = 0
        names = ",".join(f"soak-{n}-{self.number}" for n in range(CHANNELS))
        while not stop.is_set():
            answer = self.rest.ok(f"/v2/subscribe/{{sub}}/{names}/0", {"tt": cursor})
            cursor = answer["t"]["t"]
            self.counts["poll"] += 1


def main():
    arguments = parse(sys.argv[1:])
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    if arguments.binary:
        os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(arguments.binary).resolve())
    from daemon import Daemon
    with Daemon() as daemon:
        daemon.start()
        with contextlib.ExitStack() as stack:
            save = None
            if arguments.save:
                save = stack.enter_context(open(arguments.save, "w", encoding="ascii", newline=""))
            sys.exit(soak(daemon, arguments.minutes * 60, arguments.share, save))


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--share", type=float, default=0.5, help="of what goes through")
    parser.add_argument("--save", metavar="FILE", help="where each second's figures go, as CSV")
    return parser.parse_args(words)


def soak(daemon, seconds, share, save=None):
    """The whole of it; the exit code."""
    failures = []
    talkers = [Mix(daemon, n) for n in range(TALKERS)]
    work(talkers, CALIBRATION_SECONDS, failures)
    most = sum(it.counts.total() for it in talkers) / CALIBRATION_SECONDS
    print(f"{most:.0f} operations a second go through; {share * most:.0f} from now on.", flush=True)
    for talker in talkers:
        talker.counts.clear()
    samples = []
    workers = talkers + [Poller(daemon, n) for n in range(POLLERS)]
    start = time.monotonic()
    rows = csv.writer(save) if save else None
    if rows:
        rows.writerow(Sample._fields)

    def look():
        found = sample(daemon, time.monotonic() - start, workers)
        samples.append(found)
        if rows:
            rows.writerow(found)
            save.flush()
        if len(samples) % PROGRESS_SECONDS == 0:
            print(f"{found.seconds / 60:.0f} of {seconds / 60:.0f} minutes: {found.operations} "
                  f"operations, {found.anonymous / 2**20:.1f} MiB, {found.descriptors} "
                  f"descriptors, files {(found.database + found.log) / 2**20:.1f} MiB", flush=True)

    work(workers, seconds, failures, share * most / TALKERS, look)
    counts = sum((it.counts for it in workers), collections.Counter())
    return report(samples, counts, failures, seconds)


def work(workers, seconds, failures, rate=None, each_second=lambda: None):
    """Lets all of them work for so long, each in a thread."""
    stop = threading.Event()

    def run(worker):
        try:
            worker.run(stop, rate)
        except Exception as problem:  # Whatever it is, it is what the soak looks for.
            failures.append(f"{type(worker).__name__} {worker.number}: {problem!r}")

    threads = [threading.Thread(target=run, args=(it,), daemon=True) for it in workers]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and not failures:
        time.sleep(min(1.0, max(0.0, end - time.monotonic())))
        each_second()
    stop.set()
    for thread in threads:
        thread.join(5)


def sample(daemon, seconds, workers):
    """How the daemon is now."""
    def size(ending):
        path = pathlib.Path(daemon.data_dir) / f"syncdaemon.db{ending}"
        return path.stat().st_size if path.exists() else 0

    return Sample(
        round(seconds, 1), sum(it.counts.total() for it in workers), daemon.allocated_bytes(),
        daemon.resident_bytes(), len(os.listdir(f"/proc/{daemon.process.pid}/fd")), size(""),
        size("-wal"))


def report(samples, counts, failures, seconds):
    """Says what was measured; the exit code."""
    warm = samples[int(min(seconds / 4, WARM_UP_SECONDS_MAX)):]
    quarter = max(1, len(warm) // 4)
    first, last = warm[:quarter], warm[-quarter:]
    memory, resident, file, log = (
        [statistics.fmean(size(it) for it in part) for part in (first, last)]
        for size in (lambda it: it.anonymous, lambda it: it.resident, lambda it: it.database,
                     lambda it: it.log))
    # Sessions come and go: the least of a while is what stays open.
    descriptors = [min(it.descriptors for it in part) for part in (first, last)]
    drift, file_drift = memory[1] / memory[0] - 1, file[1] / file[0] - 1
    print(f"{seconds / 60:.1f} minutes, {counts.total()} operations: {dict(counts)}")
    print(f"memory {memory[0] / 2**20:.2f} MiB after the warm-up, {memory[1] / 2**20:.2f} MiB at "
          f"the end: {drift * 100:+.2f} % (at most {DRIFT_MAX * 100:.0f} %)")
    print(f"resident {resident[0] / 2**20:.2f} MiB, {resident[1] / 2**20:.2f} MiB at the end")
    print(f"database {file[0] / 2**20:.2f} MiB, {file[1] / 2**20:.2f} MiB at the end: "
          f"{file_drift * 100:+.2f} % (at most {FILE_DRIFT_MAX * 100:.0f} %)")
    print(f"its log {log[0] / 2**20:.2f} MiB, {log[1] / 2**20:.2f} MiB at the end (at most "
          f"{LOG_MAX / 2**20:.0f})")
    print(f"descriptors {descriptors[0]}, {descriptors[1]} at the end")
    for failure in failures:
        print(f"failed: {failure}")
    return int(bool(failures) or drift > DRIFT_MAX or file_drift > FILE_DRIFT_MAX
               or log[1] > LOG_MAX or descriptors[1] > descriptors[0])


if __name__ == "__main__":
    main()
