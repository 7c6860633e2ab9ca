#!/usr/bin/python3
"""What others feel of devices that repair a large channel: the time of `history` beside them.

    repair_neighbours.py [--binary PATH] [--messages N] [--devices N] [--differences N] [--seconds N]

A device that lacks some actions of a channel with three on each message is repaired once; its
questions are kept, and so many devices ask the same again and again, each as soon as it was answered.
Meanwhile somebody asks for the `history` of another channel: alone, then beside as many that ask
another daemon on this machine, which has the same data, and then beside them. What the second costs
the machine is short of, and not the daemon. The devices, which are other machines elsewhere, get what
the rest leaves (`nice`).
"""

import multiprocessing
import os
import random
import shutil
import statistics
import time

from measuring import Arguments


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--messages", type=int, default=333_000)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--differences", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=10)
    arguments = parser.parse_args()
    from daemon import Daemon
    from long_channel import begin, settle
    with Daemon() as daemon:
        begin(daemon, arguments.messages)
        daemon.start()
        settle(daemon)
        daemon.stop()
        with Daemon() as other:
            shutil.copytree(daemon.data_dir, other.data_dir)
            daemon.start()
            other.start()
            measure(daemon, other, arguments)


def measure(daemon, other, arguments):
    from raw import RawClient
    with RawClient(daemon.address) as client:
        client.hello()
        for number in range(100):
            client.command("publish", channel="beside", payload=number)
        print("| `history` of 100 messages | p50, ms | p99, ms | worst | repairs/s | ms of a "
              "processor each |\n|---|--:|--:|--:|--:|--:|")
        line("alone", ask(client, arguments.seconds))
    for name, repaired in ("another daemon's", other), ("its own", daemon):
        questions = repair(repaired.address, arguments.differences)
        beside(name, daemon, repaired, questions, arguments)


def beside(name, daemon, repaired, questions, arguments):
    """How long `history` takes of one daemon while devices repair at it, or at another."""
    from long_channel import busy
    from raw import RawClient
    done = multiprocessing.Value("i", 0)
    devices = [multiprocessing.Process(target=replay, daemon=True, args=(
        repaired.address, questions, done)) for _ in range(arguments.devices)]
    for it in devices:
        it.start()
    while done.value < arguments.devices:
        assert all(it.is_alive() for it in devices)
        time.sleep(0.1)
    with RawClient(daemon.address) as client:
        client.hello()
        before, start, spent = done.value, time.perf_counter(), busy(repaired)
        times = ask(client, arguments.seconds)
        took, repairs = time.perf_counter() - start, done.value - before
        line(f"beside {name} {arguments.devices} devices", times, f"{repairs / took:.0f}",
             f"{(busy(repaired) - spent) * 1000 / max(1, repairs):.1f}")
    for it in devices:
        it.terminate()
        it.join()


def line(name, times, *more):
    times = sorted(times)
    cells = [statistics.median(times), times[len(times) * 99 // 100], times[-1]]
    print(f"| {name} | " + " | ".join(f"{it:.2f}" for it in cells) + " | "
          + " | ".join(more or ("", "")) + " |", flush=True)


def ask(client, seconds):
    """Milliseconds of each question, 100 of them in a second."""
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        client.command("history", channel="beside", limit=100)
        times.append((time.perf_counter() - start) * 1000)
        time.sleep(0.01)
    return times


def repair(address, differences):
    """The questions of a device that lacks so many actions, in the order in which it asks them."""
    import reconcile
    from raw import RawClient
    key, base, rows = read(address)
    actions = [it for it in range(len(rows)) if len(rows[it]) > 3]
    for index in sorted(random.Random(1).sample(actions, differences), reverse=True):
        del rows[index]
    # That its digest is not the daemon's it knows.
    follow = {"name": "long", **base, "count": len(rows), "digest": "0" * 32, "repair": True}
    items = reconcile.segment_items(key, rows, 32)
    with RawClient(address) as client:
        client.hello()
        reply = client.command("subscribe", channels=[follow])["channels"][0]
        assert reply["segments"] == 32
        questions = [("subscribe", {"channels": [follow]})]
        answer = send(client, questions, key, items, 48, of="segments")
        stretches = reconcile.unpack_stretches(answer["segments"])
        fetch, _, only = reconcile.findings(
            key, rows, stretches, reconcile.unpack_states(answer["states"]))
        chosen = [stretches[it] for it in only]
        inside = [it for it in rows if reconcile.stretch_of(chosen, it[0]) is not None]
        answer = send(
            client, questions, key, reconcile.row_items(key, inside), 3 * len(only) + 8, of="rows",
            fetch=reconcile.pack_wants(fetch),
            only=reconcile.pack_timetokens(it + 1 for it in only))
        found = len(reconcile.unpack_rows(answer["rows"]))
        assert found == differences, f"{found} actions were found, not {differences}"
        return questions + [("unsubscribe", {"channels": ["long"]})]


def read(address):
    """The channel's key, where a device is that has all of it, and its rows."""
    import reconcile
    from raw import RawClient
    rows, through = [], {}
    with RawClient(address) as client:
        client.upgrade()
        epoch = client.command("hello", userId="raw", deviceId="raw-phone")["epoch"]
        channel, = client.command("subscribe", channels=[{"name": "long", "window": {}}])["channels"]
        while through != {"through": "0"}:
            page = client.command("older", channel="long", last=1000, **through)
            through = {"through": page["after"]}
            rows += reconcile.unpack_rows(page["rows"])
            rows += [(int(it["timetoken"]), it["uuid"], "") for it in page["messages"]]
    return bytes.fromhex(channel["key"]), {"cursor": page["cursor"], "epoch": epoch}, rows


def send(client, questions, key, items, need, **level):
    """Sends symbols until they tell something; notes what it sent."""
    import reconcile
    sent = 0
    while need is not None:
        cells = reconcile.symbols(key, items, need)
        for first in range(sent, need, 1300):
            size = min(1300, need - first)
            fields = {"channel": "long", "from": first, "count": len(items), **level,
                      "symbols": reconcile.symbols_text(
                          cells[first:first + size], first, len(items))}
            questions.append(("repair", fields))
            answer = client.command("repair", **fields)
        sent, need = need, answer.get("need") if "segments" not in answer else None
    return answer


def replay(address, questions, done):
    from raw import RawClient
    os.nice(19)
    with RawClient(address) as client:
        client.hello()
        while True:
            for op, fields in questions:
                client.command(op, **fields)
            with done.get_lock():
                done.value += 1


if __name__ == "__main__":
    main()
