#!/usr/bin/python3
"""What an interceptor costs: time and processor of the daemon for each write that waits for one.

    interceptor_load.py [--binary PATH] [--writes N] [--sessions N] [--delay MILLISECONDS]

The same writes without an interceptor, with one that is asked about another channel, and with one
that is asked about each.
"""

import argparse
import asyncio
import os
import pathlib
import sys
import tempfile
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")
    parser.add_argument("--writes", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--delay", type=float, default=0, help="of an answer")
    arguments = parser.parse_args()
    if arguments.binary:
        os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(arguments.binary).resolve())
    for case, channels in (("nobody", None), ("other", "other"), ("each", "room")):
        seconds, processor = asyncio.run(measure(arguments, channels))
        print(f"{case:7} {arguments.writes / seconds:9.0f} writes/s "
              f"{processor / arguments.writes * 1e6:7.1f} µs of processor each", flush=True)


async def measure(arguments, channels):
    from daemon import Daemon
    from device import Device
    from receiver import Receiver

    def answer(*_):
        time.sleep(arguments.delay / 1000)
        return {"allow": True}

    with tempfile.TemporaryDirectory() as scratch:
        secret = pathlib.Path(scratch, "secret")
        secret.write_text("0123456789abcdef0123456789abcdef", encoding="ascii")
        secret.chmod(0o600)
        receiver = Receiver(secret.read_text(encoding="ascii"), behave=answer).start()
        file = pathlib.Path(scratch, "sync.ini")
        text = "[limits]\ncommands_per_second = 1000000\n"
        if channels:
            text += (f"[interceptor mod]\nurl = {receiver.url}\nsecret_file = {secret}\n"
                     f"channels = {channels}\ntimeout_milliseconds = 10000\n")
        file.write_text(text, encoding="utf-8")
        with Daemon("--config", str(file)).start() as daemon:
            devices = [await Device(daemon, f"u{number}", f"d{number}").connect()
                       for number in range(arguments.sessions)]
            count = arguments.writes // arguments.sessions
            before, start = daemon.cpu_seconds(), time.monotonic()
            await asyncio.gather(*(device.settle_all(
                ("publish", {"channel": "room", "payload": number}) for number in range(count))
                for device in devices))
            result = time.monotonic() - start, daemon.cpu_seconds() - before
            for device in devices:
                await device.close()
        receiver.stop()
    return result


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    main()
