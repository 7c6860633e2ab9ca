"""The tables of bad input: what is sent, and the documented answer."""

import json

MESSAGE = "17952187953729999"
#: Right in form, from any store.
ACTION = {"channel": "room", "messageTimetoken": MESSAGE, "value": "👍"}

#: One right command of each kind; the tables below break one thing at a time.
COMMANDS = {
    "subscribe": {"channels": [{"name": "den", "cursor": "0", "epoch": "6f1c0e5b9a7d42d3"}]},
    "unsubscribe": {"channels": ["den"]},
    "follow": {"wildcard": "room.*", "cursor": "0", "epoch": "6f1c0e5b9a7d42d3"},
    "unfollow": {"group": "friends"},
    "changeGroup": {"group": "friends", "add": ["den"]},
    "group": {"group": "friends"},
    "publish": {"channel": "room", "payload": 1, "meta": {}, "messageType": "t", "mutation": "m",
                "parent": MESSAGE},
    "addAction": ACTION | {"type": "reaction", "score": 1, "mutation": "m"},
    "removeAction": ACTION | {"type": "reaction", "mutation": "m", "actionTimetoken": MESSAGE},
    "editMessage": {"channel": "room", "messageTimetoken": MESSAGE, "payload": 1, "mutation": "m"},
    "deleteMessage": {"channel": "room", "messageTimetoken": MESSAGE, "mutation": "m"},
    "removeActions": ACTION | {"type": "reaction", "userId": "bob", "mutation": "m"},
    "history": {"channel": "room", "before": MESSAGE, "after": "0", "limit": 1, "actions": True,
                "parent": MESSAGE},
    "older": {"channel": "room", "through": MESSAGE, "last": 1},
    "summaries": {"channel": "room", "messages": [MESSAGE]},
    "actions": ACTION | {"type": "reaction", "userId": "ada", "after": "0", "limit": 1,
                         "live": False},
    "endLive": {"live": 1},
}

#: Members without which a command means nothing.
REQUIRED = {
    "subscribe": ["channels"], "unsubscribe": ["channels"], "publish": ["channel", "payload"],
    "follow": ["wildcard"], "unfollow": ["group"], "changeGroup": ["group", "add"],
    "group": ["group"],
    "addAction": ["channel", "messageTimetoken", "value"],
    "removeAction": ["channel", "messageTimetoken", "value"],
    "editMessage": ["channel", "messageTimetoken", "payload"],
    "deleteMessage": ["channel", "messageTimetoken"],
    "removeActions": ["channel"],
    "history": ["channel"], "older": ["channel", "last"], "actions": ["channel"], "summaries": ["channel", "messages"],
    "endLive": ["live"],
}

TIMETOKENS = {"messageTimetoken", "actionTimetoken", "before", "after", "cursor", "parent",
              "through"}
#: Strings that are no timetokens: not digits, not plain, or over 64 bits.
NO_TIMETOKENS = [
    "", "abc", "-1", "+1", "1.5", " 1", "1 ", "0x10", "1e3", "٣", "9223372036854775808",
    "00000000000000000001", "99999999999999999999", "17952187953729999\u200b"]
NO_CHANNELS = [
    "", "a,b", "*", "room.*", "room.*-pnpres", "a\nb", "\t", "\u0001", "\u007f", "\u0085", "x" * 256,
    "👍" * 64]


def nested(levels):
    """A command whose payload makes it so many levels deep in all."""
    inside = "[" * (levels - 1) + "]" * (levels - 1)
    return f'{{"id":1,"op":"ping","payload":{inside}}}'


