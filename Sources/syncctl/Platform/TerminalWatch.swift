// Says when keys wait at standard input, and when signals of the terminal came.

import Basis
import Glibc

/// The handler writes the signal's number to the second one, and a thread waits at the first one.
private let signalPipe: (read: Int32, write: Int32) = newPipe()
/// The thread reads a byte here when the keys that it told of were taken.
private let goOnPipe: (read: Int32, write: Int32) = newPipe()

private func newPipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let status = unsafe pipe(&ends)
    precondition(status == 0, "pipe(2) failed: the process is out of descriptors.")
    return (ends[0], ends[1])
}

/// Watches the terminal for the whole process.
enum TerminalWatch {
    enum News: Sendable {
        /// Keys wait; ``TerminalWatch/goOn()`` when they were taken.
        case keys
        case resized
        /// Somebody wants the process to end, or the terminal is gone.
        case ended(signal: Int32)
    }

    /// Tells on a thread of its own; once there is a screen.
    static func begin(_ tell: @escaping @Sendable (News) -> Void) {
        _ = (signalPipe, goOnPipe)
        _ = OSThread(name: "terminal") { watch(tell) }
        // Only calls that signal-safety(7) allows.
        let report: @convention(c) (Int32) -> Void = { number in
            let before = errno
            var byte = UInt8(number)
            // Who asks twice does not wait for the screen to end by itself.
            if number != SIGWINCH { signal(number, CursesScreen.lastResort) }
            _ = unsafe write(signalPipe.write, &byte, 1)
            errno = before
        }
        signal(SIGWINCH, report)
        for number in ending { signal(number, report) }
    }

    /// Signals at which the screen ends.
    static let ending = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]

    /// Ends the process as the signal would have.
    static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        // The threads of Swift's tasks take no signals.
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        exit(128 + number)
    }

    static func goOn() {
        var byte: UInt8 = 1
        _ = unsafe write(goOnPipe.write, &byte, 1)
    }

    private static func watch(_ tell: (News) -> Void) {
        while true {
            var waits = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signalPipe.read, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&waits, 2, -1) > 0 else { continue }
            var byte: UInt8 = 0
            if waits[1].revents != 0, unsafe read(signalPipe.read, &byte, 1) == 1 {
                tell(Int32(byte) == SIGWINCH ? .resized : .ended(signal: Int32(byte)))
            }
            let happened = Int32(waits[0].revents)
            if happened & POLLIN != 0 {
                tell(.keys)
                while unsafe read(goOnPipe.read, &byte, 1) != 1 {}
            } else if happened != 0 {
                return tell(.ended(signal: SIGHUP))
            }
        }
    }
}
