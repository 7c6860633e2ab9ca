#!/usr/bin/python3
"""Writes Tests/Fixtures/windows.json: what a device that holds a window asks, hears and holds.

    window_cases.py [--check]

Each case is a story of the channel `room`, which every client plays with a daemon of paper. What the
device holds then is told by the model of `window.py`, not by a client. `--check` only compares.
"""

import argparse
import base64
import copy
import json
import pathlib
import sys

import reconcile
from rows import timetoken
from window import END, Part

FIXTURE = pathlib.Path(__file__).parents[1] / "Fixtures" / "windows.json"
KEY = "000102030405060708090a0b0c0d0e0f"
EPOCH = "6f1c0e5b9a7d42d3.07c1a5e2"
ANOTHER_RUN = "6f1c0e5b9a7d42d3.8b2f11c4"
OTHER_STORE = "9d4471a20b5c8e63.5a0be811"


def pack_rows(rows):
    """Actions as docs/RECONCILIATION.md has them on the wire."""
    texts, body, last = [], b"", 0
    for message, *said, added, in sorted(rows, key=lambda it: it[4]):
        age = added - message
        body += reconcile._varint(added - last)
        body += reconcile._varint(2 * age if age >= 0 else -2 * age - 1)
        for text in said:
            if text not in texts:
                texts.append(text)
            body += reconcile._varint(texts.index(text))
        last = added
    head = b"".join(reconcile._varint(len(it.encode())) + it.encode() for it in texts)
    return base64.b64encode(reconcile._varint(len(texts)) + head + body).decode()


class Paper:
    """A channel of a daemon that does what it is told, and says what follows."""

    def __init__(self):
        self.time = 17952187953729000
        self.last = 0
        self.rows = Part("room")
        self.rows.key = bytes.fromhex(KEY)
        self.rows.after = 0
        self.log = []

    def now(self):
        self.time += 10
        return self.time

    def _commit(self, at, envelope):
        event = {"a": "1", "f": 0, "p": {"t": str(at), "r": 1}, "k": "default", "c": "room",
                 **envelope}
        before = self.rows.sum(self.rows.all_rows())
        self.rows.apply({"t": {"t": str(at)}, "m": [copy.deepcopy(event)]})
        if "e" in event and event["d"]["event"] in ("deleted", "cleared"):
            after = self.rows.sum(self.rows.all_rows())
            event["d"]["data"]["gone"] = state_of([was - it for was, it in zip(before, after)])
        self.last = at
        self.log.append(event)
        return str(at)

    def publish(self, user, text):
        return self._commit(self.now(), {"i": user, "d": {"text": text}})

    def _act(self, user, name, message, value, added=None, **score):
        at = self.now()
        return self._commit(at, {"e": 3, "i": user, "d": {
            "source": "actions", "version": "1.0", "event": name, "data": {
                "messageTimetoken": message, "type": "reaction", "value": value,
                "actionTimetoken": added or str(at), **score}}})

    def add(self, user, message, value="👍", **score):
        return self._act(user, "added", message, value, **score)

    def remove(self, user, message, added, value="👍"):
        return self._act(user, "removed", message, value, added)

    def _sweep(self, kind, source, name, data):
        return self._commit(self.now(), {"e": kind, "d": {
            "source": source, "version": "1.0", "event": name, "data": data}})

    def delete(self, after, through):
        return self._sweep(5, "messages", "deleted", {"after": after, "through": through})

    def clear(self, **data):
        return self._sweep(3, "actions", "cleared", data)

    @property
    def state(self):
        return state_of(self.rows.sum(self.rows.all_rows()))

    def _state(self, is_in):
        return state_of(self.rows.sum([it for it in self.rows.all_rows() if is_in(it[0])]))

    def older(self, last, through=None, elsewhere=False):
        """A page as of now; or of a commit of another channel, which nothing here follows."""
        end = END if through is None else int(through)
        before = sorted(it for it in self.rows.messages if it <= end)
        after = int(through) if last == 0 else (
            before[-last] - 1 if last < len(before) else 0)

        def is_in(message):
            return after < message <= end
        messages = [{"timetoken": str(it), "uuid": row[0], "payload": row[1]}
                    for it, row in sorted(self.rows.messages.items()) if is_in(it)]
        return {"cursor": str(self.now() if elsewhere else self.last), "after": str(after),
                "rest": self._state(lambda it: it <= after), "s": self.state,
                "messages": messages,
                "rows": pack_rows(it for it in self.rows.action_rows() if is_in(it[0]))}

    def push(self, since, state=None, window=None, through=None):
        """What happened after `since`; up to somewhere in between it comes to nothing known."""
        events = [copy.deepcopy(it) for it in self.log if timetoken(it["p"]["t"]) > int(since)]
        if through is not None:
            events = [it for it in events if timetoken(it["p"]["t"]) <= int(through)]
            return {"t": {"t": through, "r": 1}, "c": "room", "m": events}
        push = {"t": {"t": str(self.last), "r": 1}, "c": "room", "m": events,
                "s": state or self.state}
        return push if window is None else {**push, "window": window}


