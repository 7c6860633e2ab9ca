// Writes CBOR item by item, each in the shortest way.

import CCBOR

/// A text of CBOR that grows; who writes a map's head writes its pairs.
struct CBORWriter {
    private(set) var bytes: [UInt8] = []

    mutating func map(_ count: Int) { unsafe write { unsafe cbor_encode_map_start(count, $0, $1) } }

    mutating func unsigned(_ value: UInt64) {
        unsafe write { unsafe cbor_encode_uint(value, $0, $1) }
    }

    mutating func string(_ text: [UInt8]) {
        unsafe write { unsafe cbor_encode_bytestring_start(text.count, $0, $1) }
        bytes += text
    }

    /// A name as a byte string: the keys of PubNub's maps.
    mutating func key(_ name: String) { string(Array(name.utf8)) }

    mutating func text(_ text: String) {
        unsafe write { unsafe cbor_encode_string_start(text.utf8.count, $0, $1) }
        bytes += text.utf8
    }

    mutating func integer(_ value: Int64) {
        guard value < 0 else { return unsigned(UInt64(value)) }
        unsafe write { unsafe cbor_encode_negint(UInt64(bitPattern: ~value), $0, $1) }
    }

    mutating func number(_ value: Double) {
        unsafe write { unsafe cbor_encode_double(value, $0, $1) }
    }

    mutating func flag(_ value: Bool) { unsafe write { unsafe cbor_encode_bool(value, $0, $1) } }

    mutating func null() { unsafe write { unsafe cbor_encode_null($0, $1) } }

    @unsafe private mutating func write(
        _ encode: (UnsafeMutablePointer<UInt8>, Int) -> Int
    ) {
        // The longest head has nine bytes.
        let head = unsafe [UInt8](unsafeUninitializedCapacity: 9) { buffer, count in
            unsafe count = buffer.baseAddress.map { unsafe encode($0, 9) } ?? 0
        }
        precondition(!head.isEmpty, "libcbor did not write what fits.")
        bytes += head
    }
}
