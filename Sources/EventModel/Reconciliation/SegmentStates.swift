// What the segments of a set of rows come to, for the first level of a repair.

extension RepairItem {
    /// A segment with its state.
    ///
    /// - Parameter after: It is of the messages after this.
    public init(segmentAfter after: Timetoken, _ state: Digest, key: DigestKey) {
        self.init(
            timetoken: after, tag: UInt32(truncatingIfNeeded: state.words.0), key: key)
    }
}

/// The states of the segments that rows are in, cut before those of the messages that begin one.
package struct SegmentStates {
    /// Where each begins, exclusive; ascending from zero.
    private let starts: [Timetoken]
    private var states: [Digest]

    /// - Parameter messages: All of them, in any order.
    package init(cutBefore messages: some Sequence<Timetoken>, ofMessages mean: Int) {
        var cuts: Set<Timetoken> = [.zero]
        for message in messages where message.beginsSegment(ofMessages: mean) {
            cuts.insert(Timetoken(rawValue: message.rawValue - 1))
        }
        starts = cuts.sorted()
        states = Array(repeating: .empty, count: starts.count)
    }

    package mutating func insert(_ row: RowHash, on message: Timetoken) {
        var (low, high) = (1, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] < message { low = middle + 1 } else { high = middle }
        }
        states[low - 1].insert(row)
    }

    /// Those that hold anything.
    package func forEach(_ body: (Timetoken, Digest) -> Void) {
        for (start, state) in zip(starts, states) where state.count > 0 { body(start, state) }
    }
}