def state_of(summed):
    count, *lanes = summed
    return {"n": count, "d": "".join(f"{it & reconcile.MASK64:016x}" for it in lanes)}


class Story:
    """One case: what happens, with the model of a device beside it."""

    def __init__(self, name, last=3, keeping=None, messages=6):
        self.name, self.last = name, last
        self.keeping = keeping
        self.paper = Paper()
        self.steps = []
        #: Up to where pushes told what happened, and what the channel came to last.
        self.told, self.heard = 0, None
        self.messages = [self.paper.publish("bob", f"message {n}") for n in range(messages)]
        for message in self.messages:
            self.paper.add("ada", message)
        self.shown = self.fresh()
        #: What comes anew, while what was there shows.
        self.staged = None

    def fresh(self):
        part = Part("room")
        part.key, part.epoch = bytes.fromhex(KEY), EPOCH
        return part

    @property
    def part(self):
        return self.staged or self.shown

    def do(self, what, **fields):
        self.steps.append({"do": what, **fields})

    def asks(self, *commands):
        self.steps.append({"asks": list(commands)})

    def older(self, last):
        """The question for a page; the model takes note."""
        return {"op": "older", **self.part.ask(last)}

    def subscribe(self):
        """The question of who has what the model has."""
        base = {"window": {}} if self.part.after == END else self.part.base()
        return {"op": "subscribe", "channels": [{"name": "room", **base}]}

    def welcome(self, index, mode="current"):
        cursor = self.paper.last if mode != "delta" else self.part.cursor
        self.reply(index, {"channels": [
            {"name": "room", "mode": mode, "cursor": str(cursor), "key": KEY}]})

    def reply(self, index, ok):
        self.steps.append({"reply": index, "frame": {"ok": ok}})

    def refuse(self, index, status, code):
        self.steps.append({"reply": index, "frame": {"error": {
            "status": status, "code": code, "message": code}}})

    def page(self, index, page):
        self.reply(index, page)
        self.part.grow(page)
        if self.part.cursor == timetoken(page["cursor"]):
            self.heard = page["s"]
        self.part.verify(self.heard)

    def push(self, push=None, **options):
        push = push or self.paper.push(max(self.part.cursor, self.told), **options)
        self.told, self.heard = int(push["t"]["t"]), push.get("s")
        self.steps.append({"push": push})
        self.part.apply(copy.deepcopy(push))

    def holds(self, verified=True):
        part = self.shown
        messages = [str(it) for it in sorted(part.messages)]
        if verified:
            assert part.whole() == self.paper.state, f"{self.name}: the model is wrong"
        reactions = {}
        for message, _, value, user, *_ in part.action_rows():
            reactions.setdefault(str(message), []).append([value, user])
        self.steps.append({"holds": {
            "messages": messages, "reactions": reactions, "after": str(part.after),
            "verified": verified}})

    def begin_anew(self):
        self.staged = self.fresh()

    def adopt(self):
        self.shown, self.staged = self.staged, None

    def open(self):
        """It opens its window, and nothing happens meanwhile."""
        self.do("connect", epoch=EPOCH)
        self.asks(self.subscribe(), self.older(self.last))
        self.welcome(0)
        self.page(1, self.paper.older(self.last))
        self.holds()
        return self

    def json(self):
        sizes = {"last": self.last} | ({"keeping": self.keeping} if self.keeping else {})
        return {"name": self.name, **sizes, "steps": self.steps}


def opening():
    yield Story("one round trip opens a window").open()

    it = Story("pushes before the first page are in it, or after it")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    # It moves no cursor of the model, which waits for the page.
    before = it.paper.last
    it.paper.add("eve", it.messages[0])
    it.push(it.paper.push(before))
    page = it.paper.older(3)
    it.paper.add("eve", it.messages[5], "🔥")
    it.paper.publish("eve", "late")
    it.push()
    it.page(1, page)
    it.part.verify(it.paper.state)
    it.holds()
    yield it

    it = Story("a channel that has less than a window is held whole", last=10)
    it.open()
    it.paper.delete("0", it.messages[2])
    it.push()
    it.holds()
    yield it

    it = Story("large messages make a short page, and the window is filled")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.page(1, it.paper.older(1))
    it.asks(it.older(2))
    it.holds()
    it.page(2, it.paper.older(2, it.part.after))
    it.holds()
    yield it


