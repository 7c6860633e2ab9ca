"""What a person does with a page in Chromium: points, presses, types, looks, and has it read out."""

import base64
import os
import pathlib

from daemon import ROOT
from waiting import Patience

#: Pictures of pages, for people to look at.
PICTURES = pathlib.Path(os.environ.get("SYNC_PICTURES", ROOT / ".build" / "pictures"))

KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37,
        "ArrowRight": 39, "Home": 36, "End": 35, "F10": 121, "ContextMenu": 93, " ": 32}
#: Of the DevTools protocol.
SHIFT = 8


class Hands:
    """A person at a page that has `center`, `one` and `all`: see clients/web/tests/ui.html."""

    def __init__(self, page):
        self.page = page

    async def do(self, method, **parameters):
        return await self.page.browser.command(method, self.page.session, **parameters)

    async def place(self, path):
        """The middle of what a path finds, once it is there and does not move any more."""
        await self.page.until(f"one({path!r})", path)
        before = None
        patience = Patience()
        while True:
            patience.check(f"{path} to rest")
            found = await self.page.run(
                f"new Promise((done) => requestAnimationFrame(() => done(center({path!r}))))")
            if found is not None and found == before:
                return found
            before = found

    async def hover(self, path):
        x, y = await self.place(path)
        await self.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    async def click(self, path, button="left"):
        x, y = await self.place(path)
        await self.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        held = 1 if button == "left" else 2
        for kind in ("mousePressed", "mouseReleased"):
            await self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
                          buttons=held if kind == "mousePressed" else 0, clickCount=1)

    async def tap(self, path):
        await self.down(path)
        await self.up()

    async def down(self, path):
        """A finger comes down, and stays."""
        x, y = await self.place(path)
        await self.do("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])

    async def stroke(self, path, by):
        """A finger moves so far down, and goes."""
        x, y = await self.place(path)
        await self.do("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for step in range(1, 6):
            await self.do("Input.dispatchTouchEvent", type="touchMove",
                          touchPoints=[{"x": x, "y": y + by * step / 5}])
        await self.up()

    async def up(self):
        await self.do("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def press(self, key, shift=False):
        code = KEYS.get(key, 0)
        text = {"text": {"Enter": "\r", " ": " "}[key]} if key in ("Enter", " ") else {}
        for kind in ("keyDown", "keyUp"):
            await self.do("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                          windowsVirtualKeyCode=code, modifiers=SHIFT if shift else 0,
                          **(text if kind == "keyDown" else {}))

    async def type(self, text):
        await self.do("Input.insertText", text=text)

    async def scroll(self, path, by):
        x, y = await self.place(path)
        await self.do("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    async def read(self):
        """What a screen reader is told: (role, name, properties) of each thing, in their order."""
        found = (await self.do("Accessibility.getFullAXTree"))["nodes"]
        by_id = {it["nodeId"]: it for it in found}
        lines = []

        def walk(node):
            if not node.get("ignored"):
                properties = {it["name"]: it["value"].get("value") for it in node.get("properties", [])}
                lines.append((node["role"].get("value"),
                              node.get("name", {}).get("value", "").strip(), properties))
            for child in node.get("childIds", []):
                if child in by_id:
                    walk(by_id[child])

        walk(found[0])
        return lines

    async def look(self, name):
        """Keeps a picture of the page."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        shot = await self.do("Page.captureScreenshot", format="png")
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))

    async def be(self, width=560, height=720, scheme="light", touch=False, motion="reduce",
                 scale=1):
        """A screen of such a size and kind."""
        await self.do("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=scale, mobile=touch)
        await self.do("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=1)
        await self.do("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion}])
