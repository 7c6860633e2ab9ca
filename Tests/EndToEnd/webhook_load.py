#!/usr/bin/python3
"""What webhooks cost: processor time of the daemon per event, with a receiver, a dead one, and none.

    webhook_load.py [--rate EVENTS_PER_SECOND] [--seconds SECONDS] [--rounds ROUNDS]

SYNCDAEMON_BINARY names the daemon, which should be a release build. One session publishes at a
steady rate, another follows the channels. Each round has every case once; the medians are shown.
"""

import argparse
import pathlib
import statistics
import tempfile
import threading
import time

from daemon import Daemon
from raw import TEXT, RawClient, frame
from receiver import Receiver

SECRET = "0123456789abcdef0123456789abcdef"
CHANNELS = [f"room-{number}" for number in range(20)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=int, default=5000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    found = {case: [] for case in ("none", "receiver", "dead")}
    for _ in range(arguments.rounds):
        for case, results in found.items():
            results.append(measure(case, arguments.rate, arguments.seconds))
            print(f"{case:9}", *(f"{name} {it:.3f}" for name, it in results[-1].items()),
                  flush=True)
    for case, results in found.items():
        medians = {name: statistics.median(it[name] for it in results) for name in results[0]}
        print("median:", f"{case:9}", *(f"{name} {it:.3f}" for name, it in medians.items()))


def measure(case, rate, seconds):
    with tempfile.TemporaryDirectory() as scratch:
        receiver = Receiver(SECRET)
        if case == "receiver":
            receiver.start()
        secret = pathlib.Path(scratch, "secret")
        secret.write_text(SECRET, encoding="ascii")
        secret.chmod(0o600)
        hook = f"[webhook hook]\nurl = {receiver.url}\nsecret_file = {secret}\n"
        limits = "[limits]\ncommands_per_second = 1000000\n"
        file = pathlib.Path(scratch, "sync.ini")
        file.write_text(limits + (hook if case != "none" else ""), encoding="utf-8")
        with Daemon("--config", str(file)).start() as daemon:
            result = load(daemon, rate, seconds)
        result["delivered"] = len(receiver.events())
        result["requests"] = len(receiver.requests)
        receiver.stop()
    return result


def load(daemon, rate, seconds):
    follower, publisher = RawClient(daemon.address), RawClient(daemon.address)
    follower.hello("bob")
    follower.command("subscribe", channels=[{"name": name} for name in CHANNELS])
    publisher.hello("ada")
    for client in (follower, publisher):
        threading.Thread(target=drain, args=(client,), daemon=True).start()
    begin, busy = time.monotonic(), threads(daemon)
    sent, stage = 0, rate // 50
    while (now := time.monotonic()) < begin + seconds:
        due = int((now - begin) * rate)
        while sent + stage <= due:
            publisher.socket.sendall(b"".join(
                frame(TEXT, publisher.command_text(
                    "publish", channel=CHANNELS[(sent + n) % len(CHANNELS)], payload="x" * 100))
                for n in range(stage)))
            sent += stage
        time.sleep(0.005)
    elapsed = time.monotonic() - begin
    used = {name: (it - busy.get(name, 0)) / elapsed for name, it in threads(daemon).items()}
    time.sleep(2)
    named = {name: used.get(name, 0) for name in ("ledger", "webhooks")}
    return {"events/s": sent / elapsed, "core": sum(used.values()), **named}


def threads(daemon):
    """Seconds that each thread of the daemon has run, by name."""
    total = {}
    for task in pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir():
        name = (task / "comm").read_text(encoding="utf-8").strip()
        seconds = int((task / "schedstat").read_text(encoding="ascii").split()[0]) / 1e9
        total[name] = total.get(name, 0) + seconds
    return total


def drain(client):
    try:
        while client.socket.recv(1 << 20):
            pass
    except OSError:
        pass


if __name__ == "__main__":
    main()
