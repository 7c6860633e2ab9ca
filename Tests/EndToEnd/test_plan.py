"""`syncdaemon plan`: what it says, and that a file is as large as it says."""

import json
import re
import unittest

from capacity import Day, Writers, follow, plan, used_bytes
from case import DaemonTestCase
from daemon import ROOT, run_to_end


class Plan(DaemonTestCase):
    def test_a_day_takes_what_was_planned_of_the_disk(self):
        daemon = self.start_daemon()
        use = {"users": 200, "messages_per_day": 2000, "reactions_per_day": 6000,
               "taken_back": 10, "message_bytes": 100, "channels": 20, "online": 5,
               "followed": 10, "returns": 0, "days": 1}
        with Writers(daemon, 10, use["channels"], "x" * 98) as writers:
            writers.publish(use["users"])
            devices = follow(daemon, 10, use["channels"], use["followed"])
            for device in devices:
                device.connect().follow()
            before = used_bytes(daemon)
            Day(writers, devices, use).pass_hour(0, 1)
            took = used_bytes(daemon) - before
            for device in devices:
                device.client.socket.close()
        # Pages are half empty where rows come in random order, and a small file has few.
        planned = plan(**use)["disk"]["database"]
        self.assertLess(abs(took / planned - 1), 0.25, f"{took} for {planned}")

    def test_a_program_can_read_it(self):
        found = plan(users=1000, archive_days=7)
        disk = found["disk"]
        rows = [bytes_ for name, bytes_ in disk.items()
                if name not in ("database", "log", "archive", "all")]
        self.assertAlmostEqual(sum(rows), disk["database"], delta=1)
        self.assertAlmostEqual(disk["database"] + disk["log"] + disk["archive"], disk["all"],
                               delta=1)
        cores = found["cores"]
        self.assertAlmostEqual(cores["writes"] + cores["deliveries"] + cores["returns"],
                               cores["all"])

    def test_the_example_of_the_page(self):
        page = (ROOT / "docs/CAPACITY.md").read_text(encoding="utf-8")
        command, shown = re.search(
            r"```sh\nsyncdaemon (plan [^\n]+)\n```\n+```text\n(.*?)```", page, re.S).groups()
        code, text, _ = run_to_end(*command.split())
        self.assertEqual((code, text), (0, shown))

    def test_the_page_has_what_was_measured(self):
        page = (ROOT / "docs/CAPACITY.md").read_text(encoding="utf-8")
        rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\d.,]+) [^|]*\|$", page, re.M))
        shown = {name: float(cost.replace(",", "")) for name, cost in rows.items()}
        self.assertEqual(shown, plan()["costs"])

    def test_a_mistake_says_what_to_do(self):
        code, _, problem = run_to_end("plan", "--users", "many")
        self.assertEqual(code, 2)
        self.assertIn("--users", problem)
        self.assertNotIn("Fatal", problem)

    def test_help_names_each_flag(self):
        text = json.dumps(run_to_end("plan", "--help")[1])
        for flag in ("users", "reactions-per-day", "retention", "archive-days", "json"):
            self.assertIn(f"--{flag}", text)


if __name__ == "__main__":
    unittest.main()
