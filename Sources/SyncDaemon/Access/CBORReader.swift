// Reads CBOR item by item, as strictly as what is signed has to be read.

import CCBOR

/// One item, or the head of one that has others in it.
enum CBORItem: Hashable, Sendable {
    case unsigned(UInt64)
    /// Stands for -1 - n.
    case negative(UInt64)
    case bytes(ArraySlice<UInt8>)
    case text(String)
    /// So many pairs follow.
    case map(Int)
    case number(Double)
    case flag(Bool)
    case null
}

/// Bytes that are no CBOR, or CBOR that is written in other than the shortest way.
struct CBORError: Error, Hashable {}

/// What is still to be read of a text of CBOR.
///
/// Refused are indefinite lengths, lengths and numbers that would fit into fewer bytes (RFC 8949,
/// section 4.2), text that is not UTF-8, and lists and tags, which no token has.
struct CBORReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    var isAtEnd: Bool { offset == bytes.count }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() throws(CBORError) -> CBORItem {
        var heard = HeardItem.refused
        var callbacks = Self.callbacks()
        let rest = bytes[offset...]
        let result = unsafe rest.withUnsafeBufferPointer { rest in
            unsafe cbor_stream_decode(rest.baseAddress, rest.count, &callbacks, &heard)
        }
        guard result.status == CBOR_DECODER_FINISHED, result.read > 0, result.read <= rest.count
        else { throw CBORError() }
        let item = rest.prefix(result.read)
        offset += result.read
        return try heard.item(item)
    }

    private static func callbacks() -> cbor_callbacks {
        unsafe cbor_callbacks(
            uint8: { unsafe hear($0, .unsigned(UInt64($1))) },
            uint16: { unsafe hear($0, .unsigned(UInt64($1))) },
            uint32: { unsafe hear($0, .unsigned(UInt64($1))) },
            uint64: { unsafe hear($0, .unsigned($1)) },
            negint64: { unsafe hear($0, .negative($1)) },
            negint32: { unsafe hear($0, .negative(UInt64($1))) },
            negint16: { unsafe hear($0, .negative(UInt64($1))) },
            negint8: { unsafe hear($0, .negative(UInt64($1))) },
            byte_string_start: { _ in },
            byte_string: { unsafe hear($0, .bytes($2)) },
            string: { unsafe hear($0, .text($2)) },
            string_start: { _ in },
            indef_array_start: { _ in },
            array_start: { _, _ in },
            indef_map_start: { _ in },
            // A count beyond 63 bits arrives as a negative one.
            map_start: { unsafe hear($0, $1 < 0 ? .refused : .map($1)) },
            tag: { _, _ in },
            float2: { unsafe hear($0, .number(Double($1))) },
            float4: { unsafe hear($0, .number(Double($1))) },
            float8: { unsafe hear($0, .number($1)) },
            undefined: { _ in },
            null: { unsafe hear($0, .null) },
            boolean: { unsafe hear($0, .flag($1)) },
            indef_break: { _ in })
    }
}

/// What libcbor said of an item, before anybody looked at how it is written.
private enum HeardItem {
    case refused
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes(Int)
    case text(Int)
    case map(Int)
    case number(Double)
    case flag(Bool)
    case null

    /// - Parameter bytes: All of the item that was read; of a map only its head.
    func item(_ bytes: ArraySlice<UInt8>) throws(CBORError) -> CBORItem {
        switch self {
        case .refused: throw CBORError()
        case .unsigned(let value):
            guard bytes.count == headBytes(value) else { throw CBORError() }
            return .unsigned(value)
        case .negative(let value):
            guard bytes.count == headBytes(value) else { throw CBORError() }
            return .negative(value)
        case .map(let count):
            guard bytes.count == headBytes(UInt64(count)) else { throw CBORError() }
            return .map(count)
        case .bytes(let count):
            guard bytes.count == headBytes(UInt64(count)) + count else { throw CBORError() }
            return .bytes(bytes.suffix(count))
        case .text(let count):
            guard bytes.count == headBytes(UInt64(count)) + count,
                let text = String(validating: bytes.suffix(count), as: UTF8.self)
            else { throw CBORError() }
            return .text(text)
        case .number(let value): return .number(value)
        case .flag(let value): return .flag(value)
        case .null: return .null
        }
    }
}

private func hear(_ context: UnsafeMutableRawPointer?, _ item: HeardItem) {
    unsafe context?.assumingMemoryBound(to: HeardItem.self).pointee = item
}

/// The fewest bytes that the head of an item with this number takes.
private func headBytes(_ value: UInt64) -> Int {
    switch value {
    case ..<24: 1
    case ..<0x100: 2
    case ..<0x1_0000: 3
    case ..<0x1_0000_0000: 5
    default: 9
    }
}
