// What values of the HTTP API look like, as JSON Schema has words for it.

import EventModel
import JSON

/// The kind of a value.
///
/// - Source: JSON Schema 2020-12, as OpenAPI 3.1 uses it.
indirect enum APISchema: Sendable {
    /// UTF-8 bytes; no U+0000.
    case text(ClosedRange<Int>)
    /// Such as a channel's, with what else it may not be.
    case name(pattern: String)
    case timetoken
    /// A message's or an action's: not 0.
    case position
    case integer(ClosedRange<Int>)
    case flag
    case any
    /// Any text, as clients wrote it.
    case string
    case constant([String])
    case list(of: APISchema, ClosedRange<Int>)
    case object([APIField], hasOthers: Bool = true)
    /// At least one of these members is there.
    case having([String], in: APISchema)
    /// Just one of these members is there, and a flag among them is `true`.
    case havingOne(of: [APIField], in: APISchema)
    /// One that stands among the document's components.
    case component(String)
    /// It may be `null`, too.
    case nullable(APISchema)

    static let channel = APISchema.name(
        pattern: #"^(?!.*\.\*$)(?!.*\.\*-pnpres$)(?!\*$)[^,\u0000-\u001f\u007f-\u009f]+$"#)
    /// Not of presence, where nothing can be written, nor of a directory.
    static let writableChannel = APISchema.name(
        pattern: #"^(?!.*\.\*$)(?!.*-pnpres$)(?!\*$)(?!\$users$)(?!\$channels$)(?!\$members:)"#
            + #"(?!\$memberships:)[^,\u0000-\u001f\u007f-\u009f]+$"#)
    /// The id of a server-sent event, or a timetoken.
    static let streamPlace = APISchema.name(pattern: StreamPlace.pattern)
    static let user = APISchema.text(1...Limits.identifierBytesMax)
    static let mutation = APISchema.text(1...Limits.mutationBytesMax)

    func write(into json: inout JSONWriter) {
        json.beginObject()
        writeMembers(into: &json)
        json.endObject()
    }

    fileprivate func writeMembers(into json: inout JSONWriter) {
        switch self {
        case .text(let bytes):
            json.member("type", "string")
            json.member("minLength", bytes.lowerBound)
            json.member("maxLength", bytes.upperBound)
            json.member("pattern", #"^[^\u0000]*$"#)
        case .name(let pattern):
            json.member("type", "string")
            json.member("minLength", 1)
            json.member("maxLength", Limits.channelNameBytesMax)
            json.member("pattern", pattern)
        case .timetoken:
            json.member("type", "string")
            json.member("pattern", "^[0-9]{1,18}$")
            json.member("examples", ["17952187953729998"])
        case .integer(let range):
            json.member("type", "integer")
            json.member("minimum", range.lowerBound)
            json.member("maximum", range.upperBound)
        case .flag: json.member("type", "boolean")
        case .position:
            json.member("type", "string")
            json.member("pattern", "^(?=.*[1-9])[0-9]{1,18}$")
            json.member("examples", ["17952187953729998"])
        case .any: break
        case .component(let name): json.member("$ref", "#/components/schemas/\(name)")
        case .string: json.member("type", "string")
        case .constant(let words):
            json.member("type", "string")
            json.member("enum", words)
        case .list(let element, let count):
            json.member("type", "array")
            json.member("minItems", count.lowerBound)
            json.member("maxItems", count.upperBound)
            json.name("items")
            element.write(into: &json)
        case .object(let fields, let hasOthers):
            Self.write(fields, hasOthers: hasOthers, into: &json)
        case .having(let names, let schema):
            schema.writeMembers(into: &json)
            json.beginArray("anyOf")
            for name in names { Self.writePresence(of: name, isFlag: false, into: &json) }
            json.endArray()
        case .havingOne(let fields, let schema):
            schema.writeMembers(into: &json)
            json.beginArray("oneOf")
            for field in fields {
                var isFlag = false
                if case .flag = field.schema { isFlag = true }
                Self.writePresence(of: field.name, isFlag: isFlag, into: &json)
            }
            json.endArray()
        case .nullable(let schema):
            json.beginArray("anyOf")
            schema.write(into: &json)
            json.beginObject()
            json.member("type", "null")
            json.endObject()
            json.endArray()
        }
    }

    /// A member that is `null` counts as absent, and so does a flag that is `false`.
    private static func writePresence(
        of name: String, isFlag: Bool, into json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("required", [name])
        json.beginObject("properties")
        json.name(escaping: name)
        json.beginObject()
        if isFlag {
            json.member("const", true)
        } else {
            json.beginObject("not")
            json.member("type", "null")
            json.endObject()
        }
        json.endObject()
        json.endObject()
        json.endObject()
    }

    private static func write(
        _ fields: [APIField], hasOthers: Bool, into json: inout JSONWriter
    ) {
        json.member("type", "object")
        json.beginObject("properties")
        for field in fields {
            json.name(escaping: field.name)
            field.write(into: &json)
        }
        json.endObject()
        let required = fields.filter(\.isRequired).map(\.name)
        if !required.isEmpty { json.member("required", required) }
        if !hasOthers { json.member("additionalProperties", false) }
    }
}

/// A member of an object, or of a query.
struct APIField: Sendable {
    let name: String
    let schema: APISchema
    var isRequired = false
    /// For people; what the schema cannot say.
    var note: String?

    static func required(_ name: String, _ schema: APISchema, _ note: String? = nil) -> APIField {
        APIField(name: name, schema: schema, isRequired: true, note: note)
    }

    static func optional(_ name: String, _ schema: APISchema, _ note: String? = nil) -> APIField {
        APIField(name: name, schema: schema, note: note)
    }

    /// As a property of an object; one that need not be there may be `null`, which says the same.
    fileprivate func write(into json: inout JSONWriter) {
        var schema = schema
        if !isRequired {
            if case .nullable = schema {} else { schema = .nullable(schema) }
        }
        // Beside each other, also with a reference: generators take what is in "allOf" for objects.
        json.beginObject()
        if let note { json.member("description", note) }
        schema.writeMembers(into: &json)
        json.endObject()
    }
}
