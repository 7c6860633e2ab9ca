"""A device that holds a part of a channel, and proves that it is right.

Written from docs/PROTOCOL.md, section "A part of a channel", over the rows of `rows.py`.
"""

import reconcile
from rows import Rows, Violation, action_row, row_hash, timetoken

END = (1 << 63) - 1


class Part(Rows):
    """The rows after `after`, and what those before it come to.

    `rest` is [count, lane, lane] as of `rest_cursor`, or None while it is not known.
    """

    def __init__(self, channel, keyset="default"):
        super().__init__(channel, keyset)
        self.after = END
        self.rest = None
        self.rest_cursor = 0
        #: What the whole came to when the last page was read.
        self.page_state = None
        #: Where the last page was read that found the whole otherwise than the newest one did.
        self.otherwise_at = 0
        #: What happened to rows before the window while a page is on its way; None: none is.
        self.seen = None

    def clear(self):
        """Begins anew: what it held cannot be brought up to date."""
        super().clear()
        self.scores.clear()
        self.after, self.rest, self.rest_cursor, self.seen = END, None, 0, None
        self.page_state, self.otherwise_at = None, 0

    # What it comes to

    def sum(self, rows):
        hashes = [row_hash(self.key, row) for row in rows]
        return [len(hashes), *(sum(it[lane] for it in hashes) for lane in (0, 1))]

    def whole(self):
        """What the rest and the window come to, as `s` has it."""
        own = self.sum(self.all_rows())
        count, *lanes = (left + right for left, right in zip(self.rest, own))
        return {"n": count, "d": "".join(f"{it & reconcile.MASK64:016x}" for it in lanes)}

    def verify(self, state):
        if state is None or self.rest is None:
            return
        if self.otherwise_at <= self.cursor < self.rest_cursor and state == self.page_state:
            self.cursor = self.rest_cursor  # What happened in between was taken back.
        if self.cursor < self.rest_cursor:
            return
        self.is_wrong = self.whole() != state
        self.verified += not self.is_wrong

    def base(self):
        if self.rest is None or self.cursor < self.rest_cursor:
            return {"cursor": str(self.cursor), "epoch": self.epoch,
                    "window": {"after": str(self.after)}}
        whole = self.whole()
        return {"cursor": str(self.cursor), "epoch": self.epoch, "count": whole["n"],
                "digest": whole["d"], "window": {"after": str(self.after)}}

    # What happens

    def is_before(self, message):
        return message <= self.after and self.after > 0

    def apply(self, push):
        if timetoken(push["t"]["t"]) < self.cursor:
            return  # A page told of it already.
        push = {**push, "m": [it for it in push["m"] if timetoken(it["p"]["t"]) > self.cursor]}
        self._window = push.get("window")
        if self._window is not None:
            # What was missed, summed up: the rest is as the last of these pushes says.
            self.rest = None
            start = timetoken(self._window["after"])
            if start > self.after and timetoken(push["t"]["t"]) > self.rest_cursor:
                # It leaves out what became of what a page brought.
                self._drop(start)
        super().apply(push)
        if self._window is not None and "rest" in self._window and (
                timetoken(self._window["after"]) == self.after):
            self._take_rest(self._window["rest"], self.cursor)
            self.verify(push.get("s"))

    def _take_rest(self, rest, cursor):
        self.rest = [rest["n"], int(rest["d"][:16], 16), int(rest["d"][16:], 16)]
        self.rest_cursor = cursor

    def _apply_envelope(self, envelope, position):
        before = self.sum(self.all_rows()) if "gone" in self._data(envelope) else None
        subject = self._subject(envelope)
        if subject is None or not self.is_before(subject):
            super()._apply_envelope(envelope, position)
        gone = None
        if before is not None:
            after = self.sum(self.all_rows())
            told = self._data(envelope)["gone"]
            told = [told["n"], int(told["d"][:16], 16), int(told["d"][16:], 16)]
            # What went of the window did not go of the rest.
            gone = [all_of - (was - now) for all_of, was, now in zip(told, before, after)]
        if self.seen is not None:
            self.seen.append((position, envelope, gone))
        if position > self.rest_cursor:
            self._follow(envelope, position, gone)

    @staticmethod
    def _data(envelope):
        return envelope["d"].get("data", {}) if envelope.get("e") in (3, 5) else {}

    def _subject(self, envelope):
        """The message that an event is about; None: about any number of them."""
        if envelope.get("e") is None:
            return timetoken(envelope["p"]["t"])
        data = self._data(envelope)
        return (timetoken(data["messageTimetoken"])
                if envelope["e"] == 3 and envelope["d"]["event"] != "cleared" else None)

    def _follow(self, envelope, position, gone):
        """Takes what happened to the rest into account."""
        if self.rest is None:
            return
        subject = self._subject(envelope)
        if subject is None:
            change, sign = gone, -1
            if gone is None:
                raise Violation(f"What went is not said: {envelope}")
        elif not self.is_before(subject):
            return
        else:
            change, sign = self.sum([self._row(envelope, position)]), 1
            if envelope.get("e") == 3 and envelope["d"]["event"] == "removed":
                sign = -1
        self.rest = [it + sign * by for it, by in zip(self.rest, change)]

    def _row(self, envelope, position):
        if envelope.get("e") is None:
            return position, envelope.get("i", ""), envelope.get("cmt") or ""
        return action_row({**self._data(envelope), "uuid": envelope.get("i", "")})

    # Pages

    def ask(self, last):
        """What to ask for; from now on what happens before the window is remembered."""
        self.seen = []
        through = {} if self.after == END else {"through": str(self.after)}
        return {"channel": self.channel, "last": last, **through}

    def grow(self, page):
        """Puts a page before the window, with what happened since it was read."""
        if self.seen is None:
            return  # Asked before it began anew.
        seen, self.seen = self.seen, None
        part = Part(self.channel, self.keyset)
        part.key, part.after = self.key, timetoken(page["after"])
        part.cursor = timetoken(page["cursor"])
        part._take_rest(page["rest"], part.cursor)
        for message in page["messages"]:
            part.messages[timetoken(message["timetoken"])] = (
                message["uuid"], message["payload"], message.get("meta"),
                message.get("messageType"))
        for row in reconcile.unpack_rows(page["rows"]):
            part._put(row[:4], *row[4:])
        if self.after == END and part.whole() != page["s"]:
            raise Violation(f"A page that does not come to its own state: {page}")
        for position, envelope, gone in seen:
            subject = part._subject(envelope)
            if position <= part.cursor or subject is not None and not self.is_before(subject):
                continue
            before = part.sum(part.all_rows())
            if subject is None or not part.is_before(subject):
                Rows._apply_envelope(part, envelope, position)
            if gone is not None:
                now = part.sum(part.all_rows())
                gone = [it - (was - left) for it, was, left in zip(gone, before, now)]
            part._follow(envelope, position, gone)
        self.messages |= part.messages
        for key, added in part.actions.items():
            self._put(key, added, *part.scores.get(key, ()))
        if self.after == END:
            self.cursor = max(self.cursor, part.cursor)
        if self.page_state != page["s"]:
            self.otherwise_at = self.rest_cursor
        self.after, self.rest, self.rest_cursor = part.after, part.rest, part.cursor
        self.page_state = page["s"]

    def shrink(self, after):
        """Gives up the oldest messages; nobody has to be told."""
        if self.cursor < self.rest_cursor:
            return  # Rows and rest are of different moments.
        lost = [row for row in self.all_rows() if row[0] <= after]
        if self.rest is not None:
            self.rest = [it + by for it, by in zip(self.rest, self.sum(lost))]
        self._drop(after)

    def _drop(self, after):
        self.messages = {it: row for it, row in self.messages.items() if it > after}
        self.actions = {it: added for it, added in self.actions.items() if it[0] > after}
        self.scores = {it: score for it, score in self.scores.items() if it[0] > after}
        self.after = after
