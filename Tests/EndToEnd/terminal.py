"""A program in a pseudo-terminal, and the screen that a person would see there."""

import asyncio
import codecs
import fcntl
import os
import pty
import struct
import subprocess
import termios

import pyte

from waiting import Patience, processor_seconds, programs

#: What is left out before the screen sees it: pyte drops all text behind a sign without a width.
WITHOUT_WIDTH = str.maketrans("", "", "\ufe0f\u200d")


class Screen(pyte.Screen):
    """pyte's, which knows no dim text: that counts as blinking here, which nothing else does."""

    def select_graphic_rendition(self, *attributes, **options):
        if not {38, 48} & set(attributes):
            attributes = tuple(5 if each == 2 else each for each in attributes)
        super().select_graphic_rendition(*attributes, **options)

    def scroll_up(self, count=1):
        """SU, which pyte lacks."""
        self._at_edge(-1, self.index, count)

    def scroll_down(self, count=1):
        """SD, which pyte lacks."""
        self._at_edge(0, self.reverse_index, count)

    def _at_edge(self, edge, scroll, count):
        row = self.cursor.y
        self.cursor.y = (self.margins or (0, self.lines - 1))[edge]
        for _ in range(count or 1):
            scroll()
        self.cursor.y = row

    def repeat(self, count=1):
        """REP, which pyte lacks."""
        self.draw(self.last_drawn * (count or 1))

    def draw(self, data):
        self.last_drawn = data[-1:]
        super().draw(data)


class Stream(pyte.Stream):
    """pyte's, with what else xterm does."""

    csi = pyte.Stream.csi | {"S": "scroll_up", "T": "scroll_down", "b": "repeat"}
    events = pyte.Stream.events | {"scroll_up", "scroll_down", "repeat"}


class Terminal:
    """One program, its pseudo-terminal, and all that it wrote."""

    def __init__(self, command, columns=80, rows=24, environment=None):
        self.screen = Screen(columns, rows)
        self.stream = Stream(self.screen)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.written = bytearray()
        self.master, self.slave = pty.openpty()
        self._resize(columns, rows)
        #: What the terminal's driver did before: echo, lines, signals.
        self.settings = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.set_blocking(self.master, False)
        asyncio.get_running_loop().add_reader(self.master, self._read)
        programs.add(self)

    def _read(self):
        if self.master is None:
            return
        try:
            data = os.read(self.master, 65536)
        except BlockingIOError:
            return
        except OSError:
            asyncio.get_running_loop().remove_reader(self.master)
            return
        self.written += data
        self.stream.feed(self.decoder.decode(data).translate(WITHOUT_WIDTH))

    def _resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        self._resize(columns, rows)

    # A person

    def type(self, text):
        os.write(self.master, text.encode())

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def line(self, text):
        """The number of the first line with a text, or None."""
        return next((number for number, line in enumerate(self.lines) if text in line), None)

    def looks(self, text, attribute):
        """Whether a text on the screen has an attribute of pyte's; dim is `blink`."""
        number = self.line(text)
        if number is None:
            return False
        # By cells: a wide sign has an empty one behind it.
        cells = [self.screen.buffer[number][column] for column in range(self.screen.columns)]
        line = "".join(cell.data for cell in cells)
        start = line.index(text)
        places = [index for index, cell in enumerate(cells) for _ in cell.data]
        return all(getattr(cells[places[at]], attribute)
                   for at in range(start, start + len(text)))

    async def until(self, condition, what):
        patience = Patience(lambda: len(self.written))
        while not condition():
            if patience.is_over:
                raise AssertionError(f"Waited for {what}; the screen:\n{self.text}")
            await asyncio.sleep(0.01)

    async def shows(self, *texts):
        for text in texts:
            await self.until(lambda text=text: text in self.text, repr(text))

    async def hides(self, text):
        await self.until(lambda: text not in self.text, f"{text!r} to go")

    # The program

    @property
    def is_running(self):
        return self.process.poll() is None

    def cpu_seconds(self):
        return processor_seconds(self.process.pid)

    async def ended(self):
        """The exit code, when it has ended and all that it wrote was read."""
        await self.until(lambda: not self.is_running, "its end")
        self._read()
        return self.process.returncode

    @property
    def is_restored(self):
        """Whether the terminal is as it was: its driver, its screen, its cursor, pasting."""
        tail = bytes(self.written)
        off = [tail.rfind(each) for each in (b"\x1b[?1049l", b"\x1b[?2004l", b"\x1b[?25h")]
        on = [tail.rfind(each) for each in (b"\x1b[?1049h", b"\x1b[?2004h", b"\x1b[?25l")]
        return (termios.tcgetattr(self.slave) == self.settings
                and off[0] > on[0] >= 0 and off[1] > on[1] >= 0 and off[2] >= on[2])

    def hang_up(self):
        """As when a person closes the window."""
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.slave)
        os.close(self.master)
        self.master = None

    def close(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()
        if self.master is not None:
            self.hang_up()
