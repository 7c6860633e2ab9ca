#!/usr/bin/python3
"""Reads /metrics while the daemon does all that it can; says how long each took, and its cost.

    scrape.py [--binary PATH] [--seconds N] [--keysets N]

The load is soak.py's, without a pause. Once a second /metrics is read; the processor time is that
of the thread that writes it, and the cost that of a Prometheus that asks every 15 seconds.
"""

import pathlib
import statistics
import tempfile
import threading
import time
import urllib.request

from measuring import Arguments

#: What an operator's Prometheus asks by default is four times as rare.
SCRAPE_SECONDS = 15
TALKERS = 4


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keysets", type=int, default=1, help="tenants, each with its rows")
    arguments = parser.parse_args()
    from daemon import Daemon
    with tempfile.NamedTemporaryFile("w", suffix=".ini", encoding="ascii") as configuration:
        for number in range(arguments.keysets):
            print(f"[keyset k{number}]\nsubscribe_key = sub-{number}", file=configuration)
        configuration.flush()
        with Daemon("--config", configuration.name) as daemon:
            measure(daemon.start(), arguments.seconds)


def measure(daemon, seconds):
    from soak import Mix
    stop = threading.Event()
    talkers = [Mix(daemon, number, subscribeKey="sub-0") for number in range(TALKERS)]
    threads = [threading.Thread(target=it.run, args=(stop,), daemon=True) for it in talkers]
    for thread in threads:
        thread.start()
    address = f"http://{daemon.address[0]}:{daemon.address[1]}/metrics"
    times, size = [], 0
    spent = cpu_seconds(daemon, "metrics")
    operations = done(talkers)
    begin = time.monotonic()
    for number in range(seconds):
        time.sleep(max(0.0, begin + number - time.monotonic()))
        start = time.monotonic()
        with urllib.request.urlopen(address, timeout=30) as answer:
            size = len(answer.read())
        times.append(time.monotonic() - start)
    spent = cpu_seconds(daemon, "metrics") - spent
    lasted = time.monotonic() - begin
    operations = done(talkers) - operations
    stop.set()
    for thread in threads:
        thread.join(5)
    each = spent / len(times)
    print(f"{operations / lasted:.0f} operations a second, {len(times)} scrapes of {size} bytes: "
          f"{statistics.median(times) * 1000:.1f} ms, longest {max(times) * 1000:.1f} ms; "
          f"{each * 1000:.2f} ms of processor each, every {SCRAPE_SECONDS} s "
          f"{each / SCRAPE_SECONDS * 100:.4f} % of a core")


def done(talkers):
    return sum(it.counts.total() for it in talkers)


def cpu_seconds(daemon, name):
    """Of the threads of a name, which the kernel counts in ticks."""
    spent = 0
    for task in pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir():
        if (task / "comm").read_text(encoding="ascii").strip() == name:
            # The first word is the number of nanoseconds on a processor.
            spent += int((task / "schedstat").read_text(encoding="ascii").split()[0])
    return spent / 1e9


if __name__ == "__main__":
    main()
