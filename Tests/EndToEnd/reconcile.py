"""Digests and coded symbols, computed a second time.

Written from docs/RECONCILIATION.md and shares nothing with the Swift code, so that a mistake has
to be made twice to go unseen, and so that the page is known to say enough.
"""

import base64
import bisect
import math
import struct

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1


def _rotate(word, count, width=64):
    return ((word << count) | (word >> (width - count))) & ((1 << width) - 1)


def siphash128(key, data):
    """SipHash-2-4 with 128 bits of output, as its two little-endian words."""
    k0, k1 = struct.unpack("<QQ", key)
    v0 = k0 ^ 0x736F6D6570736575
    v1 = k1 ^ 0x646F72616E646F6D ^ 0xEE
    v2 = k0 ^ 0x6C7967656E657261
    v3 = k1 ^ 0x7465646279746573

    def rounds(count):
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0 = (v0 + v1) & MASK64
            v1 = _rotate(v1, 13) ^ v0
            v0 = _rotate(v0, 32)
            v2 = (v2 + v3) & MASK64
            v3 = _rotate(v3, 16) ^ v2
            v0 = (v0 + v3) & MASK64
            v3 = _rotate(v3, 21) ^ v0
            v2 = (v2 + v1) & MASK64
            v1 = _rotate(v1, 17) ^ v2
            v2 = _rotate(v2, 32)

    whole = len(data) // 8 * 8
    last = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    for (word,) in [*struct.iter_unpack("<Q", data[:whole]), (last,)]:
        v3 ^= word
        rounds(2)
        v0 ^= word
    v2 ^= 0xEE
    rounds(4)
    first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xDD
    rounds(4)
    return first, v0 ^ v1 ^ v2 ^ v3


def row_hash(key, row):
    """The hash of a row.

    An action is (messageTimetoken, type, value, uuid, actionTimetoken), and a score but 1; a
    message is (timetoken, uuid, type).
    """
    if len(row) == 3:
        data, texts, row = struct.pack("<QI", row[0], MASK32), row[1:], row[:0]
    else:
        data, texts = struct.pack("<Q", row[0]), row[1:4]
    for text in texts:
        encoded = text.encode()
        data += struct.pack("<I", len(encoded)) + encoded
    return siphash128(key, data + b"".join(struct.pack("<Q", number) for number in row[4:]))


def timetoken_of(row):
    """What names a row."""
    return row[0] if len(row) == 3 else row[4]


def digest(key, rows):
    """The digest of rows as its text."""
    lanes = [0, 0]
    for row in rows:
        for lane, word in enumerate(row_hash(key, row)):
            lanes[lane] = (lanes[lane] + word) & MASK64
    return f"{lanes[0]:016x}{lanes[1]:016x}"


def mapping(seed):
    """The ascending indices of the symbols that an item is in."""
    s0, s1 = seed & MASK32, seed >> 32
    index = 0
    while True:
        yield index
        r = _rotate(s0 * 0x9E3779BB & MASK32, 5, 32) * 5 & MASK32
        s1 ^= s0
        s0 = _rotate(s0, 26, 32) ^ s1 ^ (s1 << 9 & MASK32)
        s1 = _rotate(s1, 13, 32)
        u = (r + 0.5) / 4294967296
        index = math.ceil(math.sqrt((index + 1) * (index + 2) / u + 0.25) - 1.5)


def row_items(key, rows):
    """What stands for each row in coded symbols."""
    return [(timetoken_of(row), row_hash(key, row)[0] & MASK32) for row in rows]


def begins_segment(timetoken, mean):
    """Whether a segment begins with the message of this timetoken."""
    def mix(word):
        word = (word ^ word >> 16) * 0x85EBCA6B & MASK32
        word = (word ^ word >> 13) * 0xC2B2AE35 & MASK32
        return word ^ word >> 16
    return mix(timetoken & MASK32 ^ mix(timetoken >> 32)) % mean == 0


def segment_items(key, rows, mean):
    """What stands for each segment that holds any row."""
    starts = [0] + sorted(
        row[0] - 1 for row in rows if len(row) == 3 and begins_segment(row[0], mean))
    lanes = {}
    for row in rows:
        start = starts[max(0, bisect.bisect_left(starts, row[0]) - 1)]
        lanes[start] = (lanes.get(start, 0) + row_hash(key, row)[0]) & MASK64
    return [(start, lane & MASK32) for start, lane in lanes.items()]


def unpack_stretches(text):
    """Stretches of timetokens, each with its first one and the first one after it."""
    reader, stretches, end = _Reader(text), [], 0
    while reader.rest:
        after = end + reader.varint()
        length = reader.varint()
        end = after + length if length else (1 << 63) - 1
        stretches.append((after + 1, end + 1))
    return stretches


