"""How long a wait goes on: as long as something happens, not for a time that is right somewhere."""

import time
import weakref

#: Seconds without any progress after which a wait gives up.
PATIENCE = 30
#: A program that computes makes progress, but one that only spins does not: so often its work
#: alone keeps a wait alive.
WORK_ALONE_MAX = 10
#: Of a core, over the time of the patience; a daemon that has nothing to do uses less.
WORK_SHARE_MIN = 0.03
#: Programs under test that run; those that have `cpu_seconds` and `is_running`.
programs = weakref.WeakSet()


class Patience:
    """Is over when nothing has happened for so long.

    Something happens when what `signs` returns changes (a count of frames, say), and when the
    daemons under test use processor time: on a machine that does much else they need longer, and
    for everything.
    """

    def __init__(self, signs=lambda: None, seconds=PATIENCE):
        self._signs = signs
        self.seconds = seconds
        self._seen = signs()
        self._works = 0
        self._begin()

    def _begin(self):
        self._since = time.monotonic()
        self._work = work()

    @property
    def is_over(self):
        seen = self._signs()
        if seen != self._seen:
            self._seen = seen
            self._works = 0
            self._begin()
        elif time.monotonic() - self._since > self.seconds:
            share = (work() - self._work) / self.seconds
            self._works += 1
            if share < WORK_SHARE_MIN or self._works > WORK_ALONE_MAX:
                return True
            self._begin()
        return False

    def check(self, what):
        """Raises when it is over."""
        if self.is_over:
            raise AssertionError(f"Nothing happened for {self.seconds} s; waited for {what}.")


def work():
    """Processor seconds that the programs under test have used so far."""
    total = 0
    for program in list(programs):
        try:
            total += program.cpu_seconds() if program.is_running else 0
        except OSError:
            pass  # It has ended just now.
    return total


def processor_seconds(process):
    """What one process has used so far, user and system.

    By its own clock, which counts nanoseconds; /proc counts ticks of 10 ms, of which three more or
    less are a hundredth of a core over three seconds.
    """
    return time.clock_gettime(~process << 3 | 2)  # clock_getcpuclockid(3)


def until(condition, what, signs=lambda: None, pause=0.02):
    """Polls for something that nothing announces, and returns it; for tests that block."""
    patience = Patience(signs)
    while not (found := condition()):
        patience.check(what)
        time.sleep(pause)
    return found
