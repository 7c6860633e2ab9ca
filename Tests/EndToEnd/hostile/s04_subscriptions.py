"""S4: very many subscriptions, and their end at one moment."""

from hostile.attack import Attack
from hostile.crowd import Crowd, command

SESSIONS, CHANNELS, PER_COMMAND = 60, 10_000, 1000
POLLS, GROUPS, GROUP_CHANNELS = 200, 5, 2000


class Subscriptions(Attack):
    """60 sessions with 10,000 channels: 442 to 609 MB; their end stalled a turn for 2 to 5 s."""

    name, title = "S4", "60 sessions × 10,000 channels, 200 polls of 10,000 by groups, gone at once"
    stranger = True

    def prepare(self, target):
        with target.rest() as rest:
            for group in range(GROUPS):
                for first in range(0, GROUP_CHANNELS, 200):
                    names = ",".join(f"g{group}.{n}" for n in range(first, first + 200))
                    rest.ok(f"/v1/channel-registration/sub-key/{{sub}}/channel-group/g{group}",
                            {"add": names})

    def strike(self, target, stop):
        def subscribe(peer):
            first = peer.asked * PER_COMMAND
            if first >= CHANNELS:
                return None
            return command("subscribe", peer.asked, channels=[
                {"name": f"{peer.number}.{n}"} for n in range(first, first + PER_COMMAND)])

        groups = ",".join(f"g{n}" for n in range(GROUPS))

        def poll(peer):
            cursor = 0 if peer.asked == 0 else 1
            return target.get(f"/v2/subscribe/{target.sub}/,/0?uuid=m{peer.number}&tt={cursor}"
                              f"&channel-group={groups}")

        sessions = Crowd(
            SESSIONS, lambda number: target.session(f"m{number}"), subscribe, returns=False)
        commands = SESSIONS * CHANNELS // PER_COMMAND
        sessions.run(stop, lambda: sessions.counts.get("ok", 0) + sessions.counts.get("error", 0)
                     >= commands)
        polls = Crowd(POLLS, lambda _: target.socket(), poll, returns=False)
        polls.run(stop)
        return {f"sessions: {it}": count for it, count in sessions.counts.items()} \
            | {f"polls: {it}": count for it, count in polls.counts.items()}