def stretch_of(stretches, message):
    """Which stretch holds what stands on a message, if any does."""
    place = bisect.bisect_right(stretches, (max(message, 1), 1 << 64)) - 1
    return place if place >= 0 and max(message, 1) < stretches[place][1] else None


def unpack_states(text):
    """What the rows of stretches come to: timetokens, first lane, number."""
    reader, states = _Reader(text), []
    while reader.rest:
        timetokens, lane = struct.unpack("<QQ", reader.rest[:16])
        reader.rest = reader.rest[16:]
        states.append((timetokens, lane, reader.signed()))
    return states


def findings(key, rows, stretches, states):
    """What one row in a stretch is that one side lacks.

    Rows to fetch, by timetoken, each with its tag and its stretch; the timetokens of those to drop;
    the numbers, from 0, of the stretches in which more differs.
    """
    own = [[0, 0, 0] for _ in stretches]
    found = {}
    for row in rows:
        place = stretch_of(stretches, row[0])
        if place is not None:
            timetoken, lane = timetoken_of(row), row_hash(key, row)[0]
            found[place, timetoken] = lane
            own[place] = [(own[place][0] + timetoken) & MASK64, (own[place][1] + lane) & MASK64,
                          own[place][2] + 1]
    fetch, drop, only = {}, [], []
    for place, (theirs, mine) in enumerate(zip(states, own, strict=True)):
        timetokens, lane, count = theirs[0] - mine[0], theirs[1] - mine[1], theirs[2] - mine[2]
        if count == 1 and 0 < timetokens & MASK64 < 1 << 63 and timetokens & MASK64 not in fetch:
            fetch[timetokens & MASK64] = lane & MASK32, place
        elif count == -1 and found.get((place, -timetokens & MASK64)) == -lane & MASK64:
            drop.append(-timetokens & MASK64)
        elif list(theirs) != mine:
            only.append(place)
    return fetch, drop, only


def symbols(key, items, count):
    """The first `count` coded symbols of some items, each (timetokens, tags, checksums, n)."""
    cells = [[0, 0, 0, 0] for _ in range(count)]
    for timetoken, tag in items:
        seed, second = siphash128(key, struct.pack("<QI", timetoken, tag))
        for index in mapping(seed):
            if index >= count:
                break
            cell = cells[index]
            cell[0] ^= timetoken
            cell[1] ^= tag
            cell[2] ^= second & MASK32
            cell[3] += 1
    return cells


def _varint(value):
    encoded = b""
    while value >= 0x80:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def symbols_text(cells, first, size):
    """Symbols from index `first` of a set of `size` rows, as they travel."""
    encoded = b""
    for offset, (timetokens, tags, checksums, n) in enumerate(cells):
        rest = n - 2 * size // (first + offset + 2)
        encoded += struct.pack("<QII", timetokens, tags, checksums)
        encoded += _varint(rest << 1 if rest >= 0 else (-rest << 1) - 1)
    return base64.b64encode(encoded).decode()


class _Reader:
    def __init__(self, text):
        self.rest = base64.b64decode(text, validate=True)

    def varint(self):
        value = shift = 0
        while True:
            byte, self.rest = self.rest[0], self.rest[1:]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.varint()
        return -(value + 1) // 2 if value & 1 else value // 2

    def text(self):
        length = self.varint()
        text, self.rest = self.rest[:length], self.rest[length:]
        return text.decode()


def unpack_rows(text):
    """The rows of a repair's answer."""
    reader = _Reader(text)
    texts = [reader.text() for _ in range(reader.varint())]
    rows, added = [], 0
    while reader.rest:
        score, step = (), reader.varint()
        if step == 0:
            score, step = (reader.varint(),), reader.varint()
        added += step
        message = added - reader.signed()
        rows.append((message, *(texts[reader.varint()] for _ in range(3)), added, *score))
    return rows


def pack_wants(fetch):
    """The rows to fetch."""
    encoded, last = b"", 0
    for timetoken, (tag, _) in sorted(fetch.items()):
        encoded += _varint(timetoken - last) + struct.pack("<I", tag)
        last = timetoken
    return base64.b64encode(encoded).decode()


def pack_timetokens(timetokens):
    """As ``unpack_timetokens`` reads them."""
    encoded, last = b"", 0
    for timetoken in sorted(timetokens):
        encoded, last = encoded + _varint(timetoken - last), timetoken
    return base64.b64encode(encoded).decode()


def unpack_timetokens(text):
    """What a repair's answer says to drop."""
    reader, timetokens = _Reader(text), []
    while reader.rest:
        timetokens.append((timetokens[-1] if timetokens else 0) + reader.varint())
    return timetokens
