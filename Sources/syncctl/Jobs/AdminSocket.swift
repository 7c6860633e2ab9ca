// Questions to a daemon at its operators' socket, and why there is no answer.

import Basis
import Glibc
import JSON
import SyncDaemon

/// Which daemon of this machine is meant.
struct AdminPlace: Hashable {
    /// `nil`: where the daemon has its socket by default.
    var socket: String?
    /// The daemon's data, beside which the socket is.
    var directory: String?
}

/// Asks at one socket, each time over a connection of its own; blocks.
struct AdminSocket {
    private let path: String

    init(_ place: AdminPlace) {
        path = place.socket ?? Program.adminSocket(in: place.directory)
    }

    /// - Parameter takesLong: Whether the answer may take longer than a daemon that is well
    ///   leaves anybody without a word.
    func ask(
        _ method: String, _ target: String, body: String = "", takesLong: Bool = false
    ) throws(JobError) -> HTTPAnswer {
        let socket = try connect()
        defer { close(socket) }
        return try HTTPExchange.ask(
            method, target, body: body, of: "localhost", over: socket,
            within: Program.adminPatienceSeconds,
            waiting: { () throws(JobError) in
                guard takesLong else { throw noAnswer }
                try askForLife()
                return true
            })
    }

    /// - Throws: What the daemon answers in the place of what it was asked for, too.
    func json(of answer: HTTPAnswer) throws(JobError) -> JSONValue {
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let json = try? JSONValue(parsing: text), json.isObject else { throw noSyncDaemon }
        if let error = json.member("error") {
            throw JobError(
                code: error.member("code")?.string ?? "failed",
                message: error.member("message")?.string ?? error.string ?? "It failed.")
        }
        return json
    }

    func metrics() throws(JobError) -> MetricsReading {
        let answer = try ask("GET", "/metrics")
        let reading = MetricsReading(String(decoding: answer.body, as: UTF8.self))
        guard answer.status == 200, reading["syncdaemon_sessions"] != nil else {
            throw noSyncDaemon
        }
        return reading
    }

    private var noSyncDaemon: JobError {
        JobError(
            code: "not_syncdaemon", message: "What answers at \(path) is no syncdaemon.",
            advice: "Check --socket.")
    }

    private func connect() throws(JobError) -> Int32 {
        let socket = LocalSocket.connect(to: path, within: Program.adminPatienceSeconds)
        guard socket >= 0 else {
            throw errno == EAGAIN ? noAnswer : failure(errno)
        }
        return socket
    }

    /// Sees whether the daemon, which takes long with something, answers anything.
    private func askForLife() throws(JobError) {
        let socket = try connect()
        defer { close(socket) }
        _ = try HTTPExchange.ask(
            "GET", "/healthz", body: "", of: "localhost", over: socket,
            within: Program.adminPatienceSeconds,
            waiting: { () throws(JobError) in throw noAnswer })
    }

    private var noAnswer: JobError {
        JobError(
            code: "no_answer",
            message: "The daemon at \(path) has not answered for"
                + " \(Program.adminPatienceSeconds) seconds: it is stopped, or hangs.",
            advice: "Look at its log, and at its state: ps -o pid,stat,cmd -C syncdaemon. What was"
                + " asked may still be carried out.")
    }

    private func failure(_ reason: Int32) -> JobError {
        switch reason {
        case ENOENT:
            JobError(
                code: "no_socket", message: "There is no socket at \(path).",
                advice: "Is the daemon running? Say where its socket is with --socket PATH, or"
                    + " where its data is with --data-dir DIR.")
        case ECONNREFUSED:
            JobError(
                code: "no_daemon",
                message: "Nobody listens at \(path): the daemon that made it is gone.",
                advice: "Start it: systemctl start syncdaemon.")
        case EACCES, EPERM:
            JobError(
                code: "forbidden", message: "You may not open \(path).",
                advice: "Run this as root or as the daemon's user, or as a member of its [server]"
                    + " admin_socket_group.")
        default:
            JobError(
                code: "cannot_connect", message: "Cannot connect to \(path) (errno \(reason)).",
                advice: "Check --socket, and the daemon's log.")
        }
    }
}
