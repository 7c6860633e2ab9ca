"""Debian's Chromium without a window, driven through the DevTools protocol."""

import asyncio
import contextlib
import functools
import http.server
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import websockets

from daemon import ROOT
from waiting import Patience, processor_seconds, programs

#: Chromium without what draws windows: the same pages for a quarter of the processor time, in
#: which most of a run went. SYNC_BROWSER=chromium takes the whole one.
PROGRAM = os.environ.get("SYNC_BROWSER", "/usr/lib/chromium/chromium-headless-shell")

#: What pages are served from.
PAGES = ROOT / "clients" / "web"
#: So often the patience may go by, and the page do something, before a wait gives up.
PERIODS_MAX = 10


class BrowserFailure(AssertionError):
    """The browser or a script in it failed."""


class LocalServer:
    """A server for the browser on a free port of this machine."""

    def __init__(self, handler, host="127.0.0.1"):
        self._server = http.server.ThreadingHTTPServer((host, 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def origin(self):
        return "http://{}:{}".format(*self._server.server_address)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Pages(LocalServer):
    """Serves the client's files, or a folder's."""

    def __init__(self, host="127.0.0.1", folder=PAGES):
        class Handler(http.server.SimpleHTTPRequestHandler):
            """Says nothing, and has no page kept."""

            def end_headers(self):
                self.send_header("Cache-Control", "no-store")
                super().end_headers()

            def log_message(self, *_):
                pass

        super().__init__(functools.partial(Handler, directory=str(folder)), host)


class Browser:
    """One Chromium with a profile of its own, gone at the end."""

    def __init__(self, *arguments):
        self.arguments = arguments
        self.scratch = tempfile.mkdtemp(prefix="syncdaemon-chromium-")
        self.process = None
        self._socket = None
        self._reading = None
        self._ids = itertools.count(1)
        self._pending = {}
        #: What came from the browser so far.
        self.messages = 0
        self.events = {}

    async def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
             "--disable-backgrounding-occluded-windows", "--disable-component-update",
             "--disable-extensions", "--disable-sync", "--no-proxy-server",
             "--remote-debugging-port=0", f"--user-data-dir={self.scratch}/profile",
             *self.arguments, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.scratch}, start_new_session=True)
        port_file = pathlib.Path(self.scratch, "profile", "DevToolsActivePort")
        programs.add(self)
        patience = Patience()
        while not (port_file.exists() and port_file.read_text().count("\n")):
            if self.process.poll() is not None:
                raise BrowserFailure(f"Chromium ended with code {self.process.returncode}.")
            patience.check("Chromium to start")
            await asyncio.sleep(0.02)
        # From here on pages say what happens in them; being asked is work, too.
        programs.discard(self)
        port, path = port_file.read_text().split("\n")[:2]
        self._socket = await websockets.connect(
            f"ws://127.0.0.1:{port}{path}", max_size=None, compression=None, ping_interval=None)
        self._reading = asyncio.create_task(self._read())
        return self

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def cpu_seconds(self):
        return processor_seconds(self.process.pid)

    async def _read(self):
        async for text in self._socket:
            self.messages += 1
            message = json.loads(text)
            future = self._pending.pop(message.get("id"), None)
            if future is not None and not future.done():
                future.set_result(message)

    async def command(self, method, session=None, **parameters):
        """One command of the DevTools protocol."""
        number = next(self._ids)
        future = asyncio.get_running_loop().create_future()
        self._pending[number] = future
        to = {} if session is None else {"sessionId": session}
        await self._socket.send(json.dumps(
            {"id": number, "method": method, "params": parameters, **to}))
        patience = Patience(lambda: self.messages)
        while not (await asyncio.wait([future], timeout=1))[0]:
            patience.check(f"the answer to {method}")
        reply = future.result()
        if "error" in reply:
            raise BrowserFailure(f"{method}: {reply['error']}")
        return reply["result"]

    async def context(self):
        """A profile without anything of the others: another device."""
        return (await self.command("Target.createBrowserContext"))["browserContextId"]

    async def page(self, url, context=None, ready="window.isReady"):
        """A tab that has loaded a page, which says so by `isReady` or otherwise."""
        where = {} if context is None else {"browserContextId": context}
        target = (await self.command("Target.createTarget", url=url, **where))["targetId"]
        session = (await self.command(
            "Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = Page(self, target, session)
        await page.until(ready)
        return page

    async def close(self):
        if self._socket is not None:
            await self._socket.close()
            await asyncio.wait([self._reading])
        if self.process is not None:
            # The session that it was started in: itself and its children.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        # Its children may still write for a moment.
        for _ in range(50):
            shutil.rmtree(self.scratch, ignore_errors=True)
            if not os.path.exists(self.scratch):
                break
            await asyncio.sleep(0.05)


class Page:
    """One tab."""

    def __init__(self, browser, target, session):
        self.browser = browser
        self.target = target
        self.session = session

    async def run(self, script):
        """The value of an expression, awaited when it is a promise."""
        reply = await self.browser.command(
            "Runtime.evaluate", self.session, expression=script, awaitPromise=True,
            returnByValue=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            what = details.get("exception", {}).get("description", details["text"])
            raise BrowserFailure(f"{script}: {what}")
        return reply["result"].get("value")

    async def until(self, condition, what=None):
        """Waits until an expression is true, as long as something happens in the page."""
        progress, problem = None, ""
        patience = Patience(lambda: progress)
        begin = time.monotonic()
        while True:
            try:
                # Frames of the client, and what a page without one has; not each try to connect.
                is_true, seen = await self.run(
                    f"[!!({condition}), `${{window.traffic?.filter((it) => it[0] !== 'c').length}}"
                    " ${window.seen?.length} "
                    "${document.readyState} ${document.body?.innerHTML.length}`]")
                if is_true:
                    return
                # A page that pings, or draws a clock, would be waited for as long as it lives.
                if time.monotonic() - begin < PERIODS_MAX * patience.seconds:
                    progress = seen
            except BrowserFailure as failure:
                problem = f" {failure}"  # The page may be between two documents.
            patience.check(f"{what or condition}.{problem}")
            await asyncio.sleep(0.02)

    async def reload(self):
        await self.run("window.isReady = false")
        await self.browser.command("Page.reload", self.session)
        await self.until("window.isReady")

    async def close(self):
        await self.browser.command("Target.closeTarget", targetId=self.target)
