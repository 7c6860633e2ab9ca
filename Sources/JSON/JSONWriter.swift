// Writes compact JSON straight into a byte array: no tree, one allocation that is reused.

/// Appends JSON to a growing run of bytes.
///
/// It places commas by itself and does not check that the calls make sense; the encoders that use
/// it are tested by parsing what they wrote.
public struct JSONWriter {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written and keeps the allocation.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    public mutating func beginObject() { open("{") }
    public mutating func endObject() { close("}") }
    public mutating func beginArray() { open("[") }
    public mutating func endArray() { close("]") }

    /// Writes a member's name; its value must follow, if it is not one that ``member(_:_:)`` knows.
    public mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name that a client chose; its value must follow.
    public mutating func name(escaping text: String) {
        string(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string value, escaped.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { unsafe appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    public mutating func integer(_ number: some BinaryInteger) {
        separate()
        appendDecimal(UInt64(number.magnitude), isNegative: number < 0)
        needsComma = true
    }

    /// Writes an integer as a JSON string, as timetokens are.
    public mutating func quoted(_ number: UInt64) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendDecimal(number, isNegative: false)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    public mutating func bool(_ flag: Bool) { raw(flag ? "true" : "false") }
    public mutating func null() { raw("null") }

    /// Writes a text that is JSON already.
    public mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
        needsComma = true
    }

    /// Writes bytes that are JSON already.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes an object without its closing brace, so that members can follow.
    ///
    /// - Parameter json: Compact JSON text of an object that is not empty.
    public mutating func reopen(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json.dropLast())
        needsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// RFC 8259, section 7: the quote, the backslash and U+0000 to U+001F must be escaped.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var clean = 0
        for index in text.indices {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            unsafe bytes.append(contentsOf: text[clean..<index])
            clean = index + 1
            bytes.append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
            default:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        unsafe bytes.append(contentsOf: text[clean...])
    }

    private mutating func appendDecimal(_ magnitude: UInt64, isNegative: Bool) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
