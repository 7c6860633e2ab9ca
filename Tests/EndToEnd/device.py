"""A device of a user on Debian's python3-websockets: a client that is not ours."""

import asyncio
import itertools
import json

import websockets

import reconcile
from rows import Rows, Violation, action_row, timetoken
from window import Part
from waiting import PATIENCE, WORK_ALONE_MAX, Patience

SUBPROTOCOL = "sync.v1.json"
#: Replies that say "nothing was applied as far as I know, retry with the same mutation".
RETRYABLE = {
    "overloaded", "draining", "store_unavailable", "too_many_in_flight", "rate_limited",
    "interceptor_failed",
}
#: Coded symbols in one frame, and in the first question of a repair.
SYMBOLS_PER_FRAME = 1300
FIRST_SYMBOLS = 32
#: The same of segments: both sides' states are to be told.
FIRST_SEGMENT_SYMBOLS = 48
#: Commands that one device has under way when it works through a long list.
WINDOW = 200


class Refused(Exception):
    """The daemon answered a command with an error."""

    def __init__(self, error):
        super().__init__(f"{error.get('status')} {error.get('code')}: {error.get('message')}")
        self.status = error.get("status")
        self.code = error.get("code")
        self.message = error.get("message")


class Disconnected(Exception):
    """The connection ended before the reply came."""


