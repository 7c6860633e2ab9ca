"""An honest client: what it asks for, at a steady pace, and how long it waits for that."""

import multiprocessing
import os
import threading
import time
import warnings

from hostile.crowd import command
from raw import Ended, RawClient

#: Seconds between two operations of one connection. They are due then, whether or not the last one
#: is over, so that a second's stall is seen by as many operations as had been due in it.
PACE = 0.05
#: Connections of each kind.
CONNECTIONS = 2
#: Seconds between two newcomers.
NEWCOMER_PACE = 0.25
FORK = multiprocessing.get_context("fork")


class Sample:
    """One operation: when it was due, and seconds from then to its end; None when it failed."""

    __slots__ = ("kind", "due", "seconds")

    def __init__(self, kind, due, seconds):
        self.kind, self.due, self.seconds = kind, due, seconds


class Honest:
    """A process of its own, so that nothing in the attacker's can slow its clock."""

    def __init__(self, address, keyset, patience):
        self.address, self.keyset, self.channel = address, keyset, "honest"
        #: Seconds after which it gives an operation up, and comes again.
        self.patience = patience
        self._stop = FORK.Event()
        self._ready = FORK.Event()
        self._here, there = FORK.Pipe(duplex=False)
        self._process = FORK.Process(target=self._run, args=(there,), daemon=True)
        self._process.start()
        there.close()
        if not self._ready.wait(60):
            raise AssertionError("The honest client was not let in before the attack.")

    def finish(self):
        """Ends it: all its samples."""
        self._stop.set()
        samples = self._here.recv()
        self._process.join()
        return samples

    # In its process

    def _run(self, there):
        warnings.simplefilter("ignore", ResourceWarning)
        self.samples = []
        kinds = CONNECTIONS * [
            ("write", self._session, self._write, PACE),
            ("read", self._session, self._read, PACE),
            ("probe", self._http, self._probe, PACE)] + [
            ("newcomer", lambda kind: None, self._newcomer, NEWCOMER_PACE)]
        self.beginnings = threading.Barrier(len(kinds) + 1)
        threads = [threading.Thread(target=self._keep, args=(number, *it), daemon=True)
                   for number, it in enumerate(kinds)]
        for thread in threads:
            thread.start()
        self.beginnings.wait()
        self._ready.set()
        self._stop.wait()
        deadline = time.monotonic() + self.patience + 5
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        there.send(list(self.samples))
        # Without a word of what is still open: it ends with the process.
        os._exit(0)

    def _keep(self, number, kind, connect, operate, pace):
        client = connect(kind)
        self.beginnings.wait()
        due = time.monotonic() + pace * number / 7  # Not all at one moment.
        while not self._stop.is_set():
            pause = due - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            try:
                client = client or connect(kind)
                operate(client)
                seconds = time.monotonic() - due
            except (OSError, Ended, AssertionError, KeyError, ValueError):
                seconds, client = None, None
            self.samples.append(Sample(kind, due, seconds))
            # Not further behind than it would wait at all.
            due = max(due + pace, time.monotonic() - self.patience)

    def _session(self, kind):
        client = RawClient(self.address, self.patience + 0.5)
        client.upgrade()
        tenant = {"keyset": self.keyset} if self.keyset else {}
        device = f"{kind}-{threading.get_ident()}"
        client.command("hello", userId=kind, deviceId=device, **tenant)
        if kind == "write":
            client.command("subscribe", channels=[{"name": self.channel}])
        return client

    def _http(self, _):
        # Connections go to the reactor with the fewest: each has at least one of these.
        return [RawClient(self.address, self.patience + 0.5) for _ in range(4)]

    def _write(self, client):
        """Publishes, and waits until what it published comes back as a push."""
        number = int(time.monotonic() * 1e6)
        client.send(command("publish", number, channel=self.channel, payload=number))
        acknowledged = pushed = False
        while not (acknowledged and pushed):
            message = client.message()
            acknowledged = acknowledged or "ok" in message and message["id"] == number
            if message.get("id") == number and "error" in message:
                raise AssertionError(message)
            pushed = pushed or any(it.get("d") == number for it in message.get("m", []))

    def _read(self, client):
        client.command("history", channel=self.channel, limit=10)

    @staticmethod
    def _probe(clients):
        for client in clients:
            client.send(client.request())
        for client in clients:
            if client.answer().status != 200:
                raise AssertionError("not healthy")

    def _newcomer(self, _):
        with self._session("newcomer"):
            pass