def pushes():
    it = Story("an event counts on its side of the boundary").open()
    first = it.paper.add("eve", it.messages[0])
    it.paper.add("eve", it.messages[4])
    it.push()
    it.holds()
    it.paper.remove("eve", it.messages[0], first)
    # The boundary itself is of the rest.
    it.paper.add("eve", str(it.part.after))
    it.push()
    it.holds()
    yield it

    it = Story("deletions and clearings across the boundary").open()
    it.paper.delete(it.messages[1], it.messages[3])
    it.push()
    it.asks(it.older(1))
    it.holds()
    it.page(2, it.paper.older(1, it.part.after))
    it.holds()
    it.paper.clear(uuid="ada")
    it.push()
    it.holds()
    yield it

    it = Story("a deletion that does not say what went has the rest asked").open()
    it.paper.delete("0", it.messages[0])
    push = it.paper.push(it.part.cursor)
    # The model would call that a violation.
    it.part.apply(copy.deepcopy(push))
    it.part.rest = None
    del push["m"][0]["d"]["data"]["gone"]
    it.steps.append({"push": push})
    it.asks(it.older(0))
    it.page(2, it.paper.older(0, it.part.after))
    it.holds()
    yield it

    it = Story("the oldest go when many more are held than are kept", last=2, keeping=4,
               messages=12)
    it.open()
    for n in range(17):
        it.paper.publish("eve", f"more {n}")
    it.push()
    it.holds()
    for n in range(2):
        it.paper.publish("eve", f"even more {n}")
    it.push()
    it.part.shrink(sorted(it.part.messages)[-5])
    it.holds()
    it.paper.add("eve", it.messages[11])
    it.push()
    it.holds()
    yield it


    it = Story("nothing goes amid a catch-up of who holds all", last=10, keeping=10, messages=4)
    it.open()
    loud = it.paper.add("ada", it.messages[0], "🔥", score=3)
    it.push()
    it.holds()
    it.do("disconnect")
    half = [it.paper.publish("eve", f"more {n}") for n in range(40)][30]
    # Summed up, it does not say for how much that counted: who holds all knows.
    it.paper.remove("ada", it.messages[0], loud, "🔥")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe())
    it.welcome(0, "delta")
    it.push(it.paper.push(it.part.cursor, through=half))
    it.holds(verified=False)
    it.push()
    it.part.shrink(sorted(it.part.messages)[-11])
    it.holds()
    it.paper.add("eve", it.messages[0])
    it.push()
    it.holds()
    yield it


    it = Story("older messages wait for what was missed").open()
    it.do("disconnect")
    it.paper.add("eve", it.messages[2])
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe())
    it.welcome(0, "delta")
    it.do("older", last=2)
    it.asks()
    it.push()
    it.asks(it.older(2))
    it.page(1, it.paper.older(2, it.part.after))
    it.holds()
    yield it