class Device:
    """One connection at a time, and what survives it: the rows, their cursors and the epoch.

    Whatever breaks the protocol is kept in `violations`, because it is found by the task that
    reads, where an exception would only end the reading.
    """

    def __init__(self, daemon, user, name, keyset=None, publish_key=None):
        self.daemon = daemon
        self.user = user
        self.name = name
        #: The tenant that hello names; None leaves it to the daemon.
        self.tenant = keyset
        self.publish_key = publish_key
        #: Replies that `settle_all` has got.
        self.settled = 0
        #: What every envelope must name.
        self.keyset = keyset or "default"
        self.rows = {}
        #: Channels of which it holds a part, once it has subscribed.
        self.parts = set()
        #: Rows to go back to, per channel, at the moment when the next subscribe is answered.
        self.restored = {}
        self.pushes = []
        #: Whether a cache that turns out to be wrong is repaired; else that is a violation.
        self.heals = False
        #: What each channel's repairs were answered, in order.
        self.repairs = {}
        #: Rows of a channel under repair that are too many, as what its segments come to tells.
        self.dropped = {}
        #: Channels whose repair waits for the test, which then calls `repair`.
        self.patient = set()
        #: Channels whose repair is under way: their actions must not change.
        self.repairing = set()
        self._healing = set()
        self.unmatched = []
        #: What was said of reactions in channels that are followed, frame by frame.
        self.rules = []
        #: Where the user has read, by channel, as far as it was told.
        self.marks = {}
        #: What live queries were told, by their numbers: pages among the changes, as they came.
        self.live_frames = {}
        self.violations = []
        self.welcome = None
        self.close_code = None
        self.close_reason = None
        self.online = asyncio.Event()
        #: Frames that came, over all connections: the sign that something happens.
        self.frames = 0
        self._socket = None
        self._ids = itertools.count(1)
        self._mutations = itertools.count(1)
        self._pending = {}
        self._news = asyncio.Event()
        self._reading = None
        self._keeping = None

    async def __aenter__(self):
        await self.connect()
        return self

    async def __aexit__(self, *_):
        await self.close()

    # Connection

    async def open(self, query=""):
        """The WebSocket alone, without hello."""
        self.close_code = None
        self.close_reason = None
        self._socket = await websockets.connect(
            self.daemon.url + query, subprotocols=[SUBPROTOCOL], compression=None,
            ping_interval=None, max_size=None, max_queue=None,
            open_timeout=PATIENCE * WORK_ALONE_MAX)
        if self._socket.subprotocol != SUBPROTOCOL:
            self.violations.append(f"The subprotocol is {self._socket.subprotocol!r}.")
        self._reading = asyncio.create_task(self._read(self._socket))

    async def connect(self):
        """Opens, says hello, and follows again what was followed before."""
        await self.open()
        tenant = {} if self.tenant is None else {"keyset": self.tenant}
        if self.publish_key is not None:
            tenant["publishKey"] = self.publish_key
        self.welcome = await self.command("hello", userId=self.user, deviceId=self.name, **tenant)
        if self.rows:
            await self.resume()
        if self._reading.done():
            raise Disconnected("lost again at once")
        self.online.set()
        return self

    async def resume(self):
        """Asks for what was missed in every channel that this device knows."""
        return await self.subscribe(*(
            {"name": name, **rows.base()} for name, rows in self.rows.items()))

    async def close(self):
        """Leaves politely."""
        if self._keeping is not None:
            while not self._keeping.done():
                # Again and again: websockets connects inside wait_for, see request().
                self._keeping.cancel()
                await asyncio.wait([self._keeping], timeout=0.1)
            self._keeping = None
        if self._socket is not None:
            await self._socket.close()
            await self._reading

    async def cut(self):
        """Vanishes without a close frame, as a phone does in a tunnel."""
        self._socket.transport.abort()
        await self._reading

    async def closed(self):
        """The code with which the daemon closed the connection."""
        await self._patient(self._reading, "the end of the connection")
        return self.close_code

    async def _patient(self, future, what):
        """Waits for a future as long as something happens."""
        if future.done():
            return
        patience = Patience(lambda: self.frames)
        while not (await asyncio.wait([future], timeout=1))[0]:
            if patience.is_over:
                raise TimeoutError(
                    f"{self.user}/{self.name}: nothing happened; waited for {what}.")

    def keep_connected(self):
        """From now on comes back whenever the connection is lost, as an app does."""
        self._keeping = asyncio.create_task(self._keep())

    async def _keep(self):
        while not self.violations:
            try:
                if not self.online.is_set():
                    await self.connect()
                await asyncio.wait([self._reading])
            except (OSError, Disconnected, websockets.WebSocketException, TimeoutError):
                await asyncio.sleep(0.02)
            except Refused as refusal:
                if refusal.code not in RETRYABLE:
                    self.violations.append(f"Coming back was refused: {refusal}")
                    return
                await asyncio.sleep(0.02)

    async def _read(self, socket):
        try:
            async for text in socket:
                self._receive(json.loads(text))
        except websockets.ConnectionClosedError:
            pass
        except (ValueError, KeyError, TypeError, Violation) as problem:
            self.violations.append(f"{type(problem).__name__}: {problem}")
            await socket.close()
        finally:
            self.close_code = socket.close_code
            self.close_reason = socket.close_reason
            self.online.clear()
            self.repairing.clear()
            lost, self._pending = self._pending, {}
            for future, *_ in lost.values():
                if not future.done():
                    future.set_exception(Disconnected(f"closed with {socket.close_code}"))
            self._news.set()

    def _receive(self, frame):
        self.frames += 1
        if "t" in frame:
            if "id" in frame or frame["c"] not in self.rows:
                raise Violation(f"A push that nobody asked for: {frame}")
            self.rows[frame["c"]].apply(frame)
            self.pushes.append(frame)
            self._check(frame["c"], frame)
        elif "live" in frame:
            self.live_frames.setdefault(frame["live"], []).append(frame)
        elif "rules" in frame:
            self.rules.append(frame)
        elif "read" in frame:
            self.marks.update({it["name"]: it["through"] for it in frame["read"]})
        elif frame["id"] in self._pending:
            future, op, fields = self._pending.pop(frame["id"])
            if ("ok" in frame) == ("error" in frame):
                raise Violation(f"A reply has either ok or error: {frame}")
            if "ok" in frame and op == "subscribe":
                self._note_subscription(frame["ok"]["channels"])
            if "live" in fields and op == "actions" and "ok" in frame:
                self.live_frames.setdefault(frame["ok"]["live"], []).append(
                    {"page": frame["ok"]})
            if op == "older" and "ok" in frame and fields["channel"] in self.parts:
                self.rows[fields["channel"]].grow(frame["ok"])
            if op == "repair" and "ok" in frame:
                self._note_repair(fields["channel"], frame["ok"])
            if not future.done():
                future.set_result(frame)
        else:
            self.unmatched.append(frame)
        self._news.set()

    def _note_subscription(self, channels):
        """The pushes that follow the reply start where it says; so it counts at once."""
        for channel in channels:
            kind = Part if channel["name"] in self.parts else Rows
            rows = self.rows.setdefault(channel["name"], kind(channel["name"], self.keyset))
            if rows.channel in self.restored:
                rows.messages, rows.actions = self.restored.pop(rows.channel)
            rows.cursor = timetoken(channel["cursor"])
            rows.epoch = self.welcome["epoch"]
            rows.key = bytes.fromhex(channel["key"])
            rows.is_wrong = False
            rows.segments = channel.get("segments")
            self.repairing.discard(rows.channel)
            if rows.cursor == 0 and channel["mode"] != "repair":
                rows.clear()
                rows.is_whole = True
            if channel["mode"] == "repair":
                self.repairing.add(rows.channel)
                if rows.channel not in self.patient:
                    self._later(self.repair(rows.channel))
            elif channel["mode"] == "window" and channel["name"] in self.parts:
                rows.clear()
            elif channel["mode"] not in ("delta", "current", "snapshot"):
                raise Violation(f"An unknown mode: {channel}")
            elif "s" in channel:
                rows.verify(channel["s"])
                self._check(rows.channel, channel)

    # Repairs

    def _check(self, channel, frame):
        if not self.rows[channel].is_wrong or channel in self.repairing:
            return
        if channel in self.parts:
            raise Violation(f"A part of {channel} is not what the daemon has: {frame}")
        if not self.heals:
            raise Violation(f"{self.rows[channel].state()} is not what the daemon has: {frame}")
        self.repairing.add(channel)
        self._later(self.subscribe(
            {"name": channel, **self.rows[channel].base(), "repair": True}))

    def _note_repair(self, channel, answer):
        self.repairs.setdefault(channel, []).append(answer)
        if "rows" in answer:
            self.rows[channel].repair(answer, self.dropped.pop(channel, ()))
            self.repairing.discard(channel)
            if self.rows[channel].is_wrong:
                raise Violation(f"A repair of {channel} that did not make it equal: {answer}")

    def _later(self, work):
        """Something that the reading task must not wait for."""
        async def run():
            try:
                await work
            except (Disconnected, websockets.WebSocketException):
                pass  # Coming back begins anew.
            except Refused as refusal:
                # A newer wish may have ended the repair.
                if refusal.code not in RETRYABLE | {"no_repair"}:
                    self.violations.append(f"A repair was refused: {refusal}")

        task = asyncio.create_task(run())
        self._healing.add(task)
        task.add_done_callback(self._healing.discard)

    async def repair(self, channel):
        """Finds what differs: by segments where the daemon says so, else row by row."""
        rows = self.rows[channel]
        self.dropped.pop(channel, None)
        if rows.segments is None:
            return await self.repair_rows(channel, rows.all_rows())
        items = reconcile.segment_items(rows.key, rows.all_rows(), rows.segments)
        answer = await self.send_symbols(channel, items, FIRST_SEGMENT_SYMBOLS, of="segments")
        if "whole" in answer:
            return await self.repair_rows(channel, rows.all_rows())
        if "segments" not in answer:
            return answer
        stretches = reconcile.unpack_stretches(answer["segments"])
        if "states" not in answer:
            inside = self._rows_in(channel, stretches)
            return await self.repair_rows(channel, inside, answer["need"], of="rows")
        fetch, drop, only = reconcile.findings(
            rows.key, rows.all_rows(), stretches, reconcile.unpack_states(answer["states"]))
        self.dropped[channel] = drop
        while True:
            inside = self._rows_in(channel, [stretches[it] for it in only])
            answer = await self.repair_rows(
                channel, inside, 3 * len(only) + 8 if only else 0, of="rows",
                fetch=reconcile.pack_wants(fetch),
                only=reconcile.pack_timetokens(it + 1 for it in only))
            if "missing" not in answer:
                return answer
            only = sorted(
                only + [fetch.pop(it)[1] for it in reconcile.unpack_timetokens(answer["missing"])])

    def _rows_in(self, channel, stretches):
        return [row for row in self.rows[channel].all_rows()
                if reconcile.stretch_of(stretches, row[0]) is not None]

    async def repair_rows(self, channel, rows, need=FIRST_SYMBOLS, **level):
        """Compares rows, all or those of some segments."""
        items = reconcile.row_items(self.rows[channel].key, rows)
        answer = await self.send_symbols(channel, items, need, **level)
        if "snapshot" in answer:
            await self.subscribe({"name": channel, "cursor": "0"})
        return answer

    async def send_symbols(self, channel, items, need, **level):
        """Sends symbols until they tell something."""
        sent = 0
        choice = {name: level.pop(name) for name in ("fetch", "only") if name in level}
        while need is not None:
            cells = reconcile.symbols(self.rows[channel].key, items, need)
            parts = [
                self.command(
                    "repair", channel=channel, count=len(items), **{"from": first}, **level,
                    **(choice if first == 0 else {}),
                    symbols=reconcile.symbols_text(
                        cells[first:first + SYMBOLS_PER_FRAME], first, len(items)))
                for first in range(sent, max(need, 1), SYMBOLS_PER_FRAME)]
            answer = (await asyncio.gather(*parts))[-1]
            sent, need = need, None if "segments" in answer else answer.get("need")
            if need is not None and need <= sent:
                raise Violation(f"A repair of {channel} asks for what it has: {answer}")
        return answer

    # Commands

    async def send_text(self, text):
        await self._socket.send(text)

    async def request(self, op, **fields):
        """Sends one command and returns its whole reply."""
        if self._socket is None or self._reading.done():
            raise Disconnected("not connected")
        number = next(self._ids)
        future = asyncio.get_running_loop().create_future()
        self._pending[number] = (future, op, fields)
        try:
            await self._socket.send(json.dumps({"id": number, "op": op, **fields}))
            # Not wait_for: Python 3.11's forgets a cancellation that comes with the reply.
            await self._patient(future, f"the reply to {op}")
            return future.result()
        except websockets.ConnectionClosed:
            raise Disconnected(f"closed with {self._socket.close_code}") from None
        finally:
            self._pending.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # Read here too, so that a lost connection leaves no warning.

    async def command(self, op, **fields):
        """Sends one command and returns what is under `ok`, or raises Refused."""
        reply = await self.request(op, **fields)
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["ok"]

    async def settle(self, op, **fields):
        """A write that is retried, with one mutation id, until it is acknowledged."""
        fields.setdefault("mutation", self.new_mutation())
        while True:
            if not self.online.is_set():
                online = asyncio.ensure_future(self.online.wait())
                try:
                    await self._patient(online, "a connection")
                finally:
                    online.cancel()
            try:
                return await self.command(op, **fields)
            except Disconnected:
                self._complain()
                await asyncio.sleep(0)
            except Refused as refusal:
                if refusal.code not in RETRYABLE:
                    raise
                await asyncio.sleep(0.02)

    async def settle_all(self, commands):
        """Works through (op, fields) with many under way at once; the replies in order."""
        window = asyncio.Semaphore(WINDOW)

        async def one(op, fields):
            async with window:
                reply = await self.settle(op, **fields)
                self.settled += 1
                return reply

        return await asyncio.gather(*(one(op, fields) for op, fields in commands))

    def new_mutation(self):
        return f"{self.name}-{next(self._mutations)}"

    async def subscribe(self, *channels):
        """Follows channels, given as names or as the objects of docs/PROTOCOL.md."""
        wanted = [{"name": it} if isinstance(it, str) else it for it in channels]
        return (await self.command("subscribe", channels=wanted))["channels"]

    async def publish(self, channel, payload, **fields):
        """Publishes and returns the timetoken as a string."""
        return (await self.command(
            "publish", channel=channel, payload=payload, **fields))["timetoken"]

    async def add(self, channel, message, value, **fields):
        return await self.command(
            "addAction", channel=channel, messageTimetoken=message, value=value, **fields)

    async def remove(self, channel, message, value, **fields):
        return await self.command(
            "removeAction", channel=channel, messageTimetoken=message, value=value, **fields)

    async def all_actions(self, channel, limit=1000, **filters):
        """Every standing action of a channel as rows, page by page."""
        found, after = [], {}
        while True:
            page = await self.command("actions", channel=channel, limit=limit, **filters, **after)
            found += page["actions"]
            if "next" not in page:
                return sorted(action_row(action) for action in found)
            after = {"after": page["next"]}

    async def all_messages(self, channel, limit=100, **fields):
        """Every message of a channel, oldest first, page by page."""
        found, after = [], "0"
        while after is not None:
            page = await self.command(
                "history", channel=channel, limit=limit, after=after, **fields)
            found += page["messages"]
            after = page.get("next")
        return found

    # Waiting

    async def until(self, condition, what):
        """Waits until `condition()` holds; every frame that arrives is a reason to look again."""
        patience = Patience(lambda: self.frames)
        while not condition() and not self.violations:
            self._news.clear()
            try:
                async with asyncio.timeout(1):
                    await self._news.wait()
            except TimeoutError:
                # Its own work may have held this loop up.
                if not condition():
                    patience.check(f"{what} ({self.user}/{self.name})")
        self._complain()

    def _complain(self):
        """Raises what the reading task found, so that nobody waits for a broken stream to mend."""
        if self.violations:
            raise Violation(f"{self.user}/{self.name}: {self.violations[0]}")

    async def reach(self, channel, position):
        """Waits until this device has everything of the channel up to a timetoken."""
        wanted = int(position)
        await self.until(
            lambda: channel in self.rows and self.rows[channel].cursor >= wanted,
            f"{channel} to reach {wanted}")
