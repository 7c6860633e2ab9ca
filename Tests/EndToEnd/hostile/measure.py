"""One attack beside an honest client; what the client, the watchdog and the memory say of it."""

import contextlib
import os
import pathlib
import threading
import time
import warnings

from hostile import limits
from hostile.attack import Target
from hostile.honest import FORK, Honest
from test_activation import Notifications

#: Seconds before the attack in which the honest client's base is taken.
BASE_SECONDS = 4
#: Seconds after it in which the honest client has to be served as before.
AFTER_SECONDS = limits.RECOVERY_SECONDS_MAX + 2
#: Milliseconds that half of those who come anew wait at most, once it is over.
NEWCOMER_MS_MAX = 1000
#: Attackers are elsewhere: here they get what the others leave of the machine.
ATTACKER_NICE = 19
#: Both before what else the machine does, where that is allowed.
MEASURED_NICE = -20


class Outcome:
    """What came of one attack."""

    def __init__(self, attack):
        self.attack = attack
        self.cases = []
        self.counts = {}
        self.columns = {}
        #: What is worse than it may be, in words.
        self.broken = []

    def hold(self, holds, text):
        if not holds:
            self.broken.append(text)


class Plan:
    """How long each part takes, in seconds, and whether all of it goes before other programs."""

    def __init__(self, seconds, base=BASE_SECONDS, after=AFTER_SECONDS, patience=20, ahead=True):
        self.seconds, self.base, self.after = seconds, base, after
        #: After which the honest client gives an operation up.
        self.patience = patience
        self.ahead = ahead


