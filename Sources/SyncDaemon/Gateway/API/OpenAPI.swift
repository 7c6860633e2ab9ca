// The document of the HTTP API, made of the table that its routes are made of: it cannot say
// anything else.

import EventModel
import JSON

/// OpenAPI 3.1, as text.
enum OpenAPI {
    /// - Parameter admitsAnybody: Whether who shows nothing is let in somewhere.
    static func document(admitsAnybody: Bool) -> [UInt8] {
        admitsAnybody ? documentForAll : documentForSome
    }

    private static let documentForAll = makeDocument(admitsAnybody: true)
    private static let documentForSome = makeDocument(admitsAnybody: false)

    private static func makeDocument(admitsAnybody: Bool) -> [UInt8] {
        var json = JSONWriter(reserving: 64 * 1024)
        json.beginObject()
        json.member("openapi", "3.1.0")
        json.beginObject("info")
        json.member("title", "SyncDaemon")
        json.member("version", Release.version)
        json.member(
            "description",
            "Every operation of the protocol that takes no session: docs/HTTP.md says how to use "
                + "it, docs/PROTOCOL.md what each does.")
        json.endObject()
        json.beginArray("servers")
        json.beginObject()
        json.member("url", "/")
        json.endObject()
        json.endArray()
        writeSecurity(admitsAnybody: admitsAnybody, into: &json)
        json.beginObject("paths")
        for operation in APIOperation.all { write(operation, into: &json) }
        writeBatch(into: &json)
        writeStream(into: &json)
        json.endObject()
        writeComponents(into: &json)
        json.endObject()
        return json.bytes
    }

