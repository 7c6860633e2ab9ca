// Rows on the wire of a repair: about 14 bytes each, and every text once.
//
// Integers are varints, as in protocol buffers; "signed" has the sign in the lowest bit:
//
//     count, then per text: bytes, UTF-8
//     per row: actionTimetoken less the previous row's | signed: actionTimetoken - messageTimetoken
//              | index of type | index of value | index of uuid
//     before a row whose score is not 1: 0 | score
//
// Rows ascend by actionTimetoken. Most reactions come soon after their message, so the age is
// short.

/// The codec of rows, and of timetokens alone.
public enum PackedActions {
    /// Writes rows; their order does not matter.
    public static func bytes(_ actions: [MessageAction]) -> [UInt8] {
        var texts = PackedTexts()
        var rows: [UInt8] = []
        var previous: UInt64 = 0
        for action in actions.sorted(by: { $0.actionTimetoken < $1.actionTimetoken }) {
            let added = action.actionTimetoken.rawValue
            precondition(added > previous, "two actions with one timetoken")
            if action.score != 1 {
                rows.appendVarint(0)
                rows.appendVarint(UInt64(action.score))
            }
            rows.appendVarint(added - previous)
            rows.appendSigned(Int64(added) - Int64(action.key.messageTimetoken.rawValue))
            previous = added
            rows.appendVarint(texts.index(ofType: action.key.type))
            rows.appendVarint(texts.index(of: action.key.value))
            rows.appendVarint(texts.index(of: action.key.uuid))
        }
        return texts.bytes + rows
    }

    /// Reads rows, ascending by their timetoken.
    ///
    /// More than `actionsMax` rows are malformed.
    public static func actions(
        _ bytes: [UInt8], actionsMax: Int
    ) throws(RepairError) -> [MessageAction] {
        var reader = ByteReader(bytes)
        let texts = try readTexts(&reader)
        var actions: [MessageAction] = []
        var added = Timetoken.zero
        while !reader.isAtEnd {
            guard actions.count < actionsMax else { throw .malformed }
            var ticks = try reader.varint()
            var score = 1
            if ticks == 0 {
                score = try readScore(&reader)
                ticks = try reader.varint()
            }
            added = try later(than: added, by: ticks)
            let (message, isTooEarly) = try Int64(added.rawValue).subtractingReportingOverflow(
                reader.signed())
            guard !isTooEarly, message >= 0 else { throw .malformed }
            var fields: [String] = []
            for _ in 0..<3 {
                guard let index = try Int(exactly: reader.varint()), index < texts.count else {
                    throw .malformed
                }
                fields.append(texts[index])
            }
            actions.append(
                MessageAction(
                    key: MessageAction.Key(
                        messageTimetoken: Timetoken(rawValue: UInt64(message)), type: fields[0],
                        value: fields[1], uuid: fields[2]),
                    actionTimetoken: added, score: score))
        }
        return actions
    }

    /// Writes timetokens, without their order: what to drop, or what to fetch.
    public static func bytes(_ timetokens: [Timetoken]) -> [UInt8] {
        var bytes: [UInt8] = []
        var previous: UInt64 = 0
        for timetoken in timetokens.sorted() {
            precondition(timetoken.rawValue > previous, "one timetoken twice")
            bytes.appendVarint(timetoken.rawValue - previous)
            previous = timetoken.rawValue
        }
        return bytes
    }

    /// Reads timetokens, ascending.
    public static func timetokens(
        _ bytes: [UInt8], timetokensMax: Int
    ) throws(RepairError) -> [Timetoken] {
        var reader = ByteReader(bytes)
        var timetokens: [Timetoken] = []
        while !reader.isAtEnd {
            guard timetokens.count < timetokensMax else { throw .malformed }
            timetokens.append(try reader.timetoken(behind: timetokens.last ?? .zero))
        }
        return timetokens
    }

    /// Rows in base64, for JSON.
    public static func text(_ actions: [MessageAction]) -> String { Base64.text(bytes(actions)) }

    /// Timetokens in base64, for JSON.
    public static func text(_ timetokens: [Timetoken]) -> String {
        Base64.text(bytes(timetokens))
    }

    /// Writes indices, from 0, as the timetokens from 1 on.
    public static func text(ordinals indices: [Int]) -> String {
        text(indices.map { Timetoken(rawValue: UInt64($0) + 1) })
    }

    /// Reads indices below `count`.
    public static func indices(
        ordinals text: some StringProtocol, count: Int
    ) throws(RepairError) -> [Int] {
        try timetokens(text: text, timetokensMax: count).map { ordinal throws(RepairError) in
            guard ordinal.rawValue <= UInt64(count) else { throw .malformed }
            return Int(ordinal.rawValue) - 1
        }
    }

    /// Reads rows from base64.
    public static func actions(
        text: some StringProtocol, actionsMax: Int
    ) throws(RepairError) -> [MessageAction] {
        guard let bytes = Base64.bytes(text) else { throw .malformed }
        return try actions(bytes, actionsMax: actionsMax)
    }

    /// Reads timetokens from base64.
    public static func timetokens(
        text: some StringProtocol, timetokensMax: Int
    ) throws(RepairError) -> [Timetoken] {
        guard let bytes = Base64.bytes(text) else { throw .malformed }
        return try timetokens(bytes, timetokensMax: timetokensMax)
    }

    /// Only one way to write a row: else two texts would be the same rows.
    private static func readScore(_ reader: inout ByteReader) throws(RepairError) -> Int {
        guard let score = try Int(exactly: reader.varint()), score > 1,
            score <= Limits.actionScoreMax
        else { throw .malformed }
        return score
    }

    private static func readTexts(_ reader: inout ByteReader) throws(RepairError) -> [String] {
        let count = try reader.varint()
        // Each text takes a byte at least, so a hostile count cannot reserve memory.
        guard count <= UInt64(reader.count) else { throw .malformed }
        var texts: [String] = []
        for _ in 0..<count {
            guard let length = try Int(exactly: reader.varint()),
                let text = try String(utf8: reader.bytes(length))
            else { throw .malformed }
            texts.append(text)
        }
        return texts
    }

    private static func later(
        than timetoken: Timetoken, by ticks: UInt64
    ) throws(RepairError) -> Timetoken {
        let (sum, isTooLate) = timetoken.rawValue.addingReportingOverflow(ticks)
        guard ticks > 0, !isTooLate, sum <= UInt64(Int64.max) else { throw .malformed }
        return Timetoken(rawValue: sum)
    }
}

/// The texts that rows name, each once, in the order in which they came.
private struct PackedTexts {
    private var indices: [ExactText: UInt64] = [:]
    private var packed: [UInt8] = []
    /// Most rows are of the same type as the one before.
    private var type: (text: ExactText, index: UInt64)?

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendVarint(UInt64(indices.count))
        return bytes + packed
    }

    mutating func index(ofType text: String) -> UInt64 {
        if let type, type.text == ExactText(text) { return type.index }
        let index = index(of: text)
        type = (ExactText(text), index)
        return index
    }

    mutating func index(of text: String) -> UInt64 {
        let next = UInt64(indices.count)
        let index = indices[ExactText(text), default: next]
        guard index == next else { return index }
        indices[ExactText(text)] = next
        packed.appendVarint(UInt64(text.utf8.count))
        packed += text.utf8
        return next
    }
}
