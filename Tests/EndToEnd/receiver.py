"""A receiver of webhooks that is as bad as receivers are: slow, dead, forgetful, unwilling."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import socket
import threading
import time


class Receiver:
    """An HTTP server on one port, which may be killed and comes back there.

    What it got it keeps over all its lives, in the order in which requests were whole.
    """

    def __init__(self, *secrets, behave=lambda receiver, request: 200):
        self.secrets = [secret.encode() for secret in secrets]
        #: Says with what status a request is answered, or (status, headers), or with what words:
        #: a dict. None hangs up without an answer.
        self.behave = behave
        self.requests = []
        self.faults = []
        self.lock = threading.Lock()
        self.connections = set()
        self.server = self.thread = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"

    def start(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                with receiver.lock:
                    receiver.connections.add(self.connection)

            def finish(self):
                with receiver.lock:
                    receiver.connections.discard(self.connection)
                super().finish()

            def do_POST(self):
                receiver.take(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_):
                pass  # The daemon was killed meanwhile.

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def stop(self):
        """Nobody listens any more, nor answers on connections that are kept."""
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.thread.join()
            self.server = None
            with self.lock:
                for connection in self.connections:
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        request = {
            "id": handler.headers["Webhook-Id"], "body": body, "path": handler.path,
            "json": json.loads(body), "signatures": handler.headers["Webhook-Signature"],
            "timestamp": handler.headers["Webhook-Timestamp"],
        }
        with self.lock:
            self.check(request, handler)
            self.requests.append(request)
        status = self.behave(self, request)
        if status is None:
            handler.close_connection = True
            return
        headers, words = {}, b""
        if isinstance(status, dict):
            status, words = 200, json.dumps(status).encode()
        if isinstance(status, tuple):
            status, headers = status
        handler.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(words))}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(words)

    def check(self, request, handler):
        """As docs/WEBHOOKS.md tells receivers to."""
        signed = f"{request['id']}.{request['timestamp']}.".encode() + request["body"]
        expected = [
            "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
            for secret in self.secrets]
        if request["signatures"].split(" ") != expected:
            self.faults.append(f"signature {request['signatures']}, expected {expected}")
        if abs(time.time() - int(request["timestamp"])) > 60:
            self.faults.append(f"timestamp {request['timestamp']}")
        if request["json"]["id"] != request["id"]:
            self.faults.append(f"id {request['id']} and {request['json']['id']}")
        if handler.headers["Content-Type"] != "application/json":
            self.faults.append(f"type {handler.headers['Content-Type']}")
        if any(it["id"] == request["id"] and it["body"] != request["body"]
               for it in self.requests):
            self.faults.append(f"another body under {request['id']}")

    def distinct(self):
        """Requests as a receiver handles them that knows their ids."""
        seen = {}
        with self.lock:
            for request in self.requests:
                seen.setdefault(request["id"], request)
        return list(seen.values())

    def events(self):
        """What it was told, each once."""
        return [event for it in self.distinct() for event in it["json"].get("events", [])]
