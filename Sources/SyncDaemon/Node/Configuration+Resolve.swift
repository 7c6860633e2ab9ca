// Puts the settings together: a flag beats a variable, a variable the file, the file the default.

import Glibc

/// The text of a configuration file, and the path that errors name.
struct ConfigurationFile: Hashable, Sendable {
    let path: String
    let text: String
}

extension Configuration {
    /// Variables that start like ours and are none: the tests' name for the binary under test,
    /// and the path of the configuration file.
    private static let otherVariables: Set<String> = ["SYNCDAEMON_BINARY", "SYNCDAEMON_CONFIG"]

    static let defaultDirectoryText =
        "$STATE_DIRECTORY, else $XDG_STATE_HOME/syncdaemon, else ~/.local/state/syncdaemon"

    /// The checked settings, or the first mistake in them.
    ///
    /// Reads nothing but its parameters.
    static func resolve(
        arguments: ServeArguments, environment: [String: String], file: ConfigurationFile? = nil
    ) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        if let file { try configuration.apply(file) }
        try configuration.apply(environment)
        for setting in arguments.settings {
            try configuration.set(setting.key, to: setting.value, from: .flag(setting.key.flag))
        }
        if configuration.directory.isEmpty, configuration.storeKind == .sqlite {
            guard let directory = defaultDirectory(environment) else { throw .noDirectory }
            configuration.directory = directory
        }
        try configuration.permit(
            configuration.listen.description,
            from: configuration.sources["server.listen"] ?? .standard)
        return configuration
    }

    /// Reads the file that the flag or `SYNCDAEMON_CONFIG` names, and resolves.
    ///
    /// A `-` before the path means that the file may be absent, as in a systemd unit.
    static func load(
        arguments: ServeArguments, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        var file: ConfigurationFile?
        if let path = arguments.file ?? environment["SYNCDAEMON_CONFIG"] {
            let isOptional = path.hasPrefix("-")
            file = try read(isOptional ? String(path.dropFirst()) : path, isOptional: isOptional)
        }
        return try resolve(arguments: arguments, environment: environment, file: file)
    }

    /// The directory of a sqlite store that nobody named; nil when the environment says nothing.
    static func defaultDirectory(_ environment: [String: String]) -> String? {
        // systemd.exec(5): several directories are separated by colons.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(state)
        }
        // XDG Base Directory Specification: a relative path is to be ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/syncdaemon"
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return (home == "/" ? "" : home) + "/.local/state/syncdaemon"
        }
        return nil
    }

    // MARK: - The three places

    private mutating func apply(_ file: ConfigurationFile) throws(ConfigurationError) {
        let entries: [INIEntry]
        do {
            entries = try INIFile.parse(file.text)
        } catch {
            switch error {
            case .malformed(let line): throw .malformedLine(.file(path: file.path, line: line))
            case .lineTooLong(let line): throw .lineTooLong(.file(path: file.path, line: line))
            }
        }
        var keysets = KeysetCollector()
        var sections = INIFile.sections(file.text)[...]
        var seen: Set<String> = []
        for entry in entries {
            while let section = sections.first, section.line < entry.line {
                try keysets.begin(sections.removeFirst(), in: file.path)
            }
            let source = ConfigurationSource.file(path: file.path, line: entry.line)
            if try keysets.take(entry, at: source) { continue }
            let key = try Self.key(for: entry, at: source)
            if !seen.insert(key.path).inserted, !key.isList {
                throw .repeated(source, key: key.title)
            }
            try set(key, to: entry.value, from: source)
        }
        for section in sections { try keysets.begin(section, in: file.path) }
        namedKeysets = try keysets.finished()
        sources.merge(keysets.sources) { first, _ in first }
    }

    private static func key(
        for entry: INIEntry, at source: ConfigurationSource
    ) throws(ConfigurationError) -> ConfigurationKey {
        if let key = ConfigurationKey.named(entry.name, in: entry.section) { return key }
        if entry.section.isEmpty { throw .noSection(source, name: entry.name) }
        guard ConfigurationKey.sections.contains(entry.section) else {
            throw .unknownSection(
                source, section: entry.section,
                nearest: KeysetSection.nearest(to: entry.section)
                    ?? Spelling.nearest(
                        to: entry.section, among: ConfigurationKey.sections
                    ).map { "[\($0)]" })
        }
        let elsewhere =
            ConfigurationKey.all.first { $0.name == entry.name }?.title
            ?? KeysetKey.named(entry.name)?.title(in: "NAME")
        let siblings = ConfigurationKey.all.filter { $0.section == entry.section }
        throw .unknownKey(
            source, key: "[\(entry.section)] \(entry.name)",
            nearest: elsewhere
                ?? Spelling.nearest(to: entry.name, among: siblings.map(\.name)))
    }

    /// Takes our variables.
    ///
    /// Others that start with `SYNCDAEMON_` are mistakes only when they resemble ours: a cluster
    /// that runs a service of this name sets some of its own, `SYNCDAEMON_SERVICE_HOST` and more.
    private mutating func apply(_ environment: [String: String]) throws(ConfigurationError) {
        for key in ConfigurationKey.all {
            guard let value = environment[key.variable] else { continue }
            try set(key, to: value, from: .variable(key.variable))
        }
        let names = ConfigurationKey.all.map(\.variable)
        let foreign = environment.keys.filter {
            $0.hasPrefix("SYNCDAEMON_") && !names.contains($0) && !Self.otherVariables.contains($0)
        }
        for name in foreign.sorted() {
            if let nearest = Spelling.nearest(to: name, among: names, edits: 3) {
                throw .unknownVariable(name, nearest: nearest)
            }
        }
    }

    private mutating func set(
        _ key: ConfigurationKey, to value: String, from source: ConfigurationSource
    ) throws(ConfigurationError) {
        var trial = self
        guard key.read(value, &trial) else {
            let name = if case .file = source { key.name } else { "the value" }
            throw .badValue(source, key: name, value: value, expected: key.expected)
        }
        // A list grows from line to line of the file, and starts anew in each other place.
        if key.isList, Self.isSameFile(source, sources[key.path]) {
            _ = key.read(key.write(self) + "," + value, &trial)
        }
        self = trial
        sources[key.path] = source
    }

    private static func isSameFile(
        _ one: ConfigurationSource, _ other: ConfigurationSource?
    ) -> Bool {
        if case .file = one, case .file? = other { true } else { false }
    }

    private static func read(
        _ path: String, isOptional: Bool
    ) throws(ConfigurationError) -> ConfigurationFile? {
        guard let file = unsafe fopen(path, "re") else {
            if isOptional, errno == ENOENT { return nil }
            throw .unreadableFile(path: path, reason: unsafe String(cString: strerror(errno)))
        }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk.prefix(count)
            if bytes.count > 1024 * 1024 {
                throw .unreadableFile(path: path, reason: "It is larger than 1 MiB")
            }
        }
        if unsafe ferror(file) != 0 {
            throw .unreadableFile(path: path, reason: unsafe String(cString: strerror(errno)))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .notText(path: path)
        }
        return ConfigurationFile(path: path, text: text)
    }
}
