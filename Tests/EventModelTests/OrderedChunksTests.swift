// Things in order while they come and go, against an array that is sorted each time.

import Basis
import Testing

@testable import EventModel

@Suite("Ordered chunks")
struct OrderedChunksTests {
    @Test("pages are those of a sorted list", arguments: UInt64(1)...12)
    func agrees(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var names = OrderedChunks<ExactText, Int>()
        var model: [ExactText: Int] = [:]
        let range = choices.pick([40, 700, 5000])
        // Grows, then shrinks.
        for step in 0..<9000 {
            let name = ExactText("\(choices.below(range))")
            if let old = model[name] {
                guard step > 5000 || choices.chance(20) else { continue }
                names.remove(ExactText(name.string))
                model[name] = nil
                #expect(old < step)
            } else if step < 5000 || choices.chance(20) {
                names.insert(step, as: name)
                model[name] = step
            } else {
                names.remove(name)
            }
            guard step % 500 == 0 else { continue }
            let sorted = model.sorted { $0.key < $1.key }.map(\.value)
            let (offset, limit) = (choices.below(range), choices.below(range))
            #expect(names.count == model.count)
            #expect(names.page(from: 0, limit: .max) == sorted)
            #expect(names.keys.elementsEqual(model.keys.sorted()))
            #expect(names.keys.last == model.keys.max())
            #expect(
                names.page(from: offset, limit: limit)
                    == Array(sorted.dropFirst(offset).prefix(limit)), "seed \(seed)")
        }
    }
}
