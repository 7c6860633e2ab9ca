"""S8: a new tenant with every request."""

import os

from hostile.attack import Attack
from hostile.crowd import Crowd


class Tenants(Attack):
    """Every request a new key, from one connection: 757 MB in 40 s, and 22 MB of disk in 12 s."""

    name, title = "S8", "every request a new key and a new group of 200 channels"
    #: The daemon without a configuration, as a developer starts it.
    configurations = ("[limits]\nmemory_max = 512M\n", "")

    def strike(self, target, stop):
        names = ",".join(f"channel-{n:04}" for n in range(200))

        def add(peer):
            key = f"k{peer.asked}"
            return target.get(f"/v1/channel-registration/sub-key/{key}/channel-group/{key}"
                              f"?add={names}&uuid=m")

        before = self.disk_bytes(target)
        crowd = Crowd(1, lambda _: target.socket(), add, depth=64)
        crowd.run(stop)
        return crowd.counts | {"bytes of disk": self.disk_bytes(target) - before}

    @staticmethod
    def disk_bytes(target):
        return sum(entry.stat().st_size for entry in os.scandir(target.daemon.data_dir))

    def cases(self, target):
        with target.rest(tenant="stranger-1") as one, target.rest(tenant="stranger-2") as other:
            one.publish("where", "here")
            body = other.ok("/v3/history/sub-key/{sub}/channel/where")
        # All keys are one tenant: a stranger's key makes none.
        return [("a stranger's key makes a tenant", bool(body["channels"]))]


class Groups(Tenants):
    """The same in a tenant of its own, beside a configured one."""

    name, title = "S8b", "a configured tenant makes groups of 200 channels"
    stranger = True
    configurations = Attack.configurations

    def strike(self, target, stop):
        names = ",".join(f"channel-{n:04}" for n in range(200))
        crowd = Crowd(
            1, lambda _: target.socket(), lambda peer: target.get(
                f"/v1/channel-registration/sub-key/mallory/channel-group/k{peer.asked}"
                f"?add={names}&uuid=m"), depth=64)
        return crowd.run(stop)

    def cases(self, target):
        with target.rest(tenant="unknown") as rest:
            answer = rest.get("/v2/subscribe/{sub}/room/0", {"tt": 0})
        return [("an unknown key makes a tenant", answer.status >= 400)]