    private static func writeSecurity(admitsAnybody: Bool, into json: inout JSONWriter) {
        json.beginArray("security")
        json.beginObject()
        json.beginArray("bearer")
        json.endArray()
        json.endObject()
        if admitsAnybody {
            json.beginObject()
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ operation: APIOperation, into json: inout JSONWriter) {
        json.name(escaping: "/" + operation.path)
        json.beginObject()
        json.beginObject(operation.kind == .query ? "get" : "post")
        json.member("operationId", operation.operation.rawValue)
        json.member("summary", operation.summary)
        json.beginArray("parameters")
        if operation.kind == .query {
            for field in operation.fields + [API.author] { write(field, in: "query", into: &json) }
        }
        for field in API.place { write(field, in: "query", into: &json) }
        if operation.isNamed { writeIdempotencyKey(into: &json) }
        if operation.isConditional { writeCondition(into: &json) }
        json.endArray()
        if operation.kind == .write {
            writeBody(operation.body, into: &json)
        }
        writeResponses(.object(operation.reply), into: &json)
        json.endObject()
        json.endObject()
    }

    /// - Source: OpenAPI 3.1: `form` with `explode` has a list as one member for each element.
    private static func write(
        _ field: APIField, in place: StaticString, into json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", field.name)
        json.member("in", "\(place)")
        if field.isRequired { json.member("required", true) }
        json.member("description", field.note)
        json.name("schema")
        field.schema.write(into: &json)
        json.endObject()
    }

    private static func writeIdempotencyKey(into json: inout JSONWriter) {
        write(
            .optional(
                "Idempotency-Key",
                .name(pattern: "^[!-~]{1,\(Limits.idempotencyKeyBytesMax)}$"),
                "As mutation in the body, where that has none."),
            in: "header", into: &json)
    }

    private static func writeCondition(into json: inout JSONWriter) {
        write(
            .optional(
                "If-Match", .name(pattern: #"^("[0-9]{1,18}"|[0-9]{1,18})$"#),
                "As expected in the body, where that has none."),
            in: "header", into: &json)
    }

    private static func writeBody(_ schema: APISchema, into json: inout JSONWriter) {
        json.beginObject("requestBody")
        json.member("required", true)
        writeContent(schema, into: &json)
        json.endObject()
    }

    private static func writeContent(_ schema: APISchema, into json: inout JSONWriter) {
        json.beginObject("content")
        json.beginObject("application/json")
        json.name("schema")
        schema.write(into: &json)
        json.endObject()
        json.endObject()
    }

    private static func writeResponses(_ schema: APISchema, into json: inout JSONWriter) {
        json.beginObject("responses")
        json.beginObject("200")
        json.member("description", "What came of it.")
        writeHeaders(rates, into: &json)
        writeContent(schema, into: &json)
        json.endObject()
        json.beginObject("default")
        json.member("description", "Why nothing did, and what to do.")
        let later = ("Retry-After", "Seconds, where it is too much for now.")
        writeHeaders(rates + [later], into: &json)
        writeContent(.component("Refusal"), into: &json)
        json.endObject()
        json.endObject()
    }

    private static let rates = [
        ("RateLimit-Limit", "Requests a second that a connection may make."),
        ("RateLimit-Remaining", "How many it may make at once."),
        ("RateLimit-Reset", "Seconds until it may make so many."),
    ]

    private static func writeHeaders(
        _ headers: [(name: String, note: String)], into json: inout JSONWriter
    ) {
        json.beginObject("headers")
        for header in headers {
            json.name(escaping: header.name)
            json.beginObject()
            json.member("description", header.note)
            json.name("schema")
            APISchema.integer(0...Int(Int32.max)).write(into: &json)
            json.endObject()
        }
        json.endObject()
    }

    private static func writeBatch(into json: inout JSONWriter) {
        json.beginObject("/v1/batch")
        json.beginObject("post")
        json.member("operationId", "batch")
        json.member(
            "summary", "Carries out several writes, in their order, each with a result of its own.")
        json.beginArray("parameters")
        for field in API.place { write(field, in: "query", into: &json) }
        writeIdempotencyKey(into: &json)
        json.endArray()
        let words = APIOperation.all.filter(\.isBatched).map(\.operation.rawValue)
        let command = APISchema.object([
            .required("op", .constant(words), "Beside it stands what the body of that one has."),
            API.author,
        ])
        writeBody(
            .object([
                .required("commands", .list(of: command, 1...Limits.batchCommandsMax))
            ]), into: &json)
        let result = APISchema.object([
            .optional("ok", .object([]), "The answer of the operation, when it was carried out."),
            .optional("error", .component("Error"), "Why it was not, and what to do."),
        ])
        writeResponses(
            .object([
                .required("results", .list(of: result, 1...Limits.batchCommandsMax))
            ]), into: &json)
        json.endObject()
        json.endObject()
    }

    private static func writeStream(into json: inout JSONWriter) {
        json.beginObject("/v1/stream")
        json.beginObject("get")
        json.member("operationId", "stream")
        json.member("summary", "Server-sent events of channels and groups, from a cursor on.")
        json.beginArray("parameters")
        for field in APIStreamRequest.fields + [API.author, API.token] + API.place {
            write(field, in: "query", into: &json)
        }
        write(.optional("Last-Event-ID", .streamPlace, "As cursor."), in: "header", into: &json)
        json.endArray()
        json.beginObject("responses")
        json.beginObject("200")
        json.member("description", "Events as they come; see docs/HTTP.md.")
        json.beginObject("content")
        json.beginObject("text/event-stream")
        json.endObject()
        json.endObject()
        json.endObject()
        json.beginObject("default")
        json.member("description", "Why there is no stream, and what to do.")
        writeContent(.component("Refusal"), into: &json)
        json.endObject()
        json.endObject()
        json.endObject()
        json.endObject()
    }

    private static func writeComponents(into json: inout JSONWriter) {
        json.beginObject("components")
        json.beginObject("securitySchemes")
        json.beginObject("bearer")
        json.member("type", "http")
        json.member("scheme", "bearer")
        json.member("description", "A key of server_keys_file, or a token: docs/ACCESS.md.")
        json.endObject()
        json.endObject()
        json.beginObject("schemas")
        for (name, schema) in APIComponent.all {
            json.name(escaping: name)
            schema.write(into: &json)
        }
        json.endObject()
        json.endObject()
    }
}

/// What several operations answer with.
private enum APIComponent {
    static let all: [(name: String, schema: APISchema)] = [
        ("Refusal", .object([.required("error", .component("Error"))])),
        (
            "Error",
            .object([
                .required("status", .integer(400...599)),
                .required("code", .string), .required("message", .string),
                .optional("retryAfter", .integer(0...Int(Int32.max)), "Seconds."),
            ])
        ),
        (
            "Action",
            .object([
                .required("messageTimetoken", .timetoken), .required("type", .string),
                .required("value", .string), .required("uuid", .string),
                .required("actionTimetoken", .timetoken),
                .optional("score", .integer(1...Limits.actionScoreMax)),
            ])
        ),
        (
            "Message",
            .object([
                .required("timetoken", .timetoken), .required("uuid", .string),
                .required("payload", .any), .optional("meta", .any),
                .optional("messageType", .string), .optional("parent", .timetoken),
                .optional("threadCount", .integer(0...Int(UInt32.max))),
                .optional("actions", .list(of: .component("Action"), 0...Int(Int32.max))),
                .optional("more", .timetoken), .optional("edited", .object([])),
                .optional("deleted", .timetoken),
            ])
        ),
        (
            "Summary",
            .object([
                .required("m", .timetoken), .required("t", .timetoken),
                .required("h", .text(1...32)),
                .required("g", .list(of: .object([]), 0...Int(Int32.max))),
                .optional("x", .integer(0...Int(UInt32.max))),
            ])
        ),
        (
            "Unread",
            .object([
                .required("name", .string), .optional("through", .timetoken),
                .required("count", .integer(0...Int(UInt32.max))), .optional("more", .flag),
            ])
        ),
        (
            "Present",
            .object([.required("userId", .string), .optional("state", .object([]))])
        ),
        ("Entry", .object(APIOperation.entry)),
        ("Group", .name(pattern: #"^(?!.*-pnpres$)[^,\u0000-\u001f\u007f-\u009f]+$"#)),
    ]
}
