// One file of a disk that loses power: what programs see of it, and what is really on it.

import Basis

/// A file's bytes.
struct DiskFile {
    private enum Change {
        case write(at: Int, [UInt8])
        case truncate(to: Int)
    }

    /// What is read back.
    private(set) var bytes: [UInt8]
    /// What a sync has brought to the disk; `nil`: not even the file's name.
    private var synced: [UInt8]?
    /// In their order, since the last sync.
    private var changes: [Change] = []

    /// The hardware writes so many bytes at once, or none of them.
    private static let sectorBytes = 512

    /// A new one, of which the disk knows nothing yet.
    init() {
        bytes = []
    }

    /// One that is on the disk.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        synced = bytes
    }

    mutating func write(_ written: [UInt8], at offset: Int) {
        changes.append(.write(at: offset, written))
        bytes.put(written, at: offset)
    }

    mutating func truncate(to count: Int) {
        guard count < bytes.count else { return }
        changes.append(.truncate(to: count))
        bytes.removeLast(bytes.count - count)
    }

    mutating func sync() {
        var synced = self.synced ?? []
        // Held once: else the first change would copy all of it.
        self.synced = nil
        for change in changes {
            switch change {
            case .write(let offset, let written): synced.put(written, at: offset)
            case .truncate(let count): synced.removeLast(max(0, synced.count - count))
            }
        }
        self.synced = synced
        changes = []
    }

    /// Turns one bit around, behind everybody's back.
    mutating func flip(_ bit: Int, of index: Int) {
        guard bytes.indices.contains(index) else { return }
        bytes[index] ^= 1 << UInt8(bit & 7)
        if let count = synced?.count, index < count { synced?[index] ^= 1 << UInt8(bit & 7) }
    }

    /// What is left after a power loss: any part of what was not synced, a sector of it at times
    /// only begun.
    ///
    /// - Returns: `nil` when the file itself is gone.
    func survivor(_ dice: inout SeededGenerator) -> [UInt8]? {
        if synced == nil, dice.below(2) == 0 { return nil }
        var left = synced ?? []
        // All, nothing, a beginning of it, or whatever the disk came to.
        let style = dice.below(4)
        let end = dice.below(changes.count + 1)
        for (number, change) in changes.enumerated() {
            guard style != 0, style != 1 || number < end else { break }
            switch change {
            case .truncate(let count):
                if style != 2 || dice.below(2) == 0 {
                    left.removeLast(max(0, left.count - count))
                }
            case .write(let offset, let written):
                guard style == 2 else {
                    left.put(written, at: offset)
                    continue
                }
                Self.sectors(of: offset..<offset + written.count) { sector in
                    guard dice.below(2) == 0 else { return }
                    let torn = dice.below(8) == 0 ? dice.below(sector.count + 1) : sector.count
                    let part = sector.lowerBound - offset..<sector.lowerBound - offset + torn
                    left.put(Array(written[part]), at: sector.lowerBound)
                }
            }
        }
        return left
    }

    private static func sectors(of range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, (start / sectorBytes + 1) * sectorBytes)
            body(start..<end)
            start = end
        }
    }
}

extension [UInt8] {
    /// Overwrites from a place on, and makes what is missing before it zeros.
    fileprivate mutating func put(_ written: [UInt8], at offset: Int) {
        let end = offset + written.count
        if count < end { append(contentsOf: repeatElement(0, count: end - count)) }
        replaceSubrange(offset..<end, with: written)
    }
}
