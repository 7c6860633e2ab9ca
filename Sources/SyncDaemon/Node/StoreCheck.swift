// Where a database server is: what of the configuration is about that.

import EventModel

extension Examination {
    /// Finds out where the database server is, when the store is on one.
    mutating func takeStoreURL(
        _ environment: [String: String], read: (_ path: String) -> SecretFile
    ) {
        let sources = configuration.sources
        let line = sources["store.url"] ?? sources["store.url_file"] ?? .standard
        guard configuration.storeKind == .postgres else {
            let asked =
                (configuration.waitsInReserve ? ["store.reserve"] : [])
                + (configuration.needsStandby ? ["store.require_standby"] : [])
            let keys = ["store.url", "store.url_file"] + asked
            if let source = keys.lazy.compactMap({ sources[$0] }).first {
                mistakes.append(.storeURL(source, .inVain))
            }
            return
        }
        let text: String
        switch (configuration.storeURL, configuration.storeURLSource) {
        case (nil, nil):
            mistakes.append(.storeURL(sources["store.kind"] ?? .standard, .absent))
            return
        case (_?, _?):
            mistakes.append(.storeURL(line, .twice))
            return
        case (let url?, nil): text = url
        case (nil, let source?):
            guard let (path, file) = self.text(of: source, environment, line, read) else { return }
            if file.isForOthers {
                warnings.append(
                    .secretFileForOthers(
                        line, path: path, isOurs: file.isOurs, setting: "url_file"))
            }
            text = file.onlyLine ?? ""
        }
        guard !text.isEmpty, let server = DatabaseServer(text) else {
            mistakes.append(.storeURL(line, .unreadable))
            return
        }
        if server.hasPassword, configuration.storeURL != nil {
            mistakes.append(.storeURL(line, .hasPassword))
        }
        if !server.isLocal, !server.isProven { warnings.append(.unprovenDatabase(line)) }
        configuration.storeServer = server
    }
}

/// What is wrong with the place of a database server.
enum StoreURLMistake: Hashable, Sendable, CustomStringConvertible {
    case absent
    case twice
    case inVain
    case hasPassword
    case unreadable

    /// What it is, and what to do.
    var description: String {
        switch self {
        case .absent:
            "[store] kind is postgres, and nobody says where the server is. Write url ="
                + " postgresql://USER@HOST/DATABASE, or name a file with it: url_file."
        case .twice: "[store] url and url_file say the same twice. Leave one of them out."
        case .inVain:
            "[store] url, url_file, reserve and require_standby are for kind = postgres. Write"
                + " that, or leave them out."
        case .hasPassword:
            "[store] url has a password in it, which others may read here. Put the URL into a file"
                + " of its own and name that with url_file, or leave the password to a passfile."
        case .unreadable:
            "what is to say where the PostgreSQL server is cannot be read. It looks like"
                + " postgresql://USER@HOST/DATABASE?sslmode=verify-full."
        }
    }
}

extension SettingKey {
    /// Where a database server is; what it says is looked at together with everything else.
    static func databaseURL(
        _ name: String, into path: Field<String?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "URL",
            expected: "a URL, or keywords with values, in one line", summary,
            parse: { text in
                let isOneLine = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                return isOneLine && !text.isEmpty ? .some(text) : nil
            },
            format: { $0 })
    }

    /// The name of a schema, as people write it without quotes.
    static func schemaName(
        _ name: String, into path: Field<String>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "NAME", expected: SchemaName.expected, summary,
            parse: { SchemaName.isValid($0) ? $0 : nil }, format: { $0 })
    }
}

/// What a schema may be called.
enum SchemaName {
    static let expected =
        "a name of at most 63 small letters, digits and _, which begins with a letter and not"
        + " with pg_"

    static func isValid(_ text: String) -> Bool {
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x5F: true
            default: false
            }
        }
        let begins = text.first?.isLetter == true && !text.hasPrefix("pg_")
        return isName && begins && text.utf8.count <= 63
    }
}
