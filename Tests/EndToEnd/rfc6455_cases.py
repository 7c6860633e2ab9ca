"""The tables of RFC 6455: what is sent, and the answer that must come.

A case has Autobahn's number (github.com/crossbario/autobahn-testsuite) where it has that case, and
steps: bytes, and what must come back before the next. The daemon is no echo: a text is a ping
command, whose answer proves that it came whole. Where Autobahn's message is larger than the
daemon's limit, the answer is 1009.
"""

import json
import struct

from raw import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, frame

MESSAGE_BYTES_MAX = 32 * 1024
THUMB = "👍".encode()


class Case:
    """What is sent, and what must come: frames as (opcode, payload), replies by id, close codes."""

    def __init__(self, number, title, *steps):
        self.name = f"{number or 'own'}: {title}"
        self.steps = steps


def command(number, size=0, note=b""):
    """A ping command of at least so many bytes; `note` stands in it as it is."""
    text = json.dumps({"id": number, "op": "ping", "note": "?"}).encode()
    return text.replace(b"?", note + b"x" * max(0, size - len(text) - len(note) + 1))


def pieces(payload, size):
    """A message in frames of so many bytes."""
    cuts = range(0, len(payload), size)
    return b"".join(
        frame(CONTINUATION if n else TEXT, payload[n:n + size], fin=n + size >= len(payload))
        for n in cuts)


def close(code, reason=b""):
    return frame(CLOSE, struct.pack("!H", code) + reason)


def sizes():
    """Autobahn 1.*: whole messages."""
    for number, size in (("1.1.2", 125), ("1.1.3", 126), ("1.1.4", 127), ("1.1.5", 128)):
        yield Case(number, f"a text of {size} bytes", (frame(TEXT, command(1, size)), [1]))
    yield Case("1.1.1", "an empty text is no command", (frame(TEXT), [None]))
    for number, size in (("1.1.6", 65535), ("1.1.7", 65536)):
        yield Case(number, f"a text of {size} bytes", (frame(TEXT, b"x" * size), 1009))
    yield Case(None, "a text of the limit", (frame(TEXT, command(1, MESSAGE_BYTES_MAX)), [1]))
    yield Case(None, "one byte over it, which does not come",
               (frame(TEXT, length=MESSAGE_BYTES_MAX + 1), 1009))
    for number, size in (("1.2.1", 0), ("1.2.2", 125), ("1.2.3", 126), ("1.2.6", 65535)):
        yield Case(number, f"{size} bytes that are no text", (frame(BINARY, b"\xfe" * size), 1003))
    for number, size in (("1.1.8", 997), ("9.3.1", 64), ("9.3.2", 256), ("9.3.3", 1024)):
        text = command(1, size * 100 if size < 300 else 32_000)
        yield Case(number, f"in pieces of {size} bytes", (pieces(text, size), [1]))


def lengths():
    """Claims about lengths that nothing may wait for."""
    for name, length, code in (
            ("2^62", 2**62, 1009), ("2^63", 2**63, 1009), ("2^64-1", 2**64 - 1, 1009)):
        yield Case(None, f"a length of {name}", (frame(TEXT, b"x" * 100, length=length), code))
    small = command(1)
    for name, head in (
            ("16 bits for a small length", bytes([0x81, 0xFE]) + struct.pack("!H", len(small))),
            ("64 bits for a small length", bytes([0x81, 0xFF]) + struct.pack("!Q", len(small))),
            ("64 bits for 65,535", bytes([0x81, 0xFF]) + struct.pack("!Q", 65535))):
        yield Case(None, name, (head + bytes(4) + small, 1002))
    yield Case(None, "a frame that is not masked", (frame(TEXT, small, masked=False), 1002))
    for opcode in (PING, PONG, CLOSE, CONTINUATION, BINARY):
        yield Case(None, f"opcode {opcode} that is not masked",
                   (frame(opcode, masked=False), 1003 if opcode == BINARY else 1002))
    yield Case(None, "not masked inside a message",
               (frame(TEXT, small[:3], fin=False) + frame(CONTINUATION, small[3:], masked=False),
                1002))


