// A line of shell that an operator wrote, run as a process of its own.

import CLinux
import Glibc

/// What became of it.
enum ShellOutcome: Hashable, Sendable {
    case done
    /// It ended with a code, by a signal, or could not begin.
    case failed(String)
    /// Its time was over, or nobody wants it any more: it was ended, with all that it began.
    case ended
}

/// Runs `/bin/sh -c`; what it prints goes where the daemon's log goes.
///
/// - Source: posix_spawn(3), waitpid(2).
struct ShellCommand: Hashable, Sendable {
    let line: String
    /// All variables that it has.
    let environment: [String: String]

    /// Variables that are between this process and who started it.
    private static let own = ["SYNCDAEMON_", "NOTIFY_", "LISTEN_", "WATCHDOG_"]

    init(_ line: String, in environment: [String: String]) {
        self.line = line
        self.environment = environment.filter { name, _ in
            !Self.own.contains { name.hasPrefix($0) }
        }
    }

    /// Waits until it ends; blocks the calling thread.
    ///
    /// - Parameters:
    ///   - variables: Of this call.
    ///   - mayGoOn: Asked some times a second.
    func run(with variables: [String: String], while mayGoOn: () -> Bool) -> ShellOutcome {
        var process: pid_t = 0
        let code = spawn(&process, environment.merging(variables) { $1 })
        guard code == 0 else { return .failed("/bin/sh did not begin: \(systemMessage(code))") }
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { break }
            if found < 0, errno != EINTR { return .failed(systemMessage(errno)) }
            guard mayGoOn() else {
                // A group of its own: what it began goes with it.
                kill(-process, SIGKILL)
                while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
                return .ended
            }
            usleep(20_000)
        }
        // wait(2): the low seven bits are the signal, the next byte the code.
        let signal = status & 0x7F
        guard signal == 0 else { return .failed("signal \(signal) ended it") }
        let exit = (status >> 8) & 0xFF
        return exit == 0 ? .done : .failed("it ended with code \(exit)")
    }

    private func spawn(_ process: inout pid_t, _ variables: [String: String]) -> Int32 {
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
        let texts = variables.map { "\($0)=\($1)" }
        let arguments: [String] = ["sh", "-c", line]
        var words = unsafe arguments.map { unsafe strdup($0) }
        var values = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe (words + values).forEach { unsafe free($0) } }
        unsafe words.append(nil)
        unsafe values.append(nil)
        // Libraries have descriptors that do not close by themselves.
        sync_close_on_exec(STDERR_FILENO + 1)
        return unsafe posix_spawn(
            &process, "/bin/sh", &actions, &attributes, &words, &values)
    }
}
