// What a person or systemd ends half-way: what it leaves behind is removed first.

import Basis
import Glibc
import Synchronization

/// Whether something still runs, was over first, or was interrupted first.
private final class Progress: Sendable {
    static let (running, over, interrupted) = (0, 1, 2)
    private let state = Atomic(running)

    var isOver: Bool { state.load(ordering: .acquiring) == Self.over }

    /// - Returns: Whether nothing else came first.
    func become(_ end: Int) -> Bool {
        state.compareExchange(
            expected: Self.running, desired: end, ordering: .acquiringAndReleasing
        ).exchanged
    }
}

private func makeSignals(_ numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in numbers { unsafe sigaddset(&signals, signal) }
    return signals
}

/// Runs `body`; when a signal comes first that is to end the process, `end` does that.
///
/// - Parameters:
///   - numbers: Of those signals. They and SIGUSR1 are held back on this thread from here on.
///   - end: Told the signal, on a thread of its own, while `body` goes on.
func endable<Value, Failure: Error>(
    by numbers: [Int32], _ end: @escaping @Sendable (Int32) -> Never,
    _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    var signals = makeSignals(numbers + [SIGUSR1])
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let progress = Progress()
    let thread = OSThread(name: "signals") {
        var signals = makeSignals(numbers + [SIGUSR1])
        var signal: Int32 = 0
        // SIGUSR1 wakes, and from elsewhere it means nothing.
        repeat { unsafe sigwait(&signals, &signal) } while signal == SIGUSR1 && !progress.isOver
        if progress.become(Progress.interrupted) { end(signal) }
    }
    let result = Result { () throws(Failure) in try body() }
    if progress.become(Progress.over) { kill(getpid(), SIGUSR1) }
    // After an interruption this never returns: the process ends.
    thread.join()
    return try result.get()
}

/// Runs `body`; when a signal comes that ends the process, `clean` is called first.
///
/// From then on such signals are held back: what follows is short, and is not to be cut.
func interruptibly<Value, Failure: Error>(
    cleaning clean: @escaping @Sendable () -> Void,
    _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    let end: @Sendable (Int32) -> Never = { signal in
        // `body` goes on until the process ends: it may open nothing that is removed here.
        var none = rlimit()
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        clean()
        complain("syncdaemon: Interrupted. Nothing was changed, and nothing is left behind.")
        _exit(128 + signal)
    }
    return try endable(by: [SIGINT, SIGTERM, SIGHUP, SIGQUIT], end, body)
}
