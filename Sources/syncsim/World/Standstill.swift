// What stands still for a while: a process that is stopped, a network that brings nothing.

/// Holds what comes meanwhile, and goes on with it in the order in which it came, also where it is
/// told to stand still once more before the first time is over.
final class Standstill {
    private let scheduler: Scheduler
    private var until: UInt64 = 0
    private var held: [() -> Void] = []

    init(on scheduler: Scheduler) {
        self.scheduler = scheduler
    }

    /// Whether it lasts.
    var isOn: Bool { scheduler.now < until }

    /// Stands still for so many microseconds, or for what is left where that is longer.
    func last(for microseconds: UInt64) {
        until = max(until, scheduler.now + microseconds)
    }

    /// Does something now, or when everything that came before has been done.
    func pass(_ body: @escaping () -> Void) {
        guard isOn || !held.isEmpty else { return body() }
        held.append(body)
        if held.count == 1 { plan() }
    }

    private func plan() {
        scheduler.at(until) { [weak self] in self?.goOn() }
    }

    private func goOn() {
        var done = 0
        // Whatever is done may have it stand still again.
        while !isOn, done < held.count {
            held[done]()
            done += 1
        }
        held.removeFirst(done)
        if !held.isEmpty { plan() }
    }
}
