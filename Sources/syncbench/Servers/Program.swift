// Starting other programs, and being sure that they end.

import Glibc

/// A running program whose output goes to a file; it is stopped when its owner goes away.
struct Program: ~Copyable {
    let process: pid_t
    private let log: String
    private let endSignal: Int32

    /// - Parameters:
    ///   - arguments: The program's path first; a name without a slash is looked for in `PATH`.
    ///   - log: A file for both of its outputs.
    ///   - endSignal: What it is stopped with. A drain would only take time.
    init(
        _ arguments: [String], log: String, endSignal: Int32 = SIGKILL
    ) throws(BenchError) {
        // When this process is killed, no server may be left behind (prctl(2), PR_SET_PDEATHSIG).
        let guarded = ["setpriv", "--pdeathsig", "TERM", "--"] + arguments
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(
            &actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o644)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var words = unsafe guarded.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        let status = unsafe posix_spawnp(&process, "setpriv", &actions, nil, &words, environ)
        guard status == 0 else {
            let reason = unsafe String(cString: strerror(status))
            throw BenchError("\(arguments[0]) cannot be started: \(reason).")
        }
        self.process = process
        self.log = log
        self.endSignal = endSignal
    }

    deinit {
        kill(process, endSignal)
        for _ in 0..<1000 {
            if waitpid(process, nil, WNOHANG) == process { return }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
    }

    /// What it has written so far.
    var output: String { File.text(log) ?? "" }

    /// Waits until a look at it gives a value, for at most 20 seconds.
    func wait<Value>(for what: String, look: (String) -> Value?) throws(BenchError) -> Value {
        let deadline = Clock.nanoseconds() + 20_000_000_000
        while Clock.nanoseconds() < deadline {
            if let value = look(output) { return value }
            guard isRunning else {
                throw BenchError("It ended instead of \(what). It said: \(output.suffix(500))")
            }
            usleep(5000)
        }
        throw BenchError("There was no \(what) within 20 s. It said: \(output.suffix(500))")
    }

    /// Whether it has not ended; one that has stays a zombie until `deinit`.
    private var isRunning: Bool {
        var information = unsafe siginfo_t()
        let status = unsafe waitid(
            P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
        return unsafe status == 0 && information.si_signo == 0
    }

    /// Runs a program to its end.
    ///
    /// - Returns: The first line of what it wrote; `nil` when it could not be started.
    static func firstLine(of arguments: [String], log: String) -> String? {
        guard let program = try? Program(arguments, log: log) else { return nil }
        _ = try? program.wait(for: "an end") { _ in program.isRunning ? nil : () }
        return program.output.split(separator: "\n").first.map(String.init)
    }

    /// Where a program is; `nil` when it is not in `PATH`.
    static func path(of name: String) -> String? {
        let variable = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        // Debian keeps servers where only root's PATH leads.
        return (variable.split(separator: ":") + ["/usr/sbin"]).map { "\($0)/\(name)" }
            .first(where: File.isProgram)
    }
}
