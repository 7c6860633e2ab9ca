"""What a device shows of one channel, rebuilt from the pushes alone.

Written from docs/PROTOCOL.md and shares nothing with the Swift client, so that a mistake has to be
made twice to go unseen.
"""

import functools
import json

import reconcile


class Violation(AssertionError):
    """The daemon broke a promise of docs/PROTOCOL.md."""


def timetoken(text):
    """A timetoken as an integer; everywhere on the wire it must be a string of digits."""
    if not isinstance(text, str) or not text.isascii() or not text.isdigit():
        raise Violation(f"A timetoken must be a string of digits, not {text!r}.")
    return int(text)


def action_row(action):
    """The parts of a standing action, sortable: five, and a score that is not 1."""
    return (
        timetoken(action["messageTimetoken"]), action["type"], action["value"], action["uuid"],
        timetoken(action["actionTimetoken"]), *score_of(action))


def score_of(action):
    """The score of an action, unless it is 1: then nobody writes it."""
    if "score" not in action:
        return ()
    score = action["score"]
    if not isinstance(score, int) or not 2 <= score <= 1_000_000_000:
        raise Violation(f"A score is from 2 on, or left out: {action}")
    return (score,)


#: Hashing in Python is slow, and devices of a test hold the same rows.
row_hash = functools.lru_cache(maxsize=1 << 17)(reconcile.row_hash)


class Rows:
    """The messages and actions of one channel, and the checks on the order of its pushes.

    A device that began with everything must come to what the daemon says in `s`; one that began
    somewhere lacks what was before.
    """

    def __init__(self, channel, keyset="default"):
        self.channel = channel
        self.keyset = keyset
        self.cursor = 0
        self.epoch = None
        self.messages = {}
        self.actions = {}
        #: Of the actions that do not count for 1.
        self.scores = {}
        self.key = None
        #: Messages of a segment on average, where the daemon repairs by segments.
        self.segments = None
        #: Whether the rows are all that stood at the cursor.
        self.is_whole = False
        #: How often what is here came to what the daemon said, and whether it does not.
        self.verified = 0
        self.is_wrong = False

    def clear(self):
        self.messages.clear()
        self.actions.clear()

    # What it comes to

    def state(self):
        """Count and digest of the messages and actions, as `s` has them."""
        rows = self.all_rows()
        first = second = 0
        for row in rows:
            hashed = row_hash(self.key, row)
            first += hashed[0]
            second += hashed[1]
        lanes = first & reconcile.MASK64, second & reconcile.MASK64
        return {"n": len(rows), "d": f"{lanes[0]:016x}{lanes[1]:016x}"}

    def base(self):
        """What `subscribe` says of this cache."""
        known = {"cursor": str(self.cursor), "epoch": self.epoch}
        if self.is_whole and self.key is not None:
            state = self.state()
            known |= {"count": state["n"], "digest": state["d"]}
        return known

    def verify(self, state):
        """Compares with the daemon's state; without one there is nothing to say."""
        if state is None or not self.is_whole:
            return
        self.is_wrong = self.state() != state
        self.verified += not self.is_wrong

    def repair(self, answer, dropped=()):
        """Applies the answer to a repair: first what is to go, then what is to stand."""
        gone = {*reconcile.unpack_timetokens(answer["drop"]), *dropped}
        self.messages = {it: row for it, row in self.messages.items() if it not in gone}
        for message in answer.get("messages", []):
            self.messages[timetoken(message["timetoken"])] = (
                message["uuid"], message["payload"], message.get("meta"),
                message.get("messageType"))
        self.actions = {key: added for key, added in self.actions.items() if added not in gone}
        for row in reconcile.unpack_rows(answer["rows"]):
            self._put(row[:4], *row[4:])
        self.cursor = timetoken(answer["cursor"])
        self.is_whole = True
        if "s" in answer:
            self.verify(answer["s"])

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
        self.verify(push.get("s"))

    def _apply_envelope(self, envelope, position):
        if envelope["c"] != self.channel or envelope["k"] != self.keyset:
            raise Violation(f"An envelope of {self.channel} says otherwise: {envelope}")
        if envelope.get("e") is None:
            self.messages[position] = (
                envelope.get("i", ""), envelope["d"], envelope.get("u"), envelope.get("cmt"))
            return
        body = envelope["d"]
        kind = (envelope["e"], body["source"], body["version"])
        if kind == (5, "messages", "1.0") and body["event"] == "deleted":
            return self._delete(timetoken(body["data"]["after"]),
                                timetoken(body["data"]["through"]), position)
        if kind != (3, "actions", "1.0"):
            raise Violation(f"An envelope of an unknown kind: {envelope}")
        if body["event"] == "cleared":
            return self._clear(body["data"], position)
        action = body["data"]
        key = (timetoken(action["messageTimetoken"]), action["type"], action["value"],
               envelope.get("i", ""))
        added_at = timetoken(action["actionTimetoken"])
        if body["event"] == "added":
            if added_at != position:
                raise Violation(f"An added action must stand since its own position: {envelope}")
            self._put(key, added_at, *score_of(action))
        elif body["event"] == "removed":
            if added_at >= position:
                raise Violation(f"An action was removed before it was added: {envelope}")
            self.actions.pop(key, None)
        else:
            raise Violation(f"An action event of an unknown kind: {envelope}")

    def _put(self, key, added, *score):
        self.actions[key] = added
        self.scores.pop(key, None)
        if score:
            self.scores[key] = score

    def _clear(self, covered, position):
        """Drops what a moderator removed: what is not named may be anything, but for what authors
        make of their own messages."""
        message = covered.get("messageTimetoken")
        if not covered.keys() & {"messageTimetoken", "value", "uuid"}:
            raise Violation(f"A clearing of a whole channel: {covered}")

        def is_covered(key):
            return ((message is None or key[0] == timetoken(message))
                    and (key[1] not in ("edited", "deleted") if "type" not in covered
                         else key[1] == covered["type"])
                    and covered.get("value", key[2]) == key[2]
                    and covered.get("uuid", key[3]) == key[3])
        gone = [key for key, added in self.actions.items()
                if added <= position and is_covered(key)]
        for key in gone:
            del self.actions[key]
            self.scores.pop(key, None)

    def _delete(self, after, through, position):
        """Messages of a range are gone, and with them the actions that they had then."""
        self.messages = {
            it: row for it, row in self.messages.items() if not after < it <= through}
        self.actions = {
            key: added for key, added in self.actions.items()
            if not after < key[0] <= through or added > position}

    def _action_rows(self):
        if not self.scores:
            return [(*key, added) for key, added in self.actions.items()]
        return [(*key, added, *self.scores.get(key, ())) for key, added in self.actions.items()]

    def action_rows(self):
        """Standing actions as sorted tuples, comparable with what the server returns."""
        return sorted(self._action_rows())

    def all_rows(self):
        """What a digest is of, in no order: actions, and of each message place, author and type."""
        return self._action_rows() + [
            (it, row[0], row[3] or "") for it, row in self.messages.items()]

    def canonical(self):
        """Every row as bytes in one fixed order: equal caches, and only they, are equal here."""
        messages = [[position, *row] for position, row in sorted(self.messages.items())]
        return json.dumps(
            [messages, self.action_rows()], ensure_ascii=False, sort_keys=True,
            separators=(",", ":")).encode()
