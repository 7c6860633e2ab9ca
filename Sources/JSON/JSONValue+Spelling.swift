// Writing a value anew, so that texts that mean the same are the same.

/// How values are written anew.
private enum Spelling {
    /// Members by their names, byte by byte; numbers by what they are worth.
    case canonical
    /// Members in their order; numbers as doubles.
    case earlier

    func number(_ text: ArraySlice<UInt8>, isReal: Bool) -> String {
        let original = String(decoding: text, as: UTF8.self)
        switch self {
        case .canonical: return canonicalNumber(text)
        case .earlier where isReal: return Double(original).map { "\($0)" } ?? original
        case .earlier: return original == "-0" ? "0" : original
        }
    }
}

extension JSONValue {
    /// The value in the one spelling that all equal values share.
    ///
    /// Members are in the order of their names, and a number or a string is written in one way,
    /// whatever its author chose.
    public var canonicalText: String { text(in: .canonical) }

    /// The value as releases up to 0.1 wrote it, nearly: what they stored may be compared with it.
    public var textOfEarlierReleases: String { text(in: .earlier) }

    private func text(in spelling: Spelling) -> String {
        var json = JSONWriter(reserving: range.count)
        write(into: &json, spelling)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func write(into json: inout JSONWriter, _ spelling: Spelling) {
        switch node.kind {
        case .object:
            var members = members
            if spelling == .canonical {
                members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            }
            json.beginObject()
            for member in members {
                json.name(escaping: member.name)
                member.value.write(into: &json, spelling)
            }
            json.endObject()
        case .array:
            json.beginArray()
            for index in 0..<count { element(at: index).write(into: &json, spelling) }
            json.endArray()
        case .string: json.string(document.text(of: index))
        case .integer, .real:
            json.raw(spelling.number(document.bytes[range], isReal: node.kind == .real))
        case .yes, .no, .null: json.raw(String(decoding: document.bytes[range], as: UTF8.self))
        }
    }
}

/// A number as its digits without zeros at either end, and a power of ten: exact, however large.
///
/// Integers of up to twenty digits are written as such.
func canonicalNumber(_ text: ArraySlice<UInt8>) -> String {
    let sign = text.first == UInt8(ascii: "-") ? "-" : ""
    let parts = text.drop { $0 == UInt8(ascii: "-") }.split(maxSplits: 1) { $0 | 0x20 == 0x65 }
    let mantissa = parts[0].split(separator: UInt8(ascii: "."))
    let fraction = mantissa.count > 1 ? mantissa[1] : []
    let digits = (Array(mantissa[0]) + fraction).drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty else { return "0" }
    let exponentText = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "0"
    // No double and no decimal of this world is so large: it stays as it is written.
    guard let exponent = Int32(exponentText) else {
        return String(decoding: text, as: UTF8.self).lowercased()
    }
    let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    let power = Int(exponent) - fraction.count + zeros
    let significant = String(decoding: digits.dropLast(zeros), as: UTF8.self)
    guard power >= 0, significant.utf8.count + power <= 20 else {
        return "\(sign)\(significant)e\(power)"
    }
    return sign + significant + String(repeating: "0", count: power)
}

extension JSONValue {
    /// A text that somebody sent where JSON was meant, as compact JSON text: what is no JSON, or
    /// too deep, is a string that says it.
    ///
    /// PubNub's Chat SDK edits messages so.
    public static func payload(saying text: String, depthMax: Int = 31) -> String {
        if let value = try? JSONValue(parsing: text, depthMax: depthMax) {
            return value.compactText
        }
        return quoted(text)
    }

    /// A text as the JSON string that says it, with its quotes.
    public static func quoted(_ text: String) -> String {
        var json = JSONWriter(reserving: text.utf8.count + 2)
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
