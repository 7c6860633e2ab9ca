// What always holds between two transactions; a breach is our own bug, and ends the process.

import EventModel

extension Ledger {
    /// Looks whether what the ledger keeps in memory is what the store has.
    ///
    /// Called after each transaction, by the simulator and by debug builds.
    ///
    /// - Complexity: Some reads of the store, whatever its size.
    func checkInvariants() {
        precondition(last >= store.last, "No timetoken is given twice.")
        precondition((1...deletedRowsMax).contains(removal.rows), "A step gets on, and ends.")
        precondition(
            digests.reading == nil || !deletions.isEmpty, "Who reads has a deletion to read for.")
        precondition(
            groupUse.values.allSatisfy { $0.groups >= 0 && $0.channels >= $0.groups },
            "Groups are counted.")
        precondition(
            groupUse.values.reduce(0) { $0 + $1.channels } <= groupChannels ?? .max,
            "A keyset's channels in groups are among all.")
        digests.checkInvariants(of: store)
        ages?.checkInvariants()
    }
}

extension ChannelDigests {
    /// How many channels are compared at a time: each is a read.
    private static var comparedMax: Int { 8 }

    /// What always holds between two transactions.
    func checkInvariants(of store: any Store) {
        precondition(isWritten, "A transaction writes each digest that it changed.")
        for (channel, digest, segments) in newest(Self.comparedMax) {
            // What cannot be read is another's trouble.
            guard let stored = try? store.digest(of: channel) else { continue }
            precondition(stored == digest, "A digest in memory is that in the store.")
            for (segment, through) in segments.newest(Self.comparedMax) {
                let place = segment.after.successor(at: 0)
                guard let stored = try? store.segment(of: place, in: channel) else { continue }
                precondition(
                    stored.segment == segment && stored.through == through,
                    "A segment in memory is that in the store.")
            }
        }
    }
}

extension AgeTable {
    /// What always holds.
    func checkInvariants() {
        for (earlier, later) in zip(marks, marks.dropFirst()) {
            precondition(
                earlier.through < later.through && earlier.ticks <= later.ticks,
                "Marks ascend.")
        }
    }
}
