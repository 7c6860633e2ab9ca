"""Users, channels and members on the WebSocket: asked, changed, and followed as channels."""

import json
import random

from case import DaemonTestCase
from rest import Rest, quoted
from test_access import TokenCase, web_token

ROOM, ADAS = "$members:room", "$memberships:ada"


def entries(rows):
    """What a device that follows a directory has: its entries by their ids."""
    return {payload["id"]: payload for _, payload, _, kind in rows.messages.values()
            if kind == "$entry"}


class Directories(DaemonTestCase):
    """Who changes, and who follows."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.ada = await self.device(self.daemon, "ada")

    async def follower(self, *names):
        device = await self.device(self.daemon, "eve")
        await device.subscribe(*({"name": name, "cursor": "0"} for name in names))
        return device

    async def equal(self, device, name, expected):
        """Waits until a follower has these entries, proven."""
        rows = device.rows[name]
        await device.until(lambda: entries(rows) == expected, f"the entries of {name}")
        await device.until(lambda: not rows.is_wrong and rows.verified > 0, "a proof")

    async def test_a_user_is_a_message_in_a_channel(self):
        eve = await self.follower("$users")
        made = await self.ada.command(
            "setUser", userId="ada", set={"name": "Ada", "custom": {"team": 7}})
        await self.equal(eve, "$users", {
            "ada": {"id": "ada", "name": "Ada", "custom": {"team": 7}}})
        found = await self.ada.command("users", userId="ada")
        self.assertEqual(found["entries"], [
            {"id": "ada", "name": "Ada", "custom": {"team": 7}, "timetoken": made["timetoken"]}])
        await self.ada.command("setUser", userId="ada", set={"name": None, "status": "away"})
        expected = {"ada": {"id": "ada", "status": "away", "custom": {"team": 7}}}
        await self.equal(eve, "$users", expected)
        async with self.refused(412, "entry_modified"):
            await self.ada.command(
                "setUser", userId="ada", set={"name": "A"}, expected=made["timetoken"])
        await self.ada.command("removeUser", userId="ada")
        await self.equal(eve, "$users", {})
        self.assertEqual((await self.ada.command("users"))["entries"], [])

    async def test_who_was_never_described_leaves_too(self):
        await self.ada.command("setMembers", channel="den", set=[{"userId": "gil"}])
        await self.ada.command("setMembers", channel="room", set=[{"userId": "gil"}])
        await self.ada.command("removeChannel", channel="den")
        self.assertEqual((await self.ada.command("members", channel="den"))["entries"], [])
        found = await self.ada.command("memberships", userId="gil")
        self.assertEqual([it["id"] for it in found["entries"]], ["room"])
        await self.ada.command("removeUser", userId="gil")
        self.assertEqual((await self.ada.command("members", channel="room"))["entries"], [])

    async def test_nobody_writes_into_a_directory_otherwise(self):
        await self.ada.command("setUser", userId="ada", set={"name": "Ada"})
        entry = (await self.ada.command("users"))["entries"][0]["timetoken"]
        for name in ("$users", "$channels", "$members:room", "$memberships:ada"):
            for op, fields in (
                    ("publish", {"payload": {"id": "ada"}, "messageType": "$entry"}),
                    ("signal", {"payload": 1}),
                    ("addAction", {"messageTimetoken": entry, "value": "x"}),
                    ("deleteMessages", {"through": entry}),
                    ("deleteMessage", {"messageTimetoken": entry}),
                    ("editMessage", {"messageTimetoken": entry, "payload": 1}),
                    ("removeActions", {"messageTimetoken": entry})):
                async with self.refused(400, "invalid_channel", "directories"):
                    await self.ada.command(op, channel=name, **fields)
        # A message of such a type elsewhere is nothing but that.
        await self.ada.publish("room", {"id": "x"}, messageType="$entry")
        self.assertEqual(len((await self.ada.command("users"))["entries"]), 1)
        self.assertEqual((await self.ada.command("members", channel="room"))["entries"], [])

    async def test_who_comes_back_gets_what_changed_alone(self):
        await self.ada.settle_all([
            ("setUser", {"userId": f"u{n}", "set": {
                "name": f"User {n}", "profileUrl": f"https://example.com/{n}.png"}})
            for n in range(1000)])
        eve = await self.follower("$users")
        users = {f"u{n}": {"id": f"u{n}", "name": f"User {n}",
                           "profileUrl": f"https://example.com/{n}.png"} for n in range(1000)}
        await self.equal(eve, "$users", users)
        await eve.close()
        for n in (3, 5, 8):
            await self.ada.command("setUser", userId=f"u{n}", set={"name": "new"})
            users[f"u{n}"]["name"] = "new"
        await self.ada.command("removeUser", userId="u9")
        del users["u9"]
        pushes = len(eve.pushes)
        await eve.connect()
        await self.equal(eve, "$users", users)
        came = sum(len(json.dumps(it)) for it in eve.pushes[pushes:])
        # Three messages, four deletions.
        self.assertLess(came, 4000)

    async def test_what_came_and_went_meanwhile_is_not_told(self):
        """Whether it comes from memory or from the store: bytes are those of what changed."""
        await self.ada.settle_all([
            ("setUser", {"userId": f"u{n}", "set": {"name": f"User {n}"}}) for n in range(200)])
        message = await self.ada.publish("room", "stays")
        eve = await self.follower("$users", "room")
        await eve.until(lambda: len(entries(eve.rows["$users"])) == 200, "all users")
        await eve.until(lambda: eve.rows["room"].messages, "a message")
        for source in ("memory", "store"):
            await eve.close()
            for turn in range(10):
                await self.ada.settle_all([
                    ("setUser", {"userId": f"u{n}", "set": {"status": f"{source} {turn}"}})
                    for n in range(100)])
            late = await self.ada.publish("room", "passes")
            await self.ada.add("room", late, "👍")
            await self.ada.command("deleteMessage", channel="room", messageTimetoken=late)
            await self.ada.add("room", message, source)
            users = {f"u{n}": {"id": f"u{n}", "name": f"User {n}"} for n in range(200)}
            for n in range(100):
                users[f"u{n}"]["status"] = f"{source} 9"
            if source == "store":
                await self.ada.close()
                self.daemon.restart()
                await self.ada.connect()
            pushes = len(eve.pushes)
            await eve.connect()
            with self.subTest(source):
                await self.equal(eve, "$users", users)
                await eve.until(lambda: len(eve.rows["room"].actions) == (
                    1 if source == "memory" else 2), "the reactions of the room")
                came = eve.pushes[pushes:]
                events = [it for push in came if push["c"] == "$users" for it in push["m"]]
                # 100 entries, and 100 deletions of what stood there before.
                self.assertEqual(sum("e" not in it for it in events), 100)
                self.assertEqual(sum(it.get("e") == 5 for it in events), 100)
                self.assertLess(sum(len(json.dumps(it)) for it in came), 60_000)
                told = [it for push in came if push["c"] == "room" for it in push["m"]]
                self.assertEqual([it.get("e") for it in told], [3])

    async def test_three_doors_one_meaning(self):
        """Random changes at each door, also while the daemon is killed, come to one model."""
        dice = random.Random(7)
        model = {"$users": {}, "$channels": {}, ROOM: {}, ADAS: {}}
        eve = await self.follower(*model)
        eve.keep_connected()
        self.ada.keep_connected()
        people = ["ada", "bob", "zoë", "d/e f"]
        rooms = ["room", "den", "a/b"]
        for step in range(150):
            if step in (40, 90):
                self.daemon.kill()
                self.daemon.start()
            await self.change(dice, model, dice.choice(people), dice.choice(rooms))
        for name, expected in model.items():
            await self.equal(eve, name, expected)
        for op, name, fields in (
                ("users", "$users", {}), ("channels", "$channels", {}),
                ("members", ROOM, {"channel": "room"}),
                ("memberships", ADAS, {"userId": "ada"})):
            found = (await self.ada.command(op, **fields))["entries"]
            for it in found:
                del it["timetoken"]
            self.assertEqual({it["id"]: it for it in found}, model[name], name)

    async def change(self, dice, model, person, room):
        kind = dice.choice(["user", "channel", "member", "membership"])
        door = dice.choice(["native", "pubnub"])
        is_removal = dice.random() < 0.3
        fields = {"custom": {"n": dice.randrange(3)}, "status": dice.choice([None, "s", "t"])}
        if kind in ("user", "channel"):
            fields["name"] = dice.choice([None, "x", "y"])
        if door == "native":
            await self.change_here(kind, person, room, fields, is_removal)
        else:
            self.change_there(kind, person, room, fields, is_removal)
        self.note(model, kind, person, room, fields, is_removal)

    async def change_here(self, kind, person, room, fields, is_removal):
        if kind in ("user", "channel"):
            op = ("remove" if is_removal else "set") + kind.capitalize()
            of = {"userId": person} if kind == "user" else {"channel": room}
            await self.ada.settle(op, **of, **({} if is_removal else {"set": fields}))
            return
        own, other = (("channel", room), ("userId", person))
        if kind == "membership":
            own, other = other, own
        op = "setMembers" if kind == "member" else "setMemberships"
        lists = ({"remove": [other[1]]} if is_removal
                 else {"set": [{other[0]: other[1], **fields}]})
        await self.ada.settle(op, **{own[0]: own[1]}, **lists)

    def change_there(self, kind, person, room, fields, is_removal):
        with Rest(self.daemon, "ada") as web:
            base = "/v2/objects/{sub}"
            if kind in ("user", "channel"):
                path = f"uuids/{quoted(person)}" if kind == "user" else f"channels/{quoted(room)}"
                web.ok(f"{base}/{path}", method="DELETE" if is_removal else "PATCH",
                       body=None if is_removal else fields)
                return
            path, name, other = (
                (f"channels/{quoted(room)}/uuids", "uuid", person) if kind == "member"
                else (f"uuids/{quoted(person)}/channels", "channel", room))
            entry = {name: {"id": other}} | ({} if is_removal else fields)
            web.ok(f"{base}/{path}", method="PATCH",
                   body={"delete" if is_removal else "set": [entry]})

    def note(self, model, kind, person, room, fields, is_removal):
        """What a change comes to, by docs/PROTOCOL.md."""
        def put(name, key):
            if is_removal:
                model[name].pop(key, None)
                return
            entry = model[name].setdefault(key, {"id": key})
            for field, value in fields.items():
                entry.pop(field, None)
                if value is not None:
                    entry[field] = value
        if kind in ("user", "channel"):
            put("$users" if kind == "user" else "$channels", person if kind == "user" else room)
            if is_removal and kind == "user":
                model[ROOM].pop(person, None)
                if person == "ada":
                    model[ADAS].clear()
            if is_removal and kind == "channel":
                model[ADAS].pop(room, None)
                if room == "room":
                    model[ROOM].clear()
            return
        if room == "room":
            put(ROOM, person)
        if person == "ada":
            put(ADAS, room)

    async def test_a_part_of_a_directory_is_proven_too(self):
        await self.ada.settle_all([
            ("setUser", {"userId": f"u{n}", "set": {"name": f"User {n}"}}) for n in range(400)])
        eve = await self.device(self.daemon, "eve")
        eve.parts.add("$users")
        await eve.subscribe({"name": "$users", "window": {}})
        rows = eve.rows["$users"]
        await eve.command("older", **rows.ask(20))
        self.assertLess(len(rows.messages), 400)
        for n in range(0, 400, 10):
            await self.ada.command("setUser", userId=f"u{n}", set={"name": "other"})
        newest = await self.ada.command("setUser", userId="last", set={})
        await eve.reach("$users", int(newest["timetoken"]))
        self.assertFalse(rows.is_wrong)
        self.assertGreater(rows.verified, 0)

    async def test_limits(self):
        async with self.refused(413, "entry_too_large"):
            await self.ada.command("setUser", userId="ada", set={"custom": {"x": "y" * 17_000}})
        for fields in ({"nme": "A"}, {"name": 7}, {"custom": 7}, {"name": "x" * 2049}, None):
            async with self.refused(400, "invalid_field"):
                await self.ada.command("setUser", userId="ada", set=fields)
        async with self.refused(400, "invalid_field"):
            await self.ada.command("setMembers", channel="room", set=[
                {"userId": str(n)} for n in range(101)])
        async with self.refused(400, "invalid_field", "once"):
            await self.ada.command(
                "setMembers", channel="room", set=[{"userId": "a"}], remove=["a"])
        async with self.refused(400, "invalid_filter"):
            await self.ada.command("users", filter="name ==")
        async with self.refused(400, "invalid_field"):
            await self.ada.command("users", after="x")
        async with self.refused(400, "invalid_field"):
            await self.ada.command("users", sort=["subject.name"])
        long = "r" * 255
        await self.ada.command("setMembers", channel=long, set=[{"userId": "ada"}])
        eve = await self.follower(f"$members:{long}")
        await self.equal(eve, f"$members:{long}", {"ada": {"id": "ada"}})


class Rights(TokenCase):
    """What tokens let somebody do with users, channels and members."""

    def answer(self, user, permissions, method, path, body=None, **query):
        web = self.rest(self.daemon, user, ("pub-app", "sub-app"))
        query["auth"] = web_token(sub=user, permissions=permissions)
        return web.ask(method, f"/v2/objects/{{sub}}/{path}", query, body)

    def ask(self, user, permissions, method, path, body=None):
        return self.answer(user, permissions, method, path, body).status

    def test_a_change_shows_nothing_else_to_who_may_not_read(self):
        """Found by an attacker: an empty PATCH read what its sender might not."""
        everything = ["get", "update", "manage", "join"]
        owner = {"users": {".*": everything}, "channels": {".*": everything}}
        for path, body in (
                ("uuids/eve", {"name": "Eve", "email": "eve@example.com"}),
                ("channels/room", {"name": "Room", "description": "secret"}),
                ("channels/room/uuids", {"set": [{"uuid": {"id": "eve"}}]})):
            status = self.answer(
                "eve", {"patterns": owner}, "PATCH", path, body).status
            self.assertEqual(status, 200, path)
        for permissions, path, body, shown in (
                ({"users": {"eve": ["update"]}}, "uuids/eve", {}, []),
                ({"users": {"eve": ["update"]}}, "uuids/eve", {"name": "E"}, ["name"]),
                ({"channels": {"room": ["update"]}}, "channels/room", {}, []),
                ({"channels": {"room": ["manage"]}}, "channels/room/uuids", {}, None),
                ({"channels": {"room": ["manage"]}}, "channels/room/uuids",
                 {"set": [{"uuid": {"id": "ada"}}]}, None),
                ({"users": {"eve": ["update"]}}, "uuids/eve/channels",
                 {"set": [], "delete": []}, None)):
            with self.subTest(permissions=permissions, path=path, body=body):
                answer = self.answer(
                    "bob", permissions, "PATCH", path, body, include="custom,uuid.custom",
                    count="1", filter="id like '*'" if shown is None else "")
                self.assertEqual(answer.status, 200, answer)
                data = answer.json()["data"]
                if shown is None:
                    self.assertEqual(data, [])
                    self.assertNotIn("totalCount", answer.json())
                    continue
                told = [name for name, value in data.items()
                        if value is not None and name not in ("id", "updated", "eTag")]
                self.assertEqual(told, shown)
        whole = self.answer("eve", {"users": {"eve": ["get", "update"]}}, "PATCH", "uuids/eve", {})
        self.assertEqual(whole.json()["data"]["email"], "eve@example.com")

    def test_each_right_on_its_own(self):
        for permissions, method, path, body, status in (
                ({"users": {"ada": ["update"]}}, "PATCH", "uuids/ada", {"name": "A"}, 200),
                ({"users": {"ada": ["get"]}}, "PATCH", "uuids/ada", {"name": "B"}, 403),
                ({"users": {"ada": ["get"]}}, "GET", "uuids/ada", None, 200),
                ({"users": {"bob": ["get"]}}, "GET", "uuids/ada", None, 403),
                ({"users": {"ada": ["get"]}}, "GET", "uuids", None, 403),
                ({"channels": {"$users": ["get"]}}, "GET", "uuids", None, 200),
                ({"channels": {"room": ["update"]}}, "PATCH", "channels/room", {}, 200),
                ({"channels": {"room": ["get"]}}, "GET", "channels/room", None, 200),
                ({"channels": {"room": ["get"]}}, "GET", "channels/room/uuids", None, 200),
                ({"channels": {"room": ["get"]}}, "PATCH", "channels/room/uuids",
                 {"set": [{"uuid": {"id": "ada"}}]}, 403),
                ({"channels": {"room": ["manage"]}}, "PATCH", "channels/room/uuids",
                 {"set": [{"uuid": {"id": "ada"}}]}, 200),
                ({"channels": {"room": ["join"]}, "users": {"ada": ["update"]}}, "PATCH",
                 "uuids/ada/channels", {"set": [{"channel": {"id": "room"}}]}, 200),
                ({"channels": {"room": ["join"]}, "users": {"ada": ["update"]}}, "PATCH",
                 "uuids/ada/channels", {"set": [{"channel": {"id": "den"}}]}, 403),
                ({"users": {"ada": ["get"]}}, "GET", "uuids/ada/channels", None, 200),
                ({"channels": {"room": ["delete"]}}, "DELETE", "channels/room", None, 200),
                ({"users": {"ada": ["update"]}}, "DELETE", "uuids/ada", None, 403),
                ({"users": {"ada": ["delete"]}}, "DELETE", "uuids/ada", None, 200)):
            with self.subTest(permissions=permissions, method=method, path=path):
                self.assertEqual(self.ask("ada", permissions, method, path, body), status)
