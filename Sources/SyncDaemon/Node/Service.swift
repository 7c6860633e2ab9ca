// The life of the process: signals, readiness, the watchdog, reloads, and the way out.

import Basis
import EventModel
import Glibc
import Synchronization

/// Runs one daemon from start to exit code.
enum Service {
    /// Serves until SIGTERM, SIGINT or SIGQUIT.
    ///
    /// - Parameter examine: Reads the configuration, at SIGHUP again.
    /// - Returns: The exit code: 0 after a drain, 1 when it could not start, 2 for a wrong
    ///   configuration. A drain that hangs ends the process with 1.
    static func run(_ examine: @escaping () -> Examination) -> Int32 {
        // Before the first thread, so that all inherit it: the main thread alone takes signals.
        let signals = blockSignals()
        // A process that began anew would be called after the link to its program ("exe").
        OSThread.nameOwn("syncdaemon")
        let arePassed = ServiceNotifier.passesSockets(ProcessEnvironment.all())
        // What the daemon writes is nobody else's to read, whatever directory it was given.
        umask(0o077)
        let examination = examine()
        guard examination.mistakes.isEmpty else {
            examination.complain()
            return 2
        }
        let configuration = examination.configuration
        let log = Log(level: configuration.logLevel, format: configuration.logFormat)
        for warning in examination.warnings { log.warning(warning.description) }
        var reserve = Reserve(configuration, log: log)
        let promises = PresencePromise.bequeathed()
        if !promises.isEmpty { log.notice("Knows who was where.", ["memberships": promises.count]) }
        while true {
            var connection: LinkConnection?
            switch reserve?.wait(until: signals) {
            case .ends(let signal)?:
                log.notice("Stopped in reserve.", ["signal": signal])
                return 0
            case .follows(let found)?: connection = found
            case .serves?, nil: break
            }
            do throws(StartError) {
                let end = try start(
                    configuration, following: connection, promises, until: signals, log, examine)
                guard case .toBeginAnew(let promises) = end else { return 0 }
                return beginAnew(arePassed, promises, log)
            } catch {
                if case .link(let end) = error {
                    log.warning("The daemon that serves could not be followed: \(end).")
                    return beginAnew(arePassed, promises, log)
                }
                if reserve?.hears(error) == true { continue }
                complain("syncdaemon: \(error)")
                switch error {
                case .configuration, .transport(.noGroup): return 2
                default: return 1
                }
            }
        }
    }

    /// How a daemon that served has ended.
    private enum End {
        case stopped
        /// The one that it followed is gone; where its own clients were.
        case toBeginAnew([PresencePromise])
    }

    /// Begins anew in the same process, which systemd goes on watching.
    ///
    /// What is left of the threads ends with that.
    ///
    /// - Parameter arePassed: Whether systemd opened the sockets: the process closed its own.
    /// - Returns: The exit code, when it cannot.
    private static func beginAnew(
        _ arePassed: Bool, _ promises: [PresencePromise], _ log: Log
    ) -> Int32 {
        guard !arePassed else {
            log.notice("Ends, so that systemd passes its sockets anew.")
            return 1
        }
        if !PresencePromise.bequeath(promises) {
            log.warning("There is no memory for who is where: all are announced anew.")
        }
        // Not at once: who was lost just now may be about to come back.
        usleep(UInt32(Limits.seatLookMilliseconds) * 1000)
        let arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        unsafe execv("/proc/self/exe", arguments)
        log.error("The daemon could not begin anew.", ["error": "\(errno)"])
        return 1
    }

