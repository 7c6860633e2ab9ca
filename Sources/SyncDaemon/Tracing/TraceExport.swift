// Traces as collectors of OpenTelemetry take them. Pure: chance and time come as parameters.

import EventModel
import JSON

/// One request of OTLP over HTTP.
///
/// - Source: OpenTelemetry Protocol 1.3, "OTLP/HTTP", JSON Protobuf encoding: ids in hexadecimal,
///   64-bit numbers as text; opentelemetry/proto/trace/v1/trace.proto.
struct TraceExport {
    /// `SpanKind` and `StatusCode` of trace.proto.
    private enum Kind: Int { case `internal` = 1, server = 2 }
    private static let statusError = 2

    private struct Span {
        let name: String
        let kind: Kind
        let start: UInt64
        let end: UInt64
        var reactor: Int?
    }

    /// What tells this daemon from others.
    let instance: String
    /// Nanoseconds since 1970 when the clock of the moments stood at 0.
    let origin: UInt64

    func json(
        of traces: [Trace], using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 1024 * (traces.count + 1))
        json.beginObject()
        json.beginArray("resourceSpans")
        json.beginObject()
        json.beginObject("resource")
        json.beginArray("attributes")
        json.attribute("service.name", "syncdaemon")
        json.attribute("service.version", Release.version)
        json.attribute("service.instance.id", instance)
        json.endArray()
        json.endObject()
        json.beginArray("scopeSpans")
        json.beginObject()
        json.beginObject("scope")
        json.member("name", "syncdaemon")
        json.endObject()
        json.beginArray("spans")
        for trace in traces { write(trace, using: &generator, into: &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func write(
        _ trace: Trace, using generator: inout some RandomNumberGenerator,
        into json: inout JSONWriter
    ) {
        let moments = trace.moments
        let id = Self.id(using: &generator) + Self.id(using: &generator)
        let root = Self.id(using: &generator)
        let parts = Self.parts(of: moments)
        let end = parts.map(\.end).max() ?? moments.asked
        let whole = Span(name: trace.name, kind: .server, start: moments.asked, end: end)
        json.beginObject()
        write(whole, id, root, into: &json)
        json.beginArray("attributes")
        json.attribute("messaging.destination.name", trace.channel.name)
        json.attribute("syncdaemon.keyset", trace.channel.keyset)
        json.endArray()
        if moments.isRefused {
            json.beginObject("status")
            json.member("code", Self.statusError)
            json.endObject()
        }
        json.endObject()
        for part in parts {
            json.beginObject()
            write(part, id, Self.id(using: &generator), into: &json)
            json.member("parentSpanId", root)
            if let reactor = part.reactor {
                json.beginArray("attributes")
                json.attribute("syncdaemon.reactor", "\(reactor)")
                json.endArray()
            }
            json.endObject()
        }
    }

    /// Waiting, being committed, and leaving each reactor.
    private static func parts(of moments: Trace.Moments) -> [Span] {
        guard moments.made > 0 else { return [] }
        return [
            Span(name: "wait", kind: .internal, start: moments.asked, end: moments.taken),
            Span(name: "commit", kind: .internal, start: moments.taken, end: moments.made),
        ]
            + moments.departures.map { departure in
                Span(
                    name: "deliver", kind: .internal, start: moments.made, end: departure.at,
                    reactor: departure.reactor)
            }
    }

    private func write(_ span: Span, _ trace: String, _ id: String, into json: inout JSONWriter) {
        json.member("traceId", trace)
        json.member("spanId", id)
        json.member("name", span.name)
        json.member("kind", span.kind.rawValue)
        json.member("startTimeUnixNano", quoted: nanoseconds(at: span.start))
        json.member("endTimeUnixNano", quoted: nanoseconds(at: max(span.start, span.end)))
    }

    private func nanoseconds(at moment: UInt64) -> UInt64 { origin &+ moment * 1000 }

    /// 64 bits, of which one is set: all zeros are no id.
    private static func id(using generator: inout some RandomNumberGenerator) -> String {
        let text = String(UInt64.random(in: 1...UInt64.max, using: &generator), radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}

extension JSONWriter {
    fileprivate mutating func attribute(_ key: StaticString, _ value: String) {
        beginObject()
        member("key", "\(key)")
        beginObject("value")
        member("stringValue", value)
        endObject()
        endObject()
    }
}

extension TraceExport {
    /// Why a collector has not taken what it was told; `nil`: it has.
    ///
    /// One that takes some spans and not others says so in a body (OTLP, "Partial Success"), with a
    /// number as protobuf's JSON has it: as text.
    static func refusal(_ outcome: DeliveryOutcome) -> String? {
        let body: [UInt8]
        switch outcome {
        case .answered(200..<300, _, let answer): body = answer
        case .answered(let status, _, _): return "status \(status)"
        case .failed(let reason): return reason
        }
        let text = String(decoding: body, as: UTF8.self)
        guard let answer = try? JSONValue(parsing: text, depthMax: Limits.jsonDepthMax),
            let rejected = answer.member("partialSuccess")?.member("rejectedSpans")
        else { return nil }
        let count = rejected.string ?? rejected.compactText
        return count == "0" ? nil : "of its spans \(count.prefix(20)) were rejected"
    }
}
