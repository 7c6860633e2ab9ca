"""S12: a few connections whose every request is right, and costs much."""

from hostile.attack import Attack
from hostile.crowd import Crowd, command


class Subscribing(Attack):
    """20 connections that subscribe to 900 channels again and again: others' p50 2.8 s."""

    name, title = "S12a", "20 sessions subscribe to 900 channels, again and again"

    def strike(self, target, stop):
        def subscribe(peer):
            return command("subscribe", peer.asked, channels=[
                {"name": f"{peer.number}.{n}"} for n in range(900)])

        return Crowd(20, lambda n: target.session(f"m{n}"), subscribe, depth=2).run(stop)


class Histories(Attack):
    """Eight loops of history: others' p99 9 → 125 ms."""

    name, title = "S12b", "8 connections read a full page of history, again and again"

    def prepare(self, target):
        with target.rest() as rest:
            for number in range(100):
                rest.ok("/publish/{pub}/{sub}/0/past/0", method="POST",
                        body=f"{number:03}" + "x" * 1000)

    def strike(self, target, stop):
        history = target.get(f"/v3/history/sub-key/{target.sub}/channel/past?max=100&uuid=m")
        return Crowd(8, lambda _: target.socket(), lambda _: history, depth=2).run(stop)


class Wildcards(Attack):
    """Eight polls of a wildcard's backlog: others' p99 18 → 237 ms."""

    name, title = "S12c", "8 polls of w.* over 3,000 channels, each from an old cursor"
    restarts = True

    def prepare(self, target):
        with target.rest() as rest:
            for first in range(0, 3000, 100):
                for number in range(first, first + 100):
                    rest.http.send(target.get(
                        f"/publish/pub/{target.sub}/0/w.{number}/0/1?uuid=m"))
                for _ in range(100):
                    rest.http.answer()

    def strike(self, target, stop):
        def poll(peer):
            cursor = 15_000_000_000_000_000 + peer.asked
            return target.get(f"/v2/subscribe/{target.sub}/w.*/0?uuid=m{peer.number}&tt={cursor}")

        return Crowd(8, lambda _: target.socket(), poll).run(stop)


class Numbers(Attack):
    """Four connections that publish arrays of numbers: others' p99 65 → 328 ms."""

    name, title = "S12d", "4 sessions publish 32 KB of numbers, again and again"

    def strike(self, target, stop):
        numbers = [1.5e-07] * 3600

        def publish(peer):
            return command("publish", peer.asked, channel="numbers", payload=numbers)

        return Crowd(4, lambda n: target.session(f"m{n}"), publish, depth=2).run(stop)
