"""Channel names that others read as paths, wildcards or another form of a text: opaque bytes."""

import unittest

from bad_input import NO_CHANNELS
from case import DaemonTestCase
from raw import RawClient
from rest import Rest, quoted

#: Names that are taken, each of a channel of its own.
NAMES = [
    "/", "..", "../../etc/passwd", "a/b", "a\\b", "%2e%2e%2f", "%00", "a b", "a+b", "a&b=c", "a?b",
    "a#b", "'; DROP TABLE message; --", '"', "<script>", "é", "e\u0301", "ß", "SS", "ss", "ﬁ", "fi",
    "K", "\u212a", "\u200bzero", "zero", "\u202eabc", "𝔘", "U", "x" * 255, "ä" * 127]


class Names(DaemonTestCase):
    def setUp(self):
        self.daemon = self.start_daemon()

    async def test_none_is_mixed_with_another(self):
        """Also those that look alike, or are equal in another normal form of Unicode."""
        native = await self.device(self.daemon, "ada")
        for number, name in enumerate(NAMES):
            await native.publish(name, number)
        with Rest(self.daemon, keys=("any", "default")) as web:
            for number, name in enumerate(NAMES):
                with self.subTest(name):
                    page = await native.command("history", channel=name)
                    self.assertEqual([it["payload"] for it in page["messages"]], [number])
                    if "/" in name:
                        continue  # In a path of PubNub's it is a border, escaped or not.
                    found = web.ok(f"/v3/history/sub-key/{{sub}}/channel/{quoted(name)}")
                    self.assertEqual([it["message"] for rows in found["channels"].values()
                                      for it in rows], [number])

    def test_what_is_no_name_is_refused_by_url_too(self):
        with Rest(self.daemon) as web:
            for name in [it for it in NO_CHANNELS if it and "," not in it] + ["\0", "a\r\nb"]:
                with self.subTest(name):
                    answer = web.get(f"/publish/{{pub}}/{{sub}}/0/{quoted(name)}/0/1")
                    self.assertEqual(answer.status, 400, answer)
            for escaped in ("%ff", "%c3%28", "%ed%a0%80", "%zz", "%"):
                with self.subTest(escaped):
                    answer = web.get(f"/publish/{{pub}}/{{sub}}/0/{escaped}/0/1")
                    self.assertEqual(answer.status, 400, answer)

    def test_no_path_leads_to_a_file(self):
        for target in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc",
                       "/metrics/../metrics", "/.//metrics", "//metrics", "/metrics%00",
                       "/%6detrics/..", "/healthz/", "/syncdaemon.db", "/v1/../metrics"):
            with self.subTest(target), RawClient(self.daemon.address) as client:
                answer = client.get(target)
                self.assertGreaterEqual(answer.status, 400, answer)
                self.assertNotIn(b"root:", answer.body)
                self.assertNotIn(b"# TYPE", answer.body)


if __name__ == "__main__":
    unittest.main()
