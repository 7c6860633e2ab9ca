"""The wall clock steps while the daemon runs, and from one start to the next (libfaketime)."""

import ctypes
import glob
import itertools
import os
import re
import time
import unittest

from case import DaemonTestCase
from daemon import SANITIZED, Daemon
from rest import LongPoll, Rest
from waiting import until

DAY = 86_400
#: The tenant of devices that name none.
KEYS = ("pub", "default")


def library():
    """The preloaded library; without it these tests fail: Tools/install-packages has it."""
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not found:
        raise AssertionError("libfaketime is missing: run Tools/install-packages.")
    return found[0]


class SteppedDaemon(Daemon):
    """A daemon whose wall clock is so many seconds off as a file says; other clocks run on."""

    _numbers = itertools.count(1)

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.offset_path = os.path.join(self.scratch, "offset")
        self._shared = []

    def step(self, seconds):
        """Sets the wall clock so far off, now and for starts to come."""
        with open(self.offset_path + "~", "w", encoding="ascii") as file:
            file.write(f"{seconds:+d}\n")
        os.replace(self.offset_path + "~", self.offset_path)

    def spawn(self):
        self.environment = {
            "LD_PRELOAD": library(), "FAKETIME_TIMESTAMP_FILE": self.offset_path,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_SHARED": self._share(),
        }
        super().spawn()

    def _share(self):
        """What libfaketime would make and put into the environment, by which the daemon's program
        would lose its arguments: Swift finds them beside it. New ones for each start, because a
        process that was killed may have held the semaphore."""
        name = f"/syncdaemon-test-{os.getpid()}-{next(self._numbers)}"
        library_of_c = ctypes.CDLL(None, use_errno=True)
        library_of_c.sem_open.restype = ctypes.c_void_p
        if not library_of_c.sem_open(name.encode(), os.O_CREAT, 0o600, 1):
            raise OSError(ctypes.get_errno(), "sem_open")
        with open(f"/dev/shm{name}", "wb") as memory:
            memory.truncate(4096)
        self._shared += [f"/dev/shm/sem.{name[1:]}", f"/dev/shm{name}"]
        return f"{name} {name}"

    def discard(self):
        super().discard()
        for path in self._shared:
            if os.path.exists(path):
                os.remove(path)
        self._shared = []


@unittest.skipIf(SANITIZED, "A sanitizer must be loaded before libfaketime, and cannot.")
class ClockTestCase(DaemonTestCase):
    """A daemon on a machine whose wall clock the test sets, and whose other clocks run on."""

    def start_at(self, seconds=0, *arguments):
        """A daemon whose wall clock is so many seconds off."""
        daemon = SteppedDaemon(*arguments)
        daemon.step(seconds)
        self.addCleanup(daemon.discard)
        self.addCleanup(lambda: self._notes.append(f"daemon's log:\n{daemon.log_tail()}"))
        self.addCleanup(self._stop, daemon)
        return daemon.start()

    def rest(self, daemon, user="ada"):
        rest = Rest(daemon, user, KEYS)
        self.addCleanup(rest.close)
        return rest

    def poll(self, daemon, cursor=0, user="bob"):
        poll = LongPoll(daemon, user, "room", keys=KEYS)
        poll.cursor = cursor
        self.addCleanup(poll.rest.close)
        return poll

    def metric(self, daemon, name):
        text = self.rest(daemon, "operator").http.get("/metrics").body.decode()
        return int(re.search(rf"^syncdaemon_{name} (-?\d+)$", text, re.MULTILINE)[1])

    @staticmethod
    def until(condition, what):
        until(condition, what)


