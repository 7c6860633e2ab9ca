// What stands behind `store copy`: where the data is, and where it goes.

import EventModel

/// The arguments of `store copy`.
struct StoreCopyArguments: Sendable, Hashable {
    enum Ends: Sendable, Hashable {
        case toServer(directory: String, DatabaseServer)
        case toDirectory(DatabaseServer, directory: String)
    }

    let ends: Ends
    /// On the server.
    let schema: String

    private static let command = "store copy"
    private static let flags = ["--from", "--to", "--schema"]

    /// Reads what stands behind `store`.
    ///
    /// - Parameter read: The text of a file.
    init(
        _ arguments: [String],
        read: (_ path: String) -> SecretFile = ConfigurationFile.secret(at:)
    ) throws(ConfigurationError) {
        guard arguments.first == "copy" else {
            let word = arguments.first.map { " " + $0 } ?? ""
            throw .unknownCommand("store" + word, nearest: Self.command)
        }
        let values = try Self.values(arguments.dropFirst())
        let source = try DatabaseChoice(values["--from"], of: "--from", read: read)
        let target = try DatabaseChoice(values["--to"], of: "--to", read: read)
        schema = values["--schema"] ?? Configuration().storeSchema
        guard SchemaName.isValid(schema) else {
            throw .badValue(
                .flag("--schema"), key: "the schema", value: schema, expected: SchemaName.expected)
        }
        switch (source, target) {
        case (.directory(let directory), .server(let server)):
            ends = .toServer(directory: directory, server)
        case (.server(let server), .directory(let directory)):
            ends = .toDirectory(server, directory: directory)
        case (.directory, .directory):
            throw .badValue(
                .flag("--to"), key: "the place", value: values["--to"] ?? "",
                expected: "postgres:URL; from one directory to another lead \"syncdaemon backup\""
                    + " and \"syncdaemon restore\"")
        case (.server, .server):
            throw .badValue(
                .flag("--to"), key: "the place", value: "postgres",
                expected: "sqlite:DIR; from one server to another leads pg_dump")
        }
    }

    private static func values(
        _ arguments: ArraySlice<String>
    ) throws(ConfigurationError) -> [String: String] {
        var values: [String: String] = [:]
        var rest = arguments
        while let argument = rest.popFirst() {
            let flag = String(argument.prefix { $0 != "=" })
            guard flags.contains(flag) else {
                guard argument.hasPrefix("-") else {
                    throw .unexpectedArgument(argument, of: command)
                }
                throw .unknownFlag(
                    flag, of: command, nearest: Spelling.nearest(to: flag, among: flags))
            }
            guard values[flag] == nil else { throw .repeated(.flag(flag), key: "the flag") }
            let isInline = argument.count > flag.count
            guard
                let value = isInline
                    ? String(argument.dropFirst(flag.count + 1)) : rest.popFirst()
            else { throw .missingValue(flag: flag, expected: DatabaseChoice.expected) }
            values[flag] = value
        }
        return values
    }
}

/// A database, as somebody names it on the command line.
private enum DatabaseChoice {
    case directory(String)
    case server(DatabaseServer)

    static let expected = "sqlite:DIR, postgres:URL, or postgres:@FILE for a URL in a file"

    init(
        _ given: String?, of flag: String, read: (_ path: String) -> SecretFile
    ) throws(ConfigurationError) {
        guard let text = given else { throw .missingValue(flag: flag, expected: Self.expected) }
        let source = ConfigurationSource.flag(flag)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let kind = parts.first ?? ""
        guard parts.count == 2, !parts[1].isEmpty, ["sqlite", "postgres"].contains(kind) else {
            throw .badValue(source, key: "the place", value: text, expected: Self.expected)
        }
        guard kind == "postgres" else {
            self = .directory(String(parts[1]))
            return
        }
        var target = String(parts[1])
        let isFile = target.first == "@"
        if isFile {
            let path = String(target.dropFirst())
            switch read(path) {
            case .text(let file): target = file.onlyLine ?? ""
            case .unreadable(let reason):
                throw .unreadableSecret(source, path: path, reason: reason)
            }
        }
        guard !target.isEmpty, let server = DatabaseServer(target) else {
            throw .storeURL(source, .unreadable)
        }
        guard isFile || !server.hasPassword else { throw .storeURL(source, .hasPassword) }
        self = .server(server)
    }
}