def pages():
    it = Story("a page back with what happened since it was read", messages=9).open()
    it.do("older", last=3)
    it.asks(it.older(3))
    page = it.paper.older(3, it.part.after)
    it.paper.add("eve", it.messages[4])
    it.paper.add("eve", it.messages[0])
    it.paper.delete(it.messages[4], it.messages[6])
    it.push()
    it.page(2, page)
    it.part.verify(it.paper.state)
    it.holds()
    yield it

    it = Story("a page back of a commit that no push follows").open()
    it.do("older", last=2)
    it.asks(it.older(2))
    it.page(2, it.paper.older(2, it.part.after, elsewhere=True))
    it.holds()
    it.paper.add("eve", it.messages[2])
    it.push()
    it.holds()
    it.do("older", last=50)
    it.asks(it.older(50))
    it.page(3, it.paper.older(50, it.part.after))
    it.holds()
    yield it

    it = Story("what was taken back between two pages is waited for", messages=9).open()
    it.do("older", last=2)
    it.asks(it.older(2))
    flag = it.paper.add("eve", it.messages[5], "🔥")
    it.page(2, it.paper.older(2, it.part.after))
    it.do("older", last=2)
    it.asks(it.older(2))
    it.paper.remove("eve", it.messages[5], flag, "🔥")
    # The channel is as it was when it was heard of last, and the flag still stands here.
    it.page(3, it.paper.older(2, it.part.after, elsewhere=True))
    it.holds(verified=False)
    it.push()
    it.holds()
    yield it

    it = Story("a wish for older messages while the window cannot be filled")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.page(1, it.paper.older(1))
    it.asks(it.older(2))
    it.do("older", last=2)
    it.refuse(2, 409, "too_many_rows")
    it.part.seen = None
    it.asks(it.older(2))
    it.page(3, it.paper.older(2, it.part.after))
    it.holds()
    yield it

    it = Story("a page back that is short, because messages are large", messages=9).open()
    it.do("older", last=4)
    it.asks(it.older(4))
    it.page(2, it.paper.older(1, it.part.after))
    it.asks(it.older(3))
    it.do("older", last=9)
    it.page(3, it.paper.older(2, it.part.after))
    it.asks(it.older(7))
    it.page(4, it.paper.older(7, it.part.after))
    it.holds()
    yield it

    it = Story("a page back that was read before a push comes").open()
    it.do("older", last=1)
    it.asks(it.older(1))
    it.paper.add("eve", it.messages[5])
    it.paper.add("eve", it.messages[1])
    push = it.paper.push(it.part.cursor)
    it.page(2, it.paper.older(1, it.part.after))
    it.push(push)
    it.holds()
    yield it

    it = Story("a push that the first page overtook, and then a look at the rest")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.do("verify")
    before = it.paper.last
    it.paper.publish("eve", "new")
    push = it.paper.push(before)
    it.page(1, it.paper.older(3, elsewhere=True))
    it.asks(it.older(0))
    it.steps.append({"push": push})
    it.page(2, it.paper.older(0, it.part.after, elsewhere=True))
    it.holds()
    yield it

    it = Story("a refused page changes nothing").open()
    it.do("older", last=1)
    it.asks(it.older(1))
    it.refuse(2, 409, "too_many_rows")
    it.part.seen = None
    it.paper.add("eve", it.messages[0])
    it.push()
    it.holds()
    yield it

    it = Story("a comparison of the rest that is refused changes nothing").open()
    it.do("verify")
    it.asks(it.older(0))
    it.refuse(2, 409, "too_many_rows")
    it.part.seen = None
    it.holds()
    it.paper.add("eve", it.messages[0])
    it.push()
    it.holds()
    # Not again before somebody wants it.
    it.do("verify")
    it.asks(it.older(0))
    it.page(3, it.paper.older(0, it.part.after))
    it.holds()
    yield it

    it = Story("a first page that is refused is asked for when older messages are wanted")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.refuse(1, 409, "too_many_rows")
    it.part.seen = None
    it.holds(verified=False)
    it.do("older", last=2)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(2)
    it.page(3, it.paper.older(3))
    it.asks(it.older(2))
    it.page(4, it.paper.older(2, it.part.after))
    it.holds()
    yield it

    it = Story("the connection ends amid a page").open()
    it.do("older", last=2)
    it.asks(it.older(2))
    it.do("disconnect")
    it.part.seen = None
    it.holds(verified=False)
    it.paper.add("eve", it.messages[2])
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe())
    it.welcome(0, "delta")
    it.push()
    it.asks(it.older(2))
    it.page(1, it.paper.older(2, it.part.after))
    it.holds()
    yield it


