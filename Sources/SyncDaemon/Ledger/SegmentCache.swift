// The segments of channels that devices were compared with lately, shared by the reader threads.

import Basis
import EventModel

/// Keeps a ``SegmentComparison`` for each channel, and brings it forward when that has changed.
///
/// A device asks twice, and many come together after an outage: the segments are read once for all.
final class SegmentCache: Sendable {
    private struct Entry {
        let comparison: SegmentComparison
        var used: UInt64
    }

    private struct State {
        var entries: [Channel: Entry] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let bytesMax: Int
    private let troubles: StoreTroubles?
    private let state = Locked(State())

    /// - Parameter troubles: Told of a channel whose segments do not add up to its digest.
    init(bytesMax: Int = Limits.segmentCacheBytesMax, troubles: StoreTroubles? = nil) {
        self.bytesMax = bytesMax
        self.troubles = troubles
    }

    /// Bytes of all of them, roughly.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Compares a device's symbols with those of the channel's segments.
    ///
    /// - Parameter cursor: What the device has heard of.
    func outcome(
        _ run: SymbolRun, heardOf cursor: Timetoken, in channel: Channel,
        as snapshot: any ChannelSnapshot, key: DigestKey
    ) throws(StoreError) -> RepairOutcome {
        let kept = state.withLock { $0.entries[channel]?.comparison }
        var comparison: SegmentComparison
        if let kept, kept.digest == snapshot.digest {
            comparison = kept
        } else {
            comparison = try SegmentComparison(snapshot, from: kept, key: key)
        }
        if !comparison.addsUp { troubles?.contradicted(in: channel) }
        let outcome = try comparison.outcome(run, heardOf: cursor, as: snapshot)
        keep(comparison, of: channel)
        return outcome
    }

    private func keep(_ comparison: SegmentComparison, of channel: Channel) {
        state.withLock { state in
            state.uses += 1
            if let old = state.entries[channel] { state.bytes -= old.comparison.bytes }
            state.entries[channel] = Entry(comparison: comparison, used: state.uses)
            state.bytes += comparison.bytes
            while state.bytes > bytesMax,
                let oldest = state.entries.min(by: { $0.value.used < $1.value.used })
            {
                state.entries[oldest.key] = nil
                state.bytes -= oldest.value.comparison.bytes
            }
        }
    }
}
