"""A bot that answers "!top" with what people reacted to most: Python 3.9, and nothing else.

    bot.py [http://127.0.0.1:8080 [CHANNEL [FILE]]]

FILE keeps how far it has read; SYNC_KEY in the environment is its server key, where one is needed.
"""
import json
import os
import sys
import time
from urllib import error, parse, request

NAME = "topbot"
KEY = {"Authorization": f"Bearer {os.environ['SYNC_KEY']}"} if "SYNC_KEY" in os.environ else {}
USUAL = ["http://127.0.0.1:8080", "room", "bot.place"]
ADDRESS, CHANNEL, PLACE = sys.argv[1:] + USUAL[len(sys.argv) - 1:]


def opened(path, body=None, headers=(), **query):
    """The response to one request of docs/HTTP.md."""
    address = f"{ADDRESS}/v1/{path}?{parse.urlencode(query, doseq=True)}"
    data = None if body is None else json.dumps(body).encode()
    try:
        # From a stream something comes each 20 seconds.
        return request.urlopen(request.Request(address, data, {**KEY, **dict(headers)}), timeout=60)
    except error.HTTPError as refusal:
        refusal.msg = refusal.read().decode()  # The daemon says more than its status does.
        raise


def is_lasting(problem):  # The same request would hear the same again.
    return 400 <= getattr(problem, "code", 500) < 500 and problem.code != 429


def text(payload):
    return str(payload.get("text") if isinstance(payload, dict) else payload)


def top():
    """The three of the newest 50 messages that have most reactions."""
    found = json.load(opened("history", channel=CHANNEL, limit=50))["messages"]
    said = {it["timetoken"]: text(it["payload"]) for it in found}
    sums = json.load(opened("summaries", channel=CHANNEL, messages=list(said)))["summaries"]
    counts = [(sum(it["n"] for it in one["g"] if it["t"] == "reaction"), one["m"]) for one in sums]
    return [f"{n} × {said[message]}" for n, message in sorted(counts)[:-4:-1] if n > 0]


def take(event):
    """Answers once, however often it gets this event: that is what the key is for."""
    asked = event["p"]["t"]
    if event.get("e", 0) or event["f"] or text(event["d"]) != "!top" or event.get("i") == NAME:
        return
    answer = {"as": NAME, "channel": CHANNEL, "parent": asked,
              "payload": {"text": "\n".join(top()) or "Nobody reacted yet."}}
    try:
        opened("publish", answer, {"Idempotency-Key": f"{NAME}-{asked}"}).close()
    except error.HTTPError as refusal:
        if not is_lasting(refusal):
            raise  # Not now: it is taken again.
        print(f"{NAME}: {refusal}", file=sys.stderr, flush=True)


def follow():
    """From where it was to the end of a connection; a place is kept once all before is done."""
    place = {"Last-Event-ID": open(PLACE).read()} if os.path.exists(PLACE) else {}
    with opened("stream", headers=place, channel=CHANNEL) as lines:
        said = {}
        for line in lines:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                said[name] = value
                continue
            if "data" in said and "event" not in said:
                take(json.loads(said["data"]))
            if "id" in said:
                with open(f"{PLACE}.new", "w") as file:
                    file.write(said["id"])
                os.replace(f"{PLACE}.new", PLACE)
            said = {}


while True:
    try:
        follow()
    except OSError as problem:  # The daemon is away, or has no time.
        print(f"{NAME}: {problem}", file=sys.stderr, flush=True)
        if is_lasting(problem):  # A wrong key, or what is no channel.
            sys.exit(1)
    time.sleep(1)