def returns():
    it = Story("who comes back asks for a catch-up and nothing else").open()
    it.do("reload")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe())
    it.welcome(0, "delta")
    it.push()
    it.holds()
    yield it

    it = Story("summed up, and nothing of it is about the window").open()
    it.paper.add("eve", it.messages[0])
    push = it.paper.push(it.part.cursor, window={"after": "0"})
    push["m"] = []
    it.push(push)
    it.asks(it.older(0))
    # A removal may have been forgotten: nothing was compared.
    it.holds(verified=False)
    it.page(2, it.paper.older(0, it.part.after))
    it.holds()
    yield it

    for name, has_rest in (("with the rest", True), ("without it", False)):
        it = Story(f"what was missed, summed up, {name}").open()
        it.do("reload")
        after = str(it.part.after)
        it.paper.add("eve", it.messages[0])
        first = it.part.cursor
        it.paper.add("eve", it.messages[5])
        it.do("connect", epoch=EPOCH)
        it.asks(it.subscribe())
        it.welcome(0, "delta")
        push = it.paper.push(first, window={"after": after})
        # About the window alone.
        push["m"] = push["m"][1:]
        if has_rest:
            push["window"]["rest"] = it.paper.older(0, after)["rest"]
        it.push(push)
        if not has_rest:
            it.asks(it.older(0))
            it.page(1, it.paper.older(0, after))
        it.holds()
        yield it

    it = Story("what a page brought goes where a summary leaves out what became of it").open()
    it.do("reload")
    after = str(it.part.after)

    def summed_up():
        since = it.part.cursor
        push = it.paper.push(since, window={
            "after": after, "rest": it.paper.older(0, after)["rest"]})
        push["m"] = [told for told in push["m"]
                     if told["d"]["data"]["messageTimetoken"] > after]
        return push
    it.paper.add("eve", it.messages[5])
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe())
    it.welcome(0, "delta")
    it.push(summed_up())
    it.do("older", last=2)
    it.asks(it.older(2))
    it.page(1, it.paper.older(2, after))
    it.holds()
    it.paper.add("eve", it.messages[2])
    it.paper.add("eve", it.messages[4])
    it.push(summed_up())
    it.asks(it.older(2))
    it.holds()
    it.page(2, it.paper.older(2, after))
    it.holds()
    yield it

    it = Story("a store that was set back, before there is a page")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.refuse(1, 503, "overloaded")
    backup = copy.deepcopy(it.paper)
    for message in it.messages:
        it.paper.add("eve", message)
    it.push()
    it.do("disconnect")
    it.paper, it.shown, it.told = backup, it.fresh(), 0
    it.do("connect", epoch=ANOTHER_RUN)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.page(1, it.paper.older(3))
    it.holds()
    it.paper.add("eve", it.messages[5])
    it.push()
    it.holds()
    yield it

    it = Story("another store: what shows stays until the new window is there").open()
    it.do("older", last=1)
    it.asks(it.older(1))
    it.page(2, it.paper.older(1, it.part.after))
    it.do("disconnect")
    it.paper.delete("0", it.messages[3])
    it.do("connect", epoch=OTHER_STORE)
    it.asks(it.subscribe())
    it.welcome(0, "window")
    it.begin_anew()
    it.asks(it.older(4))
    it.holds(verified=False)
    it.page(1, it.paper.older(4))
    it.adopt()
    it.holds()
    yield it


def wrong():
    it = Story("what does not add up begins anew").open()
    it.paper.add("eve", it.messages[5])
    lie = {"n": 1, "d": "0" * 32}
    it.push(state=lie)
    it.begin_anew()
    it.asks(it.subscribe(), it.older(3))
    it.holds(verified=False)
    it.welcome(2)
    it.page(3, it.paper.older(3))
    it.adopt()
    it.holds()
    yield it

    it = Story("a comparison of the rest alone finds the wrong side").open()
    it.do("verify")
    it.asks(it.older(0))
    it.page(2, it.paper.older(0, it.part.after))
    it.holds()
    it.do("verify")
    it.asks(it.older(0))
    page = it.paper.older(0, it.part.after)
    it.reply(3, {**page, "rest": {"n": page["rest"]["n"] + 1, "d": page["rest"]["d"]}})
    it.part.seen = None
    it.begin_anew()
    it.asks(it.subscribe(), it.older(3))
    it.welcome(4)
    it.page(5, it.paper.older(3))
    it.adopt()
    it.holds()
    yield it

    it = Story("a first page that contradicts itself is asked for once more")
    it.do("connect", epoch=EPOCH)
    it.asks(it.subscribe(), it.older(3))
    it.welcome(0)
    it.reply(1, {**it.paper.older(3), "s": {"n": 1, "d": "0" * 32}})
    it.asks(it.subscribe(), it.older(3))
    it.welcome(2)
    it.page(3, it.paper.older(3))
    it.holds()
    yield it


def text():
    cases = [it.json() for part in (opening, pushes, pages, returns, wrong) for it in part()]
    # A step a line: what changed shows in a comparison.
    lines = []
    for case in cases:
        steps = ",\n".join(
            "    " + json.dumps(it, ensure_ascii=False, separators=(",", ":"))
            for it in case.pop("steps"))
        head = json.dumps(case, ensure_ascii=False)[1:-1]
        lines.append(f'  {{{head}, "steps": [\n{steps}\n  ]}}')
    return '{"cases": [\n' + ",\n".join(lines) + "\n]}\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        sys.exit(0 if FIXTURE.read_text(encoding="utf-8") == text() else
                 f"{FIXTURE.name} is not what window_cases.py writes.")
    FIXTURE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
