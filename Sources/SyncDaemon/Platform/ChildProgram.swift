// A program of the operator's, run as a process of its own.

import CLinux
import EventModel
import Glibc

/// What became of it.
enum ChildOutcome: Hashable, Sendable {
    case done
    /// It ended with a code, by a signal, or could not begin.
    case failed(String)
    /// Its time was over, or nobody wants it any more: it was ended, with its group.
    case ended
}

/// Runs a program; what it prints goes where the daemon's log goes.
///
/// - Source: posix_spawn(3), waitpid(2).
struct ChildProgram: Hashable, Sendable {
    let path: String
    /// All variables that it has.
    let environment: [String: String]

    /// Variables that are between this process and who started it.
    private static let own = ["SYNCDAEMON_", "NOTIFY_", "LISTEN_", "WATCHDOG_"]

    init(_ path: String, in environment: [String: String]) {
        self.path = path
        self.environment = environment.filter { name, _ in
            !Self.own.contains { name.hasPrefix($0) }
        }
    }

    /// Why it cannot begin, as far as its file tells; `nil`: nothing is known.
    var obstacle: String? {
        unsafe access(path, X_OK) == 0 ? nil : systemMessage(errno)
    }

    /// Waits until it ends; blocks the calling thread.
    ///
    /// - Parameter mayGoOn: Asked some times a second.
    func run(_ arguments: [String], while mayGoOn: () -> Bool) -> ChildOutcome {
        var process: pid_t = 0
        let code = spawn(&process, arguments)
        guard code == 0 else { return .failed("it did not begin: \(systemMessage(code))") }
        var graceEnd: UInt64?
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { break }
            if found < 0, errno != EINTR { return .failed(systemMessage(errno)) }
            let now = Clock.monotonicMilliseconds()
            if graceEnd == nil, !mayGoOn() {
                graceEnd = now + Limits.childGraceMilliseconds
                kill(-process, SIGTERM)
            }
            if let graceEnd, now >= graceEnd { kill(-process, SIGKILL) }
            usleep(20_000)
        }
        // What it left behind in its group.
        kill(-process, SIGKILL)
        if graceEnd != nil { return .ended }
        // wait(2): the low seven bits are the signal, the next byte the code.
        let signal = status & 0x7F
        guard signal == 0 else { return .failed("signal \(signal) ended it") }
        let exit = (status >> 8) & 0xFF
        return exit == 0 ? .done : .failed("it ended with code \(exit)")
    }

    private func spawn(_ process: inout pid_t, _ arguments: [String]) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The daemon's threads block signals, which a program would inherit.
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let texts = environment.map { "\($0)=\($1)" }
        let line: [String] = [path] + arguments
        var words = unsafe line.map { unsafe strdup($0) }
        var values = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe (words + values).forEach { unsafe free($0) } }
        unsafe words.append(nil)
        unsafe values.append(nil)
        // Libraries have descriptors that do not close by themselves.
        sync_close_on_exec(STDERR_FILENO + 1)
        return unsafe posix_spawn(&process, path, &actions, &attributes, &words, &values)
    }
}
