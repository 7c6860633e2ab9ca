// Ctrl-C, as a call instead of an end.

import Basis
import Glibc

/// The handler writes a byte to the second one, and a thread waits for it at the first one.
///
/// Blocking the signal and `sigwait` would need no pipe, but Swift's main thread unblocks all.
private let interruptPipe: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    let status = unsafe pipe(&ends)
    precondition(status == 0, "pipe(2) failed: the process is out of descriptors.")
    return (ends[0], ends[1])
}()

/// Takes SIGINT over for the whole process.
enum Interrupt {
    /// Calls `body` at the first Ctrl-C; the second one ends the process as usual.
    static func handle(_ body: @escaping @Sendable () -> Void) {
        _ = interruptPipe
        _ = OSThread(name: "interrupt") {
            var byte: UInt8 = 0
            while unsafe read(interruptPipe.read, &byte, 1) != 1 {}
            body()
        }

        // Only calls that signal-safety(7) allows.
        signal(SIGINT) { _ in
            var byte: UInt8 = 1
            signal(SIGINT, SIG_DFL)
            _ = unsafe write(interruptPipe.write, &byte, 1)
        }
    }
}
