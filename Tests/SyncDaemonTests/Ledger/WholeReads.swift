// Reads that the daemon does in steps, done at once.

import EventModel
import Glibc

@testable import SyncDaemon

extension ReadRequest {
    /// Answers on the calling thread, which is the only one that reads.
    func answer(
        from reader: any StoreReader, _ order: EventOrder, secret: DigestSecret
    ) -> ReadAnswer {
        var reading = Reading(self)
        let caches = ReaderCaches(repairs: RepairCache(secret: secret), secret: secret)
        guard case .done(let answer) = reading.step(from: reader, order, caches, while: { true })
        else { preconditionFailure("Nothing is in the way of a read.") }
        return answer
    }
}

extension RepairCache {
    /// Compares a device's symbols with the channel's; waits while another thread reads it.
    ///
    /// - Parameter looks: How often a step looks whether it may go on.
    func outcome(
        of symbols: SymbolRun, in channel: Channel, from reader: any SnapshotSource,
        looks: Int = .max
    ) throws(StoreError) -> RepairOutcome {
        var work: RepairWork?
        while true {
            var left = looks
            let step = try step(
                &work, symbols, in: channel, from: reader, parking: nil,
                while: {
                    left -= 1
                    return left >= 0
                })
            switch step {
            case .outcome(let outcome): return outcome
            case .goesOn: continue
            case .waits: sched_yield()
            }
        }
    }
}

extension StoreReader {
    /// What changed in any of several channels after a position.
    ///
    /// - Parameter looks: How often a step looks whether it may go on.
    func backlog(
        of lists: [[Channel]] = [], _ interests: [Interest], after cursor: Timetoken, limit: Int,
        looks: Int = .max, bringsDeletions: Bool = false
    ) throws(StoreError) -> Backlog? {
        var reading = BacklogReading(of: lists, interests, after: cursor, limit: limit)
        reading.bringsDeletions = bringsDeletions
        while !reading.isExhausted {
            var left = looks
            try readOn(&reading) {
                left -= 1
                return left >= 0
            }
        }
        return reading.backlog
    }
}

extension ChannelSnapshot {
    /// Every action that stands.
    func forEachAction(_ body: (MessageAction) -> Void) throws(StoreError) {
        try forEachKey(behind: nil) { _, action in
            if let action { body(action) }
            return true
        }
    }
}
