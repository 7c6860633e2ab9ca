// Owns one JSON value. The only file that touches Jansson.

import CJansson

/// A parsed JSON value, released exactly once, when its scope ends.
///
/// Not copyable: each owner holds one of Jansson's references. What is read from it is copied into
/// Swift types at once, so no C pointer outlives a method.
///
/// - Numbers: integers are 64 bits wide; a larger one is refused, not rounded.
/// - Objects: a name may appear once; a text with duplicates is refused.
@safe public struct JSONValue: ~Copyable {
    private let value: UnsafeMutablePointer<json_t>

    private init(owning value: UnsafeMutablePointer<json_t>) {
        unsafe self.value = unsafe value
    }

    deinit {
        unsafe sync_json_release(value)
    }

    /// Parses one complete JSON text of any kind.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, not terminated. Borrowed for the length of the call.
    ///   - depthMax: Levels of arrays and objects. Checked first: Jansson recurses on the C stack.
    /// - Throws: ``JSONError/notJSON(reason:line:column:)`` with Jansson's own position.
    public init(parsing bytes: RawSpan, depthMax: Int = 32) throws(JSONError) {
        // Jansson skips a zero byte that follows a number or a word.
        let zero = unsafe bytes.withUnsafeBytes { unsafe $0.firstIndex(of: 0) }
        if let zero {
            throw .notJSON(reason: "a zero character", line: 1, column: zero + 1)
        }
        let isShallow = unsafe bytes.withUnsafeBytes { unsafe isNested($0, atMost: depthMax) }
        guard isShallow else { throw .tooDeep(limit: depthMax) }
        var failure = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES) | Int(JSON_DECODE_ANY)
        let parsed = unsafe bytes.withUnsafeBytes { buffer in
            unsafe json_loadb(buffer.baseAddress, buffer.count, flags, &failure)
        }
        guard let parsed = unsafe parsed else {
            throw .notJSON(
                reason: String(nullTerminated: failure.text),
                line: Int(failure.line), column: Int(failure.column))
        }
        unsafe self.init(owning: parsed)
    }

    /// Parses one complete JSON text.
    public init(parsing text: String, depthMax: Int = 32) throws(JSONError) {
        let bytes = Array(text.utf8)
        try unsafe self.init(parsing: bytes.span.bytes, depthMax: depthMax)
    }

    // MARK: Kinds

    public var isObject: Bool { unsafe value.pointee.type == JSON_OBJECT }
    public var isArray: Bool { unsafe value.pointee.type == JSON_ARRAY }
    public var isNull: Bool { unsafe value.pointee.type == JSON_NULL }

    /// The value itself, when it is a string.
    public var string: String? {
        guard let text = unsafe json_string_value(value) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: text, count: json_string_length(value))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// The value itself, when it is an integer.
    public var integer: Int64? {
        guard unsafe value.pointee.type == JSON_INTEGER else { return nil }
        return unsafe json_integer_value(value)
    }

    /// The value itself, when it is a number; a large integer is rounded to the next double.
    public var number: Double? {
        switch unsafe value.pointee.type {
        case JSON_INTEGER, JSON_REAL: unsafe json_number_value(value)
        default: nil
        }
    }

    /// The value itself, when it is `true` or `false`.
    public var bool: Bool? {
        switch unsafe value.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    /// The value as compact JSON text; members keep their order.
    ///
    /// Numbers with a fraction keep their value, in the shortest form that 15 digits allow.
    public var compactText: String {
        let short = text(digits: 15)
        guard short.utf8.contains(where: { $0 == UInt8(ascii: ".") }) else { return short }
        // 15 digits are enough for what people write ("0.1"), 17 for every double.
        guard let again = try? JSONValue(parsing: short, depthMax: .max),
            unsafe json_equal(value, again.value) == 1
        else { return text(digits: 17) }
        return short
    }

    private func text(digits: Int) -> String {
        // JSON_REAL_PRECISION is a macro: five bits, shifted by eleven.
        let flags = Int(JSON_COMPACT) | Int(JSON_ENCODE_ANY) | (digits & 0x1F) << 11
        guard let text = unsafe json_dumps(value, flags) else {
            preconditionFailure("Jansson could not write a value that it parsed: out of memory.")
        }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    // MARK: Members

    /// Members of an array or of an object; zero for anything else.
    public var count: Int {
        unsafe isArray ? json_array_size(value) : json_object_size(value)
    }

    /// The member of an object with this name; `nil` when absent or `null`.
    public func member(_ name: String) -> JSONValue? {
        guard let member = unsafe json_object_get(value, name),
            unsafe member.pointee.type != JSON_NULL
        else { return nil }
        return unsafe JSONValue(owning: sync_json_retain(member))
    }

    /// Whether an object has a member with this name, `null` included.
    public func has(_ name: String) -> Bool {
        unsafe json_object_get(value, name) != nil
    }

    /// The element of an array at `index`, which must be in range.
    public func element(at index: Int) -> JSONValue {
        guard let element = unsafe json_array_get(value, index) else {
            preconditionFailure("JSON array index \(index) is out of range.")
        }
        return unsafe JSONValue(owning: sync_json_retain(element))
    }

    /// The names of an object's members, in the order of the text.
    public var memberNames: [String] {
        var names: [String] = []
        var iterator = unsafe json_object_iter(value)
        while let current = unsafe iterator {
            unsafe names.append(String(cString: json_object_iter_key(current)))
            unsafe iterator = unsafe json_object_iter_next(value, current)
        }
        return names
    }
}

/// Whether arrays and objects are nested at most `limit` levels deep; strings are skipped.
private func isNested(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Bool {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for index in bytes.indices {
        let byte = unsafe bytes[index]
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            continue
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            if depth > limit { return false }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
    }
    return true
}

extension String {
    /// Copies a C character array that Swift imports as a tuple, up to its first zero.
    fileprivate init<Tuple>(nullTerminated characters: Tuple) {
        self = unsafe withUnsafeBytes(of: characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
