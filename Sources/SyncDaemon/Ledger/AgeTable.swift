// How old old writes are: which timetokens were given by when, on the retention clock.

import EventModel

/// Everything up to a timetoken was there by a moment of the retention clock.
struct AgeTable {
    /// Ascending in both.
    private(set) var marks: [AgeMark]
    /// The newest commit that is known, marked or not.
    private var newest: AgeMark
    /// Marks are so far apart at least.
    private let spacing: UInt64
    /// Nobody asks about anything older.
    private let kept: UInt64

    /// - Parameters:
    ///   - marks: What the store has.
    ///   - newest: The store's last commit.
    ///   - kept: For how long anything is kept, the shortest and the longest, in ticks.
    init(_ marks: [AgeMark], newest: AgeMark, kept: ClosedRange<UInt64>) {
        // A mark that damage moved must not make old what is new: what is not ascending, or beyond
        // the last commit, is left out, and then the marks before it decide.
        var sound: [AgeMark] = []
        for mark in marks where mark.through <= newest.through && mark.ticks <= newest.ticks {
            if mark.ticks > sound.last?.ticks ?? 0 { sound.append(mark) }
        }
        self.marks = sound
        self.newest = newest
        spacing = min(Limits.ageTicksMax, kept.lowerBound / 100)
        self.kept = kept.upperBound
    }

    /// Takes note of a commit.
    ///
    /// - Returns: A mark to be stored with it, and before which ones may be forgotten.
    mutating func see(
        _ last: Timetoken, at now: UInt64
    ) -> (mark: AgeMark, forgettable: Timetoken)? {
        let known = newest
        if last > newest.through { newest = AgeMark(through: last, ticks: now) }
        let isDue = marks.last.map { now >= $0.ticks + spacing } ?? true
        // What came before this commit: it may have been there for long.
        guard isDue, known.through > marks.last?.through ?? .zero else { return nil }
        marks.append(known)
        let old = newestMark(by: now > kept ? now - kept : 0) ?? 0
        marks.removeFirst(old)
        return (known, marks[0].through)
    }

    /// Everything before the answer has been there for so long, and maybe some of what is after it.
    func moment(ticksBefore kept: UInt64, now: UInt64) -> Timetoken {
        guard now >= kept else { return .zero }
        let moment = now - kept
        if newest.ticks <= moment { return newest.through.next }
        if let index = newestMark(by: moment) { return marks[index].through.next }
        // Before there were marks timetokens were the wall clock's, and the retention clock began
        // with that.
        return min(Timetoken(rawValue: moment), marks.first?.through.next ?? newest.through.next)
    }

    private func newestMark(by moment: UInt64) -> Int? {
        let index = marks.partitioningIndex { $0.ticks > moment }
        return index > 0 ? index - 1 : nil
    }
}

extension Timetoken {
    fileprivate var next: Timetoken { Timetoken(rawValue: rawValue + 1) }
}

extension Array {
    /// The first element that the predicate holds for; it holds for all after that.
    fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
