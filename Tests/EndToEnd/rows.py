"""What a device shows of one channel, rebuilt from the pushes alone.

Written from docs/PROTOCOL.md and shares nothing with the Swift client, so that a mistake has to be
made twice to go unseen.
"""

import json


class Violation(AssertionError):
    """The daemon broke a promise of docs/PROTOCOL.md."""


def timetoken(text):
    """A timetoken as an integer; everywhere on the wire it must be a string of digits."""
    if not isinstance(text, str) or not text.isascii() or not text.isdigit():
        raise Violation(f"A timetoken must be a string of digits, not {text!r}.")
    return int(text)


def action_row(action):
    """The five parts of a standing action, sortable."""
    return (
        timetoken(action["messageTimetoken"]), action["type"], action["value"], action["uuid"],
        timetoken(action["actionTimetoken"]))


class Rows:
    """The messages and actions of one channel, and the checks on the order of its pushes."""

    def __init__(self, channel, keyset="default"):
        self.channel = channel
        self.keyset = keyset
        self.cursor = 0
        self.epoch = None
        self.messages = {}
        self.actions = {}

    def clear(self):
        self.messages.clear()
        self.actions.clear()

    def apply(self, push):
        """Applies one push; raises when it repeats, reorders or skips back."""
        last = stored = self.cursor
        for envelope in push["m"]:
            position = timetoken(envelope["p"]["t"])
            if position <= last:
                raise Violation(f"{self.channel}: {position} came after {last}: {envelope}")
            last = position
            if envelope["f"] == 1:
                continue  # Not stored, such as a signal: nobody keeps it, and no cursor moves.
            stored = position
            self._apply_envelope(envelope, position)
        end = timetoken(push["t"]["t"])
        if end < stored:
            raise Violation(f"{self.channel}: a push ends at {end}, before its event {stored}.")
        self.cursor = end

    def _apply_envelope(self, envelope, position):
        if envelope["c"] != self.channel or envelope["k"] != self.keyset:
            raise Violation(f"An envelope of {self.channel} says otherwise: {envelope}")
        if envelope.get("e") is None:
            self.messages[position] = (
                envelope["i"], envelope["d"], envelope.get("u"), envelope.get("cmt"))
            return
        body = envelope["d"]
        kind = (envelope["e"], body["source"], body["version"])
        if kind == (5, "messages", "1.0") and body["event"] == "deleted":
            return self._delete(timetoken(body["data"]["after"]),
                                timetoken(body["data"]["through"]))
        if kind != (3, "actions", "1.0"):
            raise Violation(f"An envelope of an unknown kind: {envelope}")
        action = body["data"]
        key = (timetoken(action["messageTimetoken"]), action["type"], action["value"],
               envelope["i"])
        added_at = timetoken(action["actionTimetoken"])
        if body["event"] == "added":
            if added_at != position:
                raise Violation(f"An added action must stand since its own position: {envelope}")
            self.actions[key] = added_at
        elif body["event"] == "removed":
            if added_at >= position:
                raise Violation(f"An action was removed before it was added: {envelope}")
            self.actions.pop(key, None)
        else:
            raise Violation(f"An action event of an unknown kind: {envelope}")

    def _delete(self, after, through):
        """Messages of a range are gone, and with them their actions."""
        self.messages = {
            it: row for it, row in self.messages.items() if not after < it <= through}
        self.actions = {
            key: added for key, added in self.actions.items() if not after < key[0] <= through}

    def action_rows(self):
        """Standing actions as sorted tuples, comparable with what the server returns."""
        return sorted((*key, added_at) for key, added_at in self.actions.items())

    def canonical(self):
        """Every row as bytes in one fixed order: equal caches, and only they, are equal here."""
        messages = [[position, *row] for position, row in sorted(self.messages.items())]
        return json.dumps(
            [messages, self.action_rows()], ensure_ascii=False, sort_keys=True,
            separators=(",", ":")).encode()
