#!/usr/bin/python3
"""Many reactions on one message, and many who follow it by its summaries: what the daemon uses.

    summed.py [--binary PATH] [--followers N] [--rate N] [--seconds N] [--detail summary|none|rows]

Says how much of a processor the daemon took while the reactions came, and what a follower got.
"""

import argparse
import json
import os
import pathlib
import resource
import selectors
import sys
import time


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")
    parser.add_argument("--followers", type=int, default=5000)
    parser.add_argument("--rate", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--values", type=int, default=6, help="different ones; half of them stand")
    parser.add_argument("--detail", default="summary")
    arguments = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    if arguments.binary:
        os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(arguments.binary).resolve())
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, resource.getrlimit(
        resource.RLIMIT_NOFILE)[1]))
    from daemon import Daemon
    from raw import RawClient
    options = ("--commands-per-second", "100000", "--connections-per-address", "20000",
               "--connections", "20000")
    with Daemon(*options, descriptors_max=20_000) as daemon:
        address = daemon.start().address
        followers = [follower(RawClient(address), number, arguments.detail)
                     for number in range(arguments.followers)]
        writers = [RawClient(address) for _ in range(arguments.writers)]
        for number, writer in enumerate(writers):
            writer.hello(f"writer{number}", "w")
        message = writers[0].command("publish", channel="room", payload=1)["timetoken"]
        run(daemon, followers, writers, message, arguments)
        total = writers[0].command("summaries", channel="room", messages=[message])["summaries"]
        print("of one message at the end:", json.dumps(total[0]["g"])[:200])


def follower(client, number, detail):
    client.hello(f"user{number}", "d")
    client.command("subscribe", channels=[{"name": "room", "actions": detail}])
    return client


def commands(message, values, turn, count):
    """Frames with adds and removals, one after the other, without a mask's work."""
    text = b""
    for number in range(count):
        # Each is a change: half of the values stand.
        step = turn * count + number
        value = (step // 2 + step % 2 * (values // 2)) % values
        op = "removeAction" if step % 2 else "addAction"
        body = json.dumps({
            "id": step + 10, "op": op, "channel": "room", "messageTimetoken": message,
            "value": f"v{value}"}).encode()
        assert len(body) < 126
        text += bytes([0x81, 0x80 | len(body)]) + bytes(4) + body
    return text


def run(daemon, followers, writers, message, arguments):
    selector = selectors.DefaultSelector()
    for client in followers + writers:
        client.socket.setblocking(False)
        selector.register(client.socket, selectors.EVENT_READ)
    got = bytearray()
    first = followers[0].socket
    turns = 20 * arguments.seconds
    count = max(1, arguments.rate // 20 // len(writers))
    begun, used = time.monotonic(), cpu(daemon)
    bytes_got = 0
    for turn in range(turns):
        text = commands(message, arguments.values, turn, count)
        for writer in writers:
            writer.socket.setblocking(True)
            writer.socket.sendall(text)
            writer.socket.setblocking(False)
        while True:
            rest = begun + (turn + 1) / 20 - time.monotonic()
            for key, _ in selector.select(max(0, rest)):
                try:
                    data = key.fileobj.recv(1 << 16)
                except BlockingIOError:
                    continue
                bytes_got += len(data)
                if key.fileobj is first:
                    got += data
            if rest <= 0:
                break
    took, used = time.monotonic() - begun, cpu(daemon) - used
    sent = turns * count * len(writers)
    summaries = got.count(b'"g":[{"m"')
    print(f"{sent} reactions in {took:.1f} s: {sent / took:.0f}/s, {len(followers)} followers")
    print(f"the daemon used {used / took:.2f} of a processor")
    print(f"a follower got {summaries / took:.1f} summaries and {len(got) / took / 1000:.1f} kB "
          f"a second; all got {bytes_got / took / 1e6:.1f} MB/s")
    for writer in writers:
        writer.socket.setblocking(True)
    drain(selector)


def drain(selector):
    """Until nothing comes for a while."""
    end = time.monotonic() + 10
    while time.monotonic() < end and (ready := selector.select(1)):
        for key, _ in ready:
            try:
                key.fileobj.recv(1 << 16)
            except BlockingIOError:
                continue


def cpu(daemon):
    """Seconds of processor time so far."""
    fields = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
