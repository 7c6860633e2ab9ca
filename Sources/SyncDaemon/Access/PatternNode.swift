// What a pattern says, as a tree, and the states that it is compiled to.

import EventModel

/// A part of a pattern.
indirect enum PatternNode: Hashable, Sendable {
    case set(ScalarSet)
    case start
    case end
    case sequence([PatternNode])
    case choice([PatternNode])
    /// No `atMost` is as often as it goes.
    case repetition(PatternNode, atLeast: Int, atMost: Int?)
}

/// Scalars, as ranges; in a compiled pattern they ascend, and do not touch.
struct ScalarSet: Hashable, Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false

    func contains(_ scalar: UInt32) -> Bool {
        ranges.contains { $0.contains(scalar) } != isNegated
    }

    static let digits = ScalarSet(ranges: [48...57])
    static let letters = ScalarSet(ranges: [48...57, 65...90, 95...95, 97...122])
    static let blanks = ScalarSet(ranges: [9...13, 32...32])
    /// What `.` is: anything but the end of a line.
    static let any = ScalarSet(ranges: [10...10], isNegated: true)

    /// The same with ranges that ascend, and do not touch.
    var merged: ScalarSet {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                let upperBound = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...upperBound
            } else {
                merged.append(range)
            }
        }
        return ScalarSet(ranges: merged, isNegated: isNegated)
    }

    /// The same without `isNegated`, for a class that has more in it.
    var asRanges: [ClosedRange<UInt32>] {
        guard isNegated else { return ranges }
        var complement: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { complement.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        return complement + [next...0x10_FFFF]
    }
}

/// A state; those that take no scalar say where they lead.
enum PatternState: Hashable, Sendable {
    /// Takes a scalar of these ranges of the program, or of none of them, then the next state.
    case scalar(Range<Int>, isNegated: Bool)
    /// The next state, if it is the beginning of the name.
    case start
    /// The next state, if it is the end of the name.
    case end
    case jump(Int)
    /// The next state, and this one.
    case split(Int)
    case match
}

/// What a pattern is compiled to: states, and the ranges of their scalars.
struct PatternProgram: Hashable, Sendable {
    fileprivate(set) var states: [PatternState] = []
    fileprivate(set) var ranges: [ClosedRange<UInt32>] = []
}

/// Writes the states of a tree, one behind the other.
struct PatternCompiler {
    private var program = PatternProgram()
    /// A class with more ranges has them once, however often it is repeated.
    private static let rangesCopiedMax = 4
    /// Where the ranges of such classes are.
    private var places: [ScalarSet: Range<Int>] = [:]
    /// Nodes that were written: a group with nothing in it makes no state, however often.
    private var visits = 0

    private var states: [PatternState] {
        get { program.states }
        _modify { yield &program.states }
    }

    mutating func program(of node: PatternNode) throws(AccessPatternError) -> PatternProgram {
        try write(node)
        try append(.match)
        return program
    }

    private mutating func append(_ state: PatternState) throws(AccessPatternError) {
        guard states.count < Limits.accessPatternStatesMax else {
            throw .tooLarge(limit: Limits.accessPatternStatesMax)
        }
        states.append(state)
    }

    private mutating func write(_ node: PatternNode) throws(AccessPatternError) {
        visits += 1
        guard visits <= 8 * Limits.accessPatternStatesMax else {
            throw .tooLarge(limit: Limits.accessPatternStatesMax)
        }
        switch node {
        case .set(let set):
            try append(.scalar(place(of: set), isNegated: set.isNegated))
        case .start: try append(.start)
        case .end: try append(.end)
        case .sequence(let nodes): for node in nodes { try write(node) }
        case .choice(let nodes): try write(choice: nodes)
        case .repetition(let node, let least, let most):
            try write(repetition: node, least, most)
        }
    }

    private mutating func place(of set: ScalarSet) -> Range<Int> {
        let isLarge = set.ranges.count > Self.rangesCopiedMax
        if isLarge, let place = places[set] { return place }
        let place = program.ranges.count..<program.ranges.count + set.ranges.count
        program.ranges += set.ranges
        if isLarge { places[set] = place }
        return place
    }

    private mutating func write(choice nodes: [PatternNode]) throws(AccessPatternError) {
        var ends: [Int] = []
        for (index, node) in nodes.enumerated() {
            guard index + 1 < nodes.count else {
                try write(node)
                break
            }
            let split = states.count
            try append(.split(0))
            try write(node)
            ends.append(states.count)
            try append(.jump(0))
            states[split] = .split(states.count)
        }
        for end in ends { states[end] = .jump(states.count) }
    }

    private mutating func write(
        repetition node: PatternNode, _ least: Int, _ most: Int?
    ) throws(AccessPatternError) {
        for _ in 0..<least { try write(node) }
        guard let most else {
            let split = states.count
            try append(.split(0))
            try write(node)
            try append(.jump(split))
            states[split] = .split(states.count)
            return
        }
        var splits: [Int] = []
        for _ in least..<most {
            splits.append(states.count)
            try append(.split(0))
            try write(node)
        }
        for split in splits { states[split] = .split(states.count) }
    }
}
