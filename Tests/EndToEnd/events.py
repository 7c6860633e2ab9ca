"""Tests/Fixtures/events.json: the shapes of events, and what a client makes of each.

Written from docs/PROTOCOL.md and from nothing else: it shares no line with the daemon or a client.
"""

import json
import os
import re

from daemon import ROOT

PATH = ROOT / "Tests" / "Fixtures" / "events.json"
#: What stands for the real ones: the event's own timetoken, an earlier action's, a message's.
OWN, ACTION, MESSAGE = "17952187953730012", "17952187953730005", "17952187953729999"
SECONDS = 1795218795
#: What stands for a digest, which no two stores have in common.
DIGEST = "27d7445642c7030e9e4dbfb389077575"
PRESENCE_ACTIONS = ("join", "leave", "timeout", "state-change", "interval")


class Unreadable(Exception):
    """A client says one problem, and goes on."""


def fixture():
    return json.loads(PATH.read_text(encoding="utf-8"))


def keep(good):
    """Writes the good shapes anew, when SYNC_CAPTURE asks for it: one event a line."""
    if "SYNC_CAPTURE" not in os.environ:
        return
    text = PATH.read_text(encoding="utf-8")
    start, end = text.index('"good": [\n') + 10, text.index('\n  ],\n  "bad"')
    lines = ",\n".join("    " + json.dumps(it, ensure_ascii=False) for it in good)
    PATH.write_text(text[:start] + lines + text[end:], encoding="utf-8")


def normalised(envelope):
    """The same event with the timetokens, the time and the tenant that stand for the real ones."""
    own = envelope["p"]["t"]
    body = envelope["d"] if isinstance(envelope["d"], dict) else {}
    data = body.get("data", {})
    if envelope.get("e") == 3:
        if "messageTimetoken" in data:
            data["messageTimetoken"] = MESSAGE
        if "actionTimetoken" in data:
            data["actionTimetoken"] = OWN if data["actionTimetoken"] == own else ACTION
    elif envelope.get("e") == 5:
        data["after"] = "0" if data["after"] == "0" else MESSAGE
        data["through"] = ACTION
    elif envelope["c"].endswith("-pnpres"):
        body["timestamp"] = SECONDS
    if "gone" in data:
        data["gone"]["d"] = DIGEST
    return {**envelope, "p": {**envelope["p"], "t": OWN}, "k": "default"}


# What a client makes of an event


def meaning(envelope, channel):
    """The event as the fixture's `gives` has it; raises Unreadable when it is none."""
    check(isinstance(envelope, dict), "an event is an object")
    fields = {name: it for name, it in envelope.items() if it is not None or name == "d"}
    check(isinstance(fields.get("p"), dict), "p is an object")
    timetoken = position(fields["p"].get("t"))
    check(fields.get("c") == channel, "c is the push's channel")
    flag, kind = fields.get("f"), fields.get("e", 0)
    check(is_number(flag) and flag in (0, 1), "f is 0 or 1")
    check(is_number(kind) and kind in (0, 1, 3, 5), "e is known")
    user = fields.get("i", "")
    check(isinstance(user, str), "i is a text")
    common = {"timetoken": timetoken, "user": user or None}
    if kind in (0, 1) and channel.endswith("-pnpres"):
        check(flag == 1 and kind == 0, "presence is not stored")
        return presence(fields.get("d"), timetoken)
    check((flag == 1) if kind == 1 else (flag == 0 or kind == 0), "f belongs to e")
    if kind in (0, 1):
        check("d" in fields, "a message has a payload")
        check(isinstance(fields.get("cmt", ""), str), "cmt is a text")
        given = {"kind": "signal" if kind else "message", **common, "stored": flag == 0,
                 "payload": fields["d"]}
        given |= {"meta": fields["u"]} if "u" in fields else {}
        return given | ({"messageType": fields["cmt"]} if "cmt" in fields else {})
    body = fields.get("d")
    check(isinstance(body, dict) and isinstance(body.get("data"), dict), "d says what happened")
    data = body["data"]
    if kind == 5:
        check(body.get("event") == "deleted", "a deletion")
        return {"kind": "messagesDeleted", "timetoken": timetoken,
                "after": position(data.get("after")), "through": position(data.get("through"))}
    if body.get("event") == "cleared":
        return clearing(data, timetoken)
    check(body.get("event") in ("added", "removed"), "added, removed or cleared")
    check(all(isinstance(data.get(it), str) for it in ("type", "value")), "type and value")
    return {"kind": "actionAdded" if body["event"] == "added" else "actionRemoved", **common,
            "messageTimetoken": position(data.get("messageTimetoken")), "type": data["type"],
            "value": data["value"], "actionTimetoken": position(data.get("actionTimetoken"))}


def clearing(data, timetoken):
    given = {name: it for name, it in data.items() if it is not None}
    check(given.keys() & {"messageTimetoken", "value", "uuid"}, "not all of a channel")
    made = {"kind": "actionsCleared", "timetoken": timetoken}
    if "messageTimetoken" in given:
        made["messageTimetoken"] = position(given["messageTimetoken"])
    for name, its in (("type", "type"), ("value", "value"), ("uuid", "of")):
        check(isinstance(given.get(name, ""), str), f"{name} is a text")
        made |= {its: given[name]} if name in given else {}
    return made


def presence(body, timetoken):
    check(isinstance(body, dict) and body.get("action") in PRESENCE_ACTIONS, "action is known")
    for name in ("occupancy", "timestamp"):
        check(is_number(body.get(name)) and body[name] >= 0, f"{name} is a number")
    user = body.get("uuid")
    check(isinstance(user, str) or (user is None and body["action"] == "interval"), "whose it is")
    check(isinstance(body.get("data", {}), dict), "a state is an object")
    given = {"kind": "presence", "timetoken": timetoken, "action": body["action"], "user": user,
             "occupancy": body["occupancy"], "timestamp": body["timestamp"]}
    given |= {"state": body["data"]} if "data" in body else {}
    for name in ("join", "leave", "timeout"):
        users = body.get(name, [])
        check(isinstance(users, list) and all(isinstance(it, str) for it in users), name)
        given |= {name: users} if users else {}
    return given | ({"needsRefresh": True} if body.get("here_now_refresh") is True else {})


def is_number(it):
    return isinstance(it, int) and not isinstance(it, bool)


def position(text):
    check(isinstance(text, str) and re.fullmatch(r"[0-9]{1,19}", text), "a timetoken")
    return text


def check(is_right, what):
    if not is_right:
        raise Unreadable(what)
