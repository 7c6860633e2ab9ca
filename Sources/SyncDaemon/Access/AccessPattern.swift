// The patterns of tokens: regular expressions that cost no more than their length times the name's.

import EventModel

/// A regular expression over names, compiled.
///
/// It understands what is regular of PCRE: letters and escaped signs, `.`, classes, `\d \w \s` and
/// their opposites, groups, `|`, `* + ? {m} {m,} {m,n}`, `^` and `$`. It is found anywhere in a
/// name, as PubNub's are, unless `^` and `$` say otherwise: `room` matches `bathroom`, `^room$`
/// only `room`. Case counts, and names are compared scalar by scalar, never normalised.
///
/// - Source: Ken Thompson, "Regular Expression Search Algorithm", CACM 1968: all states at once, so
///   that no name makes it try twice.
struct AccessPattern: Hashable, Sendable {
    /// As it was written.
    let text: String
    private let program: PatternProgram

    /// How many states it has: what a step through a name costs at most, twice.
    var size: Int { program.states.count }

    /// - Throws: What is wrong with it, for who grants a token.
    init(_ text: String) throws(AccessPatternError) {
        guard text.utf8.count <= Limits.accessPatternBytesMax else {
            throw .tooLong(limit: Limits.accessPatternBytesMax)
        }
        var parser = PatternParser(text)
        var compiler = PatternCompiler()
        self.text = text
        program = try compiler.program(of: parser.parse())
    }

    /// Whether it is found in a name.
    func matches(_ name: String) -> Bool {
        var steps = 0
        return matches(name, steps: &steps)
    }

    /// - Parameter steps: Grows by what it took: at most 2 × `size` × (scalars + 1).
    func matches(_ name: String, steps: inout Int) -> Bool {
        let scalars = name.unicodeScalars.map(\.value)
        let isAnchored = program.states.first == .start
        var current = StateSet(size)
        var next = StateSet(size)
        for position in 0...scalars.count {
            let place = (isStart: position == 0, isEnd: position == scalars.count)
            if position == 0 || !isAnchored {
                // It may begin here, too; a beginning that was there before changes nothing.
                if enter(0, into: &current, place, &steps) { return true }
            }
            guard position < scalars.count, !current.members.isEmpty else { break }
            let isLast = position + 1 == scalars.count
            for state in current.members {
                steps += 1
                guard takes(scalars[position], in: state) else { continue }
                let isMatch = enter(state + 1, into: &next, (isStart: false, isEnd: isLast), &steps)
                if isMatch { return true }
            }
            swap(&current, &next)
            next.removeAll()
        }
        return false
    }

    private func takes(_ scalar: UInt32, in state: Int) -> Bool {
        guard case .scalar(let places, let isNegated) = program.states[state] else { return false }
        // The first range that does not end before it; a class may have hundreds.
        var (low, high) = (places.lowerBound, places.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if program.ranges[middle].upperBound < scalar {
                low = middle + 1
            } else {
                high = middle
            }
        }
        let isIn = low < places.upperBound && program.ranges[low].lowerBound <= scalar
        return isIn != isNegated
    }

    /// Adds a state and all that it leads to without a letter.
    ///
    /// - Returns: Whether the end is among them.
    private func enter(
        _ state: Int, into set: inout StateSet, _ place: (isStart: Bool, isEnd: Bool),
        _ steps: inout Int
    ) -> Bool {
        set.pending.append(state)
        while let state = set.pending.popLast() {
            guard set.insert(state) else { continue }
            steps += 1
            switch program.states[state] {
            case .scalar: break
            case .match: return true
            case .start: if place.isStart { set.pending.append(state + 1) }
            case .end: if place.isEnd { set.pending.append(state + 1) }
            case .jump(let target): set.pending.append(target)
            case .split(let target):
                set.pending.append(target)
                set.pending.append(state + 1)
            }
        }
        return false
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// States by number, each at most once, in the order in which they came.
private struct StateSet {
    private(set) var members: [Int] = []
    /// States that are still to be looked at; room that is used again.
    var pending: [Int] = []
    private var isMember: [Bool]

    init(_ count: Int) {
        isMember = [Bool](repeating: false, count: count)
        members.reserveCapacity(count)
    }

    mutating func insert(_ state: Int) -> Bool {
        guard !isMember[state] else { return false }
        isMember[state] = true
        members.append(state)
        return true
    }

    /// - Complexity: O(members), not O(states).
    mutating func removeAll() {
        for member in members { isMember[member] = false }
        members.removeAll(keepingCapacity: true)
        pending.removeAll(keepingCapacity: true)
    }
}
