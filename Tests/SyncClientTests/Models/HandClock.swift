// A clock that a test moves.

import Basis
import Foundation
import SyncModels

/// Time that stands still until it is moved.
final class HandClock: Sendable {
    private struct State: Sendable {
        var now = Duration.zero
        var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, Never>)] = [:]
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let state = Locked(State())

    /// How many wait.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    var clock: ModelClock {
        ModelClock(
            now: { self.state.withLock { $0.now } },
            date: { Date(timeIntervalSince1970: 1_800_000_000) },
            sleep: { try await self.sleep($0) })
    }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.wake)
        }
        for sleeper in woken { sleeper.resume() }
    }

    private func sleep(_ duration: Duration) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (wake: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    guard duration > .zero, state.cancelled.remove(number) == nil else {
                        return true
                    }
                    state.sleepers[number] = (state.now + duration, wake)
                    return false
                }
                if isOver { wake.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.wake.resume()
        }
        try Task.checkCancellation()
    }
}
