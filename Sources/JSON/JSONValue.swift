// One JSON value: what it says, and how it was written.

/// A value of a text that was checked as a whole.
///
/// What nobody asks for is never turned into anything else: ``compactText`` is what its author
/// wrote, to the byte, but for the blanks between values. So `1.10` stays `1.10`.
///
/// - Numbers: of any size; ``integer`` is `nil` for what 64 bits do not hold.
/// - Strings: may hold U+0000.
/// - Objects: a name may appear once; a text with duplicates is refused.
public struct JSONValue {
    let document: JSONDocument
    let index: Int

    private init(_ document: JSONDocument, _ index: Int) {
        self.document = document
        self.index = index
    }

    /// Parses one complete JSON text of any kind.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, not terminated. Borrowed for the length of the call.
    ///   - depthMax: Levels of arrays and objects.
    public init(parsing bytes: RawSpan, depthMax: Int = 32) throws(JSONError) {
        try self.init(
            parsing: unsafe bytes.withUnsafeBytes { unsafe Array($0) }, depthMax: depthMax)
    }

    /// Parses one complete JSON text.
    public init(parsing text: String, depthMax: Int = 32) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), depthMax: depthMax)
    }

    /// Parses one complete JSON text.
    public init(parsing bytes: [UInt8], depthMax: Int = 32) throws(JSONError) {
        var parser = JSONParser(bytes, depthMax: depthMax)
        try parser.parse()
        self.init(
            JSONDocument(bytes: bytes, nodes: parser.nodes, hasBlanks: parser.hasBlanks), 0)
    }

    var node: JSONNode { document.nodes[index] }
    var range: Range<Int> { Int(node.start)..<Int(node.end) }

    // MARK: Kinds

    public var isObject: Bool { node.kind == .object }
    public var isArray: Bool { node.kind == .array }
    public var isNull: Bool { node.kind == .null }

    /// The value itself, when it is a string.
    public var string: String? {
        node.kind == .string ? document.text(of: index) : nil
    }

    public var isInteger: Bool { node.kind == .integer }

    /// The value itself, when it is an integer that 64 bits hold.
    public var integer: Int64? {
        guard node.kind == .integer else { return nil }
        return Int64(String(decoding: document.bytes[range], as: UTF8.self))
    }

    /// The value itself, when it is a number, as the nearest double; infinite beyond all of them.
    public var number: Double? {
        guard node.kind == .integer || node.kind == .real else { return nil }
        return Double(String(decoding: document.bytes[range], as: UTF8.self))
    }

    /// The value itself, when it is `true` or `false`.
    public var bool: Bool? {
        switch node.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// The value as its author wrote it, without the blanks between values.
    public var compactText: String {
        guard document.hasBlanks else {
            return String(decoding: document.bytes[range], as: UTF8.self)
        }
        return String(decoding: document.bytes[range].withoutBlanks(), as: UTF8.self)
    }

    // MARK: Members

    /// Members of an array or of an object; zero for anything else.
    public var count: Int { Int(node.count) }

    /// The member of an object with this name; `nil` when absent or `null`.
    public func member(_ name: String) -> JSONValue? {
        guard let value = find(name), document.nodes[value].kind != .null else { return nil }
        return JSONValue(document, value)
    }

    /// Whether an object has a member with this name, `null` included.
    public func has(_ name: String) -> Bool { find(name) != nil }

    /// The element of an array at `index`, which must be in range.
    ///
    /// - Complexity: O(1) for the one after the last that was asked for, else O(index).
    public func element(at index: Int) -> JSONValue {
        precondition(isArray && index >= 0 && index < count, "No element \(index) in a JSON array.")
        return JSONValue(document, document.element(index, of: self.index))
    }

    /// The names of an object's members, in the order of the text.
    public var memberNames: [String] { members.map(\.name) }

    /// An object's members, in the order of the text; none of anything else.
    public var members: [(name: String, value: JSONValue)] {
        guard isObject else { return [] }
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(count)
        var name = index + 1
        while name < Int(node.next) {
            members.append((document.text(of: name), JSONValue(document, name + 1)))
            name = Int(document.nodes[name + 1].next)
        }
        return members
    }

    /// Names are compared byte for byte.
    private func find(_ name: String) -> Int? {
        guard isObject else { return nil }
        let nodes = document.nodes
        let end = Int(node.next)
        var candidate = index + 1
        while candidate < end {
            if document.says(name, at: candidate) { return candidate + 1 }
            candidate = Int(nodes[candidate + 1].next)
        }
        return nil
    }
}
