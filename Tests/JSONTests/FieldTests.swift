// Reading members by their type, and the texts of the errors.

import JSON
import Testing

/// What one reader of a member throws.
private func problem(
    _ text: String, _ read: (borrowing JSONValue) throws(JSONError) -> Void
) -> JSONError? {
    do throws(JSONError) {
        try read(try JSONValue(parsing: text))
        return nil
    } catch {
        return error
    }
}

@Suite("Fields")
struct FieldTests {
    private static let every =
        #"{"s":"x","i":1,"r":1.5,"t":true,"f":false,"n":null,"a":[1],"o":{"p":2}}"#

    @Test("members are read by their types")
    func reads() throws {
        let json = try JSONValue(parsing: Self.every)

        let (string, integer) = (try json.string("s"), try json.integer("i"))
        #expect(string == "x")
        #expect(integer == 1)
        let flags = [try json.flag("t"), try json.flag("f")]
        #expect(flags == [true, false])
        let element = try json.array("a").element(at: 0).integer
        let inner = [element, try json.object("o").integer("p")]
        #expect(inner == [1, 2])
        let (names, count) = (json.memberNames, json.count)
        #expect(names == ["s", "i", "r", "t", "f", "n", "a", "o"])
        #expect(count == 8)
    }

    @Test("absent and null are the same, except to `has`")
    func nulls() throws {
        let json = try JSONValue(parsing: Self.every)

        for name in ["n", "absent"] {
            let string = try json.optionalString(name)
            let integer = try json.optionalInteger(name)
            let (flag, text) = (try json.flag(name), json.member(name)?.compactText)
            #expect(string == nil)
            #expect(integer == nil)
            #expect(!flag)
            #expect(text == nil)
        }
        let has = [json.has("n"), json.has("absent")]
        #expect(has == [true, false])
    }

    private enum Kind: String, CaseIterable {
        case string = "a string"
        case integer = "an integer"
        case flag = "true or false"
        case array = "an array"
        case object = "an object"

        func read(_ name: String, of json: borrowing JSONValue) throws(JSONError) {
            switch self {
            case .string: _ = try json.string(name)
            case .integer: _ = try json.integer(name)
            case .flag: _ = try json.flag(name)
            case .array: _ = try json.array(name)
            case .object: _ = try json.object(name)
            }
        }

        /// The members of `every` that are of this kind.
        var members: Set<String> {
            switch self {
            case .string: ["s"]
            case .integer: ["i"]
            case .flag: ["t", "f"]
            case .array: ["a"]
            case .object: ["o"]
            }
        }
    }

    @Test("a member of another type is refused, with its name and what it must be")
    func wrongTypes() {
        for kind in Kind.allCases {
            for name in ["s", "i", "r", "t", "f", "a", "o"] {
                let found = problem(Self.every) { json throws(JSONError) in
                    try kind.read(name, of: json)
                }
                let expected: JSONError? =
                    kind.members.contains(name)
                    ? nil : .wrongType(name, expected: kind.rawValue)
                #expect(found == expected, "\(kind), \(name)")
            }
        }
        #expect(
            JSONError.wrongType("limit", expected: "an integer").description
                == "The field \"limit\" must be an integer.")
    }

    @Test("a member that must be there is named when it is missing")
    func missing() {
        for kind in Kind.allCases where kind != .flag {
            for name in ["n", "absent"] {
                let found = problem(Self.every) { json throws(JSONError) in
                    try kind.read(name, of: json)
                }
                #expect(found == .missingField(name, expected: kind.rawValue))
            }
        }
        #expect(
            JSONError.missingField("op", expected: "a string").description
                == "The field \"op\" is missing. It must be a string.")
    }

    @Test("what is not an object has no members", arguments: ["1", "[1]", "\"s\"", "null", "true"])
    func noObject(text: String) throws {
        let json = try JSONValue(parsing: text)

        let flags = [json.isObject, json.has("a"), json.isArray, json.isNull]
        let (names, count) = (json.memberNames, json.count)
        #expect(flags == [false, false, text == "[1]", text == "null"])
        #expect(names.isEmpty)
        #expect(count == (text == "[1]" ? 1 : 0))
    }

    @Test("a member outlives the object that it was read from")
    func lifetimes() throws {
        func inner() throws -> JSONValue {
            try JSONValue(parsing: #"{"o":{"deep":["kept"]}}"#).object("o").array("deep")
        }
        let text = try inner().element(at: 0).string
        #expect(text == "kept")
    }

    @Test(
        "compact text keeps members in order, and loses only blanks",
        arguments: [
            (" { \"b\" : 1 , \"a\" : [ true , null ] } ", #"{"b":1,"a":[true,null]}"#),
            ("\"👍\"", "\"👍\""), (#""\ud83d\udc4d \n""#, #""\ud83d\udc4d \n""#), ("-7", "-7"),
            ("null", "null"), (#""\/""#, #""\/""#), ("[]", "[]"), ("{ }", "{}"), ("1.5", "1.5"),
            (#"{"":""}"#, #"{"":""}"#),
        ])
    func compact(text: String, compact: String) throws {
        let written = try JSONValue(parsing: text).compactText
        let again = try JSONValue(parsing: written).compactText

        #expect(written == compact)
        #expect(again == compact)
    }
}
