"""What clients send never makes a line of the log, nor reads like one, nor is a secret there."""

import re
import unittest

from case import DaemonTestCase, eventually
from device import Refused
from raw import RawClient
from rest import Rest, quoted

FORGED = "2026-01-02T03:04:05.678Z error  The disk is full. forged=yes"
#: Line ends of every kind, a terminal's escapes, quotes, and what turns text round.
ODD = ["\n", "\r\n", "\r", "\x1b[31m", "\x0b", "\x0c", "\x85", "\u2028", '"', "'", "=", "\\n",
       "\u202e", "\x7f", "\t"]
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warning|notice|info|debug) +\S.*")
SECRETS = ["payload-that-nobody-logs", "pub-that-nobody-logs", "auth-that-nobody-logs"]
#: Lines that one place may write in a second, and the seconds that a slow machine may take.
LINES_PER_SECOND_MAX = 10


class Injection(DaemonTestCase):
    async def test_every_line_is_the_daemons_own(self):
        daemon = self.start_daemon("--log-level", "debug")
        for odd in ODD:
            text = f"x{odd}{FORGED}"
            # As user, device, keyset, channel, op, mutation; over HTTP in path, query and headers.
            device = self.offline_device(daemon, text[:60], text[:60])
            await device.open()
            for fields in ({"userId": text, "deviceId": text, "keyset": "default"},
                           {"userId": text, "deviceId": text, "keyset": text}):
                try:
                    await device.command("hello", **fields)
                    break
                except Refused:
                    continue
            for op, fields in (
                    (text, {}), ("history", {"channel": text}),
                    ("publish", {"channel": text, "payload": SECRETS[0], "mutation": text}),
                    ("addAction", {"channel": text, "messageTimetoken": text, "value": text})):
                await device.request(op, **fields)
            await device.close()
            with Rest(daemon, text, keys=(SECRETS[1], "sub")) as web:
                web.get(f"/publish/{{pub}}/{{sub}}/0/{quoted(text)}/0/no-json",
                        {"auth": SECRETS[2], "meta": text})
            with RawClient(daemon.address) as client:
                client.send(b"GET /" + text.encode() + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.rest()
            with RawClient(daemon.address) as client:
                client.send(client.upgrade_request(f"User-Agent: {text}", f"Origin: {text}"))
                client.rest()
        await eventually(lambda: "Command refused." in daemon.log(), "the refusals")
        lines = daemon.log().split("\n")[:-1]
        for line in lines:
            self.assertRegex(line, rf"\A{LINE.pattern}\Z")
            self.assertNotRegex(line, r"[\x00-\x1f\x7f\x85\u2028\u202e]")
            self.assertFalse(line.endswith("forged=yes"), line)
        self.assertFalse([it for it in lines if it.startswith(FORGED[:24])])
        for secret in SECRETS:
            self.assertNotIn(secret, daemon.log())

    async def test_a_flood_of_refusals_is_counted_and_not_written(self):
        daemon = self.start_daemon("--log-level", "debug")
        device = await self.device(daemon, "ada")
        for number in range(2000):
            await device.request("history", channel="", number=number)
        # The line that says how many there were besides is written as often as it takes.
        written = [it for it in daemon.log().splitlines()
                   if "Command refused." in it and "suppressed=" not in it]
        seconds = len({it[:19] for it in written})
        self.assertLessEqual(len(written), LINES_PER_SECOND_MAX * (seconds + 1))
        self.assertLess(len(written), 2000)


if __name__ == "__main__":
    unittest.main()
