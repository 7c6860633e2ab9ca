"""Connections that one thread feeds as fast as they are served; what comes is only counted."""

import json
import re
import resource
import selectors
import socket
import time

from raw import TEXT, RawClient

STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
WORD = re.compile(rb'"(ok|error)":')
#: Bytes that are read from one connection at once.
READ_BYTES = 256 * 1024


def text_frame(text):
    """A text frame whose mask is zero: right, and cheap to make."""
    size = len(text)
    head = bytes([0x80 | TEXT])
    if size < 126:
        head += bytes([0x80 | size])
    else:
        head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
    return head + bytes(4) + text


def command(op, number=1, **fields):
    """One native command as a frame."""
    return text_frame(json.dumps(
        {"id": number, "op": op, **fields}, separators=(",", ":"), ensure_ascii=False).encode())


#: All crowds of this process: their connections end with it, and not before.
crowds = []


class Peer:
    """One connection: what it has still to send, and how many answers it waits for."""

    def __init__(self, number, connection):
        self.number, self.socket = number, connection
        self.waiting = b""
        self.flying = 0
        self.asked = 0
        #: The last bytes that came.
        self.chunk = b""


class Crowd:
    """`count` peers; `make(peer)` says what a peer sends next, None for nothing more.

    `depth` is how many answers a peer waits for at a time. With `reads` off, nothing that comes is
    ever taken. Every peer that the daemon cuts off comes again when `returns`.
    """

    def __init__(self, count, connect, make, depth=1, reads=True, returns=True):
        self.connect, self.make, self.depth = connect, make, depth
        self.reads, self.returns = reads, returns
        self.selector = selectors.DefaultSelector()
        self.counts = {}
        #: Peers that have said all they had to say, and read nothing; they stay connected.
        self.silent = []
        self.sent_bytes = 0
        crowds.append(self)
        for number in range(count):
            self._join(number)

    def _join(self, number):
        try:
            connection = self.connect(number)
        except (OSError, AssertionError, RuntimeError):
            self.count("not let in")
            return
        connection.setblocking(False)
        peer = Peer(number, connection)
        self.selector.register(connection, selectors.EVENT_READ, peer)
        self._feed(peer)

    def count(self, what, more=1):
        if more:
            self.counts[what] = self.counts.get(what, 0) + more

    def run(self, stop, enough=lambda: False):
        """Until `stop` is set, or `enough()`."""
        while not stop.is_set() and not enough():
            if not self.selector.get_map():
                time.sleep(0.01)
                continue
            for key, events in self.selector.select(0.05):
                peer = key.data
                try:
                    if events & selectors.EVENT_READ and self.reads:
                        self._take(peer)
                    self._feed(peer)
                except (OSError, EOFError):
                    self._part(peer)
        return self.counts

    def _take(self, peer):
        try:
            peer.chunk = peer.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        if not peer.chunk:
            raise EOFError
        answers = STATUS.findall(peer.chunk) or WORD.findall(peer.chunk)
        for answer in answers:
            self.count(answer.decode())
        peer.flying = max(0, peer.flying - len(answers))

    def _feed(self, peer):
        while peer.flying < self.depth and len(peer.waiting) < READ_BYTES:
            data = self.make(peer)
            if data is None:
                break
            peer.waiting += data
            peer.flying += 1
            peer.asked += 1
        try:
            while peer.waiting:
                sent = peer.socket.send(peer.waiting)
                self.sent_bytes += sent
                peer.waiting = peer.waiting[sent:]
        except BlockingIOError:
            pass
        wanted = selectors.EVENT_READ if self.reads else 0
        wanted |= selectors.EVENT_WRITE if peer.waiting else 0
        if wanted:
            self.selector.modify(peer.socket, wanted, peer)
        else:
            self.selector.unregister(peer.socket)
            self.silent.append(peer)

    def _part(self, peer):
        self.count("cut off")
        self.selector.unregister(peer.socket)
        peer.socket.close()
        if self.returns:
            self._join(peer.number)


def allow_descriptors():
    """As many open files as this user may have: many systems begin with 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def plain_socket(address, receive_buffer=None):
    """A TCP connection without any of a test's patience."""
    connection = socket.socket()
    if receive_buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(10)
    connection.connect(address)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def session_socket(address, user, keyset, receive_buffer=None):
    """The socket of a native session that has said hello."""
    client = RawClient(address, 30, receive_buffer)
    client.upgrade()
    tenant = {"keyset": keyset} if keyset else {}
    client.command("hello", userId=user, deviceId=f"{user}-phone", **tenant)
    return client.socket
