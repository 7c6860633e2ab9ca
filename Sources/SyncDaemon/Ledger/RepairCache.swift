// The channels that devices are being compared with, shared by the reader threads.

import Basis
import EventModel

/// Keeps a ``RepairSet`` of each channel that was compared lately.
///
/// When thousands of devices of one channel come with a difference, the channel is read once.
final class RepairCache: Sendable {
    /// One channel's set: whoever holds the lock brings it forward, others wait.
    private final class Slot: Sendable {
        let set = Locked<RepairSet?>(nil)
    }

    private struct Entry {
        let slot: Slot
        var bytes = 0
        var used: UInt64
    }

    private struct State {
        var entries: [Channel: Entry] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let secret: DigestSecret
    private let bytesMax: Int
    private let troubles: StoreTroubles?
    private let state = Locked(State())

    /// - Parameters:
    ///   - bytesMax: Memory for all sets together; over it those go that were not used for longest.
    ///   - troubles: Told of a channel whose digest is not that of its rows: the file is damaged.
    init(
        secret: DigestSecret, bytesMax: Int = Limits.repairCacheBytesMax,
        troubles: StoreTroubles? = nil
    ) {
        self.secret = secret
        self.bytesMax = bytesMax
        self.troubles = troubles
    }

    /// Bytes of all sets, roughly.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Compares a device's symbols with the channel's.
    func outcome(
        of symbols: SymbolRun, in channel: Channel, from reader: any SnapshotSource
    ) throws(StoreError) -> RepairOutcome {
        let comparison = RepairComparison(symbols, key: secret.key(of: channel))
        guard comparison.isAcceptable else { return .snapshot }
        let slot = slot(of: channel)
        while true {
            let outcome = try reader.withSnapshot(of: channel) {
                snapshot throws(StoreError) -> RepairOutcome? in
                switch try local(symbols.symbols.count, slot, snapshot, key: comparison.key) {
                case .symbols(let local): return try comparison.outcome(local, snapshot)
                case .isLater: return nil
                case .mismatch:
                    troubles?.contradicted(in: channel)
                    return .snapshot
                }
            }
            note(channel, slot)
            // Another thread with a later snapshot came first. The next one is later still.
            guard let outcome else { continue }
            return outcome
        }
    }

    private enum Local {
        case symbols([CodedSymbol])
        /// The set is of a later commit than the snapshot.
        case isLater
        /// The rows are not those that the digest is of.
        case mismatch
    }

    /// The channel's own symbols as of a snapshot.
    private func local(
        _ count: Int, _ slot: Slot, _ snapshot: any ChannelSnapshot, key: DigestKey
    ) throws(StoreError) -> Local {
        let result = slot.set.withLock { set -> Result<Local, StoreError> in
            do throws(StoreError) {
                return .success(try Self.bringForward(&set, count, snapshot, key: key))
            } catch {
                // Half of the changes may be in it.
                set = nil
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func bringForward(
        _ set: inout RepairSet?, _ count: Int, _ snapshot: any ChannelSnapshot, key: DigestKey
    ) throws(StoreError) -> Local {
        if let set, set.cursor > snapshot.cursor { return .isLater }
        try set?.advance(to: snapshot)
        if set?.matches(snapshot) != true {
            set = try RepairSet(snapshot, key: key, symbolCount: count)
        }
        guard var current = set.take(), current.matches(snapshot) else {
            set = nil
            return .mismatch
        }
        let symbols = Array(current.symbols(count))
        set = current
        return .symbols(symbols)
    }

    // MARK: Memory

    private func slot(of channel: Channel) -> Slot {
        state.withLock { state in
            state.uses += 1
            if let slot = state.entries[channel]?.slot {
                state.entries[channel]?.used = state.uses
                return slot
            }
            let slot = Slot()
            state.entries[channel] = Entry(slot: slot, used: state.uses)
            return slot
        }
    }

    /// Counts what a channel's set has grown to, and makes room.
    private func note(_ channel: Channel, _ slot: Slot) {
        let bytes = slot.set.withLock { $0?.bytes ?? 0 }
        state.withLock { state in
            guard let entry = state.entries[channel], entry.slot === slot else { return }
            state.bytes += bytes - entry.bytes
            state.entries[channel]?.bytes = bytes
            if bytes == 0 { state.entries[channel] = nil }
            guard state.bytes > bytesMax else { return }
            // A quarter more than needed, so that this is seldom.
            for (channel, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
                guard state.bytes > bytesMax - bytesMax / 4 else { return }
                state.entries[channel] = nil
                state.bytes -= entry.bytes
            }
        }
    }
}
