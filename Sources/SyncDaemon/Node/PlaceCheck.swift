// What `config check` looks at besides the words: whether this machine can do what they ask.

import Glibc

extension Examination {
    /// What `systemctl enable syncdaemon.socket` makes.
    private static let enabledSocket =
        "/etc/systemd/system/sockets.target.wants/syncdaemon.socket"

    /// Adds what would keep `serve` from starting here and now; changes nothing on the machine.
    ///
    /// - Parameter isRoot: Whether everything can be read, also what the daemon's user cannot.
    mutating func lookAround(
        enabledSocket: String = Self.enabledSocket, isRoot: Bool = geteuid() == 0
    ) {
        forgiveCredentials()
        lookAtDirectory()
        lookAtArchive()
        lookAtOwners()
        lookForPublishKeys()
        lookAtCertificate()
        lookAtSocket()
        lookAtConsole()
        lookAtPort(configuration.listen, of: "server.listen")
        if let admin = configuration.adminListen { lookAtPort(admin, of: "server.admin_listen") }
        if let secure = configuration.tlsListen { lookAtPort(secure, of: "tls.listen") }
        if FileSystem.exists(enabledSocket) { forgiveAddress() }
        if isRoot { lookAsOwner() }
    }

    /// A shell has no credentials: only the unit does.
    mutating func forgiveCredentials() {
        let (uncheckable, others) = mistakes.partitioned { mistake in
            if case .noCredentials = mistake { true } else { false }
        }
        mistakes = others
        for case .noCredentials(let source, let name) in uncheckable {
            warnings.append(.uncheckedCredential(source, name: name))
        }
    }

    /// Where systemd opens the port, nobody uses the address of `listen`.
    private mutating func forgiveAddress() {
        let (unused, others) = mistakes.partitioned { mistake in
            switch mistake {
            case .reachableByOthers, .badAddress, .sameAddress: true
            default: false
            }
        }
        mistakes = others
        warnings += unused.map { .unusedAddress($0) }
    }

    /// Looks at the files with the eyes of the data's owner, who is whom the daemon runs as.
    private mutating func lookAsOwner() {
        let directory = configuration.directory
        guard let owner = DataDirectory.owner(of: directory), owner.user != 0 else { return }
        var paths = [file].compactMap { $0 }
        let sources =
            configuration.namedKeysets.flatMap {
                [$0.secretSource, $0.previousSource, $0.webKeySource, $0.serverKeySource]
            }
            + configuration.namedWebhooks.flatMap { [$0.secretSource, $0.previousSource] }
            + configuration.namedInterceptors.flatMap { [$0.secretSource, $0.previousSource] }
            + [
                configuration.certificateSource, configuration.certificateKeySource,
                configuration.adminKeySource, configuration.storeURLSource,
                configuration.clusterKeySource,
            ]
        for case .file(let path)? in sources { paths.append(path) }
        for path in paths {
            let place = path.hasPrefix("/") ? path : FileSystem.resolved(path)
            guard let place, !owner.canRead(place) else { continue }
            mistakes.append(
                .unreadableForDaemon(path: path, user: owner.user, directory: directory))
        }
        guard configuration.storeKind.isDurable, directory.hasPrefix("/") else { return }
        let places = [directory, configuration.filesDirectory].filter { !owner.canFill($0) }
        let files = ["", "-wal", "-shm"].map { SQLStore.path(in: directory) + $0 }
        for path in places + files.filter({ !owner.canChange($0) }) {
            mistakes.append(
                .unchangeableForDaemon(path: path, user: owner.user, directory: directory))
        }
    }

    private mutating func lookAtDirectory() {
        let path = configuration.directory
        guard configuration.storeKind.isDurable, !path.isEmpty else { return }
        let source = configuration.sources["store.directory"] ?? .standard
        if let reason = DataDirectory.obstacle(at: path) {
            mistakes.append(.badDirectory(source, path: path, reason: reason))
        } else if let mode = DataDirectory.mode(of: path), mode & 0o077 != 0 {
            warnings.append(.directoryForAll(source, path: path, mode: mode))
        }
        if DataDirectory.isInMemory(path) {
            warnings.append(.directoryInMemory(source, path: path))
        }
        lookAtFiles(in: path, source)
    }

    /// Adds what is wrong with the directory of files; one that is absent is made by the start.
    private mutating func lookAtFiles(in directory: String, _ source: ConfigurationSource) {
        let path = configuration.filesDirectory
        guard let mode = DataDirectory.mode(of: path) ?? (DataDirectory.isLink(path) ? 0 : nil)
        else { return }
        if DataDirectory.isLink(path) {
            mistakes.append(
                .badDirectory(source, path: path, reason: "it is a symbolic link, not followed"))
        } else if let reason = DataDirectory.obstacle(at: path) {
            mistakes.append(.badDirectory(source, path: path, reason: reason))
        } else {
            if mode & 0o077 != 0 {
                warnings.append(.directoryForAll(source, path: path, mode: mode))
            }
            if DataDirectory.areApart(directory, path) {
                warnings.append(.filesElsewhere(source, path: path))
            }
        }
    }

    /// Adds what keeps operators from having the socket that somebody asked for.
    private mutating func lookAtSocket() {
        let source = configuration.sources["server.admin_socket"]
        if let group = configuration.adminSocketGroup, !LocalListener.isGroup(group) {
            mistakes.append(
                .badSocket(
                    configuration.sources["server.admin_socket_group"] ?? .standard,
                    .noGroup(group)))
        }
        guard let source, let path = configuration.adminSocket, !path.isEmpty else { return }
        // Made by the start itself, or by the unit's.
        let directory = FileSystem.directory(of: path)
        guard ![configuration.directory, "/run/syncdaemon"].contains(directory) else { return }
        if let error = LocalListener.obstacle(at: path) {
            mistakes.append(.badSocket(source, error))
        }
    }

    /// Adds what keeps browsers from having the console.
    private mutating func lookAtConsole() {
        guard let directory = configuration.console else { return }
        do throws(ConsoleError) { _ = try ConsoleFiles(in: directory) } catch {
            mistakes.append(
                .badConsole(configuration.sources["server.console"] ?? .standard, error))
        }
    }

    /// Adds what keeps clients from taking it, and the daemon not from showing it.
    private mutating func lookAtCertificate() {
        guard let identity = configuration.tlsIdentity, !identity.isForServers else { return }
        let source = configuration.sources["tls.certificate_file"] ?? .standard
        let path = configuration.certificateSource?.description ?? ""
        warnings.append(.certificateNotForServers(source, path: path))
    }

    private mutating func lookAtPort(_ address: ListenAddress, of path: String) {
        guard address.port != 0 else { return }
        let source = configuration.sources[path] ?? .standard
        do throws(TransportError) {
            _ = try Listener(host: address.host, port: address.port)
        } catch {
            switch error {
            case .cannotListen(_, let errno) where [EADDRINUSE, EACCES, EPERM].contains(errno):
                // Most often the daemon that runs with this very file, or its socket unit.
                warnings.append(.portNotFree(source, error))
            default: mistakes.append(.badAddress(source, error))
            }
        }
    }
}

extension Array {
    /// Those that are so, and the others, each in their order.
    fileprivate func partitioned(_ isIn: (Element) -> Bool) -> (those: [Element], others: [Element])
    {
        (filter(isIn), filter { !isIn($0) })
    }
}
