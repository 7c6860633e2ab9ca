#!/usr/bin/python3
"""Makes README's moving picture: the console, a reaction that crosses, a row that heals.

    moving_picture.py [FILE]

FILE is docs/pictures/two-devices.webp unless said. It takes Pillow (Debian's python3-pil) besides
what the tests take, and SYNCDAEMON_BINARY as they do. What shows is the console of the real daemon;
only the pointer, the line of words below, and what is left out are the picture's own.
"""

import asyncio
import base64
import io
import json
import pathlib
import sys
import tempfile

from browser import Browser
from daemon import ROOT, Daemon
from device import Device
from hands import Hands
from test_web_ui import PATHS

PICTURE = ROOT / "docs" / "pictures" / "two-devices.webp"
WIDTH, HEIGHT = 900, 652
#: Frames in which the pointer goes from one place to the next, and how long each shows.
STEPS, STEP = 6, 50
TALK = [("ada", "Are you coming to the lake?"), ("bob", "Yes! I bring the boat 🛶"),
        ("ada", "And I bring cake.")]

#: Of the console what is seen in a small picture.
STYLE = """
    header, .strip, [aria-label=Race], [aria-label="What it took"], [aria-label=Repairs],
    [aria-label="Equal?"] .button, .switches select { display: none !important; }
    main > section { padding: 14px; } .bench, .side, .devices { gap: 14px; }
    .device { height: 372px; } dl { padding-block: 8px; }
    .cells i { height: 18px; } .cells { grid-template-columns: repeat(auto-fit, minmax(20px, 1fr)); }
    #said { position: fixed; inset: auto 14px 12px; font-size: 17px; font-weight: 600; }
    #pointer { position: fixed; z-index: 9; width: 20px; top: 0; left: 0; pointer-events: none; }
"""
SCENE = """(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(%s);
    document.adoptedStyleSheets.push(sheet);
    const said = document.createElement('div');
    said.id = 'said';
    const pointer = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg"
        id="pointer" viewBox="0 0 12 18"><path d="M1 1v14l3.6-3 2.2 5 2.2-1-2.2-4.8H11z"
        fill="#14171c" stroke="#fff" stroke-width="1.2"/></svg>`, 'image/svg+xml').documentElement;
    document.body.append(said, pointer);
    window.say = (text) => said.textContent = text;
    window.point = (x, y) => pointer.style.transform = `translate(${x}px, ${y}px)`;
    /** The middle of what is found in the page, or in that of a device. */
    window.middle = (path, frame = null) => {
        const within = frame === null ? null : document.querySelectorAll('iframe')[frame];
        const [x, y] = within ? [within.getBoundingClientRect().x,
            within.getBoundingClientRect().y] : [0, 0];
        const found = path.split(' >>> ').reduce((places, selector) => places.flatMap((place) =>
            [...(place.shadowRoot ?? place).querySelectorAll(selector)]),
            [within ? within.contentDocument : document])
            .filter((it) => it.getClientRects().length > 0).at(-1);
        if (!found) return null;
        const box = found.getBoundingClientRect();
        return [x + box.x + box.width / 2, y + box.y + box.height / 2];
    };
    return true;
})()"""


class Scene:
    """The page, and the frames that were taken of it."""

    def __init__(self, page):
        self.page = page
        self.hands = Hands(page)
        self.frames = []
        self.at = (WIDTH / 2, 480)

    async def take(self, milliseconds):
        """What shows now, for so long."""
        # Whatever was painted last is there after two frames.
        await self.page.run("new Promise((done) => requestAnimationFrame(() =>"
                            " requestAnimationFrame(() => done(true))))")
        shot = await self.hands.do("Page.captureScreenshot", format="png")
        self.frames.append((base64.b64decode(shot["data"]), milliseconds))

    async def say(self, text):
        await self.page.run(f"say({json.dumps(text)})")

    async def go(self, path, frame=None):
        """The pointer goes to what a path finds, there and in Chromium."""
        where = f"middle({json.dumps(path)}, {json.dumps(frame)})"
        await self.page.until(where, path)
        x, y = await self.page.run(where)
        begin = self.at
        for step in range(1, STEPS + 1):
            part = (1 - (1 - step / STEPS) ** 2)
            self.at = tuple(a + (b - a) * part for a, b in zip(begin, (x, y)))
            await self.hands.do(
                "Input.dispatchMouseEvent", type="mouseMoved", x=self.at[0], y=self.at[1])
            await self.page.run(f"point({self.at[0]}, {self.at[1]})")
            await self.take(STEP)

    async def click(self):
        for kind, buttons in (("mousePressed", 1), ("mouseReleased", 0)):
            await self.hands.do("Input.dispatchMouseEvent", type=kind, x=self.at[0], y=self.at[1],
                                button="left", buttons=buttons, clickCount=1)


