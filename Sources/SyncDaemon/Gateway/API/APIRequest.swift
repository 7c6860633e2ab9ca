// A request of the HTTP API as commands: a query or a body becomes the JSON of the native protocol,
// which its decoder reads.

import EventModel
import JSON

enum APIRequest {
    /// One command, and in whose name.
    struct Part {
        let command: Command
        let author: String?
    }

    /// What is asked for.
    enum Form {
        case one(Part)
        /// Each read, or what is wrong with it.
        case batch([Result<Part, ProtocolError>])
    }

    static func target(of request: HTTPRequest) throws(ProtocolError) -> RequestTarget {
        guard let target = RequestTarget(request.target) else {
            throw .invalidEncoding(of: nil)
        }
        return target
    }

    static func query(of target: RequestTarget) throws(ProtocolError) -> RequestQuery {
        do throws(RequestTargetError) { return try target.query(isForm: true) } catch {
            throw .invalidEncoding(of: error.parameter)
        }
    }

    /// Reads one command.
    static func commands(
        of operation: APIOperation, _ request: HTTPRequest, _ target: RequestTarget
    ) throws(ProtocolError) -> Form {
        let json =
            switch operation.kind {
            case .query: try value(of: try query(of: target), as: operation)
            case .write:
                try adding(
                    "expected", try condition(of: request, for: operation),
                    to: try body(of: request, key: try key(of: request)))
            }
        return .one(try part(operation.operation, json))
    }

    /// Reads several writes; one that cannot be read is refused alone.
    static func batch(of request: HTTPRequest) throws(ProtocolError) -> Form {
        guard request.fields.ifMatch == nil else {
            throw .invalidField(
                "If-Match", "absent: each write of a batch has an \"expected\" of its own")
        }
        let body = try body(of: request, key: nil)
        let key = try key(of: request)
        let expected = "a list of 1 to \(Limits.batchCommandsMax) objects with an \"op\""
        guard let list = body.member("commands"), list.isArray,
            (1...Limits.batchCommandsMax).contains(list.count)
        else {
            guard body.has("commands") else {
                throw ProtocolError(.missingField("commands", expected: expected))
            }
            throw .invalidField("commands", expected)
        }
        return .batch(
            (0..<list.count).map { index in
                entry(list.element(at: index), key: key.map { "\($0)/\(index)" })
            })
    }

    /// What `Idempotency-Key` says.
    ///
    /// - Source: draft-ietf-httpapi-idempotency-key-header.
    private static func key(of request: HTTPRequest) throws(ProtocolError) -> String? {
        guard let key = request.fields.idempotencyKey else { return nil }
        guard (1...Limits.idempotencyKeyBytesMax).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .invalidField(
                "Idempotency-Key",
                "1 to \(Limits.idempotencyKeyBytesMax) visible ASCII characters")
        }
        return key
    }

    /// What `If-Match` says: the timetoken that the entry has which is to be changed.
    ///
    /// Where nothing is changed on a condition it is refused: who sends it means it.
    ///
    /// - Source: RFC 9110, section 13.1.1; a tag without its quotation marks is taken, too.
    private static func condition(
        of request: HTTPRequest, for operation: APIOperation
    ) throws(ProtocolError) -> String? {
        guard let tag = request.fields.ifMatch else { return nil }
        guard operation.isConditional else {
            throw .invalidField("If-Match", "absent: no such write has a condition")
        }
        let isQuoted = tag.count > 2 && tag.first == "\"" && tag.last == "\""
        let digits = isQuoted ? String(tag.dropFirst().dropLast()) : tag
        guard digits.utf8.count <= 18, Timetoken(digits) != nil else {
            throw .invalidField("If-Match", "the timetoken of the entry, or 0 for none")
        }
        return digits
    }

    private static func entry(_ value: JSONValue, key: String?) -> Result<Part, ProtocolError> {
        do throws(ProtocolError) {
            guard value.isObject else { throw .notAnObject }
            let name = try value.text("op", bytesMax: 64)
            let batched = APIOperation.all.filter(\.isBatched)
            guard let operation = batched.first(where: { $0.operation.rawValue == name }) else {
                throw .notBatched(name, batched.map(\.operation.rawValue))
            }
            return .success(
                try part(operation.operation, try adding("mutation", key, to: value)))
        } catch {
            return .failure(error)
        }
    }

    private static func part(
        _ operation: Command.Operation, _ json: JSONValue
    ) throws(ProtocolError) -> Part {
        let command = try CommandDecoder.decode(operation, json)
        if case .actions(let query) = command, query.live != nil {
            throw .invalidField("live", "absent: only sessions have live queries")
        }
        return Part(
            command: command,
            author: try json.optionalText("as", bytesMax: Limits.identifierBytesMax))
    }

    private static func body(
        of request: HTTPRequest, key: String?
    ) throws(ProtocolError) -> JSONValue {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: request.body, depthMax: Limits.jsonDepthMax)
        } catch {
            throw ProtocolError(error)
        }
        guard json.isObject else { throw .notAnObject }
        return try adding("mutation", key, to: json)
    }

    /// What a header says counts where the command does not say it.
    private static func adding(
        _ name: StaticString, _ text: String?, to value: JSONValue
    ) throws(ProtocolError) -> JSONValue {
        guard let text, !value.has("\(name)") else { return value }
        var json = JSONWriter()
        json.reopen(Array(value.compactText.utf8))
        json.member(name, text)
        json.endObject()
        return try parsed(json.bytes)
    }

    /// A query as JSON, each member of the kind that the table says; what is not of it stays text,
    /// and the decoder says what is wrong.
    private static func value(
        of query: RequestQuery, as operation: APIOperation
    ) throws(ProtocolError) -> JSONValue {
        var json = JSONWriter()
        json.beginObject()
        for field in operation.fields + [API.author] {
            let values = query.members.filter { $0.name == field.name }.map(\.value)
            guard let first = values.first else { continue }
            json.name(escaping: field.name)
            if case .list(let element, _) = field.schema {
                json.beginArray()
                for value in values { write(value, as: element, into: &json) }
                json.endArray()
            } else if values.count > 1 {
                throw .invalidField(field.name, "there once")
            } else {
                write(first, as: field.schema, into: &json)
            }
        }
        json.endObject()
        return try parsed(json.bytes)
    }

    private static func write(
        _ value: String, as schema: APISchema, into json: inout JSONWriter
    ) {
        switch schema {
        case .integer: Int64(value).map { json.integer($0) } ?? json.string(value)
        case .flag:
            ["true": true, "false": false][value].map { json.bool($0) } ?? json.string(value)
        default: json.string(value)
        }
    }

    private static func parsed(_ bytes: [UInt8]) throws(ProtocolError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, depthMax: Limits.jsonDepthMax)
        } catch {
            throw ProtocolError(error)
        }
    }
}
