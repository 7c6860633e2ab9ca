// Runs `admin`: one request to the daemon's socket, and what it says.

import JSON
import SyncDaemon

/// Asks once, and shows the answer.
struct AdminJobRunner {
    let options: Options

    func run(_ work: AdminWork) throws(JobError) {
        let socket = AdminSocket(work.place)
        let fields = try work.fields.map(read)
        let json = try socket.json(of: try ask(work, fields, socket))
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
        _ work: AdminWork, _ fields: [AdminField], _ socket: AdminSocket
    ) throws(JobError) -> HTTPAnswer {
        guard work.isChange else {
            let query = fields.map { $0.name + "=" + URLText.segment($0.value ?? "true") }
            let target = work.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            return try socket.ask("GET", target, takesLong: work.takesLong)
        }
        var json = JSONWriter()
        json.beginObject()
        for field in fields {
            json.name(escaping: field.name)
            if let value = field.value { json.string(value) } else { json.bool(true) }
        }
        json.endObject()
        return try socket.ask(
            "POST", work.path, body: String(decoding: json.bytes, as: UTF8.self),
            takesLong: work.takesLong)
    }
}
