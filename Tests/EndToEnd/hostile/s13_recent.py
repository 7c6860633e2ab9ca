"""S13: events that are small on the wire, and not in memory."""

import threading

from hostile.attack import Attack
from hostile.crowd import Crowd, command

CHANNELS, WRITERS = 2000, 8


class Recent(Attack):
    """580,000 adds over 2,000 followed channels: from 20 to 508 MB, accounted as 128 MiB."""

    name, title = "S13", "adds over 2,000 followed channels"
    stranger = True
    times = 3

    def prepare(self, target):
        self.messages = []
        with target.rest() as rest:
            for first in range(0, CHANNELS, 100):
                for number in range(first, first + 100):
                    rest.http.send(target.get(
                        f"/publish/pub/{target.sub}/0/r.{number}/0/1?uuid=m"))
                self.messages += [rest.http.answer().json()[2] for _ in range(100)]

    def strike(self, target, stop):
        def follow(peer):
            first = peer.asked * 1000
            return None if first >= CHANNELS else command("subscribe", peer.asked, channels=[
                {"name": f"r.{n}"} for n in range(first, first + 1000)])

        def add(peer):
            number = (peer.asked * WRITERS + peer.number) % CHANNELS
            return command(
                "addAction", peer.asked, channel=f"r.{number}",
                messageTimetoken=self.messages[number], value=f"v{peer.number}.{peer.asked}")

        follower = Crowd(1, lambda _: target.session("follower"), follow, depth=2)
        follower.run(stop, lambda: follower.counts.get("ok", 0) >= CHANNELS // 1000)
        writers = Crowd(WRITERS, lambda n: target.session(f"m{n}"), add, depth=64)
        reading = threading.Thread(target=follower.run, args=(stop,), daemon=True)
        reading.start()
        writers.run(stop)
        return {"adds": writers.counts.get("ok", 0), "errors": writers.counts.get("error", 0)}