def pings():
    """Autobahn 2.*."""
    for number, payload in (("2.1", b""), ("2.2", b"Hello, world!"),
                            ("2.3", b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff"), ("2.4", b"\xfe" * 125)):
        yield Case(number, f"a ping of {len(payload)} bytes",
                   (frame(PING, payload), [(PONG, payload)]))
    yield Case("2.5", "a ping of 126 bytes", (frame(PING, b"\xfe" * 126), 1002))
    for number, payload in (("2.7", b""), ("2.8", b"unsolicited")):
        yield Case(number, "a pong that nobody asked for",
                   (frame(PONG, payload) + frame(PING, b"x"), [(PONG, b"x")]))
    yield Case("2.9", "such a pong, then a ping",
               (frame(PONG, b"unsolicited") + frame(PING, b"mine"), [(PONG, b"mine")]))
    yield Case("2.10", "ten pings",
               (b"".join(frame(PING, b"%d" % n) for n in range(10)),
                [(PONG, b"%d" % n) for n in range(10)]))
    yield Case(None, "a pong of 126 bytes", (frame(PONG, b"x" * 126), 1002))
    yield Case(None, "a ping that claims 2^16 bytes", (frame(PING, length=65536), 1002))


def reserved():
    """Autobahn 3.* and 4.*: bits and opcodes without a meaning."""
    text = frame(TEXT, command(1))
    yield Case("3.1", "RSV3", (frame(TEXT, command(1), reserved=1), 1002))
    for number, bits in (("3.2", 2), ("3.3", 3), ("3.4", 4)):
        yield Case(number, f"reserved bits {bits} after a text", (text, [1]),
                   (frame(TEXT, command(2), reserved=bits) + frame(PING), 1002))
    yield Case("3.5", "reserved bits 5 of a binary frame",
               (frame(BINARY, b"x" * 8, reserved=5), 1002))
    yield Case("3.6", "reserved bits 6 of a ping", (frame(PING, b"x", reserved=6), 1002))
    yield Case("3.7", "reserved bits 7 of a close", (frame(CLOSE, reserved=7), 1002))
    for group, first in (("4.1", 3), ("4.2", 11)):
        for n in range(5):
            before = [(text, [1])] if n > 1 else []
            payload = b"x" * (n % 2)
            yield Case(f"{group}.{n + 1}", f"opcode {first + n}", *before,
                       (frame(first + n, payload) + frame(PING), 1002))


def fragments():
    """Autobahn 5.*."""
    one, two = command(1)[:9], command(1)[9:]
    head, tail = frame(TEXT, one, fin=False), frame(CONTINUATION, two)
    yield Case("5.1", "a ping in pieces",
               (frame(PING, b"a", fin=False) + frame(CONTINUATION, b"b"), 1002))
    yield Case("5.2", "a pong in pieces",
               (frame(PONG, b"a", fin=False) + frame(CONTINUATION, b"b"), 1002))
    yield Case("5.3", "a text in two pieces", (head + tail, [1]))
    yield Case("5.4", "the same, one after the other", (head, []), (tail, [1]))
    yield Case("5.6", "with a ping between", (head + frame(PING, b"p") + tail, [(PONG, b"p"), 1]))
    yield Case("5.7", "with a ping between, each by itself",
               (head, []), (frame(PING, b"p"), [(PONG, b"p")]), (tail, [1]))
    yield Case(None, "with a pong between", (head + frame(PONG, b"p") + tail, [1]))
    yield Case(None, "with a close between", (head + close(1000), 1000))
    for number, fin in (("5.9", True), ("5.12", False)):
        yield Case(number, "a continuation of nothing, then a text",
                   (frame(CONTINUATION, b"x", fin=fin) + frame(TEXT, command(1)), 1002))
        yield Case("5.10" if fin else "5.13", "a continuation of nothing, by itself",
                   (frame(CONTINUATION, b"x", fin=fin), 1002))
    yield Case("5.15", "a continuation after a whole message", (head + tail, [1]),
               (frame(CONTINUATION, b"x", fin=False) + frame(TEXT, command(2)), 1002))
    yield Case("5.16", "a continuation first, again and again",
               (frame(CONTINUATION, b"x", fin=False) + head + tail, 1002))
    yield Case("5.17", "a last continuation first", (frame(CONTINUATION, b"x") + head + tail, 1002))
    yield Case("5.18", "a text inside a text", (head + frame(TEXT, two), 1002))
    yield Case(None, "binary inside a text", (head + frame(BINARY, two), 1002))
    text = command(1, 50)
    cut = [text[:10], text[10:20], text[20:30], text[30:40], text[40:]]
    middle = [frame(CONTINUATION, it, fin=False) for it in cut[1:4]]
    yield Case("5.19", "five pieces with pings between",
               (frame(TEXT, cut[0], fin=False) + middle[0] + frame(PING, b"1"), [(PONG, b"1")]),
               (middle[1] + middle[2] + frame(PING, b"2"), [(PONG, b"2")]),
               (frame(CONTINUATION, cut[4]), [1]))
    yield Case(None, "128 pieces", (frame(TEXT, command(1), fin=False) + frame(
        CONTINUATION, fin=False) * 126 + frame(CONTINUATION), [1]))
    yield Case(None, "129 pieces", (frame(TEXT, command(1), fin=False) + frame(
        CONTINUATION, fin=False) * 128, 1008))


#: Autobahn 6.5 to 6.23: a note in a command.
UTF_8 = {
    "6.5": ["κόσμε"], "6.6": ["κ", "κό", "κόσ"],
    "6.7": ["\u0000".encode(), "\u0080", "\u0800", "\U00010000"],
    "6.9": ["\u007f".encode(), "\u07ff", "\uffff", "\U0010ffff"],
    "6.11": ["\ud7ff", "\ue000", "\ufffd", "\U0010ffff"], "6.22": ["\ufffe", "\uffff", "\U0001fffe"],
    "6.23": ["\ufffd", "\U0001f44d"],
}
NOT_UTF_8 = {
    "6.3": [b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited"],
    "6.4": [b"\xce\xba\xf4\x90\x80\x80", b"\xf5", b"\xff"],
    "6.8": [b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80"],
    "6.10": [b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf"],
    "6.12": [b"\x80", b"\xbf", b"\x80\xbf", b"\x80\xbf\x80\xbf\x80\xbf"],
    "6.13": [b"\xc0 \xc1 \xc2 ", b"\xe0 \xe1 ", b"\xf0 ", b"\xf8 ", b"\xfc "],
    "6.14": [b"\xc0", b"\xe0\x80", b"\xf0\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x91"],
    "6.15": [b"\xc0\xe0\x80\xf0\x80\x80\xf8\x80\x80\x80"],
    "6.16": [b"\xfe", b"\xff", b"\xfe\xfe\xff\xff"],
    "6.17": [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf"],
    "6.18": [b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf"],
    "6.19": [b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80"],
    "6.20": [b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xbf\xbf"],
    "6.21": [b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xaf\xbf\xed\xbf\xbf"],
}


def texts():
    """Autobahn 6.*."""
    empty = frame(TEXT, fin=False)
    yield Case("6.1.2", "three empty pieces",
               (empty + frame(CONTINUATION, fin=False) + frame(CONTINUATION), [None]))
    yield Case("6.1.3", "empty pieces around a text",
               (empty + frame(CONTINUATION, command(1), fin=False) + frame(CONTINUATION), [1]))
    text = command(1, note="Hello-µ@ßöäüàá-UTF-8!!".encode())
    yield Case("6.2.1", "umlauts", (frame(TEXT, text), [1]))
    yield Case("6.2.2", "cut inside a character", (pieces(text, text.index(b"\xc2") + 1), [1]))
    yield Case("6.2.3", "each byte a piece", (pieces(text, 1), [1]))
    yield Case("6.2.4", "Greek, each byte a piece", (pieces(command(1, note="κόσμε".encode()), 1), [1]))
    for number, notes in UTF_8.items():
        for note in notes:
            note = note if isinstance(note, bytes) else note.encode()
            # A zero is UTF-8, but nothing that JSON may hold as it is.
            yield Case(number, f"{note!r}", (
                frame(TEXT, command(1, note=note)), [1 if min(note) > 0x1F else None]))
    for number, notes in NOT_UTF_8.items():
        for note in notes:
            yield Case(number, f"{note!r}", (frame(TEXT, note), 1007))
            yield Case(number, f"{note!r} in pieces", (pieces(note + b"x", 1), 1007))
    # Refused when it is certain, although the message goes on.
    first, bad, last = "κόσμε".encode(), b"\xf4\x90\x80\x80", b"edited"
    yield Case("6.4.1", "fails with the piece", (
        frame(TEXT, first, fin=False) + frame(CONTINUATION, bad, fin=False), 1007))
    yield Case("6.4.2", "fails with the byte that is too much", (
        frame(TEXT, first + bad[:1], fin=False), []),
        (frame(CONTINUATION, bad[1:2], fin=False), 1007))
    whole = frame(TEXT, first + bad + last)
    yield Case("6.4.3", "fails inside a frame", (whole[:6 + len(first)], []),
               (whole[6 + len(first):][:4], 1007))
    yield Case("6.4.4", "fails with the byte inside a frame", (whole[:6 + len(first) + 1], []),
               (whole[6 + len(first) + 1:][:1], 1007))


def closes():
    """Autobahn 7.*."""
    yield Case("7.1.1", "a text, then a close", (frame(TEXT, command(1)), [1]), (close(1000), 1000))
    yield Case("7.1.2", "two closes", (close(1000) + close(1000), 1000))
    yield Case("7.1.3", "a ping after a close", (close(1000) + frame(PING), 1000))
    yield Case("7.1.4", "a text after a close", (close(1000) + frame(TEXT, command(1)), 1000))
    yield Case("7.1.5", "a continuation after a close", (
        frame(TEXT, b"{", fin=False) + close(1000) + frame(CONTINUATION, b"}"), 1000))
    yield Case("7.1.6", "256 KiB, then a close",
               (frame(TEXT, b"x" * 256 * 1024) + close(1000) + frame(PING), 1009))
    yield Case("7.3.1", "without a code", (frame(CLOSE), 1005))
    yield Case("7.3.2", "half a code", (frame(CLOSE, b"a"), 1002))
    yield Case("7.3.3", "a code", (close(1000), 1000))
    yield Case("7.3.4", "a code and a reason", (close(1000, b"Hello World!"), 1000))
    yield Case("7.3.5", "the longest reason", (close(1000, b"*" * 123), 1000))
    yield Case("7.3.6", "a longer one", (close(1000, b"*" * 124), 1002))
    yield Case("7.5.1", "a reason that is not UTF-8", (
        close(1000, b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited"), 1007))
    yield Case(None, "a reason that ends inside a character", (close(1000, THUMB[:3]), 1007))
    yield Case(None, "a reason with any characters", (close(1000, THUMB * 30), 1000))
    right = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
    for n, code in enumerate(right):
        yield Case(f"7.7.{n + 1}", f"{code}", (close(code), code))
    for code in (1012, 1013, 1014):
        yield Case(None, f"{code}, given since", (close(code), code))
    for n, code in enumerate((0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999)):
        yield Case(f"7.9.{n + 1}", f"{code}", (close(code), 1002))
    for code in (1, 1015):
        yield Case(None, f"{code}", (close(code), 1002))
    for n, code in enumerate((5000, 65535)):
        # Autobahn leaves these to the server; RFC 6455 7.4.2 gives them no meaning.
        yield Case(f"7.13.{n + 1}", f"{code}", (close(code), 1002))


def everything():
    for table in (sizes, lengths, pings, reserved, fragments, texts, closes):
        yield from table()
