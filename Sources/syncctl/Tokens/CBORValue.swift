// The CBOR of a token as values: to be shown, whoever made it.

/// One item, of the kinds that tokens have.
///
/// - Source: RFC 8949.
indirect enum CBORValue {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case list([CBORValue])
    case map([(key: CBORValue, value: CBORValue)])
    case flag(Bool)
    case number(Double)
    case null

    /// Levels of lists and maps; tokens have three.
    private static let depthMax = 8

    /// - Returns: `nil` when the bytes are not one whole item.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let value = Self.read(&rest, depth: 0), rest.isEmpty else { return nil }
        self = value
    }

    private static func read(_ rest: inout ArraySlice<UInt8>, depth: Int) -> CBORValue? {
        guard depth < depthMax, let first = rest.popFirst() else { return nil }
        let (kind, info) = (first >> 5, first & 31)
        if kind == 7 { return simple(info, &rest) }
        guard let argument = argument(info, &rest), let count = Int(exactly: argument) else {
            return nil
        }
        switch kind {
        case 0: return .integer(Int64(count))
        case 1: return .integer(~Int64(count))
        case 2, 3:
            guard count <= rest.count else { return nil }
            let bytes = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            guard kind == 3 else { return .bytes(bytes) }
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
        case 4:
            // Each takes a byte at least: no number makes this run for long.
            guard count <= rest.count else { return nil }
            var list: [CBORValue] = []
            for _ in 0..<count {
                guard let value = read(&rest, depth: depth + 1) else { return nil }
                list.append(value)
            }
            return .list(list)
        case 5:
            guard count <= rest.count else { return nil }
            var map: [(key: CBORValue, value: CBORValue)] = []
            for _ in 0..<count {
                guard let key = read(&rest, depth: depth + 1),
                    let value = read(&rest, depth: depth + 1)
                else { return nil }
                map.append((key, value))
            }
            return .map(map)
        default: return nil
        }
    }

    private static func argument(_ info: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard info >= 24 else { return UInt64(info) }
        guard info < 28 else { return nil }
        let count = 1 << Int(info - 24)
        guard rest.count >= count else { return nil }
        let value = rest.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(count)
        return value
    }

    private static func simple(_ info: UInt8, _ rest: inout ArraySlice<UInt8>) -> CBORValue? {
        switch info {
        case 20, 21: return .flag(info == 21)
        case 22: return .null
        case 26:
            return argument(26, &rest).map { .number(Double(Float(bitPattern: UInt32($0)))) }
        case 27: return argument(27, &rest).map { .number(Double(bitPattern: $0)) }
        default: return nil
        }
    }

    /// What stands under a name, whether that is a text or bytes; PubNub's are bytes.
    subscript(name: String) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key.name == name }?.value
    }

    /// A text, or bytes that are one.
    var name: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }
}
