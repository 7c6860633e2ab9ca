"""What a file says of its channels adds up, however the daemon ended and whatever was deleted."""

import collections
import contextlib
import os
import queue
import random as chance
import sqlite3
import threading
import unittest

from case import DaemonTestCase
from disk import readiness
from raw import Ended, RawClient
from waiting import PATIENCE

#: Behind all segments: where the state of a whole channel is kept.
TOTAL = (1 << 63) - 1
ROUNDS = 5
CHANNELS = 20


class SegmentRows(DaemonTestCase):
    async def test_segments_come_to_their_channel_after_every_kill(self):
        random = self.random()
        daemon = self.start_daemon("--store", "sqlite")
        alone = together = 0
        for _ in range(ROUNDS):
            done = queue.SimpleQueue()
            writers = [threading.Thread(target=self.write_on, args=(
                daemon.address, number, random.randrange(1 << 30), done)) for number in range(3)]
            for writer in writers:
                writer.start()
            for _ in range(random.randrange(200, 1200)):
                done.get(timeout=PATIENCE)
            daemon.kill()
            for writer in writers:
                writer.join()
            for segments, rows in self.channels(daemon):
                self.check(segments, rows)
                alone += len(segments) == 1
                together += len(segments) > 1
            daemon.start()
        # Channels of each kind were there: with a total and without one.
        self.assertGreater(alone, 0)
        self.assertGreater(together, 0)
        self.assertEqual(readiness(daemon)[0], 200)

    def check(self, segments, rows):
        total = segments.pop(TOTAL, None)
        sums = [sum(it[column] for it in segments.values()) % (1 << 64) for column in range(3)]
        self.assertEqual(sums[0], rows)
        if total is None:
            self.assertLessEqual(len(segments), 1)
            return
        self.assertEqual([it % (1 << 64) for it in total], sums)

    def channels(self, daemon):
        """Of each channel its segments, and how many rows stand in it."""
        path = os.path.join(daemon.data_dir, "syncdaemon.db")
        with contextlib.closing(sqlite3.connect(path)) as database:
            segments = collections.defaultdict(dict)
            for channel, after, *state in database.execute(
                    "SELECT channel, after, count, lane0, lane1 FROM segment"):
                segments[channel][after] = state
            self.assertEqual(
                database.execute("SELECT count(*) FROM hidden").fetchone(), (0,))
            return [(segments[channel], rows) for channel, rows in database.execute(
                "SELECT id, (SELECT count(*) FROM message WHERE channel = id)"
                " + (SELECT count(*) FROM action WHERE channel = id AND live = 1) FROM channel")]

    def write_on(self, address, number, seed, done):
        """Messages, reactions and deletions, until the daemon is gone."""
        random = chance.Random(seed)
        messages = collections.defaultdict(list)
        with contextlib.suppress(OSError, Ended), RawClient(address) as client:
            client.hello(user=f"user{number}", device=f"phone{number}")
            while True:
                # Some channels get most of the messages, so that they have many segments.
                channel = f"c{min(random.randrange(CHANNELS), random.randrange(CHANNELS))}"
                known = messages[channel]
                dice = random.random()
                if not known or dice < 0.5:
                    known.append(client.command(
                        "publish", channel=channel, payload=number)["timetoken"])
                elif dice < 0.9:
                    client.command(
                        "addAction", channel=channel, messageTimetoken=random.choice(known),
                        type="reaction", value=random.choice("👍❤😂"))
                else:
                    at = random.randrange(len(known))
                    end = min(len(known), at + random.choice((1, 1, 3, 40)))
                    client.command("deleteMessages", channel=channel,
                                   after=str(int(known[at]) - 1), through=known[end - 1])
                    del known[at:end]
                done.put(None)


if __name__ == "__main__":
    unittest.main()
