// Why an operator's request is not carried out, in words that say what to do.

import EventModel

/// A refusal, with a code that stays the same.
struct AdminError: Error, Hashable, Sendable {
    let status: Int
    let code: String
    /// Whole sentences.
    let message: String
}

extension AdminError {
    /// What a client would hear.
    init(_ error: ProtocolError) {
        self.init(status: error.status, code: error.code, message: error.message)
    }

    static func invalid(_ field: String, _ expectation: String) -> AdminError {
        AdminError(
            status: 400, code: "invalid_field",
            message: "The field \"\(field.prefix(40))\" must be \(expectation).")
    }

    static let notJSON = AdminError(
        status: 400, code: "invalid_field", message: "Send a JSON object, or no body.")

    static let badKey = AdminError(
        status: 401, code: "unauthorized",
        message: "Show the key of [server] admin_key_file: Authorization: Bearer KEY.")

    static func notFound(_ message: String) -> AdminError {
        AdminError(status: 404, code: "not_found", message: message)
    }

    /// Something as it is now does not allow it.
    static func refused(_ message: String) -> AdminError {
        AdminError(status: 409, code: "refused", message: message)
    }

    /// What is done to a file is asked of a store that is none.
    ///
    /// - Parameters:
    ///   - lack: What a store in memory has not, such as `a log to empty`.
    ///   - other: Who does the same with PostgreSQL; `nil`: the store is in memory.
    static func noDatabaseFile(_ lack: String, _ other: String?) -> AdminError {
        refused(
            "The store is no file. "
                + (other.map { "With [store] kind = postgres \($0)." }
                    ?? "With [store] kind = memory there is not \(lack)."))
    }

    /// A file that the daemon was to write.
    ///
    /// It may write where its own user may, whoever asks.
    static func notWritten(_ path: String, _ error: DatabaseFileError) -> AdminError {
        guard case .forbidden = error else { return refused("\(error)") }
        return refused(
            "\(path): the daemon's user may not write there. Name a file in a directory where it"
                + " may; its unit lets it into its data directory alone. Or run \"syncdaemon backup"
                + " \(path)\", which writes as who runs it.")
    }

    /// There is no webhook of this name any more, and still something for it.
    static func webhookRemoved(_ name: String) -> AdminError {
        refused(
            "The webhook \(name) is not in the configuration any more: what there is for it stays,"
                + " and nobody is asked. Write its section [webhook \(name)] again and reload; or"
                + " be rid of it as docs/WEBHOOKS.md says.")
    }

    static let busy = AdminError(
        status: 503, code: "busy",
        message: "Too many requests of operators wait, or the daemon stops. Try again in a while.")

    static func tooSlow(_ message: String) -> AdminError {
        AdminError(status: 504, code: "too_slow", message: message)
    }

    /// In the shape of the protocol's errors.
    var response: HTTPResponse {
        .forOperators(status, code: code, message)
    }
}

extension HTTPResponse {
    /// No page may read it.
    static func admin(_ status: Int, _ json: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json", body: json + [UInt8(ascii: "\n")])
    }
}