async def play(daemon, scene):
    """The story: ten seconds."""
    page = scene.page
    equal = ("bench.devices.every((it) => it.isSettled) && "
             "texts('[aria-label=\"Equal?\"] .head .pill')[0] === 'all equal'")
    await page.until(equal)
    await scene.say("Two devices, each with a copy of its own.")
    await scene.take(1400)

    row = "sync-messages >>> [part~=message]:last-child"
    await scene.go(f"{row} >>> [part=text]", 1)
    await scene.go(f"{row} >>> [part=react]", 1)
    await scene.click()
    await scene.go("sync-messages >>> sync-reaction-picker >>> [part~=choice]:nth-child(2)", 1)
    await scene.take(300)
    await scene.click()
    await page.until(f"middle('{row} >>> sync-reactions >>> [part=count]', 0)")
    await page.until(equal)
    await scene.say("A reaction on one is on the other.")
    await scene.take(1500)

    await scene.go(".device:last-child .switches button:nth-child(4)")
    await page.run("""void (window.healed = bench.devices[1].damage(
        () => 0.9, () => new Promise((go) => window.go = go)))""")
    await page.until("all('.cells .differs').length === 1")
    await scene.say("A row of Bob’s copy is damaged, while Bob is away.")
    await scene.take(2200)
    await page.run("go(), healed.then(() => true)")
    await page.until(equal)
    await page.until("bench.repairs.all[0]?.snapshot")
    await page.until(f"middle('{row}', 1)")
    repair = await page.run("bench.repairs.all.map(({ device, ...it }) => it)[0]")
    assert repair["rows"] == 1, repair
    rows = await page.run("bench.devices[1].cache.state.n")
    await scene.say(f"Bob is back, and equal again: it took 1 row of {rows}, "
                    f"{repair['bytes']:,} bytes.")
    await scene.take(2800)


async def film(daemon, key):
    browser = await Browser().start()
    try:
        people = {user: await Device(daemon, user, f"{user}-laptop").connect()
                  for user in ("ada", "bob", "eve")}
        await people["eve"].settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"Picture {n} of the lake"}})
            for n in range(1, 421)])
        for user, text in TALK:
            await people[user].publish("room", {"text": text})
        for one in people.values():
            await one.close()
        host, port = daemon.admin_address
        page = await browser.page(
            f"http://{host}:{port}/console/#key={key}", await browser.context())
        scene = Scene(page)
        await scene.hands.be(width=WIDTH, height=HEIGHT)
        await page.run(PATHS)
        await page.run(SCENE % json.dumps(STYLE))
        await page.run(f"point({scene.at[0]}, {scene.at[1]})")
        await play(daemon, scene)
        return scene.frames
    finally:
        await browser.close()


def save(frames, path):
    """One file of all frames; equal neighbours are one."""
    from PIL import Image
    path.parent.mkdir(parents=True, exist_ok=True)
    images = [Image.open(io.BytesIO(data)).convert("RGB") for data, _ in frames]
    images[0].save(path, save_all=True, append_images=images[1:], loop=0, lossless=True,
                   duration=[it for _, it in frames], method=6, quality=100, minimize_size=True)


def main():
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    with tempfile.TemporaryDirectory() as scratch:
        key = pathlib.Path(scratch, "admin.key")
        key.write_text("k" * 40, encoding="ascii")
        key.chmod(0o600)
        with Daemon("--admin-listen", "127.0.0.1:0", "--admin-key-file", str(key),
                    "--console", str(ROOT / "clients")) as daemon:
            frames = asyncio.run(film(daemon.start(), key.read_text(encoding="ascii")))
    save(frames, path)
    print(f"{path}: {len(frames)} frames, {sum(it for _, it in frames) / 1000:.1f} s, "
          f"{path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
