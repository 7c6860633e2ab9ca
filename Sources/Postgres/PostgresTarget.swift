// Where a server is and how to come in, as people write it for PostgreSQL's own programs.

import CLibPQ

/// What a URL or a list of keywords says, taken apart.
///
/// - Source: PostgreSQL 15, "34.1.1. Connection Strings".
public struct PostgresTarget: Sendable, Hashable {
    /// As it was written.
    public let text: String
    private let host: String
    private let address: String
    private let sslMode: String
    /// Whether a password stands in it.
    public let hasPassword: Bool

    /// - Throws: What libpq cannot read of it, in its words; never the text itself.
    public init(_ text: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &message) else {
            defer { unsafe PQfreemem(message) }
            let said = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
            // Some messages quote what they could not read.
            let words = said.split(separator: "\"", omittingEmptySubsequences: false)[0]
            throw PostgresError(
                state: "", message: words.split(whereSeparator: \.isNewline).joined(separator: " "),
                isLost: false)
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        self.text = text
        host = values["host"] ?? ""
        address = values["hostaddr"] ?? ""
        sslMode = values["sslmode"] ?? ""
        hasPassword = values["password"] != nil
    }

    /// Whether all of its servers are on this machine: what goes to them, nobody else sees.
    public var isLocal: Bool {
        let names = (address.isEmpty ? host : address).split(separator: ",")
        return names.allSatisfy { name in
            name.hasPrefix("/") || name == "localhost" || name == "::1" || name.hasPrefix("127.")
        }
    }

    /// Whether it takes no server but the one whose name a certificate proves.
    public var provesServer: Bool { sslMode == "verify-full" }
}
