// Reading the fields of an object, with errors that name the field and what it must be.

extension JSONValue {
    /// A string that must be there.
    public func string(_ name: String) throws(JSONError) -> String {
        guard let text = try optionalString(name) else {
            throw .missingField(name, expected: "a string")
        }
        return text
    }

    /// A string that may be absent or `null`.
    public func optionalString(_ name: String) throws(JSONError) -> String? {
        guard let member = member(name) else { return nil }
        guard let text = member.string else { throw .wrongType(name, expected: "a string") }
        // Names are kept and shown in places that end at it.
        guard !text.utf8.contains(0) else {
            throw .wrongType(name, expected: "a string without U+0000")
        }
        return text
    }

    /// An integer that must be there, `2.0` among them; a number with a fraction is refused, not
    /// rounded.
    public func integer(_ name: String) throws(JSONError) -> Int64 {
        guard let number = try optionalInteger(name) else {
            throw .missingField(name, expected: "an integer")
        }
        return number
    }

    /// An integer that may be absent or `null`.
    public func optionalInteger(_ name: String) throws(JSONError) -> Int64? {
        guard let member = member(name) else { return nil }
        guard let number = member.integer ?? member.wholeNumber else {
            throw .wrongType(
                name, expected: member.isInteger ? "an integer of 64 bits" : "an integer")
        }
        return number
    }

    /// A boolean, `false` when absent or `null`.
    public func flag(_ name: String) throws(JSONError) -> Bool {
        try optionalFlag(name) ?? false
    }

    /// A boolean that may be absent or `null`.
    public func optionalFlag(_ name: String) throws(JSONError) -> Bool? {
        guard let member = member(name) else { return nil }
        guard let flag = member.bool else { throw .wrongType(name, expected: "true or false") }
        return flag
    }

    /// An array that must be there.
    public func array(_ name: String) throws(JSONError) -> JSONValue {
        guard let member = member(name) else {
            throw .missingField(name, expected: "an array")
        }
        guard member.isArray else { throw .wrongType(name, expected: "an array") }
        return member
    }

    /// An object that must be there.
    public func object(_ name: String) throws(JSONError) -> JSONValue {
        guard let member = member(name) else {
            throw .missingField(name, expected: "an object")
        }
        guard member.isObject else { throw .wrongType(name, expected: "an object") }
        return member
    }

    /// What a number without a fraction is that was written with a point or an exponent, as some
    /// languages write all of theirs; `nil` beyond what a double holds exactly.
    private var wholeNumber: Int64? {
        number.flatMap { abs($0) <= 9_007_199_254_740_991 ? Int64(exactly: $0) : nil }
    }
}
