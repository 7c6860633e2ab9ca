"""PubNub's HTTP by hand, over raw sockets: what an SDK hides, and what no SDK would send."""

import functools
import json
import re
import urllib.parse

from raw import RawClient
from rows import Violation, timetoken
from waiting import PATIENCE

#: Publish and subscribe key: without a configuration file any pair names the one tenant.
KEYS = ("pub", "sub")
#: An SDK reads the cursor out of the first bytes when the rest is cut off.
POLL_ANSWER = re.compile(rb'\{"t":\{"t":"\d{17}","r":1\},"m":\[.*\]\}', re.DOTALL)
#: Events in one answer to a poll, at most.
POLL_EVENTS_MAX = 100


def quoted(text):
    """A part of a path or of a query, with everything escaped that may be."""
    return urllib.parse.quote(text, safe="")


class Rest:
    """One user's requests over one connection that stays open."""

    def __init__(self, daemon, user="raw", keys=KEYS, seconds=PATIENCE):
        self.user = user
        self.publish_key, self.subscribe_key = keys
        self._daemon, self._seconds = daemon, seconds

    @functools.cached_property
    def http(self):
        """Connected when it is first used: the daemon does not wait long for a first request."""
        return RawClient(self._daemon.address, self._seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if "http" in vars(self):
            self.http.socket.close()

    def target(self, path, query=None):
        """A request's target: `path` may hold {pub} and {sub}; the user goes into the query."""
        path = path.replace("{pub}", self.publish_key).replace("{sub}", self.subscribe_key)
        fields = {"uuid": self.user, **(query or {})}
        return path + "?" + "&".join(f"{name}={quoted(str(it))}" for name, it in fields.items())

    def ask(self, method, path, query=None, body=None, headers=()):
        """Sends one request and returns its Answer."""
        lines = list(headers)
        if body is not None:
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            lines += ["Content-Type: application/json"]
        if body is not None or method in ("POST", "DELETE", "PATCH", "PUT"):
            lines += [f"Content-Length: {len(body or b'')}"]
        self.http.send(
            self.http.request(method, self.target(path, query), *lines, body=body or b""))
        return self.http.answer(has_body=method != "HEAD")

    def get(self, path, query=None, *headers):
        return self.ask("GET", path, query, headers=headers)

    def ok(self, path, query=None, method="GET", body=None):
        """The JSON of a request that has to succeed."""
        answer = self.ask(method, path, query, body)
        if answer.status != 200:
            raise AssertionError(f"{method} {path} {query}: {answer.status} {answer.body!r}")
        return answer.json()

    # What tests ask often

    def publish(self, channel, message, **query):
        """Publishes and returns the timetoken as an integer."""
        body = self.ok(
            f"/publish/{{pub}}/{{sub}}/0/{quoted(channel)}/0/{quoted(json.dumps(message))}", query)
        if body[:2] != [1, "Sent"]:
            raise Violation(f"The reply to a publish: {body}")
        return timetoken(body[2])

    def add(self, channel, message, value, kind="reaction"):
        """Adds an action; the whole Answer, since 409 may be right."""
        return self.ask(
            "POST", f"/v1/message-actions/{{sub}}/channel/{quoted(channel)}/message/{message}",
            body={"type": kind, "value": value})

    def remove(self, channel, message, action):
        return self.ask(
            "DELETE", f"/v1/message-actions/{{sub}}/channel/{quoted(channel)}"
            f"/message/{message}/action/{action}")

    def actions(self, channel, limit=100):
        """Every action of a channel, ascending, by following `more`; and the pages' sizes."""
        found, sizes, query = [], [], {"limit": limit}
        while True:
            page = self.ok(f"/v1/message-actions/{{sub}}/channel/{quoted(channel)}", query)
            found = page["data"] + found
            sizes.append(len(page["data"]))
            if "more" not in page:
                return found, sizes
            query["start"] = page["more"]["start"]


class LongPoll:
    """A device that polls by hand, and checks of every answer what PubNub promises."""

    def __init__(self, daemon, user, *channels, groups=(), keys=KEYS, query=None):
        self.rest = Rest(daemon, user, keys)
        names = ",".join(quoted(name) for name in channels) or ","
        self.path = f"/v2/subscribe/{{sub}}/{names}/0"
        self.query = {**({"channel-group": ",".join(groups)} if groups else {}), **(query or {})}
        self.cursor = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.rest.close()

    def begin(self):
        """Sends the next poll without reading its answer."""
        cursor = {"tt": self.cursor, "tr": 1} if self.cursor else {}
        self.rest.http.send(
            self.rest.http.request("GET", self.rest.target(self.path, {**self.query, **cursor})))

    def finish(self):
        """Reads the answer to a poll that was begun: its envelopes."""
        answer = self.rest.http.answer()
        if answer.status != 200 or not POLL_ANSWER.fullmatch(answer.body):
            raise Violation(f"The answer to a poll: {answer.status} {answer.body[:500]!r}")
        body = answer.json()
        envelopes, last = body["m"], self.cursor
        for envelope in envelopes:
            position = timetoken(envelope["p"]["t"])
            if self.cursor and position <= last:
                raise Violation(f"{position} came after {last}: {envelope}")
            last = position
        end = timetoken(body["t"]["t"])
        if len(envelopes) > POLL_EVENTS_MAX or end < last:
            raise Violation(f"{len(envelopes)} events up to {last}, and the cursor is {end}.")
        self.cursor = end
        return envelopes

    def turn(self):
        """One poll from the cursor: its envelopes."""
        self.begin()
        return self.finish()

    def handshake(self):
        """The first request: answered at once, with a cursor and nothing else."""
        if self.turn():
            raise Violation("A handshake brought events.")
        return self

    def collect(self, count):
        """Polls on until so many events have come."""
        found = []
        while len(found) < count:
            found += self.turn()
        return found
