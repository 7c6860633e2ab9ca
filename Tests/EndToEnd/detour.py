"""A way between two daemons that tests make worse."""

import contextlib
import queue
import socket
import threading
import time


class Detour:
    """The way to one daemon's link: it can be cut, and made silent or late."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.is_silent = False
        #: Seconds that everything is on its way.
        self.late = 0
        self._sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            except OSError:
                if self.listener.fileno() < 0:
                    return
                # Nobody listens there just now.
                near.close()
                continue
            far.settimeout(None)
            self._sockets += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, target):
        under_way = queue.Queue()
        threading.Thread(target=self._deliver, args=(under_way, target), daemon=True).start()
        data = b" "
        while data:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            under_way.put((time.monotonic(), data))
        # What is late comes nevertheless.
        under_way.join()
        # The other one is in its own recv, which a close alone does not end.
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _deliver(self, under_way, target):
        data = b" "
        while data:
            sent, data = under_way.get()
            while self.is_silent or time.monotonic() < sent + self.late:
                time.sleep(0.01)
            with contextlib.suppress(OSError):
                target.sendall(data)
            under_way.task_done()

    def cut(self):
        """Ends all that goes this way."""
        gone, self._sockets = self._sockets, []
        for end in gone:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self):
        """For good."""
        self.is_silent = False
        self.listener.close()
        self.cut()
