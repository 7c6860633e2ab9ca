"""S11: what RFC 6455 forbids, at the handshake and in frames."""

import struct

from hostile.attack import Attack
from raw import CLOSE, PING, TEXT, Ended, RawClient, frame

PLAIN = b'{"id":9,"op":"ping"}'


class WebSockets(Attack):
    """Frames without masks, other versions and bad keys were taken; lengths dropped the TCP."""

    name, title = "S11", "handshakes and frames that RFC 6455 forbids"

    def cases(self, target):
        return [*self.handshakes(target), *self.frames(target)]

    def handshakes(self, target):
        for what, old, new in (
                ("version 8", "Version: 13", "Version: 8"),
                ("version 99", "Version: 13", "Version: 99"),
                ("version x", "Version: 13", "Version: x"),
                ("a key of three bytes", None, "Sec-WebSocket-Key: AAAA"),
                ("HTTP/1.0", "HTTP/1.1", "HTTP/1.0"),
                ("two Hosts", "\r\n\r\n", "\r\nHost: localhost\r\n\r\n"),
                ("a body", "\r\n\r\n", "\r\nContent-Length: 5\r\n\r\nhello")):
            with RawClient(target.address) as client:
                text = client.upgrade_request().decode()
                text = text.replace(f"Sec-WebSocket-Key: {client.key}" if old is None else old, new)
                client.send(text.encode())
                try:
                    status = client.answer(has_body=False).status
                except Ended:
                    status = None
            yield f"a handshake with {what}", status is not None and status >= 400

    def frames(self, target):
        for what, data, code in (
                ("a frame without a mask", frame(TEXT, PLAIN, masked=False), 1002),
                ("a close of one byte", frame(CLOSE, b"x"), 1002),
                ("a ping of 126 bytes", frame(PING, b"x" * 126), 1002),
                ("a close that is not UTF-8", frame(CLOSE, b"\x03\xe8\xff"), 1007),
                ("a length of 2^63", frame(TEXT, b"x", length=2**63), 1009)):
            with RawClient(target.address) as client:
                client.upgrade()
                tenant = {"keyset": target.tenant} if target.tenant else {}
                client.command("hello", userId="m", deviceId="m-phone", **tenant)
                client.send(data)
                yield what, self.close_code(client) == code

    @staticmethod
    def close_code(client):
        """What it says at the end; None when it says nothing, or answers."""
        try:
            opcode, payload = client.frame()
        except Ended:
            return None
        return struct.unpack("!H", payload[:2])[0] if opcode == CLOSE and len(payload) > 1 else None
