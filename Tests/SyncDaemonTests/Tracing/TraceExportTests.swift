// What a collector is told of a write, in OpenTelemetry's words.

import Basis
import EventModel
import JSON
import Testing

@testable import SyncDaemon

@Suite("Traces: what a collector is told")
struct TraceExportTests {
    private let export = TraceExport(instance: "here", origin: 5_000_000_000)

    private func spans(of traces: [Trace]) throws -> [JSONValue] {
        var generator = SeededGenerator(seed: 1)
        let json = try JSONValue(
            parsing: export.json(of: traces, using: &generator), depthMax: 32)
        let resource = try #require(json.member("resourceSpans")?.element(at: 0))
        let attributes = try #require(resource.member("resource")?.member("attributes"))
        #expect(attributes.compactText.contains(#"{"stringValue":"here"}"#))
        let spans = try #require(resource.member("scopeSpans")?.element(at: 0).member("spans"))
        return (0..<spans.count).map { spans.element(at: $0) }
    }

    private func times(_ span: JSONValue) -> [String?] {
        ["startTimeUnixNano", "endTimeUnixNano"].map { span.member($0)?.string }
    }

    @Test("a span for the whole, and one for each part of the way")
    func parts() throws {
        let trace = Trace(
            of: "addAction", in: Channel("room", keyset: "k"), asked: 10)
        trace.committed(from: 12, to: 20, isRefused: false)
        trace.left(reactor: 1, at: 25)
        trace.left(reactor: 0, at: 31)
        let spans = try spans(of: [trace])
        #expect(
            spans.map { $0.member("name")?.string }
                == ["addAction", "wait", "commit", "deliver", "deliver"])
        #expect(
            spans.map(times) == [
                ["5000010000", "5000031000"], ["5000010000", "5000012000"],
                ["5000012000", "5000020000"], ["5000020000", "5000025000"],
                ["5000020000", "5000031000"],
            ])
        #expect(Set(spans.map { $0.member("traceId")?.string?.utf8.count }) == [32])
        #expect(Set(spans.map { $0.member("traceId")?.string }).count == 1)
        let ids = spans.compactMap { $0.member("spanId")?.string }
        #expect(Set(ids).count == 5)
        #expect(ids.allSatisfy { $0.utf8.count == 16 })
        #expect(spans.dropFirst().allSatisfy { $0.member("parentSpanId")?.string == ids[0] })
        #expect(spans[0].member("parentSpanId") == nil && spans[0].member("status") == nil)
        #expect(spans.map { $0.member("kind")?.integer } == [2, 1, 1, 1, 1])
    }

    @Test("what was refused is an error, and what is not committed yet has no parts")
    func refused() throws {
        let refused = Trace(of: "publish", in: Channel("room"), asked: 10)
        refused.committed(from: 12, to: 20, isRefused: true)
        let open = Trace(of: "publish", in: Channel("room"), asked: 11)
        let spans = try spans(of: [refused, open])
        #expect(
            spans.map { $0.member("name")?.string } == ["publish", "wait", "commit", "publish"])
        #expect(spans[0].member("status")?.member("code")?.integer == 2)
        #expect(spans[3].member("status") == nil)
        #expect(times(spans[3]) == ["5000011000", "5000011000"])
        #expect(spans[0].member("traceId")?.string != spans[3].member("traceId")?.string)
    }

    @Test(
        "what a collector answers says whether it has taken all",
        arguments: [
            ("", nil), ("{}", nil), (#"{"partialSuccess":{}}"#, nil),
            (#"{"partialSuccess":{"rejectedSpans":"0"}}"#, nil),
            (#"{"partialSuccess":{"rejectedSpans":0,"errorMessage":"slow"}}"#, nil),
            (#"{"partialSuccess":{"rejectedSpans":"99"}}"#, "of its spans 99 were rejected"),
            (#"{"partialSuccess":{"rejectedSpans":7}}"#, "of its spans 7 were rejected"),
            ("no JSON", nil), (#"{"partialSuccess":5}"#, nil),
        ])
    func partialSuccess(body: String, reason: String?) {
        let answer = DeliveryOutcome.answered(status: 200, retryAfter: nil, body: Array(body.utf8))
        #expect(TraceExport.refusal(answer) == reason)
        #expect(TraceExport.refusal(.answered(status: 500, retryAfter: nil)) == "status 500")
        #expect(TraceExport.refusal(.failed(reason: "no route")) == "no route")
    }
}