    /// Opens what there is to open, and serves.
    private static func start(
        _ configuration: Configuration, following connection: LinkConnection?,
        _ promises: [PresencePromise], until signals: sigset_t, _ log: Log,
        _ examine: @escaping () -> Examination
    ) throws(StartError) -> End {
        let listeners = try makeListeners(configuration)
        let address = listeners.address(at: .main) ?? ""
        let secure = listeners.address(at: .secure)
        let exposure = Exposure(
            main: address, secure: secure,
            admin: listeners.address(at: .admin),
            isProxied: !configuration.proxyProtocolFrom.isEmpty)
        let orders = ServiceOrders()
        let node = try Node(
            configuration: configuration, exposure: exposure, log: log, orders: orders,
            following: connection, promises
        ) { error in
            log.error("\(error) The daemon stops here.")
            // After a failed sync nothing that the kernel says about this file can be believed.
            _exit(1)
        }
        if configuration.storeKind.isDurable,
            let mode = DataDirectory.mode(of: configuration.directory), mode & 0o077 != 0
        {
            let source = configuration.sources["store.directory"] ?? .standard
            log.warning(
                ConfigurationWarning.directoryForAll(
                    source, path: configuration.directory, mode: mode
                ).description)
        }
        try addSocket(to: listeners, configuration, log)
        for notice in exposure.notices { log.notice(notice) }
        let reloader = Reloader(
            configuration, address: address, secure: secure, log: log,
            examine: examine)
        return serve(node, on: listeners, until: signals, reloader, orders, log)
    }

    private static func serve(
        _ node: Node, on listeners: Listeners, until signals: sigset_t,
        _ reloader: consuming Reloader, _ orders: ServiceOrders, _ log: Log
    ) -> End {
        let address = reloader.address
        let group = reloader.adminSocketGroup
        let secureAddress = listeners.address(at: .secure)
        let adminAddress = listeners.address(at: .admin)
        let notifier = ServiceNotifier()
        let acceptor = OSThread(name: "acceptor") { node.accept(on: listeners) }

        node.health.isServing.store(true, ordering: .relaxed)
        if let adminAddress { announce("syncdaemon: for operators on http://\(adminAddress)") }
        if let secureAddress { announce("syncdaemon: with TLS on https://\(secureAddress)") }
        announce("syncdaemon: listening on http://\(address)")
        log.notice("Ready.", ["address": address, "version": Release.version])
        notifier.ready(status: "Listening on \(address)")
        let signal = watch(node, until: signals, reloader, orders, notifier, log) {
            renewSocket(of: listeners, group, log)
        }

        // Somebody may have ended it just when it was to begin anew.
        let isBeginningAnew = signal == SIGHUP
        if isBeginningAnew {
            log.notice("Begins anew, without the daemon that it followed.")
        } else if orders.isToStop {
            log.notice("Stopping.", ["by": "an operator's drain"])
        } else {
            log.notice("Stopping.", ["signal": signal])
        }
        // It goes on, for whoever watches it.
        if !isBeginningAnew { notifier.stopping(status: "Draining") }
        let lastResort = LastResort()
        lastResort.start()
        node.stopAccepting()
        acceptor.join()
        // Without the ledger nothing is left to answer: whoever does not read is not waited for.
        node.drain(within: isBeginningAnew ? Limits.anewMilliseconds : Limits.drainMilliseconds) {
            lastResort.begins($0)
        }
        lastResort.begins(.end)
        log.notice("Stopped.")
        log.reportSuppressed()
        return isBeginningAnew ? .toBeginAnew(node.presence.promises()) : .stopped
    }

    /// Feeds the watchdog, and reloads, until a signal comes that ends the daemon.
    ///
    /// - Returns: The signal.
    private static func watch(
        _ node: Node, until signals: sigset_t, _ reloader: consuming Reloader,
        _ orders: ServiceOrders, _ notifier: ServiceNotifier, _ log: Log,
        reloading: () -> Void
    ) -> Int32 {
        var signals = signals
        let interval = ServiceNotifier.watchdogInterval() ?? .seconds(4)
        // Asked four times per interval, so that one slow turn is not mistaken for a hang.
        let nanoseconds = max(1_000_000, Int(interval / .nanoseconds(1)) / 4)
        var pause = Clock.span(nanoseconds: nanoseconds)
        var seen = node.heartbeats
        node.requestHeartbeats()
        while true {
            let signal = unsafe sigtimedwait(&signals, nil, &pause)
            switch signal {
            case SIGTERM, SIGINT, SIGQUIT: return signal
            case SIGHUP:
                if orders.isBeginningAnew { return signal }
                notifier.reloading(at: Clock.monotonicMicroseconds())
                let waiting = orders.takeReloads()
                let outcome = reloader.reload(node)
                reloading()
                for told in waiting { told(outcome) }
                notifier.ready(status: "Listening on \(reloader.address)")
            case SIGUSR1, SIGUSR2:
                log.notice("This signal means nothing here. SIGHUP reloads.", ["signal": signal])
            default: break
            }
            let beats = node.heartbeats
            if zip(beats, seen).allSatisfy({ $0 != $1 }) {
                notifier.feedWatchdog()
                seen = beats
                node.requestHeartbeats()
            } else {
                node.nudgeReaders()
            }
            log.reportSuppressed()
        }
    }

