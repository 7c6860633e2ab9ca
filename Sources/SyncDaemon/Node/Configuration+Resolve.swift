// Puts the settings together: a flag beats a variable, a variable the file, the file the default.

import Glibc

extension Configuration {
    /// Variables that start like ours and are none: the tests' name for the binary under test,
    /// and the path of the configuration file.
    private static let otherVariables: Set<String> = ["SYNCDAEMON_BINARY", "SYNCDAEMON_CONFIG"]

    /// Defaults that depend on the environment, for people.
    static let defaultTexts = [
        "store.directory":
            "$STATE_DIRECTORY, else $XDG_STATE_HOME/syncdaemon, else ~/.local/state/syncdaemon",
        "server.admin_socket": "admin.sock in $RUNTIME_DIRECTORY, else in the data's directory",
    ]

    /// The settings, and everything that is wrong with them.
    ///
    /// Reads nothing but its parameters, and what `readSecret` reads.
    ///
    /// - Parameter seconds: Now, since 1970.
    static func examine(
        arguments: ServeArguments, environment: [String: String], file: ConfigurationFile? = nil,
        readSecret: (_ path: String) -> SecretFile = ConfigurationFile.secret(at:),
        at seconds: Int = time(nil)
    ) -> Examination {
        var result = Examination()
        if let file {
            let mistakes = result.configuration.apply(file)
            result.mistakes = mistakes
        }
        result.takeSecrets(from: file, environment, read: readSecret)
        result.takeSigningSecrets(environment, read: readSecret)
        result.mistakes.sort { ($0.line ?? .max) < ($1.line ?? .max) }
        let areKeysetsRight = result.mistakes.isEmpty
        if areKeysetsRight { result.warnings += result.configuration.vainSettings }
        result.mistakes += result.configuration.apply(environment)
        for setting in arguments.settings {
            result.attempt { (configuration) throws(ConfigurationError) in
                try configuration.set(setting.key, to: setting.value, from: .flag(setting.key.flag))
            }
        }
        // A flag may name another store than the file does.
        if areKeysetsRight { result.warnings += result.configuration.vainFiles }
        result.takeCertificate(environment, at: seconds, read: readSecret)
        result.takeStoreURL(environment, read: readSecret)
        if result.configuration.directory.isEmpty, result.configuration.storeKind.isDurable {
            if let directory = defaultDirectory(environment) {
                result.configuration.directory = directory
            } else {
                result.mistakes.append(.noDirectory)
            }
        }
        if result.configuration.adminSocket == nil { result.chooseSocket(environment) }
        result.takeAdminKey(environment, read: readSecret)
        result.takeCluster(environment, read: readSecret)
        result.takeArchive()
        result.lookAtAddresses(environment)
        // Wrong keysets may be guarded ones; and a socket that was passed is looked at by itself.
        if areKeysetsRight, !ServiceNotifier.passesSockets(environment) {
            result.attempt { (configuration) throws(ConfigurationError) in
                try configuration.permit(
                    configuration.listen.description,
                    from: configuration.sources["server.listen"] ?? .standard)
            }
        }
        if areKeysetsRight, let address = result.configuration.tlsListen {
            result.attempt { (configuration) throws(ConfigurationError) in
                try configuration.permit(
                    address.description, from: configuration.sources["tls.listen"] ?? .standard)
            }
        }
        return result
    }

    /// The checked settings, or the first mistake in them.
    static func resolve(
        arguments: ServeArguments, environment: [String: String], file: ConfigurationFile? = nil,
        readSecret: (_ path: String) -> SecretFile = ConfigurationFile.secret(at:)
    ) throws(ConfigurationError) -> Configuration {
        let result = examine(
            arguments: arguments, environment: environment, file: file, readSecret: readSecret)
        if let first = result.mistakes.first { throw first }
        return result.configuration
    }

    /// Reads the file that the flag or `SYNCDAEMON_CONFIG` names, and examines all.
    ///
    /// A `-` before the path means that the file may be absent, as in a systemd unit.
    static func examineFile(
        arguments: ServeArguments, environment: [String: String]
    ) -> Examination {
        do throws(ConfigurationError) {
            var file: ConfigurationFile?
            if let path = arguments.file ?? environment["SYNCDAEMON_CONFIG"] {
                let isOptional = path.hasPrefix("-")
                file = try ConfigurationFile.read(
                    isOptional ? String(path.dropFirst()) : path, isOptional: isOptional)
            }
            var result = examine(arguments: arguments, environment: environment, file: file)
            result.file = file?.path
            return result
        } catch {
            return Examination(mistakes: [error])
        }
    }