def texts():
    """(name, text, code) of texts from which no id can be read: the answer's id is null."""
    ping = '{"id":1,"op":"ping"}'
    not_json = {
        "an empty frame": "", "a blank": " ", "a word": "ping", "half an object": ping[:-1],
        "trailing bytes": ping + " x", "two objects": ping + ping,
        "a trailing comma": ping[:-1] + ",}",
        "single quotes": ping.replace('"', "'"), "a comment": "/* hello */" + ping,
        "a byte order mark": "\ufeff" + ping, "NaN": '{"id":1,"op":"ping","n":NaN}',
        "a leading zero": '{"id":01,"op":"ping"}', "a leading plus": '{"id":+1,"op":"ping"}',
        "a name twice": '{"id":1,"op":"ping","id":2}',
        "a name twice inside": '{"id":1,"op":"publish","channel":"room","payload":{"a":1,"a":2}}',
        "a lone high surrogate": '{"id":1,"op":"ping","s":"\\ud83d"}',
        "a lone low surrogate": '{"id":1,"op":"ping","s":"\\udc4d"}',
        "surrogates in the wrong order": '{"id":1,"op":"ping","s":"\\udc4d\\ud83d"}',
        "a raw NUL": '{"id":1,"op":"ping","s":"\0"}', "a NUL after it": ping + "\0",
        "a raw newline in a string": '{"id":1,"op":"ping","s":"\n"}',
        "an unknown escape": '{"id":1,"op":"ping","s":"\\x"}',
    }
    for name, text in not_json.items():
        yield name, text, "not_json"
    yield "an id over 64 bits", '{"id":18446744073709551616,"op":"ping"}', "invalid_field"
    yield "10,000 levels", "[" * 10_000, "json_too_deep"
    for text in ("[]", f"[{ping}]", '"ping"', "1", "1.5", "true", "null"):
        yield f"not an object: {text}", text, "not_an_object"


def odd_texts():
    """JSON that many parsers refuse or change, each as a value of its own."""
    return [
        "-0", "1E2", "1.10", "0.0", "1e999", "9223372036854775808", "-9223372036854775809",
        "123456789012345678901234567890", '"\\u0000"', '"\\u00e9\\/"', '"\\ud83d\\udc4d"',
        '{"z":1,"a":{"\\u0000":[-0.0,{"k":1.50}]}}', '"\u2028"']


def identities():
    """(name, command, code, field) of commands whose id or op is wrong."""
    for name, members in {
        "no id": {}, "id null": {"id": None}}.items():
        yield name, members | {"op": "ping"}, "missing_field", "id"
    for value in (1.5, 1.0, -1, "1", True, [], {}):
        yield f"id {value!r}", {"id": value, "op": "ping"}, "invalid_field", "id"
    yield "no op", {"id": 7}, "missing_field", "op"
    yield "op null", {"id": 7, "op": None}, "missing_field", "op"
    for value in (1, True, ["ping"], {}):
        yield f"op {value!r}", {"id": 7, "op": value}, "invalid_field", "op"
    for value in ("Ping", "ping ", "dance", "signal2", "x" * 60, "ping\n"):
        yield f"op {value[:20]!r}", {"id": 7, "op": value}, "unknown_op", ""


