// A queue that is taken from at the front: in order, and without moving the rest.

import TestSupport
import Testing

@testable import SyncDaemon

@Suite("Line")
struct LineTests {
    @Test("it agrees with an array, whatever is done to both", arguments: UInt64(1)...8)
    func agrees(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var line = Line<Int>()
        var model: [Int] = []
        for number in 0..<5000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...3:
                line.append(number)
                model.append(number)
            case 4, 5: #expect(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            case 6 where number % 500 == 0:
                line.removeAll()
                model = []
            default:
                line.putBack(number)
                model.insert(number, at: 0)
            }
            #expect(line.count == model.count)
            #expect(line.isEmpty == model.isEmpty)
        }
        while let first = line.popFirst() { #expect(first == model.removeFirst()) }
        #expect(model.isEmpty)
    }

    /// Ten times as many may take ten times as long, not a hundred times.
    @Test("taking everything costs in proportion to how much there is")
    func linear() {
        func seconds(_ count: Int) -> Duration {
            var line = Line<[Int]>()
            for number in 0..<count { line.append([number]) }
            return ContinuousClock().measure { while line.popFirst() != nil {} }
        }
        let small = (0..<3).map { _ in seconds(20_000) }.min() ?? .zero
        let large = (0..<3).map { _ in seconds(200_000) }.min() ?? .zero
        #expect(large < small * 40)
    }
}