class Cursors(ClockTestCase):
    """A cursor that was handed out stays good, whatever becomes of the process and its clock."""

    def test_a_handshake_before_a_crash_and_a_clock_that_went_back(self):
        """K1: the message after the restart comes to who has only a handshake's cursor."""
        daemon = self.start_at()
        with Rest(daemon, "early", KEYS) as early:
            early.publish("room", "before")
        cursor = self.poll(daemon).handshake().cursor
        for round_ in range(3):
            daemon.kill()
            daemon.step(-3 * (round_ + 1))
            daemon.start()
            sent = self.rest(daemon).publish("room", round_)
            self.assertGreater(sent, cursor)
            poll = self.poll(daemon, cursor)
            self.assertEqual([it["d"] for it in poll.turn()], [round_])
            self.assertEqual(poll.cursor, sent)
            cursor = self.poll(daemon).handshake().cursor
            self.assertGreaterEqual(cursor, sent)

    def test_handshakes_while_the_order_is_ahead_of_the_clock(self):
        """K1: one write an hour ahead, the clock corrected, handshakes, a crash."""
        for ahead in (3600, 30):
            with self.subTest(ahead=ahead):
                daemon = self.start_at(ahead)
                web = self.rest(daemon)
                web.publish("room", "ahead")
                daemon.step(0)
                cursors = [self.poll(daemon).handshake().cursor for _ in range(5)]
                for _ in range(20):
                    web.ok("/signal/{pub}/{sub}/0/den/0/1")
                cursors.append(self.poll(daemon).handshake().cursor)
                self.assertEqual(cursors, sorted(set(cursors)))
                daemon.kill()
                daemon.start()
                web = self.rest(daemon)
                sent = [web.publish("room", number) for number in range(2)]
                for cursor in cursors:
                    found = self.poll(daemon, cursor).collect(2)
                    self.assertEqual([int(it["p"]["t"]) for it in found], sent)

    def test_signals_in_an_idle_daemon_then_a_crash(self):
        """Unstored events go beyond what was committed; a restart begins after them."""
        daemon = self.start_at()
        web = self.rest(daemon)
        places, deadline = [], time.monotonic() + 2.5
        while time.monotonic() < deadline:
            places.append(int(web.ok("/signal/{pub}/{sub}/0/room/0/1")[2]))
            time.sleep(0.02)  # Below what one user may do in a second.
        self.assertEqual(places, sorted(set(places)))
        daemon.kill()
        daemon.step(-30)
        daemon.start()
        self.assertGreater(self.rest(daemon).publish("room", "after"), places[-1])

    def test_a_cursor_of_a_lost_copy(self):
        """A backup put back under a clock that went back: nothing that this copy has is skipped."""
        daemon = self.start_at()
        self.rest(daemon).publish("room", "kept")
        daemon.stop()
        path = os.path.join(daemon.data_dir, "syncdaemon.db")
        with open(path, "rb") as file:
            backup = file.read()
        daemon.start()
        self.rest(daemon).publish("room", "lost")
        cursor = self.poll(daemon).handshake().cursor
        daemon.kill()
        for suffix in ("-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)
        with open(path, "wb") as file:
            file.write(backup)
        daemon.step(-50)
        daemon.start()
        sent = self.rest(daemon).publish("room", "new")
        self.assertLess(sent, cursor, "else this shows nothing")
        poll = self.poll(daemon, cursor)
        self.assertEqual(poll.rest.ok(poll.path, {"tt": cursor, "tr": 1})["m"], [])
        answer = poll.rest.ok(poll.path, {"tt": cursor, "tr": 1})
        poll.cursor = int(answer["t"]["t"])
        self.assertLess(poll.cursor, sent)
        self.assertEqual([it["d"] for it in poll.turn()], ["new"])

    def test_a_poll_from_the_time_of_day_waits(self):
        """P4: `/time/0` is a cursor; one from a client's own clock is as good."""
        daemon = self.start_at()
        web = self.rest(daemon)
        web.publish("room", "old")
        for kind in ("with a region", "without", "of a clock"):
            with self.subTest(kind):
                query = {"tt": web.ok("/time/0")[0]}
                if kind == "with a region":
                    query["tr"] = 1
                elif kind == "of a clock":
                    query["tt"] = int((time.time() + 20) * 1e7)
                poll = self.poll(daemon)
                poll.rest.http.send(
                    poll.rest.http.request("GET", poll.rest.target(poll.path, query)))
                self.until(lambda: self.metric(daemon, "polls") == 1, "the poll to wait")
                sent = web.publish("room", "new")
                self.assertEqual([int(it["p"]["t"]) for it in poll.finish()], [sent])

    def test_an_idle_daemon_writes_nothing(self):
        """Raising the ceiling is a commit: it is made for those who ask, and for nobody else."""
        daemon = self.start_at()
        self.poll(daemon).handshake()
        log = os.path.join(daemon.data_dir, "syncdaemon.db-wal")
        def quiet():
            # That nothing happens while time passes, what is under way at first apart.
            before = os.stat(log).st_mtime_ns, os.path.getsize(log)
            time.sleep(3)
            return before == (os.stat(log).st_mtime_ns, os.path.getsize(log))
        self.assertTrue(quiet() or quiet())
        now = int(self.rest(daemon).ok("/time/0")[0])
        self.assertLess(abs(now / 1e7 - time.time()), 1, "It is the time, after a rest too.")


class Retention(ClockTestCase):
    """A step of 31 days for one write costs nothing: K2."""

    async def before(self, daemon):
        ada = await self.device(daemon, "ada")
        sent = await ada.publish("room", "m1", mutation="m1")
        await ada.add("room", sent, "a1", mutation="add")
        await ada.remove("room", sent, "a1", mutation="remove")
        self.rest(daemon).publish("room", "for a day", ttl=24)
        return ada, sent

    async def after(self, daemon, ada, sent):
        self.assertEqual(await ada.publish("room", "m1", mutation="m1"), sent)
        await ada.add("room", sent, "a1", mutation="add")
        texts = [it["message"] for it in self.rest(daemon).ok(
            "/v3/history/sub-key/{sub}/channel/room", {"max": 100})["channels"]["room"]]
        self.assertEqual(texts.count("m1"), 1)
        self.assertIn("for a day", texts)
        self.assertEqual(self.rest(daemon).actions("room")[0], [])
        end = self.rest(daemon).publish("room", "end")
        self.assertLess(abs(end / 1e7 - time.time()), 120)

    async def test_a_step_while_it_runs(self):
        daemon = self.start_at()
        state = await self.before(daemon)
        daemon.step(31 * DAY)
        self.rest(daemon, "other").publish("den", "ahead")
        self.until(lambda: self.metric(daemon, "clock_unfollowed_seconds") > 30 * DAY, "the jump")
        self.rest(daemon, "other").publish("den", "ahead again")
        daemon.step(0)
        self.until(lambda: self.metric(daemon, "clock_unfollowed_seconds") == 0, "its end")
        await self.after(daemon, *state)
        self.assertEqual(self.metric(daemon, "clock_jumps_total"), 1)
        self.assertEqual(daemon.log().count("The wall clock jumped."), 1)

    async def test_a_step_over_restarts(self):
        daemon = self.start_at()
        ada, *state = await self.before(daemon)
        await ada.close()
        for offset in (31 * DAY, 0):
            daemon.stop()
            daemon.step(offset)
            daemon.start()
            self.rest(daemon, "other").publish("den", "now")
        ada = await self.device(daemon, "ada")
        await self.after(daemon, ada, *state)


if __name__ == "__main__":
    unittest.main()
