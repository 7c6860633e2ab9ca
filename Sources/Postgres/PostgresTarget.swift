// Where a server is and how to come in, as people write it for PostgreSQL's own programs.

import CLibPQ

/// What a URL or a list of keywords says, taken apart.
///
/// - Source: PostgreSQL 15, "34.1.1. Connection Strings".
public struct PostgresTarget: Sendable, Hashable {
    /// As it was written.
    public let text: String
    /// What is said of it, by keywords.
    private let values: [String: String]

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
        self.values = values
    }

    /// Whether a password stands in it.
    public var hasPassword: Bool { values["password"] != nil }

    /// Whether all of its servers are on this machine: what goes to them, nobody else sees.
    public var isLocal: Bool {
        let places = [values["hostaddr"], values["host"]].compactMap(\.self).first { !$0.isEmpty }
        let names = (places ?? "").split(separator: ",")
        return names.allSatisfy { name in
            name.hasPrefix("/") || name == "localhost" || name == "::1" || name.hasPrefix("127.")
        }
    }

    /// A target for each of its servers, in their order.
    ///
    /// libpq tries one after the other by itself, but where one lets a caller wait it would stay
    /// with that one for as long as the network says nothing.
    var servers: [String] {
        let kinds = ["host", "hostaddr", "port"]
        let lists = kinds.map { kind in
            values[kind].map { $0.split(separator: ",", omittingEmptySubsequences: false) } ?? []
        }
        let count = max(lists[0].count, lists[1].count)
        guard count > 1 else { return [text] }
        return (0..<count).map { index in
            var values = values
            // Of several one can be written to.
            values["target_session_attrs"] = values["target_session_attrs"] ?? "read-write"
            for (kind, list) in zip(kinds, lists) where !list.isEmpty {
                // One port may be that of all.
                values[kind] = String(list.count == 1 ? list[0] : list[min(index, list.count - 1)])
            }
            return values.sorted { $0.key < $1.key }
                .map { "\($0.key)=\(Self.quoted($0.value))" }.joined(separator: " ")
        }
    }

    private static func quoted(_ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "'\(escaped)'"
    }

    /// Whether it takes no server but the one whose name a certificate proves.
    public var provesServer: Bool { values["sslmode"] == "verify-full" }
}