def carry_out(attack, plan):
    """Runs one attack against a daemon of its own; its Outcome."""
    outcome = Outcome(attack)
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"attack-{os.getpid()}-{attack.name}")
    notifications = Notifications(path)
    target = Target(attack, {
        "NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(int(limits.WATCHDOG_SECONDS * 1e6))})
    try:
        attack.prepare(target)
        if attack.restarts:
            target.daemon.restart()
        if attack.strike is not None:
            with ahead(target.daemon) if plan.ahead else contextlib.nullcontext():
                strike(outcome, target, notifications, plan)
        outcome.cases = list(attack.cases(target))
        for text, is_refused in outcome.cases:
            outcome.hold(is_refused, text)
        outcome.hold(target.daemon.is_running, "the daemon ended")
    finally:
        target.daemon.discard()
        notifications.close()
        os.unlink(path)
    return outcome


@contextlib.contextmanager
def ahead(daemon):
    """While it lasts, the daemon and this process go before other programs, where allowed."""
    autogroup = "/proc/self/autogroup"  # Where sessions share the processor, niceness holds within.
    before, niceness = None, os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(OSError):
        before = pathlib.Path(autogroup).read_text(encoding="ascii").split()[-1]
        pathlib.Path(autogroup).write_text(str(MEASURED_NICE), encoding="ascii")
    with contextlib.suppress(PermissionError):
        for thread in os.listdir(f"/proc/{daemon.process.pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), MEASURED_NICE)
        os.setpriority(os.PRIO_PROCESS, 0, MEASURED_NICE)
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
        if before is not None:
            with contextlib.suppress(OSError):
                pathlib.Path(autogroup).write_text(before, encoding="ascii")


def strike(outcome, target, notifications, plan):
    """The attack itself, from the base to the recovery."""
    honest = Honest(target.address, target.honest, plan.patience)
    time.sleep(1)  # What the beginning cost is no base.
    memory = Memory(target.daemon)
    begin = time.monotonic()
    time.sleep(plan.base)
    stop, (here, there) = FORK.Event(), FORK.Pipe(duplex=False)
    attacker = FORK.Process(target=attacker_main, args=(target, stop, there), daemon=True)
    struck = time.monotonic()
    attacker.start()
    there.close()
    time.sleep(plan.seconds * outcome.attack.times)
    stop.set()
    try:
        outcome.counts = here.recv() if here.poll(20) else {"the attacker": "did not end"}
    except EOFError:
        raise AssertionError(f"{outcome.attack.name}: the attacker failed; see above.") from None
    attacker.kill()
    attacker.join()
    end = time.monotonic()
    time.sleep(plan.after)
    over = time.monotonic()
    samples = honest.finish()
    memory.stop()
    beats = [it for it, line in zip(notifications.times, notifications.heard)
             if line == "WATCHDOG=1" and begin <= it <= over]
    judge(outcome, target, samples, (begin, struck, end, over), beats, memory.peak)


def attacker_main(target, stop, there):
    """The attacker's process: its connections end with it, all at once."""
    warnings.simplefilter("ignore", ResourceWarning)
    os.setpriority(os.PRIO_PROCESS, 0, ATTACKER_NICE)
    there.send(target.attack.strike(target, stop))
    # Until it is killed: its connections are the attack's, too.
    time.sleep(60)


class Memory:
    """The most that the daemon held, looked at every few milliseconds."""

    def __init__(self, daemon):
        self.daemon, self.peak = daemon, 0
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._enough.wait(0.02):
            try:
                self.peak = max(self.peak, self.daemon.allocated_bytes())
            except (OSError, TypeError):  # It has ended.
                return

    def stop(self):
        self._enough.set()
        self._thread.join()


def percentile(seconds, share):
    """Milliseconds; a failure counts as the longest there is."""
    known = sorted(float("inf") if it is None else it for it in seconds)
    if not known:
        return float("inf")
    return known[min(len(known) - 1, int(len(known) * share))] * 1000


def second(seconds):
    """Milliseconds of the second longest: a long turn holds both probes up, a hiccup one."""
    return percentile(sorted(seconds, key=lambda it: float("inf") if it is None else it)[:-1], 1)


def judge(outcome, target, samples, times, beats, peak):
    """Fills the row, and compares it with the limits."""
    begin, struck, end, over = times
    columns = outcome.columns

    def of(kinds, first, last):
        return [it.seconds for it in samples if it.kind in kinds and first <= it.due < last]

    worst = 0
    for kind in ("write", "read"):
        base, during = of([kind], begin, struck), of([kind], struck, end)
        columns[f"{kind} base"] = (percentile(base, 0.5), percentile(base, 0.99))
        columns[f"{kind} during"] = (percentile(during, 0.5), percentile(during, 0.99))
        before, after = columns[f"{kind} base"][1], columns[f"{kind} during"][1]
        worst = max(worst, after / before)
        outcome.hold(
            after <= max(limits.P99_RATIO_MAX * before, limits.P99_MS_MAX),
            f"{kind} p99 {after:.0f} ms, {after / before:.1f} × its base")
    columns["ratio"] = worst
    columns["turn base"] = second(of(["probe"], begin, struck))
    columns["turn"] = second(of(["probe"], struck, end + 1))
    outcome.hold(columns["turn"] <= max(limits.TURN_MS_MAX, 3 * columns["turn base"]),
                 f"/healthz took {columns['turn']:.0f} ms")
    failed = [it.kind for it in samples if it.seconds is None and it.due < over - 1]
    columns["turned away"] = failed.count("newcomer")
    columns["failed"] = len(failed) - columns["turned away"]
    outcome.hold(not columns["turned away"], f"{columns['turned away']} newcomers turned away")
    outcome.hold(not columns["failed"], f"{columns['failed']} operations failed: "
                                        f"{', '.join(sorted(set(failed)))}")
    memory_max = target.memory_max or limits.MEMORY_BYTES_MAX
    columns["memory"] = peak
    outcome.hold(peak <= memory_max, f"{peak >> 20} MiB of memory")
    marks = [begin, *beats, over]
    gap = max(later - earlier for earlier, later in zip(marks, marks[1:]))
    columns["beat gap"] = gap
    outcome.hold(gap <= limits.WATCHDOG_SECONDS, f"no beat for {gap:.2f} s")
    columns["recovered"] = recovered(samples, columns, end, over)
    outcome.hold(columns["recovered"] <= limits.RECOVERY_SECONDS_MAX,
                 f"not recovered {columns['recovered']:.1f} s after the end")


def recovered(samples, columns, end, over):
    """Seconds from the end to the first second in which nine of ten operations are as before."""
    when = end
    while when + 1 <= over:
        found = [it for it in samples if when <= it.due < when + 1]
        late = [
            percentile([it.seconds for it in found if it.kind == kind], 0.9)
            / max(limits.P99_RATIO_MAX * columns[f"{kind} base"][1], limits.P99_MS_MAX)
            for kind in ("write", "read")]
        newcomers = [it.seconds for it in found if it.kind == "newcomer"]
        if max(late) <= 1 and percentile(newcomers, 0.5) <= NEWCOMER_MS_MAX:
            break
        when += 0.1
    return when - end
