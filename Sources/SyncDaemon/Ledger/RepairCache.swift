// The channels that devices are being compared with, shared by the reader threads.

import Basis
import EventModel

/// Keeps a ``RepairSet`` of each channel that was compared lately.
///
/// When thousands of devices of one channel come with a difference, the channel is read once: one
/// question has its set and reads, the others are parked here until it comes back. Nobody waits
/// for a lock meanwhile.
final class RepairCache: Sendable {
    private struct Entry {
        var set: RepairSet?
        /// Whether a question has the set.
        var isOut = false
        var bytes = 0
        var used: UInt64 = 0
        /// Questions that wait for it.
        var parked: [ReadRequest] = []
    }

    private struct State {
        var entries: [Channel: Entry] = [:]
        var bytes = 0
        var uses: UInt64 = 0
        /// What is being read, and its bytes.
        var reading: [Channel: Int] = [:]
        /// Questions that wait for room to read.
        var crowded: [ReadRequest] = []
        /// Questions that may go on.
        var released: [ReadRequest] = []

        /// Forgets sets that nobody has until the others fit.
        mutating func makeRoom(within bytesMax: Int) {
            guard bytes > most(bytesMax) else { return }
            for (channel, entry) in entries.sorted(by: { $0.value.used < $1.value.used })
            where !entry.isOut {
                // A quarter more than needed, so that this is seldom.
                guard bytes > most(bytesMax) - bytesMax / 4 else { return }
                entries[channel] = nil
                bytes -= entry.bytes
            }
        }

        /// What may be kept: one set that is larger than all others may be has room of its own.
        private func most(_ bytesMax: Int) -> Int {
            guard bytes > bytesMax, let largest = entries.values.map(\.bytes).max() else {
                return bytesMax
            }
            return largest > bytesMax ? bytesMax + largest : bytesMax
        }
    }

    private let secret: DigestSecret
    private let bytesMax: Int
    private let troubles: StoreTroubles?
    private let state = Locked(State())

    /// - Parameters:
    ///   - bytesMax: Memory for all sets together, but for one that alone is larger; over it those
    ///     go that were not used for longest.
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

    /// What came of a step.
    enum Step {
        case outcome(RepairOutcome)
        /// The channel is being read; the work is the question's to keep.
        case goesOn
        /// Others have the channel, or the room: the question is parked.
        case waits
    }

    /// Compares a device's symbols with the channel's, or does a part of what that needs.
    ///
    /// - Parameters:
    ///   - work: What earlier steps of the question left.
    ///   - request: What is parked when it has to wait, and released by ``takeReleased()``.
    func step(
        _ work: inout RepairWork?, _ symbols: SymbolRun, in channel: Channel,
        from reader: any SnapshotSource, parking request: ReadRequest?, while mayGoOn: () -> Bool
    ) throws(StoreError) -> Step {
        let comparison = RepairComparison(symbols, key: secret.key(of: channel))
        guard comparison.isAcceptable else { return .outcome(.snapshot) }
        guard var current = work.take() ?? checkOut(channel, for: request) else { return .waits }
        var isHeld = true
        // Whatever happens, the channel does not stay taken.
        defer { if isHeld { giveBack(nil, of: channel) } }
        let step = try reader.withSnapshot(of: channel) { snapshot throws(StoreError) -> Step in
            let progress = try current.step(
                symbols.symbols.count, snapshot, key: comparison.key,
                mayRead: { begin(reading: channel, bytes: $0) }, while: mayGoOn)
            switch progress {
            case .goesOn:
                isHeld = false
                return .goesOn
            case .ready(let local):
                isHeld = false
                giveBack(current.takeSet(), of: channel)
                return .outcome(try comparison.outcome(local, snapshot))
            case .crowded: return .waits
            case .tooLarge: return .outcome(.snapshot)
            case .mismatch:
                troubles?.contradicted(in: channel)
                return .outcome(.snapshot)
            }
        }
        switch step {
        case .goesOn: work = current
        case .waits: park(request)
        case .outcome: break
        }
        return step
    }

    /// The questions that were parked and may go on now.
    func takeReleased() -> [ReadRequest] {
        state.withLock { state in
            guard !state.released.isEmpty else { return [] }
            defer { state.released = [] }
            return state.released
        }
    }

    // MARK: Taking turns

    /// Gives out a channel's set; `nil` when somebody has it: then the question is parked.
    private func checkOut(_ channel: Channel, for request: ReadRequest?) -> RepairWork? {
        state.withLock { state in
            state.uses += 1
            var entry = state.entries.removeValue(forKey: channel) ?? Entry()
            defer { state.entries[channel] = entry }
            entry.used = state.uses
            guard !entry.isOut else {
                if let request { entry.parked.append(request) }
                return nil
            }
            entry.isOut = true
            return RepairWork(entry.set.take())
        }
    }

    /// Takes a set back, and releases who waits for it or for room.
    private func giveBack(_ set: RepairSet?, of channel: Channel) {
        state.withLock { state in
            var entry = state.entries.removeValue(forKey: channel) ?? Entry()
            state.released += entry.parked
            if state.reading.removeValue(forKey: channel) != nil {
                state.released += state.crowded
                state.crowded = []
            }
            state.bytes -= entry.bytes
            guard let set else { return }
            entry = Entry(set: set, bytes: set.bytes, used: entry.used)
            state.bytes += entry.bytes
            state.entries[channel] = entry
            state.makeRoom(within: bytesMax)
        }
    }

    private func park(_ request: ReadRequest?) {
        guard let request else { return }
        state.withLock { state in
            // What it waited for may have come back since.
            if state.reading.isEmpty {
                state.released.append(request)
            } else {
                state.crowded.append(request)
            }
        }
    }

    /// Takes the room for a channel to be read; `false` when others read too much already.
    private func begin(reading channel: Channel, bytes: Int) -> Bool {
        state.withLock { state in
            let others = state.reading.values
            let largest = max(others.max() ?? 0, bytes)
            let exempt = largest > bytesMax ? largest : 0
            guard others.reduce(bytes, +) - exempt <= bytesMax else { return false }
            state.reading[channel] = bytes
            state.bytes += bytes - (state.entries[channel]?.bytes ?? 0)
            state.entries[channel]?.bytes = bytes
            state.makeRoom(within: bytesMax)
            return true
        }
    }
}
