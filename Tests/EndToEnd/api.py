"""The HTTP API as a product's server uses it, by an HTTP client that we did not write."""

import contextlib
import json
import socket
import threading

import httpx

from waiting import PATIENCE, Patience


class Api:
    """Requests of one server, or of one user with a token."""

    def __init__(self, daemon, bearer=None, **query):
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        self.query = query
        self.http = httpx.Client(
            base_url="http://{}:{}/v1/".format(*daemon.address), headers=headers, timeout=PATIENCE, trust_env=False)

    def close(self):
        self.http.close()

    def get(self, operation, **fields):
        """The response to a query; flags as JSON has them."""
        words = {True: "true", False: "false"}
        fields = {name: words.get(it, it) if isinstance(it, bool) else it
                  for name, it in fields.items()}
        return self.http.get(operation, params=self.query | fields)

    def post(self, operation, fields, **headers):
        return self.http.post(
            operation, json=fields, params=self.query,
            headers={name.replace("_", "-"): it for name, it in headers.items()})

    def read(self, operation, **fields):
        """The reply to a query that has to succeed."""
        return self.ok(self.get(operation, **fields))

    def write(self, operation, **fields):
        """The reply to a write that has to succeed; `author` is in whose name."""
        if "author" in fields:
            fields["as"] = fields.pop("author")
        return self.ok(self.post(operation, fields))

    @staticmethod
    def ok(response):
        if response.status_code != 200:
            raise AssertionError(f"{response.request.url}: {response.status_code} {response.text}")
        return response.json()


class Stream:
    """Server-sent events, read on a thread of its own as the HTML standard says."""

    def __init__(self, api, last=None, **fields):
        self.events, self.comments, self.ids, self.others = [], 0, [], []
        self.is_over = False
        headers = {"Last-Event-ID": last} if last else {}
        self._context = api.http.stream(
            "GET", "stream", params=api.query | fields, headers=headers, timeout=None)
        self.response = self._context.__enter__()
        if self.response.status_code != 200:
            self.response.read()
            raise AssertionError(f"{self.response.status_code} {self.response.text}")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        name, data = "message", []
        try:
            for line in self.response.iter_lines():
                if line.startswith(":"):
                    self.comments += 1
                elif line.startswith("id: "):
                    self.ids.append(line[4:])
                elif line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    data.append(line[6:])
                elif not line:
                    if data and name == "message":
                        self.events.append(json.loads("\n".join(data)))
                    elif data:
                        self.others.append((name, json.loads("\n".join(data))))
                    name, data = "message", []
        except (httpx.HTTPError, httpx.StreamError, AttributeError):
            pass  # Closed, by whichever side.
        self.is_over = True

    @property
    def last(self):
        """Where an EventSource would go on."""
        return self.ids[-1] if self.ids else None

    @property
    def times(self):
        """The timetokens of its ids."""
        return [int(it.rpartition("-")[2]) for it in self.ids]

    def until(self, condition, what):
        patience = Patience(lambda: len(self.events))
        while not condition():
            patience.check(what)
            self._thread.join(0.02)

    def close(self):
        stream = self.response.extensions["network_stream"]
        with contextlib.suppress(OSError, AttributeError):
            # Closing alone would wait for the thread that reads.
            stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._context.__exit__(None, None, None)


def payloads(events):
    """What messages among events say."""
    return [it["d"] for it in events if "e" not in it]
