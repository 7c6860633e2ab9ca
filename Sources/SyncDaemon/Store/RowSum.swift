// The checksum of a stored row: what the disk gives back is compared with what was written.

import EventModel
import SQL

/// Sums up the columns of one row, in 32 bits.
///
/// A change within any eight bytes changes the whole 64-bit state, whatever follows: each step is
/// one-to-one. Half of the state is kept, so that damage goes unseen once in 4,000 million times.
///
/// - Source: the step is that of FxHash, which Firefox and rustc use.
struct RowSum: Hashable {
    private(set) var state: UInt64 = 0x243F_6A88_85A3_08D3

    init() {}

    /// Goes on from where another was.
    init(state: UInt64) { self.state = state }

    mutating func add(_ word: UInt64) {
        state = ((state << 5 | state >> 59) ^ word) &* 0x517C_C1B7_2722_0A95
    }

    mutating func add(_ timetoken: Timetoken) { add(timetoken.rawValue) }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in unsafe add(UnsafeRawBufferPointer(bytes)) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            add(
                UInt64(
                    littleEndian: unsafe bytes.loadUnaligned(
                        fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(unsafe bytes[offset])
            offset += 1
        }
        add(rest)
    }

    mutating func add(_ text: String?) {
        guard let text else { return add(UInt64.max) }
        add(text)
    }

    /// As the table has it: a number of four bytes.
    var value: Int64 { Int64(Int32(truncatingIfNeeded: state >> 32)) }
}

extension RowSum {
    static func message(
        _ message: Message, at timetoken: Timetoken, in channel: Int64, by uuid: String,
        expires: Timetoken?
    ) -> Int64 {
        var sum = RowSum()
        sum.add(UInt64(bitPattern: channel))
        sum.add(timetoken)
        sum.add(uuid)
        sum.add(message.payload)
        sum.add(message.meta)
        sum.add(message.type)
        sum.add(expires ?? .zero)
        // Rows of earlier releases have the sum that they had.
        if let parent = message.parent { sum.add(parent) }
        return sum.value
    }

    /// - Parameter timetoken: When it was remembered.
    static func mutation(
        _ name: String, at timetoken: Timetoken, of device: Int64, fingerprint: UInt64,
        kind: Int64, outcome: Timetoken
    ) -> Int64 {
        var sum = RowSum()
        sum.add(UInt64(bitPattern: device))
        sum.add(timetoken)
        sum.add(name)
        sum.add(fingerprint)
        sum.add(UInt64(bitPattern: kind))
        sum.add(outcome)
        return sum.value
    }

    /// - Parameter removed: When the action was removed; `nil`: it stands.
    static func action(
        _ action: MessageAction, removed: Timetoken?, in channel: Int64
    ) -> Int64 {
        let key = action.key
        var sum = RowSum()
        sum.add(UInt64(bitPattern: channel))
        sum.add(key.messageTimetoken)
        sum.add(key.type)
        sum.add(key.value)
        sum.add(key.uuid)
        sum.add(action.actionTimetoken)
        sum.add(removed ?? .zero)
        // Rows of before there were scores are summed up as they were.
        if action.score != 1 { sum.add(UInt64(bitPattern: Int64(action.score))) }
        return sum.value
    }
}
