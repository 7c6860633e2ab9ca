"""HTTP and RFC 6455 by hand, over a plain socket: able to be wrong in every way that a peer can."""

import base64
import hashlib
import itertools
import json
import os
import socket
import struct

from waiting import PATIENCE, Patience

TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG = 0x1, 0x2, 0x0, 0x8, 0x9, 0xA


class Answer:
    """An HTTP response."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:80]!r}>"

    def json(self):
        """The body as JSON."""
        return json.loads(self.body)


class Ended(Exception):
    """The peer closed the TCP connection, with a FIN or a RST."""


def frame(opcode, payload=b"", fin=True, reserved=0, masked=True, length=None):
    """The bytes of one WebSocket frame, however wrong; `length` is what it claims to have."""
    length = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    bit = 0x80 if masked else 0
    if length < 126:
        head += bytes([bit | length])
    elif length < 2**16:
        head += bytes([bit | 126]) + struct.pack("!H", length)
    else:
        head += bytes([bit | 127]) + struct.pack("!Q", length)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    repeated = (mask * (len(payload) // 4 + 1))[:len(payload)]
    mixed = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
    return head + mask + mixed.to_bytes(len(payload), "big")


class RawClient:
    """One TCP connection, blocking; what does not come while nothing happens is given up."""

    def __init__(self, address, seconds=PATIENCE, receive_buffer=None):
        self.socket = socket.socket()
        self.socket.settimeout(seconds)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.address = address
        self.buffer = b""
        self._ids = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends all of it; a peer that has already hung up shows when we read."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def finish(self):
        """Says that nothing more comes; a peer that has hung up knows already."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def send_slowly(self, data):
        """One byte a segment."""
        for byte in data:
            self.send(bytes([byte]))

    def _more(self):
        # With a time of its own a test wants to know whether something comes in it.
        patience = Patience() if self.socket.gettimeout() == PATIENCE else None
        while True:
            try:
                chunk = self.socket.recv(65536)
                break
            except ConnectionResetError:
                raise Ended("reset") from None
            except TimeoutError:
                if patience is None or patience.is_over:
                    raise
        if not chunk:
            raise Ended(f"ended; unread: {self.buffer[:80]!r}")
        self.buffer += chunk

    def take(self, count):
        """Exactly so many bytes."""
        while len(self.buffer) < count:
            self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def take_until(self, mark):
        while mark not in self.buffer:
            self._more()
        taken, _, self.buffer = self.buffer.partition(mark)
        return taken

    def rest(self):
        """All that still comes until the peer closes."""
        try:
            while True:
                self._more()
        except Ended:
            taken, self.buffer = self.buffer, b""
            return taken

    # HTTP

    def request(self, method="GET", target="/healthz", *headers, body=b""):
        """The bytes of a request with a Host and the given header lines."""
        lines = [f"{method} {target} HTTP/1.1", "Host: {}:{}".format(*self.address), *headers]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def answer(self, has_body=True):
        """Reads one response; its body needs a Content-Length, or ends with the connection."""
        head = self.take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, *_ = head[0].split(" ")
        if version not in ("HTTP/1.1", "HTTP/1.0"):
            raise AssertionError(f"The response starts with {head[0]!r}.")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if not has_body or int(status) < 200:
            return Answer(int(status), headers, b"")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return Answer(int(status), headers, self._chunks())
        if "content-length" in headers:
            return Answer(int(status), headers, self.take(int(headers["content-length"])))
        return Answer(int(status), headers, self.rest())

    def _chunks(self):
        body = b""
        while size := int(self.take_until(b"\r\n").split(b";")[0], 16):
            body += self.take(size)
            self.take(2)
        self.take_until(b"\r\n")
        return body

    def get(self, target="/healthz", *headers, method="GET"):
        self.send(self.request(method, target, *headers))
        return self.answer(has_body=method != "HEAD")

    # WebSocket

    def upgrade_request(self, *headers, target="/v1/sync", protocol="sync.v1.json"):
        """The bytes of a right handshake, plus the given header lines."""
        self.key = base64.b64encode(os.urandom(16)).decode()
        offered = [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        return self.request(
            "GET", target, "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {self.key}", "Sec-WebSocket-Version: 13", *offered, *headers)

    def upgrade(self, *headers, **options):
        """Does the handshake; fails unless it succeeds and is right."""
        self.send(self.upgrade_request(*headers, **options))
        answer = self.answer()
        digest = hashlib.sha1(
            (self.key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if answer.status != 101:
            raise AssertionError(f"The handshake was refused: {answer}")
        if answer.headers["sec-websocket-accept"] != base64.b64encode(digest).decode():
            raise AssertionError(f"The handshake is wrong: {answer}")
        return answer

    def hello(self, user="raw", device="raw-phone", **more):
        """Handshake and hello: a session, ready to be abused."""
        self.upgrade()
        self.command("hello", userId=user, deviceId=device, **more)
        return self

    def command_text(self, op, **fields):
        self.number = next(self._ids)
        return json.dumps({"id": self.number, "op": op, **fields}).encode()

    def command(self, op, **fields):
        """Sends one command and returns what is under `ok`; pushes in between are lost."""
        self.send(frame(TEXT, self.command_text(op, **fields)))
        return self.reply()

    def reply(self):
        """The reply to the last command."""
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "ok" not in message:
                    raise AssertionError(f"Refused: {message}")
                return message["ok"]

    def frame(self):
        """Reads one frame: (opcode, payload); the daemon must send whole, unmasked frames."""
        first, second = self.take(2)
        if second & 0x80 or first & 0x70:
            raise AssertionError(f"A frame from the daemon starts with {first:#x} {second:#x}.")
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self.take(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.take(8))
        return first & 0x0F, self.take(length)

    def message(self):
        """The next text message as JSON; pings are passed over."""
        while True:
            opcode, payload = self.frame()
            if opcode == CLOSE:
                raise Ended(f"closed with {payload[:2].hex()} {payload[2:]}")
            if opcode == TEXT:
                return json.loads(payload)

    def close_code(self):
        """Reads on until the daemon closes: its close code, or None when there was no frame."""
        try:
            while True:
                opcode, payload = self.frame()
                if opcode == CLOSE:
                    return struct.unpack("!H", payload[:2])[0] if payload else 1005
        except Ended:
            return None
