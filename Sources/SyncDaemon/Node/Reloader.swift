// SIGHUP: the configuration is read again, and what can change while the daemon runs does.

/// What holds now, and how it is read anew.
struct Reloader {
    /// Where the daemon listens; a reload does not change it.
    let address: String
    /// Likewise, over TLS.
    private let secureAddress: String?
    /// Who may open the socket of operators, besides root and the daemon's user; likewise.
    let adminSocketGroup: String?
    private var current: Configuration
    private let log: Log
    private let examine: () -> Examination

    init(
        _ current: Configuration, address: String, secure: String? = nil, log: Log,
        examine: @escaping () -> Examination
    ) {
        secureAddress = secure
        adminSocketGroup = current.adminSocketGroup
        self.current = current
        self.address = address
        self.log = log
        self.examine = examine
    }

    /// Reads the configuration and puts it into force; a wrong one changes nothing.
    ///
    /// What needs a restart is named in the log, each time until it has been restarted.
    mutating func reload(_ node: Node) -> ReloadOutcome {
        let (read, mistakes) = read()
        guard let new = read else { return ReloadOutcome(mistakes: mistakes) }
        let changed = new.changes(since: current)
        let waiting = changed.filter { $0.isReloaded == false }.map(\.title)
        if !waiting.isEmpty {
            log.warning(
                "These settings have changed and need a restart.",
                ["settings": waiting.joined(separator: ", ")])
        }
        var next = current
        next.takeReloaded(from: new)
        let isOperators = log.level != current.logLevel && log.level != next.logLevel
        // What an administrator asked for is told at the old level or the new one.
        log.setLevel(max(next.logLevel, current.logLevel))
        let isInForce = node.apply(next)
        current = next
        if !isInForce {
            log.warning("A thread is busy and takes the new configuration later.")
        }
        var taken = changed.filter(\.isReloaded).map(\.title)
        if isOperators { taken.append("the log's level, which an operator had set") }
        log.notice(
            "Configuration reloaded.",
            ["changed": taken.isEmpty ? "nothing" : taken.joined(separator: ", ")])
        log.setLevel(next.logLevel)
        return ReloadOutcome(changed: taken, waiting: waiting)
    }

    /// The new configuration; `nil`, and lines in the log, when it is wrong.
    private func read() -> (Configuration?, mistakes: [String]) {
        let examination = examine()
        var mistakes = examination.mistakes
        // Of keysets that could not be read nothing can be said.
        if mistakes.isEmpty {
            do throws(ConfigurationError) {
                try current.permit(
                    examination.configuration,
                    listening: [address, secureAddress].compactMap(\.self))
            } catch {
                mistakes.append(error)
            }
        }
        for warning in examination.warnings { log.warning(warning.description) }
        guard mistakes.isEmpty else {
            for mistake in mistakes { log.error(mistake.description) }
            log.error("The configuration was not reloaded: the old one holds.")
            return (nil, mistakes.map(\.description))
        }
        return (examination.configuration, [])
    }
}

/// One setting, or the keysets, as a reload sees them.
struct ChangedSetting: Hashable, Sendable {
    /// Such as `[server] listen`.
    let title: String
    /// Whether it holds without a restart.
    let isReloaded: Bool
}

extension Configuration {
    /// What is not the same.
    func changes(since old: Configuration) -> [ChangedSetting] {
        var changes = Self.keys.filter { $0.write(self) != $0.write(old) }.map {
            ChangedSetting(title: $0.title, isReloaded: $0.isReloaded)
        }
        if tlsIdentity != old.tlsIdentity {
            changes.append(ChangedSetting(title: "the certificate", isReloaded: true))
        }
        if adminKey != old.adminKey {
            changes.append(ChangedSetting(title: "the operators' key", isReloaded: true))
        }
        changes += Self.changes(from: old.namedKeysets, to: namedKeysets)
        changes += Self.changes(from: old.namespaces, to: namespaces)
        changes += Self.changes(from: old.namedWebhooks, to: namedWebhooks)
        changes += Self.changes(from: old.namedInterceptors, to: namedInterceptors)
        let order = namedKeysets.map(\.name)
        if changes.isEmpty, order != old.namedKeysets.map(\.name) {
            changes.append(ChangedSetting(title: "the first keyset", isReloaded: true))
        }
        return changes
    }

    private static func changes<Section: NamedSection>(
        from old: [Section], to new: [Section]
    ) -> [ChangedSetting] {
        let changed = new.filter { !old.contains($0) }
        let gone = old.filter { section in !new.contains { $0.name == section.name } }
        return (changed + gone).map { ChangedSetting(title: $0.title, isReloaded: true) }
    }

    /// Refuses a reload that would open a running daemon to whom it was closed at the start.
    ///
    /// - Parameter addresses: `HOST:PORT` of the sockets for clients, as bound: those may have been
    ///   passed, and `listen` in the file may be another one by now.
    func permit(
        _ new: Configuration, listening addresses: [String]
    ) throws(ConfigurationError) {
        if isGuardedAnywhere, !new.isGuardedAnywhere { throw .lastGuardGone }
        // The proxies of the start bring clients on, whatever the file says of them.
        var next = self
        next.takeReloaded(from: new)
        for address in addresses { try next.permit(address, from: .openSocket) }
    }

    /// Whether any keyset asks for tokens.
    private var isGuardedAnywhere: Bool { namedKeysets.contains { $0.keyset.isAccessControlled } }

    /// Takes those settings of another configuration that need no restart.
    mutating func takeReloaded(from new: Configuration) {
        for key in Self.keys where key.isReloaded {
            // A list without elements is written as nothing, which reads back as such.
            let isRead = key.read(key.write(new) ?? "", &self)
            precondition(isRead, "\(key.title) does not read what it wrote.")
            sources[key.path] = new.sources[key.path]
        }
        tlsIdentity = new.tlsIdentity
        adminKey = new.adminKey
        namedKeysets = new.namedKeysets
        namespaces = new.namespaces
        namedWebhooks = new.namedWebhooks
        namedInterceptors = new.namedInterceptors
    }
}
