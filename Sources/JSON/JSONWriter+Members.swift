// Members of an object, name and value in one call.

extension JSONWriter {
    /// Writes a member that is a string, escaped.
    public mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    /// Writes a member that is a string, if there is one.
    public mutating func member(_ name: StaticString, _ text: String?) {
        if let text { member(name, text) }
    }

    public mutating func member(_ name: StaticString, _ number: some BinaryInteger) {
        self.name(name)
        integer(number)
    }

    /// Writes a member that is an integer, if there is one.
    public mutating func member<Number: BinaryInteger>(_ name: StaticString, _ number: Number?) {
        if let number { member(name, number) }
    }

    public mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        bool(flag)
    }

    /// Writes a member that is `true` or `false`, if it is known.
    public mutating func member(_ name: StaticString, _ flag: Bool?) {
        if let flag { member(name, flag) }
    }

    /// Writes an integer as a member that is a string, as timetokens are.
    public mutating func member(_ name: StaticString, quoted number: UInt64) {
        self.name(name)
        quoted(number)
    }

    /// Writes such an integer, if there is one.
    public mutating func member(_ name: StaticString, quoted number: UInt64?) {
        if let number { member(name, quoted: number) }
    }

    /// Writes a member whose value is JSON already, if there is one.
    public mutating func member(_ name: StaticString, raw json: String?) {
        guard let json else { return }
        self.name(name)
        raw(json)
    }

    /// Opens an object that is a member.
    public mutating func beginObject(_ name: StaticString) {
        self.name(name)
        beginObject()
    }

    /// Opens an array that is a member.
    public mutating func beginArray(_ name: StaticString) {
        self.name(name)
        beginArray()
    }

    /// Writes a member that is an array of strings.
    public mutating func member(_ name: StaticString, _ texts: some Sequence<String>) {
        beginArray(name)
        for text in texts { string(text) }
        endArray()
    }
}
