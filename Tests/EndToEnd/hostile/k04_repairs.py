"""K4: repairs of a large channel, which one question reads whole."""

import threading

from hostile.attack import Attack
from hostile.crowd import Crowd, command
from raw import Ended
from reconcile import symbols_text

REPAIRING = 4
#: Symbols of a device's first question, all empty.
CELLS = 32


class Repairs(Attack):
    """Four repairs of 1,000,000 actions: others' history p50 20.7 s, where it was 2.4 ms."""

    name, title = "K4", "4 devices repair a channel of 1,250,000 actions, again and again"
    arguments = ("--readers", "2", "--commands-per-second", "1000000")
    #: More than are kept between two repairs.
    actions = 1_250_000

    def prepare(self, target):
        with target.rest() as rest:
            message = self.message = rest.publish("large", "many")

        def add(peer):
            # A message has 5,000 different ones at most, and none has to exist.
            return command(
                "addAction", peer.asked, channel="large",
                messageTimetoken=str(message + peer.asked // 1000),
                value=f"{peer.number}.{peer.asked}")

        crowd = Crowd(4, lambda n: target.session(f"writer{n}"), add, depth=200)
        crowd.run(threading.Event(), lambda: crowd.counts.get("ok", 0) >= self.actions
                  or crowd.counts.get("error", 0) > 0)
        assert crowd.counts.get("error", 0) == 0, crowd.counts
        for key in list(crowd.selector.get_map().values()):
            key.data.socket.close()

    def strike(self, target, stop):
        # Of a device that has about as many: so that all rows have to be looked at.
        count = self.actions - 7
        symbols = symbols_text([[0, 0, 0, 0]] * CELLS, 0, count)
        counts = {"repairs": 0, "refused": 0}

        def repair(number):
            while not stop.is_set():
                try:
                    with target.client(f"m{number}") as client:
                        while not stop.is_set():
                            client.command("subscribe", channels=[
                                {"name": "large", "cursor": "0", "repair": True}])
                            client.command("repair", channel="large", count=count,
                                           symbols=symbols, **{"from": 0})
                            counts["repairs"] += 1
                            # What is kept of the channel is old again.
                            client.command("addAction", channel="large", value=str(counts),
                                           messageTimetoken=str(
                                               self.message - counts["repairs"] // 1000))
                except (AssertionError, Ended, OSError):
                    counts["refused"] += 1

        threads = [threading.Thread(target=repair, args=(n,), daemon=True)
                   for n in range(REPAIRING)]
        for thread in threads:
            thread.start()
        stop.wait()
        return counts
