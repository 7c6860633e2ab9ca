// The hash of one row, over an encoding that no two rows share.
//
// Little-endian integers; texts are UTF-8 behind their count of bytes, so that no text can pose as
// the end of one and the start of another:
//
//     action:  messageTimetoken 8 | count 4, type | count 4, value | count 4, uuid
//              | actionTimetoken 8 | score 8, unless it is 1
//     message: timetoken 8 | FF FF FF FF | count 4, uuid | count 4, type
//
// No text has FFFFFFFF bytes, so no message hashes as an action does.

/// What of a message its channel's digest covers.
///
/// A stored message never changes, and what its author makes of it later are actions: so its
/// payload is not in it.
public struct MessageRow: Hashable, Sendable {
    public let timetoken: Timetoken
    /// The author.
    public let uuid: String
    /// None is covered as an empty one.
    public let type: String?

    public init(timetoken: Timetoken, uuid: String, type: String?) {
        self.timetoken = timetoken
        self.uuid = uuid
        self.type = type
    }
}

/// What a row adds to its channel's ``Digest``: SipHash-2-4-128 under the channel's key.
public struct RowHash: Hashable, Sendable {
    let hash: KeyedHash

    /// What names the row beside its timetoken.
    public var tag: UInt32 { UInt32(truncatingIfNeeded: hash.first) }

    /// Hashes every field, byte for byte.
    ///
    /// Allocates nothing for rows of up to 1,024 bytes.
    public init(_ action: MessageAction, key: DigestKey) {
        let (type, value, uuid) = (action.key.type, action.key.value, action.key.uuid)
        // Rows of before there were scores hash as they did.
        let hasScore = action.score != 1
        let texts = type.utf8.count + value.utf8.count + uuid.utf8.count
        let count = texts + (hasScore ? 36 : 28)
        hash = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            var row = unsafe RowWriter(buffer)
            row.append(action.key.messageTimetoken.rawValue)
            row.append(type)
            row.append(value)
            row.append(uuid)
            row.append(action.actionTimetoken.rawValue)
            if hasScore { row.append(Int64(action.score)) }
            return unsafe KeyedHash(UnsafeBufferPointer(buffer), key: key)
        }
    }

    /// The same of a message.
    public init(_ message: MessageRow, key: DigestKey) {
        let type = message.type ?? ""
        let count = message.uuid.utf8.count + type.utf8.count + 20
        hash = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            var row = unsafe RowWriter(buffer)
            row.append(message.timetoken.rawValue)
            row.append(UInt32.max)
            row.append(message.uuid)
            row.append(type)
            return unsafe KeyedHash(UnsafeBufferPointer(buffer), key: key)
        }
    }
}

/// Fills a buffer of exactly the row's size from its start, and never writes beyond its end.
@safe private struct RowWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0

    /// - Parameter buffer: Outlives the writer.
    @unsafe init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.buffer = UnsafeMutableRawBufferPointer(buffer)
    }

    mutating func append(_ integer: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: integer.littleEndian) { unsafe append($0) }
    }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        var text = text
        text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let end = position + bytes.count
        unsafe precondition(end <= buffer.count, "a row is longer than its fields")
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[position..<end]).copyMemory(
            from: bytes)
        position = end
    }
}
