"""Traces: what became when of some writes, for a collector that speaks OpenTelemetry."""

import asyncio
import http.server
import json
import threading
import time
import unittest

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from case import DaemonTestCase, eventually
from daemon import free_port
from disk import metric, readiness


class Collector:
    """Takes traces as its authors' own description of the protocol reads them."""

    def __init__(self):
        self.spans, self.faults, self.status, self.answer = [], [], 200, b"{}"
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    collector.take(self.path, self.headers["Content-Type"], body)
                except (json_format.ParseError, AssertionError) as fault:
                    collector.faults.append(fault)
                self.send_response(collector.status)
                self.send_header("Content-Length", str(len(collector.answer)))
                self.end_headers()
                self.wfile.write(collector.answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, kind, body):
        assert (path, kind) == ("/v1/traces", "application/json"), (path, kind)
        # Every field is one of the protocol's, of its type.
        request = json_format.Parse(body, ExportTraceServiceRequest())
        for resource in request.resource_spans:
            names = {it.key: it.value.string_value for it in resource.resource.attributes}
            assert names["service.name"] == "syncdaemon" and names["service.instance.id"], names
        if self.status == 200:
            # Ids are hexadecimal there, which is no protobuf's JSON.
            self.spans += json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]

    def roots(self, name):
        return [it for it in self.spans if it["name"] == name]

    def parts(self, root):
        """Its parts by their names, each from when to when in nanoseconds."""
        found = {}
        for it in self.spans:
            if it.get("parentSpanId") == root["spanId"]:
                found.setdefault(it["name"], []).append(times(it))
                assert it["traceId"] == root["traceId"]
        return found

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def times(span):
    return int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])


class Tracing(DaemonTestCase):
    def collector(self):
        collector = Collector()
        self.addCleanup(collector.close)
        self.addCleanup(lambda: self.assertEqual(collector.faults, []))
        return collector

    def start(self, url, one_in, *more):
        return self.start_daemon(
            "--tracing-endpoint", url, "--tracing-one-in", str(one_in), *more)

    async def test_a_reaction_from_its_command_to_its_last_push(self):
        collector = self.collector()
        before = time.time_ns()
        daemon = self.start(collector.url, 1, "--reactors", "2")
        ada = await self.device(daemon, "ada")
        followers = [await self.device(daemon, f"bob{number}") for number in range(4)]
        for it in followers:
            await it.subscribe("room")
        message = await ada.publish("room", "hi")
        await ada.add("room", message, "👍")
        await ada.publish("elsewhere", "nobody hears it")
        for it in followers:
            await it.reach("room", message)
        await eventually(lambda: len(collector.roots("publish")) == 2, "the traces")
        after = time.time_ns()
        (added,) = collector.roots("addAction")
        self.assertEqual(
            {it["key"]: it["value"]["stringValue"] for it in added["attributes"]}
            ["messaging.destination.name"], "room")
        parts = collector.parts(added)
        (wait,), (commit,) = parts["wait"], parts["commit"]
        start, end = times(added)
        self.assertTrue(before <= start == wait[0] <= wait[1] == commit[0] < commit[1])
        # Both reactors have somebody who follows it.
        self.assertIn(len(parts["deliver"]), (1, 2))
        self.assertEqual({it[0] for it in parts["deliver"]}, {commit[1]})
        self.assertEqual(max(it[1] for it in parts["deliver"]), end)
        self.assertLess(end, after)
        unheard = next(it for it in collector.roots("publish")
                       if any(at["value"]["stringValue"] == "elsewhere" for at in it["attributes"]))
        self.assertNotIn("deliver", collector.parts(unheard))
        await eventually(lambda: metric(daemon, "traces_told_total") == 3, "three traces")

    async def test_one_in_so_many(self):
        collector = self.collector()
        daemon = self.start(collector.url, 10)
        ada = await self.device(daemon, "ada")
        message = await ada.publish("room", "hi")
        for number in range(39):
            await ada.add("room", message, f"v{number}")
        await eventually(lambda: metric(daemon, "traces_told_total") == 4, "four traces")
        roots = [it for it in collector.spans if "parentSpanId" not in it]
        self.assertEqual([it["name"] for it in roots], ["publish"] + 3 * ["addAction"])

    async def test_nobody_waits_for_a_collector(self):
        daemon = self.start(f"http://127.0.0.1:{free_port()}/v1/traces", 1)
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        await eventually(lambda: metric(daemon, "traces_failed_total") == 1, "one that failed")
        self.assertIn("No collector takes traces", daemon.log())
        await ada.publish("room", 2)
        collector = self.collector()
        collector.status = 503
        other = self.start(collector.url, 1)
        eve = await self.device(other, "eve")
        await eve.publish("room", 1)
        await eventually(lambda: metric(other, "traces_failed_total") == 1, "one that failed")
        self.assertIn("status 503", other.log())

    async def test_what_a_collector_rejects_is_not_told(self):
        collector = self.collector()
        collector.answer = b'{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "full"}}'
        daemon = self.start(collector.url, 1)
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "hi")
        await eventually(lambda: metric(daemon, "traces_failed_total") == 1, "the refusal")
        self.assertEqual(metric(daemon, "traces_told_total"), 0)
        self.assertIn("3 were rejected", daemon.log_tail())

    async def test_what_is_left_at_a_stop_is_told(self):
        collector = self.collector()
        daemon = self.start(collector.url, 1)
        ada = await self.device(daemon, "ada")
        for number in range(250):
            await ada.publish("room", number)
        await asyncio.to_thread(daemon.stop)
        self.assertEqual(len(collector.roots("publish")), 250)

    async def test_without_an_endpoint_there_is_none(self):
        daemon = self.start_daemon("--tracing-one-in", "1")
        ada = await self.device(daemon, "ada")
        await ada.publish("room", 1)
        self.assertNotIn("syncdaemon_traces", readiness(daemon, "/metrics")[1])


if __name__ == "__main__":
    unittest.main()
