// Names of what is in an archive: they tell what a file holds, so that nothing else has to.

import EventModel

/// A piece of the log, or a base.
struct ArchiveName: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Of the log: the one of this number.
        case piece(Int)
        /// The whole database, with the sum of its bytes.
        case base(sum: UInt64)
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
        case .base, .end: plain
        }
    }

    /// As it is before it is compressed.
    private var plain: String {
        switch kind {
        case .piece(let number):
            let text = String(number)
            let zeros = String(repeating: "0", count: max(0, Self.digits - text.count))
            return "\(zeros)\(text)-\(through).log"
        case .base(let sum):
            let text = String(sum, radix: 16)
            return "base-\(through)-\(String(repeating: "0", count: 16 - text.count))\(text).db"
        case .end: return "end-\(through).mark"
        }
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
    init?(run: String, file: String) {
        isCompressed = file.hasSuffix(".log" + Self.compressedEnding)
        let file = isCompressed ? file.dropLast(Self.compressedEnding.count) : file[...]
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        let words = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, words.count > 1, let ticks = UInt64(words[1]) else { return nil }
        switch (words[0], parts[1]) {
        case ("base", "db"):
            guard words.count == 3, words[2].count == 16, let sum = UInt64(words[2], radix: 16)
            else { return nil }
            kind = .base(sum: sum)
        case ("end", "mark"):
            guard words.count == 2 else { return nil }
            kind = .end
        case (let number, "log"):
            guard words.count == 2, number.count >= Self.digits, let number = Int(number),
                number >= 0
            else { return nil }
            kind = .piece(number)
        default: return nil
        }
        (self.run, through) = (run, Timetoken(rawValue: ticks))
        if case .piece = kind { return }
        isCompressed = true
    }

    init?(waiting name: String) {
        let parts = name.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(run: String(parts[0]), file: String(parts[1]))
        isCompressed = true
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