    /// The checked settings of the file and all else, or the first mistake in them.
    static func load(
        arguments: ServeArguments, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        let result = examineFile(arguments: arguments, environment: environment)
        if let first = result.mistakes.first { throw first }
        return result.configuration
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

    private mutating func apply(_ file: ConfigurationFile) -> [ConfigurationError] {
        let content = INIFile.read(file.text)
        var mistakes = content.errors.map { ConfigurationError($0, in: file.path) }
        var keysets = SectionCollector<NamedKeyset>()
        var namespaces = SectionCollector<Namespace>()
        var webhooks = SectionCollector<NamedWebhook>()
        var interceptors = SectionCollector<NamedInterceptor>()
        func begin(_ section: INISection, _ mistakes: inout [ConfigurationError]) {
            keysets.begin(section, in: file.path, &mistakes)
            namespaces.begin(section, in: file.path, &mistakes)
            webhooks.begin(section, in: file.path, &mistakes)
            interceptors.begin(section, in: file.path, &mistakes)
        }
        var sections = content.sections[...]
        var seen: Set<String> = []
        var lists = ListLines<Configuration>()
        var unknownSections: Set<String> = []
        for entry in content.entries {
            while let section = sections.first, section.line < entry.line {
                sections.removeFirst()
                begin(section, &mistakes)
            }
            do throws(ConfigurationError) {
                let source = ConfigurationSource.file(path: file.path, line: entry.line)
                if try keysets.take(entry, at: source) { continue }
                if try namespaces.take(entry, at: source) { continue }
                if try webhooks.take(entry, at: source) { continue }
                if try interceptors.take(entry, at: source) { continue }
                // Named once is enough.
                if unknownSections.contains(entry.section) { continue }
                let key = try Self.key(for: entry, at: source)
                if !seen.insert(key.path).inserted, !key.isList {
                    throw .repeated(source, key: key.title)
                }
                guard key.isList else {
                    try set(key, to: entry.value, from: source)
                    continue
                }
                // A list grows from line to line of the file, and starts anew in other places.
                try lists.add(entry.value, of: key, at: source, to: self)
                sources[key.path] = source
            } catch {
                if case .unknownSection(_, let section, _) = error {
                    unknownSections.insert(section)
                }
                mistakes.append(error)
            }
        }
        for section in sections { begin(section, &mistakes) }
        mistakes += Self.emptyUnknown(in: content, of: file.path, named: unknownSections)
        keysets.finish(&mistakes)
        namespaces.finish(&mistakes)
        webhooks.finish(&mistakes)
        interceptors.finish(&mistakes)
        mistakes += lists.finish(&self)
        namedKeysets = keysets.sections
        self.namespaces = namespaces.sections
        namedWebhooks = webhooks.sections
        namedInterceptors = interceptors.sections
        for more in [
            keysets.sources, namespaces.sources, webhooks.sources, interceptors.sources,
        ] {
            sources.merge(more) { first, _ in first }
        }
        return mistakes + keysets.mistakes + namespaces.mistakes(in: namedKeysets)
            + webhooks.mistakes(in: namedKeysets) + interceptors.mistakes(in: namedKeysets)
            + interceptors.idle + webhooks.mute
    }

    /// Sections that there are not, and in which nothing stands that would say so.
    ///
    /// - Parameter named: Those that were complained of already.
    private static func emptyUnknown(
        in content: INIFile.Content, of path: String, named: Set<String>
    ) -> [ConfigurationError] {
        var named = named
        let ends = content.sections.dropFirst().map(\.line) + [.max]
        return zip(content.sections, ends).compactMap { section, end in
            let (name, lines) = (section.name, section.line..<end)
            let isKnown =
                sections.contains(name) || NamedKeyset.name(of: name) != nil
                || Namespace.name(of: name) != nil || NamedWebhook.name(of: name) != nil
                || NamedInterceptor.name(of: name) != nil
            // By lines: inih cuts the name that an entry has.
            guard !isKnown, !content.entries.contains(where: { lines.contains($0.line) }),
                named.insert(name).inserted
            else { return nil }
            return .unknownSection(
                .file(path: path, line: section.line), section: name,
                nearest: nearest(toSection: name))
        }
    }

    /// The section that somebody meant.
    private static func nearest(toSection section: String) -> String? {
        NamedKeyset.nearest(to: section) ?? Namespace.nearest(to: section)
            ?? NamedWebhook.nearest(to: section) ?? NamedInterceptor.nearest(to: section)
            ?? Spelling.nearest(to: section, among: sections).map { "[\($0)]" }
    }

    private static func key(
        for entry: INIEntry, at source: ConfigurationSource
    ) throws(ConfigurationError) -> SettingKey<Configuration> {
        if let key = Self.key(entry.name, in: entry.section) { return key }
        if entry.section.isEmpty { throw .noSection(source, name: entry.name) }
        guard sections.contains(entry.section) else {
            throw .unknownSection(
                source, section: entry.section, nearest: nearest(toSection: entry.section))
        }
        let siblings = keys.filter { $0.section == entry.section }
        throw .unknownKey(
            source, key: "[\(entry.section)] \(entry.name)",
            nearest: title(ofKey: entry.name)
                ?? Spelling.nearest(to: entry.name, among: siblings.map(\.name)))
    }

    /// A section that has a key of this name, with the key.
    static func title(ofKey name: String) -> String? {
        keys.first { $0.name == name }?.title
            ?? NamedKeyset.key(named: name).map { "\(NamedKeyset.title("NAME")) \($0.name)" }
            ?? Namespace.key(named: name).map { "\(Namespace.title("NAME")) \($0.name)" }
            ?? NamedWebhook.key(named: name).map { "\(NamedWebhook.title("NAME")) \($0.name)" }
            ?? NamedInterceptor.key(named: name).map {
                "\(NamedInterceptor.title("NAME")) \($0.name)"
            }
    }

    /// Takes our variables.
    ///
    /// Others that start with `SYNCDAEMON_` are mistakes only when they resemble ours: a cluster
    /// that runs a service of this name sets some of its own, `SYNCDAEMON_SERVICE_HOST` and more.
    private mutating func apply(_ environment: [String: String]) -> [ConfigurationError] {
        var mistakes: [ConfigurationError] = []
        for key in Self.keys {
            guard let value = environment[key.variable] else { continue }
            do throws(ConfigurationError) {
                try set(key, to: value, from: .variable(key.variable))
            } catch {
                mistakes.append(error)
            }
        }
        let names = Self.keys.map(\.variable)
        let foreign = environment.keys.filter {
            $0.hasPrefix("SYNCDAEMON_") && !names.contains($0) && !Self.otherVariables.contains($0)
        }
        for name in foreign.sorted() {
            if let nearest = Spelling.nearest(to: name, among: names, edits: 3) {
                mistakes.append(.unknownVariable(name, nearest: nearest))
            }
        }
        return mistakes
    }

    private mutating func set(
        _ key: SettingKey<Configuration>, to value: String, from source: ConfigurationSource
    ) throws(ConfigurationError) {
        guard key.read(value, &self) else {
            let name = if case .file = source { key.name } else { "the value" }
            throw key.cannotBe(value, at: source, as: name)
        }
        sources[key.path] = source
    }
}

extension Examination {
    /// Does a step that may be a mistake.
    fileprivate mutating func attempt(
        _ step: (inout Configuration) throws(ConfigurationError) -> Void
    ) {
        do throws(ConfigurationError) {
            try step(&configuration)
        } catch {
            mistakes.append(error)
        }
    }
}

extension ConfigurationError {
    fileprivate init(_ error: INIError, in path: String) {
        self =
            switch error {
            case .malformed(let line): .malformedLine(.file(path: path, line: line))
            case .lineTooLong(let line): .lineTooLong(.file(path: path, line: line))
            }
    }

    /// The line of the file that it is in; `nil` for what is nowhere.
    fileprivate var line: Int? {
        switch self {
        case .unknownSection(let source, _, _), .unknownKey(let source, _, _),
            .noSection(let source, _), .repeated(let source, _),
            .badValue(let source, _, _, _),
            .sameKey(let source, _, _, _, _), .samePattern(let source, _, _, _),
            .tooMany(let source, _, _),
            .twoSecrets(let source, _, _), .unreadableSecret(let source, _, _),
            .badSecret(let source, _, _), .badWebhookSecret(let source, _),
            .noCredentials(let source, _),
            .malformedLine(let source), .lineTooLong(let source), .listTooLong(let source, _, _):
            if case .file(_, let line) = source { line } else { nil }
        default: nil
        }
    }
}