    /// Adds the socket of operators, once the store says that no other daemon runs here.
    private static func addSocket(
        to listeners: Listeners, _ configuration: Configuration, _ log: Log
    ) throws(StartError) {
        guard let path = configuration.adminSocket, !path.isEmpty else { return }
        do throws(TransportError) {
            listeners.add(
                try LocalListener(path: path, group: configuration.adminSocketGroup))
        } catch {
            // Nobody asked for it: clients are served all the same.
            guard configuration.sources["server.admin_socket"] == nil,
                configuration.adminSocketGroup == nil
            else { throw .transport(error) }
            log.warning("There is no socket for operators. \(error)")
        }
    }

    /// Makes the socket of operators anew where somebody removed its file.
    private static func renewSocket(of listeners: Listeners, _ group: String?, _ log: Log) {
        guard let path = listeners.lostPath else { return }
        do throws(TransportError) {
            listeners.renew(try LocalListener(path: path, group: group))
            log.notice("The socket of operators was gone, and is there again.", ["path": path])
        } catch {
            log.warning("There is no socket for operators. \(error)")
        }
    }

    private static func makeListeners(
        _ configuration: Configuration
    ) throws(StartError) -> Listeners {
        let passed: (main: Int32?, secure: Int32?)
        do throws(ServiceError) {
            passed = try ServiceNotifier.listenDescriptors()
        } catch {
            throw .service(error)
        }
        if passed.secure != nil, configuration.tlsIdentity == nil {
            throw .configuration(.noCertificate(.passedSocket, missing: "certificate_file"))
        }
        var sockets: [Entrance: Int32] = [:]
        sockets[.main] = try open(configuration.listen, or: passed.main)
        sockets[.secure] = try open(configuration.tlsListen, or: passed.secure)
        sockets[.admin] = try open(configuration.adminListen)
        let listeners = Listeners(owning: sockets)
        do throws(ConfigurationError) {
            // A socket that was passed has an address that no file names.
            for entrance in Entrance.forClients {
                guard let address = listeners.address(at: entrance) else { continue }
                try configuration.permit(address, from: .passedSocket)
            }
        } catch {
            throw .configuration(error)
        }
        return listeners
    }

    /// A socket at an address, or the one that systemd passed in its place.
    ///
    /// - Returns: Its descriptor, which the caller owns; `nil` where there is none.
    private static func open(
        _ address: ListenAddress?, or passed: Int32? = nil
    ) throws(StartError) -> Int32? {
        if let passed { return Listener(adopting: FileDescriptor(owning: passed)).release() }
        guard let address else { return nil }
        do throws(TransportError) {
            return try Listener(host: address.host, port: address.port).release()
        } catch {
            throw .transport(error)
        }
    }

    /// Takes over the signals that would end the process, and ignores what closed sockets send.
    private static func blockSignals() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2] {
            unsafe sigaddset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        return signals
    }

    /// One line on standard output, for whoever started the daemon.
    private static func announce(_ line: String) {
        print(line)
        fflush(nil)
    }
}

/// One line on standard error, for the person who typed the command.
///
/// In the journal it has the priority of an error (sd-daemon(3)).
func complain(_ line: String) {
    let priority = JournalSink.isStandardError ? "<\(LogLevel.error.priority)>" : ""
    let bytes = Array((priority + line + "\n").utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