def wrong_values(op, member):
    """Values that `member` of `op` must not have, with the code of each."""
    if member in ("payload", "meta"):
        return []
    if member == "messages":
        return [(it, "invalid_field") for it in (
            [], {}, 1, MESSAGE, [1], ["x"], [[]], [MESSAGE] * 101)]
    if member == "score":
        return [(it, "invalid_field")
                for it in (0, -1, 1_000_000_001, 1.5, "1", True, [], 2**63 - 1)]
    if member == "limit":
        most = {"history": 100, "actions": 1000}[op]
        return [(it, "invalid_field") for it in (0, -1, most + 1, 1.5, "1", True, [], 2**63 - 1)]
    if member == "last":
        return [(it, "invalid_field") for it in (-1, 1001, 1.5, "1", True, [], 2**63 - 1)]
    if member == "live":
        # A number is right in form, and wrong where nothing of that number is open.
        return [(it, "invalid_field") for it in (-1, 1.5, "1", [], {}, 2**63)] + (
            [(True, "invalid_field")] if op == "endLive" else [])
    if member == "actions":
        return [(it, "invalid_field") for it in (1, "true", [], {})]
    if member == "add":
        return [(it, "invalid_field") for it in ("den", 1, True, {}, [], ["a"] * 201)] + [
            (it, "invalid_channel") for it in ([1], ["a,b"], [""], ["a.*"], ["a-pnpres"], [["a"]])]
    if member == "channels":
        element = {"subscribe": "den", "unsubscribe": {"name": "den"}}[op]
        return [(it, "invalid_field") for it in ("den", 1, True, {"name": "den"}, [element], [1])]
    wrong = [(it, "invalid_field") for it in (1, 1.5, True, [], {}, [MESSAGE])]
    if op == "actions" and member in ("type", "value", "userId"):
        # One text or a list of them.
        wrong[-1:] = [(it, "invalid_field") for it in ([1], [""], ["a\0"], ["a"] * 101, [["a"]])]
    if member in TIMETOKENS:
        wrong += [(it, "invalid_field") for it in NO_TIMETOKENS]
    if member == "channel":
        wrong += [(it, "invalid_channel") for it in NO_CHANNELS]
    if member == "mutation":
        wrong += [(it, "invalid_field") for it in ("", "x" * 65, "👍" * 17)]
    if member == "type" and op != "actions":
        wrong += [(it, "invalid_field") for it in ("x" * 65, "👍" * 17)]
    return wrong


def members():
    """(name, op, fields, code, field): each command with one member absent, or wrong."""
    for op, fields in COMMANDS.items():
        for member in REQUIRED[op]:
            absent = {name: value for name, value in fields.items() if name != member}
            yield f"{op} without {member}", op, absent, "missing_field", member
            if member != "payload":
                yield f"{op}, {member} null", op, absent | {member: None}, "missing_field", member
        for member in fields:
            for value, code in wrong_values(op, member):
                yield (f"{op}, {member} {json.dumps(value)[:40]}", op, fields | {member: value},
                       code, "" if code == "invalid_channel" else member)
    for field, value, code in subscription_members():
        channel = {"name": "den", "cursor": "0"} | {field: value}
        yield (f"subscribe, {field} {json.dumps(value)[:40]}", "subscribe",
               {"channels": [{"name": "fine"}, channel]}, code,
               "" if code == "invalid_channel" else field)
    for op in ("publish", "addAction", "removeAction"):
        # Or anyone could say that somebody came or left.
        yield (f"{op} to presence", op, COMMANDS[op] | {"channel": "den-pnpres"},
               "invalid_channel", "")
    for name in NO_CHANNELS:
        yield (f"unsubscribe, {name[:20]!r}", "unsubscribe", {"channels": ["fine", name]},
               "invalid_channel", "")


def subscription_members():
    """What one channel of `subscribe` must not say."""
    yield "name", None, "missing_field"
    for value in (1, True, [], {}):
        yield "name", value, "invalid_field"
    for value in NO_CHANNELS:
        yield "name", value, "invalid_channel"
    for value in [1, True, [], 17952187953729999, *NO_TIMETOKENS]:
        yield "cursor", value, "invalid_field"
    for value in (1, True, []):
        yield "epoch", value, "invalid_field"
    for value in (1, True, [], "0", MESSAGE):
        yield "window", value, "invalid_field"


def greetings():
    """(name, fields, code, field) of a `hello` that does not say who connects."""
    right = {"userId": "ada", "deviceId": "phone"}
    for member in right:
        absent = {name: value for name, value in right.items() if name != member}
        yield f"no {member}", absent, "missing_field", member
        for value in (1, True, [], {}, "", "x" * 256, "👍" * 64):
            yield (f"{member} {json.dumps(value)[:20]}", right | {member: value}, "invalid_field",
                   member)
    for value in (1, True, []):
        yield f"keyset {value!r}", right | {"keyset": value}, "invalid_field", "keyset"
