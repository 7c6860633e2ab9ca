// What always holds of a device between two inputs; a breach is our own bug.

extension Device {
    /// Looks whether every channel stands where its session does, every digest is that of its rows,
    /// and every wish is there once.
    ///
    /// Called after each input by the simulator.
    ///
    /// - Complexity: O(rows and wishes).
    public func checkInvariants() {
        for (channel, sync) in channels {
            precondition(
                (epoch == nil) == (sync.phase == .offline), "A channel is offline with its device.")
            precondition(sync.base.hasTrueDigest, "\(channel.name): a digest is that of the rows.")
            precondition(sync.base.keepsToItsPart, "\(channel.name): a window has its own rows.")
            precondition(
                sync.pages.asked == nil || epoch != nil, "Nobody asks without a server.")
        }
        precondition(
            epoch != nil || (repairTurn == nil && waitingRepairs.isEmpty),
            "Nobody repairs without a server.")
        precondition(countsMarksRight, "What is counted is what the lists have.")
        outbox.checkInvariants(isOnline: epoch != nil)
    }
}

extension ChannelBase {
    /// Whether the digest that is kept with each row is that of all rows.
    fileprivate var hasTrueDigest: Bool {
        digest == key.map(cache.digest) ?? .empty
    }

    /// Whether nothing is about a message before the window.
    fileprivate var keepsToItsPart: Bool {
        cache.messages.keys.allSatisfy { !rest.contains($0) }
            && cache.actionsByMessage.keys.allSatisfy { !rest.contains($0) }
    }
}

extension Outbox {
    /// What always holds of wishes.
    fileprivate func checkInvariants(isOnline: Bool) {
        let mutations = Set(entries.map(\.mutation))
        precondition(mutations.count == entries.count, "A wish has an id of its own.")
        precondition(inFlight.isSubset(of: mutations), "Only what is wished is under way.")
        precondition(inFlight.count <= Self.inFlightMax, "What is under way is bounded.")
        precondition(isOnline || inFlight.isEmpty, "Nothing is under way without a server.")
        precondition(
            !entries.contains { inFlight.contains($0.mutation) && $0.isAnswered },
            "What is under way has no answer.")
    }
}
