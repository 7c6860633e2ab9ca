// Where a database server is, as an operator writes it.

import Postgres

/// A server and how to come in.
struct DatabaseServer: Sendable, Hashable {
    private let target: PostgresTarget

    /// - Parameter text: A URL, or a list of keywords and values.
    /// - Returns: `nil` for what cannot be read.
    init?(_ text: String) {
        guard let target = try? PostgresTarget(text) else { return nil }
        self.target = target
    }

    /// As it was written; may hold a password.
    var text: String { target.text }
    var hasPassword: Bool { target.hasPassword }
    /// Whether it is on this machine: what goes to it, nobody else sees.
    var isLocal: Bool { target.isLocal }
    /// Whether it has to prove its name by a certificate.
    var isProven: Bool { target.provesServer }
}
