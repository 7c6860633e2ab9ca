"""Summaries in the place of actions: exact, bounded in rate, and none is lost."""

import asyncio
import json
import struct

import websockets

import reconcile
from case import DaemonTestCase


def state(key, groups):
    """What groups come to, as docs/PROTOCOL.md has it."""
    lanes = [0, 0]
    for group in groups:
        data = b""
        for text in (group["t"], group["v"]):
            encoded = text.encode()
            data += struct.pack("<I", len(encoded)) + encoded
        data += struct.pack("<QQ", group["n"], group.get("s", group["n"]))
        for lane, word in enumerate(reconcile.siphash128(bytes.fromhex(key), data)):
            lanes[lane] = (lanes[lane] + word) & reconcile.MASK64
    return f"{lanes[0]:016x}{lanes[1]:016x}"


class Board:
    """What a device shows that follows a channel by its summaries."""

    def __init__(self, daemon, user="eve", channel="room"):
        self.daemon, self.user, self.channel = daemon, user, channel
        self.key, self.cursor, self.epoch = None, None, None
        self.messages, self.summaries = {}, {}
        self.pushes = []
        #: Clearings that name no message: what is shown has to be asked for.
        self.cleared = 0
        self.frames = 0
        self._replies = {}
        self._reader = None

    async def connect(self, cursor=None, **more):
        """A connection, and the subscription from where the last one stopped."""
        self._socket = await websockets.connect(
            self.daemon.url, subprotocols=["sync.v1.json"], compression=None, ping_interval=None,
            max_size=None, max_queue=None)
        self._reader = asyncio.create_task(self._read(self._socket))
        welcome = await self.command("hello", userId=self.user, deviceId="board")
        start = {"cursor": self.cursor or cursor} if self.cursor or cursor else {}
        if self.epoch:
            start["epoch"] = self.epoch
        self.epoch = welcome["epoch"]
        self.pushes = []
        reply = await self.command("subscribe", channels=[
            {"name": self.channel, "actions": "summary"} | start | more])
        channel = reply["channels"][0]
        assert "s" not in channel, channel
        self.key = channel["key"]
        if channel["mode"] == "snapshot":
            self.messages, self.summaries = {}, {}
        self.cursor = self.cursor or channel["cursor"]

    async def leave(self):
        """Vanishes; what came counts as far as it was taken."""
        self._socket.transport.abort()
        await asyncio.wait([self._reader])

    async def command(self, op, **fields):
        number = len(self._replies) + 1
        self._replies[number] = asyncio.get_running_loop().create_future()
        await self._socket.send(json.dumps({"id": number, "op": op, **fields}))
        return await self._replies[number]

    async def _read(self, socket):
        try:
            async for text in socket:
                frame = json.loads(text)
                if "ok" in frame:
                    self._replies[frame["id"]].set_result(frame["ok"])
                else:
                    assert "t" in frame, frame
                    self.pushes.append(frame)
        except websockets.ConnectionClosed:
            pass

    def pause(self, paused):
        """Has nothing read from the socket, or again."""
        transport = self._socket.transport
        transport.pause_reading() if paused else transport.resume_reading()

    def take(self):
        """Applies what came since."""
        pushes, self.pushes = self.pushes, []
        for frame in pushes:
            assert "s" not in frame and frame["c"] == self.channel, frame
            self.cursor = max(self.cursor, frame["t"]["t"], key=int)
            for envelope in frame["m"]:
                if envelope.get("e") == 3:
                    assert envelope["d"]["event"] == "cleared", envelope
                    self.cleared += "messageTimetoken" not in envelope["d"]["data"]
                    continue
                assert envelope.get("e") in (None, 5), envelope
                if envelope.get("e") == 5:
                    data = envelope["d"]["data"]
                    gone = lambda it: int(data["after"]) < int(it) <= int(data["through"])
                    self.messages = {k: v for k, v in self.messages.items() if not gone(k)}
                    self.summaries = {k: v for k, v in self.summaries.items() if not gone(k)}
                else:
                    self.messages[envelope["p"]["t"]] = envelope["d"]
            self.frames += "g" in frame
            for summary in frame.get("g", []):
                self.put(summary)

    def put(self, summary):
        old = self.summaries.get(summary["m"])
        if old is None or int(old["t"]) <= int(summary["t"]):
            self.summaries[summary["m"]] = summary
        assert "x" in summary or state(self.key, summary["g"]) == summary["h"], summary


def recount(actions):
    """The groups of actions, one by one."""
    rows = {}
    for it in actions:
        rows.setdefault((it["messageTimetoken"], it["type"], it["value"]), []).append(it)
    groups = {}
    for (message, kind, value), those in sorted(rows.items()):
        those.sort(key=lambda it: -int(it["actionTimetoken"]))
        group = {"t": kind, "v": value, "n": len(those), "f": those[-1]["actionTimetoken"],
                 "l": those[0]["actionTimetoken"], "u": [it["uuid"] for it in those[:10]]}
        score = sum(it.get("score", 1) for it in those)
        if score != len(those):
            group["s"] = score
        groups.setdefault(message, []).append(group)
    return groups


