"""A list that a live query keeps: a model by docs/PROTOCOL.md alone, which knows no other code."""

import base64
import functools


def place(action, sort):
    """Where an action stands in an order, as something to compare."""
    if sort == "value":
        return tuple(action[it].encode() for it in ("type", "value", "uuid"))
    time = int(action["actionTimetoken"])
    return (action.get("score", 1), time) if sort == "score" else (time,)


def place_in(text):
    """The texts of a `next` by value; each is shorter than 128 bytes here."""
    data, texts = base64.b64decode(text.removeprefix("v.")), []
    while data:
        texts.append(data[1:1 + data[0]])
        data = data[1 + data[0]:]
    return tuple(texts)


class LiveList:
    """What a device shows: pages, as far as it asked, and what was pushed."""

    def __init__(self, device, **query):
        self.device, self.query = device, query
        self.sort = query.get("sort", "time")
        self.actions, self.next, self.number, self.ended = [], None, None, None
        self.pages, self.heard = 0, 0

    async def begin(self):
        """Its first page."""
        page = await self.device.command("actions", live=True, **self.query)
        self.number = page["live"]
        return self.catch_up()

    async def more(self):
        """One page more."""
        await self.device.command(
            "actions", live=self.number, **self.query | {"after": self.next})
        self.catch_up()

    async def end(self):
        return await self.device.command("endLive", live=self.number)

    def take(self, page):
        """A page belongs behind what there is."""
        self.pages += 1
        self.next = page.get("next")
        if self.next is not None and self.next.startswith("v."):
            self.last = place_in(self.next)
        for action in page["actions"]:
            self.add(action)

    def catch_up(self):
        """What came since the last look, in its order."""
        frames = self.device.live_frames.get(self.number, [])
        for frame in frames[self.heard:]:
            self.ended = frame.get("ended", self.ended)
            if "page" in frame:
                self.take(frame["page"])
            for change in frame.get("changes", []):
                (kind, what), = change.items()
                getattr(self, kind)(what)
        self.heard = len(frames)
        return self

    def add(self, action):
        self.remove(action, at_place=True)
        self.actions.append(action)
        self.actions.sort(
            key=functools.partial(place, sort=self.sort), reverse=self.query.get("descending", False))

    def remove(self, action, at_place=False):
        there = place(action, self.sort)
        self.actions = [
            it for it in self.actions
            if place(it, self.sort) != there or not at_place and it != action]

    def delete(self, deletion):
        after, through, time = (int(deletion[it]) for it in ("after", "through", "t"))
        self.actions = [
            it for it in self.actions
            if not after < int(it["messageTimetoken"]) <= through
            or int(it["actionTimetoken"]) > time]

    async def asked_afresh(self, device):
        """The same window of the same query, by somebody else: all pages up to where this ends."""
        found, after = [], {}
        while True:
            page = await device.command("actions", **self.query | after)
            found += page["actions"]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        if self.next is None:
            return found
        end = self.end_place()
        ahead = self.query.get("descending", False)
        return [it for it in found
                if (place(it, self.sort) >= end if ahead else place(it, self.sort) <= end)]

    def end_place(self):
        """`next`, read: a test's knowledge, which a client does not need."""
        if self.sort == "value":
            return self.last
        return tuple(int(it) for it in self.next.removeprefix("s.").split("."))

    def clear(self, clearing):
        """What a moderator removed: all that it names and that stood before it."""
        self.actions = [
            it for it in self.actions
            if int(it["actionTimetoken"]) > int(clearing["t"]) or any(
                name in clearing and clearing[name] != it[name]
                for name in ("messageTimetoken", "type", "value", "uuid"))]
