// Names of what is in an archive: they tell what a file holds, so that nothing else has to.

import EventModel

/// A piece of the log, or a base.
struct ArchiveName: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Of the log: the one of this number.
        case piece(Int)
        /// The whole database: the piece that was being written when it was copied, and a sum of
        /// its bytes, that number and the moment: under another name it is none.
        case base(next: Int, sum: UInt64)
        /// Says where the database stood before the daemon began to write to it.
        case start(after: Timetoken)
        /// Says that all was archived that was written before the daemon stopped.
        case end
    }

    /// Since when the log was archived without a gap: no other run has this name.
    let run: String
    let kind: Kind
    /// What it leads to.
    let through: Timetoken
    /// Whether a piece is as it came to the archive.
    private(set) var isCompressed = true

    private static let digits = 8

    /// Without the run, which has a directory of its own.
    var file: String {
        switch kind {
        case .piece: isCompressed ? plain + Self.compressedEnding : plain
        case .base, .start, .end: plain
        }
    }

    /// As it is before it is compressed.
    private var plain: String {
        switch kind {
        case .piece(let number): return "\(Self.text(number))-\(through).log"
        case .base(let next, let sum):
            let sum = Self.padded(String(sum, radix: 16), to: 16)
            return "base-\(through)-\(Self.text(next))-\(sum).db"
        case .start(let after): return "start-\(through)-\(after).mark"
        case .end: return "end-\(through).mark"
        }
    }

    private static func text(_ number: Int) -> String { padded(String(number), to: digits) }

    private static func padded(_ text: String, to length: Int) -> String {
        String(repeating: "0", count: max(0, length - text.count)) + text
    }

    private static let compressedEnding = ".gz"

    /// Where it is in an archive.
    var path: String { "\(run)/\(file)" }

    /// Where it waits for that.
    var waiting: String { "\(run).\(plain)" }

    init(run: String, _ kind: Kind, through: Timetoken) {
        (self.run, self.kind, self.through) = (run, kind, through)
    }

    /// Reads ``file``; a piece may have been decompressed since.
    init?(run: String, file name: String) {
        isCompressed = name.hasSuffix(".log" + Self.compressedEnding)
        let file = isCompressed ? name.dropLast(Self.compressedEnding.count) : name[...]
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        let words = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, words.count > 1, let ticks = UInt64(words[1]) else { return nil }
        switch (words[0], parts[1]) {
        case ("base", "db"):
            guard words.count == 4, let next = Self.number(words[2]), words[3].count == 16,
                let sum = UInt64(words[3], radix: 16)
            else { return nil }
            kind = .base(next: next, sum: sum)
        case ("start", "mark"):
            guard words.count == 3, let after = UInt64(words[2]) else { return nil }
            kind = .start(after: Timetoken(rawValue: after))
        case ("end", "mark"):
            guard words.count == 2 else { return nil }
            kind = .end
        case (let number, "log"):
            guard words.count == 2, let number = Self.number(number) else { return nil }
            kind = .piece(number)
        default: return nil
        }
        (self.run, through) = (run, Timetoken(rawValue: ticks))
        if case .piece = kind {} else { isCompressed = true }
        // Written otherwise it would be another file.
        guard self.file == name else { return nil }
    }

    /// Of a whole database.
    ///
    /// - Parameters:
    ///   - bytes: The sum of its bytes.
    ///   - next: The piece that was being written when it was copied.
    init(run: String, ofBytes bytes: UInt64, next: Int, through: Timetoken) {
        var sum = RowSum()
        for word in [bytes, UInt64(clamping: next), through.rawValue] { sum.add(word) }
        self.init(run: run, .base(next: next, sum: sum.state), through: through)
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.count >= digits, let number = Int(text), number >= 0 else { return nil }
        return number
    }

    init?(waiting name: String) {
        let parts = name.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(run: String(parts[0]), file: String(parts[1]))
        isCompressed = true
    }

    /// Whether a run may have this name: no terminal does anything when it is shown one.
    static func isRun(_ name: String) -> Bool {
        !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// A name for a run: when it began, and something that no other one has.
    static func run(
        at moment: Timetoken, using generator: inout some RandomNumberGenerator
    ) -> String {
        // To the microsecond: names are in the order of time.
        let date = moment.dateText.filter { !"-:.".contains($0) }
        let number = String(UInt32.random(in: .min ... .max, using: &generator), radix: 16)
        return "\(date)-\(number)"
    }
}
