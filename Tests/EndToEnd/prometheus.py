"""A Prometheus that watches a daemon as docs/OPERATIONS.md has it, in less time."""

import asyncio
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

from case import DaemonTestCase
from daemon import ROOT, free_port
from waiting import PATIENCE, Patience, until

RULES = ROOT / "contrib/prometheus/syncdaemon.rules.yml"
#: What looks back for so long looks back for so long here: it is scraped twice a second.
SHORTER = {"1m": "4s", "5m": "20s", "15m": "20s", "1h": "20s"}


class Prometheus:
    """Scrapes an address, and says which alerts fire."""

    def __init__(self, target):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="syncdaemon-prometheus-"))
        rules = RULES.read_text(encoding="utf-8")
        rules = re.sub(r"\[(\w+)\]", lambda it: f"[{SHORTER.get(it[1], it[1])}]", rules)
        rules = rules.replace("oldest_seconds > 300", "oldest_seconds > 3")
        rules = re.sub(r"^( +)for: .*", r"\1for: 0s", rules, flags=re.M)
        (self.directory / "rules.yml").write_text(rules, encoding="utf-8")
        (self.directory / "prometheus.yml").write_text(
            "global: {scrape_interval: 500ms, evaluation_interval: 500ms}\n"
            "rule_files: [rules.yml]\n"
            "scrape_configs:\n"
            f"  - {{job_name: syncdaemon, static_configs: [{{targets: ['{target}']}}]}}\n",
            encoding="utf-8")
        self.url = f"http://127.0.0.1:{free_port()}"
        with open(self.directory / "log", "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={self.directory}/prometheus.yml",
                 f"--storage.tsdb.path={self.directory}/data",
                 f"--web.listen-address={self.url.removeprefix('http://')}"],
                stdout=log, stderr=log)
        until(self._is_ready, "Prometheus to be ready")

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return answer.read()

    def _is_ready(self):
        try:
            return bool(self._get("/-/ready"))
        except OSError:
            return False

    def query(self, expression):
        """The series that an expression has now; what makes no sense raises an HTTPError."""
        text = self._get("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        return json.loads(text)["data"]["result"]

    def firing(self):
        return {it["metric"]["alertname"].removeprefix("SyncDaemon") for it in
                self.query('ALERTS{alertstate="firing"}')}


class WatchedTestCase(DaemonTestCase):
    """Daemons that a Prometheus watches."""

    async def watch(self, daemon):
        prometheus = await asyncio.to_thread(Prometheus, f"{daemon.host}:{daemon.port}")
        self.addCleanup(prometheus.close)
        await self.until(lambda: prometheus.query("up == 1"), "the first scrape")
        return prometheus

    async def until(self, condition, what):
        patience = Patience()
        while not await asyncio.to_thread(condition):
            patience.check(what)
            await asyncio.sleep(0.2)

    async def fires(self, prometheus, name):
        await self.until(
            lambda: name in prometheus.firing(), f"{name}, beside {prometheus.firing()}")
        print(f"fires: {name}", file=sys.stderr)
