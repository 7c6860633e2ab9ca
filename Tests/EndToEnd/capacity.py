#!/usr/bin/python3
"""What rows, devices and deliveries take: the constants of `syncdaemon plan`; and is it right?

    capacity.py [--binary PATH] [--rows N] [--devices N] [--seconds N] [--growth MINUTES]

First what one of each takes: of the database's file, with rows that come in random order by many
users; of memory, with sessions that follow channels; of a processor, at a fifth of what goes
through and less, where commits and packets hold few events. Beside each stands what the plan takes
it for. With --growth a day of a small service goes by in so many minutes, and the file, memory,
processor and bytes on the wire are compared with its plan; the processor with what this machine
takes for what the plan has a second for, measured before and after the day.
"""

import itertools
import json
import math
import os
import pathlib
import random
import re
import secrets
import sys
import tempfile
import time

from measuring import Arguments

#: Commands that are under way at once while rows are made.
WINDOW = 100
#: Percent by which a day of the plan may be off before this ends with 1.
OFF_MAX = 25
#: Seconds for which it is measured how quick the machine is.
SPEED_SECONDS = 20
#: Seconds for which a device waits for an answer.
PATIENCE = 60
#: Seconds after which everybody looks at what was sent to them.
HEARD_SECONDS = 5
#: Writes that are archived, seconds between them, and after which they are in the archive.
ARCHIVED_WRITES, ARCHIVED_PAUSE, ARCHIVED_SECONDS = 600, 0.05, 13
#: What messages are made of: 500 words of six letters.
WORDS = ["".join(it) for it in random.Random(3).sample(
    list(itertools.product("aeiou", "bcdfghklmn", "aeiou", "prstvw", "aeiou", "lmnrs")), 500)]
FACES = "👍❤😂😲😢🔥🎉👏"


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--growth", type=float, metavar="MINUTES")
    parser.add_argument("--users", type=int, default=3000, help="of the day that goes by")
    arguments = parser.parse_args()
    from daemon import Daemon
    if arguments.growth:
        with Daemon() as daemon:
            sys.exit(grow(daemon.start(), arguments.growth * 60, arguments.users))
    with Daemon() as daemon:
        costs = measure_rows(daemon.start(), arguments.rows)
    with Daemon() as daemon:
        costs |= measure_devices(daemon.start(), arguments.devices, arguments.seconds)
    with tempfile.TemporaryDirectory() as archive:
        with Daemon("--archive-directory", archive) as daemon:
            costs |= measure_archive(daemon.start(), archive, arguments.rows)
    show(costs)


def plan(**flags):
    """What `syncdaemon plan --json` says."""
    from daemon import run_to_end
    words = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()]
    code, text, problem = run_to_end("plan", "--json", *words)
    assert code == 0, problem
    return json.loads(text)


def show(costs):
    taken = plan()["costs"]
    print("| what one takes | measured | in the plan |\n|---|--:|--:|")
    for name, cost in costs.items():
        print(f"| {name} | {cost:.4g} | {taken[name]:.4g} |", flush=True)


# Rows


def used_bytes(daemon):
    """Of the database's file, without what is free in it."""
    import sqlite3
    path = os.path.join(daemon.data_dir, "syncdaemon.db")
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        size, pages, free = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in
                             ("page_size", "page_count", "freelist_count"))
        return size * (pages - free)
    finally:
        database.close()


def write_all(client, commands):
    """Sends them, many at a time; their replies, in their order."""
    from raw import TEXT, frame
    replies, sent = [], []
    for op, fields in commands:
        client.send(frame(TEXT, client.command_text(op, **fields)))
        sent.append(client.number)
        if len(sent) >= WINDOW:
            replies.append(reply(client, sent.pop(0)))
    return replies + [reply(client, it) for it in sent]


def reply(client, number):
    client.number = number
    return client.reply()


def polite(daemon):
    """A client that answers pings, also those that come before a reply."""
    from raw import PING, PONG, RawClient, frame

    class Polite(RawClient):
        def frame(self):
            opcode, payload = super().frame()
            if opcode == PING:
                self.send(frame(PONG, payload))
            return opcode, payload

    return Polite(daemon.address)


