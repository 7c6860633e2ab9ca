"""S6: what a page of somebody else's may do with a daemon on its reader's machine."""

from hostile.attack import Attack
from raw import Ended, RawClient

EVIL = "Origin: http://evil.example"


class Pages(Attack):
    """A foreign page read history, published, reacted and deleted; /metrics by DNS rebinding."""

    name, title = "S6", "a foreign page, by both doors"

    def cases(self, target):
        sub = target.sub
        with target.rest() as rest:
            message = rest.publish("room", "mine")
        history = f"/v3/history/sub-key/{sub}/channel/room?uuid=m"
        action = f"/v1/message-actions/{sub}/channel/room/message/{message}?uuid=m"
        return [
            ("reads history", self.ask(target, "GET", history, EVIL)),
            ("publishes", self.ask(target, "GET", f"/publish/pub/{sub}/0/room/0/1?uuid=m", EVIL)),
            ("publishes without CORS", self.ask(
                target, "GET", f"/publish/pub/{sub}/0/room/0/1?uuid=m",
                "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors")),
            ("asks whether it may delete", self.ask(
                target, "OPTIONS", history, EVIL, "Access-Control-Request-Method: DELETE")),
            ("deletes", self.ask(target, "DELETE", history, EVIL)),
            ("reacts", self.ask(
                target, "POST", action, EVIL, "Content-Type: text/plain",
                body=b'{"type":"reaction","value":"x"}')),
            ("reads metrics", self.ask(target, "GET", "/metrics", EVIL)),
            ("reads metrics by DNS rebinding", self.ask(
                target, "GET", "/metrics", host="evil.example")),
            ("reads history by DNS rebinding", self.ask(
                target, "GET", history, host="evil.example")),
            ("opens a WebSocket", self.opens(target, EVIL)),
            ("opens a WebSocket as null", self.opens(target, "Origin: null")),
        ]

    @staticmethod
    def ask(target, method, path, *headers, body=None, host="localhost"):
        """Whether it is refused, and no page may read that."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
        if body is not None or method in ("POST", "DELETE"):
            lines.append(f"Content-Length: {len(body or b'')}")
        with RawClient(target.address) as client:
            client.send("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""))
            answer = client.answer()
        return answer.status >= 400 and "access-control-allow-origin" not in answer.headers

    @staticmethod
    def opens(target, *headers):
        with RawClient(target.address) as client:
            client.send(client.upgrade_request(*headers))
            try:
                return client.answer(has_body=False).status != 101
            except Ended:
                return True
