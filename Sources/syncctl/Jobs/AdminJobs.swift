// Runs `admin`: one request to the daemon's socket, and what it says.

import Basis
import Glibc
import JSON
import SyncDaemon

/// Asks once, and shows the answer.
struct AdminJobRunner {
    let options: Options

    func run(_ work: AdminWork) throws(JobError) {
        let path = work.socket ?? Program.adminSocket(in: work.directory)
        let fields = try work.fields.map(read)
        let answer = try ask(work, fields, at: path)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let json = try? JSONValue(parsing: text), json.isObject else {
            throw JobError(
                code: "not_syncdaemon", message: "What answers at \(path) is no syncdaemon.",
                advice: "Check --socket.")
        }
        if let error = json.member("error") {
            throw JobError(
                code: error.member("code")?.string ?? "failed",
                message: error.member("message")?.string ?? error.string ?? "It failed.")
        }
        if options.writesJSON {
            Terminal.print(json.compactText)
        } else {
            for line in AdminFormat.lines(of: json) { Terminal.print(line) }
        }
        if let missing = json.member("missingReactors") {
            let numbers = (0..<missing.count).map { missing.element(at: $0).compactText }
            throw JobError(
                code: "incomplete",
                message: "No answer came in time from reactor \(numbers.joined(separator: ", ")):"
                    + " what its connections have is not in this.",
                advice: "Try again, and look at the daemon's log.")
        }
    }

    /// Secrets need not stand where other users see them.
    private func read(_ field: AdminField) throws(JobError) -> AdminField {
        guard field.isSecret, field.value == "-" else { return field }
        guard let line = readLine(), !line.isEmpty else {
            throw JobError(
                code: "no_input", message: "Standard input has no line for \(field.name).")
        }
        return AdminField(name: field.name, value: line)
    }

    private func ask(
        _ work: AdminWork, _ fields: [AdminField], at path: String
    ) throws(JobError) -> HTTPAnswer {
        let socket = try Self.connect(to: path)
        defer { close(socket) }
        let waiting: HTTPExchange.Waiting = { () throws(JobError) in
            guard work.takesLong else { throw Self.noAnswer(at: path) }
            try Self.askForLife(at: path)
            return true
        }
        guard work.isChange else {
            let query = fields.map { $0.name + "=" + URLText.segment($0.value ?? "true") }
            let target = work.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            return try HTTPExchange.ask(
                "GET", target, body: "", of: "localhost", over: socket, waiting: waiting)
        }
        var json = JSONWriter()
        json.beginObject()
        for field in fields {
            json.name(escaping: field.name)
            if let value = field.value { json.string(value) } else { json.bool(true) }
        }
        json.endObject()
        return try HTTPExchange.ask(
            "POST", work.path, body: String(decoding: json.bytes, as: UTF8.self), of: "localhost",
            over: socket, waiting: waiting)
    }

    private static func connect(to path: String) throws(JobError) -> Int32 {
        let socket = LocalSocket.connect(to: path, within: Program.adminPatienceSeconds)
        guard socket >= 0 else {
            throw errno == EAGAIN ? noAnswer(at: path) : failure(at: path, errno)
        }
        return socket
    }

    /// Sees whether the daemon, which takes long with something, answers anything.
    private static func askForLife(at path: String) throws(JobError) {
        let socket = try connect(to: path)
        defer { close(socket) }
        _ = try HTTPExchange.ask(
            "GET", "/healthz", body: "", of: "localhost", over: socket,
            waiting: { () throws(JobError) in throw noAnswer(at: path) })
    }

    private static func noAnswer(at path: String) -> JobError {
        JobError(
            code: "no_answer",
            message: "The daemon at \(path) has not answered for"
                + " \(Program.adminPatienceSeconds) seconds: it is stopped, or hangs.",
            advice: "Look at its log, and at its state: ps -o pid,stat,cmd -C syncdaemon. What was"
                + " asked may still be carried out.")
    }

    private static func failure(at path: String, _ reason: Int32) -> JobError {
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
