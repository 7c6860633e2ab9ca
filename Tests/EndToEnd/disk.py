"""Disks that fill up, fail and rot, for the tests of how the daemon takes it."""

import asyncio
import contextlib
import errno
import functools
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import urllib.error
import urllib.request

import reconcile
from case import DaemonTestCase
from waiting import PATIENCE, Patience

PAGE = 4096


@functools.cache
def cannot_mount():
    """Why there is no small disk here; None when there is."""
    try:
        with SmallDisk(1 << 20):
            return None
    except (OSError, subprocess.CalledProcessError):
        return "Only root can mount the small file system that this needs."


class SmallDisk:
    """A file system of a few MiB in memory; a context manager."""

    def __init__(self, size):
        self.path = tempfile.mkdtemp(prefix="syncdaemon-disk-")
        self.ballast = os.path.join(self.path, "ballast")
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.path],
                           check=True, capture_output=True)
        except BaseException:
            os.rmdir(self.path)
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        subprocess.run(["umount", "-l", self.path], check=True, capture_output=True)
        os.rmdir(self.path)

    @property
    def data_dir(self):
        return os.path.join(self.path, "data")

    def fill(self):
        """Leaves not one byte."""
        with open(self.ballast, "ab", buffering=0) as ballast:
            for size in (1 << 16, PAGE, 1):
                try:
                    while True:
                        ballast.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self):
        os.remove(self.ballast)


class Faults:
    """Fails or holds system calls of a daemon that is started with `options`."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="syncdaemon-faults-")
        library = os.path.join(self.directory, "faults.so")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-o", library,
             str(pathlib.Path(__file__).parent / "faults.c"), "-ldl"], check=True)
        self.options = {"environment": {"LD_PRELOAD": library, "FAULTS": self.directory}}

    def set(self, call, code, suffix, offset=-1):
        """`call` is read, write or sync; `code` an errno, or 0 to hold it; -1: at any offset."""
        path = os.path.join(self.directory, call)
        with open(path + ".new", "w", encoding="ascii") as rule:
            rule.write(f"{code} {suffix} {offset}\n")
        os.rename(path + ".new", path)

    def clear(self, call):
        os.remove(os.path.join(self.directory, call))

    def discard(self):
        shutil.rmtree(self.directory, ignore_errors=True)


def readiness(daemon, path="/readyz"):
    """Status and text of an operations endpoint."""
    try:
        with urllib.request.urlopen(
                f"http://{daemon.host}:{daemon.port}{path}", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metric(daemon, name):
    for line in readiness(daemon, "/metrics")[1].splitlines():
        if line.startswith(f"syncdaemon_{name} "):
            return int(line.split()[1])
    raise AssertionError(f"There is no metric {name}.")


def database(daemon):
    return os.path.join(daemon.data_dir, "syncdaemon.db")


def settle(path):
    """Everything of a stopped daemon's log goes into the database file."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def unsign_actions(path, channel, key):
    """Makes all actions of a channel nobody's, as PubNub's door of an earlier release took them.

    The daemon is stopped; `key` is the channel's digest key.
    """
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        (number,) = connection.execute("SELECT id FROM channel WHERE name = ?", (channel,)).fetchone()
        connection.execute("UPDATE action SET uuid = '', sum = NULL WHERE channel = ?", (number,))
        rows = connection.execute(
            "SELECT message, type, value, uuid, added FROM action WHERE channel = ? AND live = 1",
            (number,)).fetchall()
        rows += connection.execute(
            "SELECT timetoken, uuid, ifnull(type, '') FROM message WHERE channel = ?",
            (number,)).fetchall()
        lanes = struct.unpack(">qq", bytes.fromhex(reconcile.digest(key, rows)))
        connection.execute(
            "UPDATE segment SET lane0 = ?, lane1 = ? WHERE channel = ?3 AND after = "
            "(SELECT max(after) FROM segment WHERE channel = ?3)", (*lanes, number))


def pages_with(path, text):
    """Numbers, from 0, of the pages that hold some bytes."""
    data = pathlib.Path(path).read_bytes()
    return [number for number in range(len(data) // PAGE)
            if text in data[number * PAGE:(number + 1) * PAGE]]


def table_pages(path, table, text):
    """Those of them that are no index's: leaves of the table's own tree, kept by its rows."""
    connection = sqlite3.connect(path)
    known = {row[0] - 1 for row in connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))}
    connection.close()
    return [number for number in pages_with(path, text) if number in known]


def zero(path, pages):
    with open(path, "r+b") as file:
        for number in pages:
            file.seek(number * PAGE)
            file.write(bytes(PAGE))


def flip(path, text, pages):
    """Changes one bit of the last byte of every occurrence of a text on some pages."""
    data = bytearray(pathlib.Path(path).read_bytes())
    count = 0
    for number in pages:
        at = data.find(text, number * PAGE, (number + 1) * PAGE)
        while at >= 0:
            data[at + len(text) - 1] ^= 1
            count += 1
            at = data.find(text, at + len(text), (number + 1) * PAGE)
    pathlib.Path(path).write_bytes(data)
    return count


class DiskTestCase(DaemonTestCase):
    async def fill(self, device, channels, rows):
        """Publishes so many messages in each channel, with a reaction on each."""
        self.messages_of = {}
        for channel in channels:
            published = await device.settle_all(
                [("publish", {"channel": channel, "payload": f"{channel}-{number:05}" + "x" * 200})
                 for number in range(rows)])
            self.messages_of[channel] = [it["timetoken"] for it in published]
            await device.settle_all(
                [("addAction", {"channel": channel, "messageTimetoken": it,
                                "value": f"{channel}+{it}"})
                 for it in self.messages_of[channel]])

    async def stop_settled(self, daemon, device):
        """Stops a daemon, with all that it has in the database and nothing in its log."""
        await device.close()
        await asyncio.to_thread(daemon.stop)
        settle(database(daemon))

    async def readiness(self, daemon, status, mentions=""):
        """Waits until `/readyz` answers so, and returns its text; `/healthz` is 200 all the while."""
        answer = None
        patience = Patience(lambda: answer)
        while True:
            answer = await asyncio.to_thread(readiness, daemon)
            if answer[0] == status and mentions in answer[1]:
                self.assertEqual(readiness(daemon, "/healthz")[0], 200)
                return answer[1]
            patience.check(f"/readyz to say {status} with {mentions!r}, and not {answer}")
            await asyncio.sleep(0.05)

    async def messages(self, device, channel="room"):
        return [row["payload"] for row in await device.all_messages(channel)]

    def lines(self, daemon, text):
        return [line for line in daemon.log().splitlines() if text in line]

    def faulty_daemon(self):
        if shutil.which("cc") is None:
            print(f"{self.id()}: skipped. There is no cc to build the faults with.")
            self.skipTest("There is no cc to build the faults with.")
        faults = Faults()
        self.addCleanup(faults.discard)
        return faults, self.start_daemon(**faults.options)
