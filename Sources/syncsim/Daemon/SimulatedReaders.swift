// The reader threads: each question is answered at one moment, and the answer arrives at a later
// one.

import Basis
import EventModel

@testable import SyncDaemon

/// Readers of the store, as many as the daemon has.
final class SimulatedReaders {
    private let reader: any StoreReader
    private let order: EventOrder
    private let repairs: RepairCache
    private unowned let world: World
    private var questions: [ReadRequest] = []
    private var busyCount = 0
    private var isAlive = true

    init(
        _ reader: any StoreReader, order: EventOrder, repairs: RepairCache, in world: World
    ) {
        self.reader = reader
        self.order = order
        self.repairs = repairs
        self.world = world
    }

    func ask(_ question: ReadRequest) -> Bool {
        guard questions.count < world.setting.questionsMax else { return false }
        questions.append(question)
        next()
        return true
    }

    func die() {
        isAlive = false
        questions = []
    }

    private func next() {
        guard busyCount < world.setting.readers, !questions.isEmpty else { return }
        busyCount += 1
        let question = questions.removeFirst()
        world.scheduler.after(world.choices.span(50, 50 * Microseconds.millisecond)) {
            [weak self] in
            // Without power nobody answers.
            guard let self, isAlive, world.store?.isDead != true else { return }
            let answer = question.answer(from: reader, order, repairs: repairs)
            world.scheduler.after(world.choices.span(10, 20 * Microseconds.millisecond)) {
                [weak self] in
                guard let self, isAlive else { return }
                busyCount -= 1
                world.daemon?.reactors[answer.asker.reactor].post(.read(answer))
                next()
            }
        }
    }
}
