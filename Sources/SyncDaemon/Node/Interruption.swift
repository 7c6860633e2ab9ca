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

/// Has signals that another thread gets go on to the one that waits for them.
///
/// A thread gets no second one within its handler.
private func passOn(_ numbers: [Int32]) {
    for number in numbers { signal(number) { _ = kill(getpid(), $0) } }
}

/// Runs `body`; when a signal comes first that is to end the process, `end` does that.
///
/// - Parameters:
///   - numbers: Of those signals. They are held back on this thread from here on.
///   - takesAll: Whether other threads let them in, as the main one does beside Swift's tasks: then
///     what those get comes here, and is without effect once `body` is over.
///   - end: Told the signal, on a thread of its own, while `body` goes on.
func endable<Value, Failure: Error>(
    by numbers: [Int32], takesAll: Bool = false, _ end: @escaping @Sendable (Int32) -> Never,
    _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    var signals = makeSignals(numbers)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    if takesAll { passOn(numbers) }
    let progress = Progress()
    let thread = OSThread(name: "signals") {
        var signals = makeSignals(numbers)
        // It looks by itself whether it is over: a signal to wake it could wake another one.
        var pause = Clock.span(nanoseconds: 20_000_000)
        while !progress.isOver {
            let signal = unsafe sigtimedwait(&signals, nil, &pause)
            if signal > 0, progress.become(Progress.interrupted) { end(signal) }
        }
    }
    let result = Result { () throws(Failure) in try body() }
    _ = progress.become(Progress.over)
    // After an interruption this never returns: the process ends.
    thread.join()
    if takesAll { for number in numbers { signal(number, SIG_IGN) } }
    return try result.get()
}

/// Runs `body`; when a signal comes that ends the process, `clean` is called first.
///
/// From then on such signals are held back: what follows is short, and is not to be cut.
///
/// - Parameters:
///   - takesAll: As of ``endable(by:takesAll:_:_:)``.
///   - words: What somebody is told who did that.
func interruptibly<Value, Failure: Error>(
    takesAll: Bool = false,
    saying words: String =
        "syncdaemon: Interrupted. Nothing was changed, and nothing is left behind.",
    cleaning clean: @escaping @Sendable () -> Void,
    _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    let end: @Sendable (Int32) -> Never = { signal in
        // `body` goes on until the process ends: it may open nothing that is removed here.
        var none = rlimit()
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        clean()
        complain(words)
        _exit(128 + signal)
    }
    return try endable(by: [SIGINT, SIGTERM, SIGHUP, SIGQUIT], takesAll: takesAll, end, body)
}
