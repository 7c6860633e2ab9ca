"""Three doors to the same rooms: what is done through any of them is there for all, and is the
same as if it had all been done through one."""

import asyncio
import json

from api import Api
from case import DaemonTestCase
from rest import Rest, quoted

USERS, VALUES = ("ada", "bob", "cy"), ("👍", "❤️", "x")
STEPS = 120


class Doors(DaemonTestCase):
    """One world, whose steps go through doors by chance; and the same through one alone."""

    async def test_any_sequence_through_any_doors(self):
        random = self.random()
        steps = [self.step(random) for _ in range(STEPS)]
        one = await self.world(steps, lambda: "native")
        for doors in (["native", "api", "pubnub"], ["api"], ["api", "pubnub"]):
            with self.subTest(doors=doors):
                self.assertEqual(await self.world(steps, lambda: random.choice(doors)), one)

    @staticmethod
    def step(random):
        kind = random.choice(["publish"] * 3 + ["add"] * 5 + ["remove"] * 3
                             + ["edit", "delete", "user", "user", "member"])
        return (kind, random.choice(USERS), random.random(), random.choice(VALUES),
                random.choice(USERS))

    async def world(self, steps, door):
        """What is there in the end, with the number of a step in the place of its timetoken."""
        daemon = self.start_daemon()
        api = Api(daemon)
        self.addCleanup(api.close)
        devices = {user: await self.device(daemon, user) for user in USERS}
        rests = {user: Rest(daemon, user) for user in USERS}
        for rest in rests.values():
            self.addCleanup(rest.close)
        self.ids, self.messages = {}, []
        for number, step in enumerate(steps):
            timetoken = await self.carry_out(step, door(), devices, rests, api)
            if timetoken:
                self.ids.setdefault(str(timetoken), number)
                if step[0] == "publish":
                    self.messages.append((str(timetoken), step[1]))
        views = [self.numbered(it) for it in (
            await devices["ada"].command("history", channel="room", actions=True, limit=100),
            api.read("history", channel="room", actions=True, limit=100))]
        self.assertEqual(*views)
        directories = [
            [{name: value for name, value in row.items() if name != "timetoken"}
             for row in reply["entries"]]
            for reply in (
                await devices["ada"].command("users"), api.read("users"),
                await devices["ada"].command("members", channel="room"),
                api.read("members", channel="room"))]
        self.assertEqual(directories[0], directories[1])
        self.assertEqual(directories[2], directories[3])
        await asyncio.gather(*(device.close() for device in devices.values()))
        return views[0], directories[0], directories[2]

    def numbered(self, reply):
        """Actions of one message in the order of the steps; SDKs group them otherwise."""
        text = json.dumps(reply, sort_keys=True)
        for timetoken, number in self.ids.items():
            text = text.replace(f'"{timetoken}"', f'"step {number}"')
        return json.loads(text)

    async def carry_out(self, step, door, devices, rests, api):
        """Does it through a door; its timetoken, when something changed."""
        kind, user, chance, value, other = step
        device, rest = devices[user], rests[user]
        message, author = self.messages[int(chance * len(self.messages))] if self.messages \
            else ("5", None)
        if kind == "publish":
            payload = {"text": value, "by": user}
            if door == "pubnub":
                return rest.publish("room", payload)
            return (await self.command(door, device, api, "publish", channel="room",
                                       payload=payload))["timetoken"]
        if kind == "add":
            if door == "pubnub":
                answer = rest.ask(
                    "POST", f"/v1/message-actions/{{sub}}/channel/room/message/{message}",
                    body={"type": "reaction", "value": value})
                # One that stands already is a refusal to an SDK, which is told which.
                return answer.json()["data"]["actionTimetoken"] if answer.status == 200 else None
            reply = await self.command(
                door, device, api, "addAction", channel="room", messageTimetoken=message,
                value=value)
            return reply["action"]["actionTimetoken"] if reply["applied"] == "added" else None
        if kind == "remove":
            return await self.remove(door, device, rest, api, message, value, user)
        if kind == "edit":
            # PubNub's Chat SDK edits by an action of this type.
            if author != user:
                return None
            reply = await self.command(
                "api" if door == "pubnub" else door, device, api, "editMessage", channel="room",
                messageTimetoken=message,
                # Texts are kept as they were written, escapes included: not by chance alike.
                payload={"edit": VALUES.index(value)})
            return reply["action"]["actionTimetoken"]
        if kind == "delete":
            if author != user or chance > 0.3:
                return None
            self.messages = [it for it in self.messages if it[0] != message]
            if door == "pubnub":
                start = int(message) - 1
                rest.ok("/v3/history/sub-key/{sub}/channel/room",
                        {"start": start, "end": message}, "DELETE")
                return None
            await self.command(door, device, api, "deleteMessage", channel="room",
                               messageTimetoken=message)
            return None
        if kind == "user":
            if door == "pubnub":
                rest.ok(f"/v2/objects/{{sub}}/uuids/{quoted(other)}", None, "PATCH",
                        {"name": value})
            else:
                await self.command(door, device, api, "setUser", userId=other,
                                   set={"name": value})
            return None
        if door == "pubnub":
            rest.ok("/v2/objects/{sub}/channels/room/uuids", None, "PATCH",
                    {"set": [{"uuid": {"id": other}, "status": value}]})
        else:
            await self.command(door, device, api, "setMembers", channel="room",
                               set=[{"userId": other, "status": value}])
        return None

    async def remove(self, door, device, rest, api, message, value, user):
        if door != "pubnub":
            await self.command(door, device, api, "removeAction", channel="room",
                               messageTimetoken=message, value=value)
            return
        # An SDK removes what it knows the timetoken of.
        reply = api.read("actions", channel="room", messageTimetoken=message, value=value,
                         userId=user)
        for action in reply["actions"]:
            target = (f"/v1/message-actions/{{sub}}/channel/room/message/{message}"
                      f"/action/{action['actionTimetoken']}")
            rest.ok(target, None, "DELETE")

    @staticmethod
    async def command(door, device, api, operation, **fields):
        if door == "native":
            return await device.command(operation, **fields)
        return api.write(operation, author=device.user, **fields)


if __name__ == "__main__":
    import unittest
    unittest.main()