class Writers:
    """Connections of many users, who write by turns."""

    def __init__(self, daemon, count, channels, payload):
        self.random = random.Random(1)
        self.channels = [f"room-{n}" for n in range(channels)]
        self.payload = payload
        self.clients = [polite(daemon).hello(f"user-{n:06}", f"phone-{n:06}")
                        for n in range(count)]
        self.messages = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.socket.close()

    def shared(self, commands, is_named):
        """All commands, each by the next user; their replies."""
        replies = []
        for number, client in enumerate(self.clients):
            mine = commands[number::len(self.clients)]
            if is_named:
                mine = [(op, fields | {"mutation": secrets.token_hex(18)}) for op, fields in mine]
            replies += write_all(client, mine)
        return replies

    def publish(self, count, is_named=False):
        commands = [("publish", {"channel": self.random.choice(self.channels),
                                 "payload": self.payload}) for _ in range(count)]
        written = self.shared(commands, is_named)
        ordered = [it for n in range(len(self.clients))
                   for it in commands[n::len(self.clients)]]
        self.messages += [(fields["channel"], it["timetoken"])
                          for (_, fields), it in zip(ordered, written)]

    def faces(self, count):
        """So many reactions, no two alike by one user, each with the user's number."""
        places = self.random.sample(range(len(self.messages) * len(FACES)), count)
        return [(*self.messages[at // len(FACES)], FACES[at % len(FACES)]) for at in places]

    def react(self, faces, op="addAction", is_named=False):
        self.shared([(op, {"channel": channel, "messageTimetoken": message, "value": value})
                     for channel, message, value in faces], is_named)


def measure_rows(daemon, count):
    costs = {}
    text = "x" * 98
    with Writers(daemon, 50, count // 200, text) as writers:
        # The names of users, devices and channels are there before.
        writers.publish(len(writers.channels) + 50)
        before = used_bytes(daemon)

        def took(name, rows, less=0.0):
            nonlocal before
            now = used_bytes(daemon)
            costs[name] = (now - before) / rows - less
            before = now

        writers.publish(count)
        took("message", count, len(text) + 2)
        # Three for each message, as in a plan that says nothing else.
        faces = writers.faces(3 * count)
        writers.react(faces)
        took("reaction", 3 * count)
        # Removed by who set them: the turns are the same.
        writers.react(faces[:count - count % 50], "removeAction")
        took("takenBack", count, -costs["reaction"])
        writers.publish(count, is_named=True)
        took("mutation", count, costs["message"] + len(text) + 2)
    return costs


def said(chance):
    """A message of 98 characters, which compresses as words do."""
    return " ".join(chance.choice(WORDS) for _ in range(14))


def measure_archive(daemon, archive, count):
    """Commits of one write each, to channels that have rows, a quarter of them messages."""
    def archived():
        # What was written is there, and what the copies of the log began with.
        time.sleep(ARCHIVED_SECONDS)
        return sum(it.stat().st_size for it in pathlib.Path(archive).glob("*/*.log.gz"))

    with Writers(daemon, 50, count // 200, "") as writers:
        for _ in range(10):
            writers.payload = said(writers.random)
            writers.publish(count // 10)
        faces = writers.faces(3 * count)
        # Each user's turn comes before they are taken for gone.
        for part in range(10):
            writers.react(faces[part::10])
        before = archived()
        for number in range(ARCHIVED_WRITES):
            client = writers.clients[number % len(writers.clients)]
            if number % 4 == 0:
                channel = writers.random.choice(writers.channels)
                op, fields = "publish", {"channel": channel, "payload": said(writers.random)}
            else:
                channel, message = writers.random.choice(writers.messages)
                op, fields = "addAction", {
                    "channel": channel, "messageTimetoken": message,
                    "value": writers.random.choice(FACES)}
            client.command(op, **fields, mutation=secrets.token_hex(18))
            time.sleep(ARCHIVED_PAUSE)
        return {"archived": (archived() - before) / ARCHIVED_WRITES}


# Devices


def metric(daemon, name):
    import disk
    text = disk.readiness(daemon, "/metrics")[1]
    return float(re.search(rf"^syncdaemon_{name} (\S+)$", text, re.M)[1])


def follow(daemon, devices, channels, followed):
    """Sessions that follow channels, as even as chance has it."""
    chance = random.Random(2)
    names = [f"room-{n}" for n in range(channels)]
    return [Session(daemon, n, chance.sample(names, followed)) for n in range(devices)]


class Session:
    """A device that follows channels, and does not answer."""

    def __init__(self, daemon, number, names):
        self.daemon, self.number = daemon, number
        self.cursors = dict.fromkeys(names)
        self.epoch = None
        self.client = None

    def connect(self):
        self.client = polite(self.daemon)
        self.client.upgrade()
        welcome = self.client.command(
            "hello", userId=f"reader-{self.number:06}", deviceId=f"phone-{self.number:06}")
        self.epoch = welcome["epoch"]
        return self

    def follow(self):
        """All of it, from where it was."""
        channels = [{"name": name} | ({"cursor": cursor, "epoch": self.epoch} if cursor else {})
                    for name, cursor in self.cursors.items()]
        found = self.client.command("subscribe", channels=channels)["channels"]
        self.cursors |= {it["name"]: it["cursor"] for it in found if "cursor" in it}

    def take(self):
        """What has come, without waiting for more; the cursors move."""
        def told(push):
            if "c" in push:
                self.cursors[push["c"]] = push["t"]["t"]

        listen(self.client, told)

    def come_back(self):
        self.take()
        self.client.socket.close()
        self.connect().follow()


def listen(client, told=lambda push: None):
    """Takes what has come, without waiting for more: a ping is answered, and a text is told."""
    from raw import PING, PONG, TEXT, frame
    data = bytearray(client.buffer)
    client.socket.setblocking(False)
    try:
        while chunk := client.socket.recv(262_144):
            data += chunk
    except BlockingIOError:
        pass
    client.socket.settimeout(PATIENCE)
    at = 0
    while (whole := end_of_frame(data, at)) and whole[1] <= len(data):
        payload = bytes(data[whole[0]:whole[1]])
        if data[at] & 15 == TEXT:
            told(json.loads(payload))
        if data[at] & 15 == PING:
            client.send(frame(PONG, payload))
        at = whole[1]
    client.buffer = bytes(data[at:])


def end_of_frame(data, at):
    """Where the payload of a frame begins and ends, when its head is there."""
    head = data[at:at + 10]
    if len(head) < 2:
        return None
    length, size = head[1], 2
    if length > 125:
        size = 4 if length == 126 else 10
        if len(head) < size:
            return None
        length = int.from_bytes(head[2:size], "big")
    return at + size, at + size + length


class Effort:
    """What the daemon did and spent in a while."""

    COUNTERS = {"commits": "commits_total", "writes": "writes_committed_total",
                "deliveries": "deliveries_total", "bytes": "socket_bytes_total",
                "committing": "commit_seconds_sum"}

    def __init__(self, daemon):
        self.daemon = daemon
        self.before = self._now()

    def _now(self):
        from long_channel import busy
        counted = {name: metric(self.daemon, it) for name, it in self.COUNTERS.items()}
        return counted | {"seconds": busy(self.daemon)}

    def end(self):
        return {name: it - self.before[name] for name, it in self._now().items()}


def paced(daemon, writers, rate, seconds, channels=None):
    """One message and three reactions by turns, so many a second."""
    start, count = time.monotonic(), int(rate * seconds)
    places = [it for it in writers.messages if channels is None or it[0] in channels]
    effort = Effort(daemon)
    for number in range(count):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))
        client = writers.clients[number % len(writers.clients)]
        if number % 4 == 0:
            channel = writers.random.choice(channels or writers.channels)
            client.command("publish", channel=channel, payload=writers.payload)
        else:
            channel, message = writers.random.choice(places)
            client.command("addAction", channel=channel, messageTimetoken=message,
                           value=f"{writers.random.choice(FACES)}{number}")
    return effort.end()


def hurried(daemon, writers, count):
    """The same, as fast as one connection after the other takes it."""
    effort = Effort(daemon)
    writers.publish(count // 4)
    writers.react(writers.faces(count - count // 4))
    return effort.end()


def solved(first, second, names, less=None):
    """What one of each of two things costs, of two efforts that had both."""
    def rest(effort):
        return effort["seconds"] - sum(cost * effort[name] for name, cost in (less or {}).items())

    (a, b), (c, d) = ([it[name] for name in names] for it in (first, second))
    below = a * d - b * c
    return ((rest(first) * d - b * rest(second)) / below,
            (a * rest(second) - rest(first) * c) / below)


def measure_devices(daemon, devices, seconds):
    from long_channel import settle
    followed, rate = 20, 150
    costs = {}
    with Writers(daemon, 4, devices, "x" * 98) as writers:
        writers.publish(4 * devices)
        settle(daemon)
        slow, quick = paced(daemon, writers, rate, seconds), hurried(daemon, writers, 20_000)
        costs["commit"], costs["write"] = solved(slow, quick, ("commits", "writes"))
        costs["commitTakes"] = slow["committing"] / slow["commits"]
        writing = {"commits": costs["commit"], "writes": costs["write"]}
        sessions = follow(daemon, devices, devices, followed)
        for session in sessions:
            session.cursors["all"] = None
        before = daemon.allocated_bytes()
        for session in sessions:
            session.connect()
        connected = daemon.allocated_bytes()
        costs["session"] = (connected - before) / devices
        for session in sessions:
            session.follow()
        costs["followed"] = (daemon.allocated_bytes() - connected) / devices / (followed + 1)
        writers.clients[0].command("publish", channel="all", payload=1)
        writers.messages.append(("all", writers.clients[0].command(
            "publish", channel="all", payload=1)["timetoken"]))
        settle(daemon)
        few = paced(daemon, writers, rate, seconds)
        many = paced(daemon, writers, 20, seconds / 4, ["all"])
        costs["turn"], costs["delivery"] = solved(few, many, ("commits", "deliveries"), writing)
        costs["deliveryBytes"] = few["bytes"] / few["deliveries"] - len(writers.payload) / 4
        for session in sessions:
            session.take()
            session.client.socket.close()
        begun = Effort(daemon)
        for session in sessions:
            session.connect()
        connected = begun.end()
        for session in sessions:
            session.follow()
        back = begun.end()
        costs["comesBack"] = connected["seconds"] / devices
        costs["comesBackPerChannel"] = (
            back["seconds"] - connected["seconds"]) / devices / (followed + 1)
        costs["comesBackBytes"] = back["bytes"] / devices
        for session in sessions:
            session.client.socket.close()
    return costs


# A day


#: How much of a day is in each of its hours: little at night.
HOURS = [(1 - math.cos(2 * math.pi * (hour + 0.5) / 24)) ** 2 / 36 for hour in range(24)]


def slowness(daemon, writers):
    """Seconds of this machine's processor for what the plan has one for: writes at their pace."""
    # Nobody follows it, nor is it of the day.
    writers.messages.append(("alone", writers.clients[0].command(
        "publish", channel="alone", payload=1)["timetoken"]))
    effort, taken = paced(daemon, writers, 150, SPEED_SECONDS, ["alone"]), plan()["costs"]
    writers.messages.pop()
    found = effort["seconds"] / (
        effort["commits"] * taken["commit"] + effort["writes"] * taken["write"])
    print(f"{found:.2f} s of this machine's processor for what the plan has 1 s for", flush=True)
    return found


def grow(daemon, seconds, users):
    """A day of so many users, and its plan; the exit code."""
    from long_channel import busy
    use = {"users": users, "messages_per_day": 10 * users, "reactions_per_day": 30 * users,
           "taken_back": 10, "message_bytes": 100, "channels": users // 10, "online": 10,
           "followed": 20, "returns": 4, "busy_hour": round(100 * max(HOURS)), "tls": "no",
           "days": 1}
    planned = plan(**use)
    with Writers(daemon, 20, use["channels"], "x" * 98) as writers:
        writers.publish(users)
        slow = slowness(daemon, writers)
        devices = follow(daemon, users // 10, use["channels"], use["followed"])
        for device in devices:
            device.connect().follow()
        begun = used_bytes(daemon)
        day, busiest, sent = Day(writers, devices, use), 0.0, 0
        for hour, share in enumerate(HOURS):
            before, told, start = busy(daemon), metric(daemon, "socket_bytes_total"), time.time()
            day.pass_hour(seconds / 24, share)
            took = time.time() - start
            busiest = max(busiest, (busy(daemon) - before) / took)
            sent = max(sent, (metric(daemon, "socket_bytes_total") - told) * 8 / took)
            print(f"hour {hour + 1}: {used_bytes(daemon) / 2**20:.1f} MiB in the file, "
                  f"{daemon.allocated_bytes() / 2**20:.1f} MiB of memory, "
                  f"{(busy(daemon) - before) / took:.3f} of a core, {took:.1f} s", flush=True)
        found = {"database": used_bytes(daemon) - begun, "memory": daemon.allocated_bytes(),
                 "cores": busiest, "bitsPerSecond": sent}
        slow = (slow + slowness(daemon, writers)) / 2
    quick = 86_400 / seconds
    expected = {"database": planned["disk"]["database"], "memory": planned["memory"],
                "cores": planned["cores"]["all"] * quick * slow,
                "bitsPerSecond": planned["bitsPerSecond"] * quick}
    return compare(found, expected)


class Day:
    """What people do on a day, hour by hour."""

    def __init__(self, writers, devices, use):
        self.writers, self.devices, self.use = writers, devices, use
        self.set = []
        self.next = 0
        self.heard = time.monotonic()

    def pass_hour(self, seconds, share):
        use, chance = self.use, self.writers.random
        removed = use["reactions_per_day"] * use["taken_back"] // 100
        deeds = (["publish"] * round(use["messages_per_day"] * share)
                 + ["react"] * round(use["reactions_per_day"] * share)
                 + ["take back"] * round(removed * share)
                 + ["return"] * round(use["users"] * use["returns"] * share))
        chance.shuffle(deeds)
        start = time.monotonic()
        for number, deed in enumerate(deeds):
            self.wait_until(start + number * seconds / len(deeds))
            self.do(deed)
            if number % 200 == 0 or time.monotonic() > self.heard + HEARD_SECONDS:
                self.listen()
        self.wait_until(start + seconds)

    def wait_until(self, moment):
        while (left := moment - time.monotonic()) > 0:
            time.sleep(min(left, HEARD_SECONDS))
            if left > HEARD_SECONDS:
                self.listen()

    def listen(self):
        """Who answers no ping for long is sent away, also in an hour with few deeds."""
        self.heard = time.monotonic()
        for device in self.devices:
            device.take()
        for client in self.writers.clients:
            listen(client)

    def do(self, deed):
        chance, writers = self.writers.random, self.writers
        if deed == "return":
            return chance.choice(self.devices).come_back()
        at = chance.randrange(len(writers.clients))
        if deed == "publish":
            channel = chance.choice(writers.channels)
            told = self.command(at, "publish", channel=channel, payload=writers.payload)
            writers.messages.append((channel, told["timetoken"]))
        elif deed == "react" or not self.set:
            channel, message = chance.choice(writers.messages[-2000:])
            # No two are the same row.
            value = f"{chance.choice(FACES)}{self.next % 100}"
            self.next += 1
            self.command(at, "addAction", channel=channel, messageTimetoken=message, value=value)
            self.set.append((at, channel, message, value))
        else:
            at, channel, message, value = self.set.pop(chance.randrange(len(self.set)))
            self.command(at, "removeAction", channel=channel, messageTimetoken=message,
                         value=value)
        return None

    def command(self, at, op, **fields):
        return self.writers.clients[at].command(op, **fields, mutation=secrets.token_hex(18))


def compare(found, expected):
    print("| | measured | planned | off by |\n|---|--:|--:|--:|")
    is_off = False
    for name, value in found.items():
        off = 100 * (value / expected[name] - 1)
        # Memory is planned with caches that are full.
        is_off |= off > OFF_MAX or (name != "memory" and off < -OFF_MAX)
        print(f"| {name} | {value:.4g} | {expected[name]:.4g} | {off:+.0f} % |", flush=True)
    return int(is_off)


if __name__ == "__main__":
    main()