class Summaries(DaemonTestCase):
    def setUp(self):
        self.daemon = self.start_daemon()

    async def person(self, user):
        return await self.device(self.daemon, user)

    async def board(self, **more):
        board = Board(self.daemon)
        await board.connect(**more)
        self.addAsyncCleanup(board.leave)
        return board

    async def equal(self, board, writer):
        """Waits until a board shows what the rows come to."""
        async def is_equal():
            board.take()
            actions, after = [], None
            while True:
                page = await writer.command(
                    "actions", channel="room", **({"after": after} if after else {}))
                actions += page["actions"]
                after = page.get("next")
                if not after:
                    break
            shown = {m: it["g"] for m, it in board.summaries.items() if it["g"]}
            return shown == recount(actions)
        for _ in range(200):
            if await is_equal():
                return
            await asyncio.sleep(0.05)
        self.fail(f"It shows {board.summaries}")

    async def test_groups_come_instead_of_actions_and_seldom(self):
        board = await self.board()
        writers = [await self.person(f"user{it}") for it in range(12)]
        message = await writers[0].publish("room", "hi")
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for _ in range(15):
            await asyncio.gather(*(
                it.settle("addAction", channel="room", messageTimetoken=str(message), value="👍")
                for it in writers))
            await asyncio.gather(*(
                it.settle("removeAction", channel="room", messageTimetoken=str(message), value="👍")
                for it in writers[:5]))
        took = loop.time() - begun
        await writers[3].settle(
            "addAction", channel="room", messageTimetoken=str(message), value="👎", score=4)
        await self.equal(board, writers[0])
        self.assertEqual(list(board.messages.values()), ["hi"])
        # Four in a second, one at once and one at the end.
        self.assertLessEqual(board.frames, took / 0.25 + 2)
        self.assertEqual([it["n"] for it in board.summaries[str(message)]["g"]], [7, 1])

    async def test_what_was_missed_comes_on_return_and_nothing_is_lost(self):
        dice = self.random()
        writer = await self.person("ada")
        messages = [str(await writer.publish("room", it)) for it in range(8)]
        board = await self.board(cursor="0")
        await self.equal(board, writer)
        for turn in range(12):
            for _ in range(dice.randrange(1, 40)):
                await writer.settle(
                    dice.choice(["addAction", "addAction", "removeAction"]), channel="room",
                    messageTimetoken=dice.choice(messages), value=dice.choice("👍👎🔥"))
                if dice.random() < 0.1:
                    board.take()
                    await board.leave()
                    await board.connect()
            if turn == 6:
                await asyncio.sleep(dice.random())
                self.daemon.kill()
                self.daemon.start()
                writer = await self.person("bob")
            board.take()
            await board.leave()
            await board.connect()
            await self.equal(board, writer)

    async def test_they_can_be_asked_for_and_what_is_known_does_not_come(self):
        ada, bob = await self.person("ada"), await self.person("bob")
        board = await self.board()
        first, second = [str(await ada.publish("room", it)) for it in (1, 2)]
        for device in (ada, bob):
            await device.settle("addAction", channel="room", messageTimetoken=first, value="👍")
        ask = lambda *messages: bob.command("summaries", channel="room", messages=list(messages))
        both = (await ask(first, second))["summaries"]
        self.assertEqual([(it["m"], len(it["g"])) for it in both], [(first, 1), (second, 0)])
        self.assertEqual(both[0]["g"][0]["u"], ["bob", "ada"])
        self.assertEqual(both[1]["h"], "0" * 32)
        self.assertEqual(both[0]["h"], state(board.key, both[0]["g"]))
        known = [{"m": it["m"], "h": it["h"]} for it in both]
        self.assertEqual((await ask(*known))["summaries"], [])
        await ada.settle("removeAction", channel="room", messageTimetoken=first, value="👍")
        self.assertEqual([it["m"] for it in (await ask(*known))["summaries"]], [first])

    async def test_a_deletion_takes_summaries_along(self):
        board = await self.board()
        ada = await self.person("ada")
        message = str(await ada.publish("room", 1))
        await ada.settle("addAction", channel="room", messageTimetoken=message, value="👍")
        await self.equal(board, ada)
        await ada.settle("deleteMessages", channel="room", through=message)
        await self.equal(board, ada)
        self.assertEqual(board.summaries, {})
        found = await ada.command("summaries", channel="room", messages=[message])
        self.assertEqual(found["summaries"][0]["g"], [])

    async def test_who_reads_slowly_misses_none(self):
        ada = await self.person("ada")
        messages = [str(await ada.publish("room", it)) for it in range(30)]
        board = await self.board(cursor="0")
        await self.equal(board, ada)
        board.pause(True)
        for turn in range(40):
            await asyncio.gather(*(
                ada.settle("addAction", channel="room", messageTimetoken=it,
                           value=f"{turn} {'x' * 900}") for it in messages[:turn + 1][-16:]))
        await asyncio.sleep(0.6)
        board.pause(False)
        await self.equal(board, ada)
