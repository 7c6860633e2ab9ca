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
        do throws(StartError) {
            let listener = try makeListener(configuration)
            let admin = try makeAdminListener(configuration)
            let exposure = Exposure(main: listener.address, admin: address(of: admin))
            let node = try Node(
                configuration: configuration, exposure: exposure, log: log
            ) { error in
                log.error("\(error) The daemon stops here.")
                // After a failed sync nothing that the kernel says about this file can be believed.
                _exit(1)
            }
            if configuration.storeKind == .sqlite,
                let mode = DataDirectory.mode(of: configuration.directory), mode & 0o077 != 0
            {
                let source = configuration.sources["store.directory"] ?? .standard
                log.warning(
                    ConfigurationWarning.directoryForAll(
                        source, path: configuration.directory, mode: mode
                    ).description)
            }
            for notice in exposure.notices { log.notice(notice) }
            let reloader = Reloader(
                configuration, address: listener.address, log: log, examine: examine)
            serve(node, on: listener, admin, until: signals, reloader, log)
            return 0
        } catch {
            complain("syncdaemon: \(error)")
            if case .configuration = error { return 2 }
            return 1
        }
    }

    private static func serve(
        _ node: Node, on listener: consuming Listener, _ admin: consuming Listener?,
        until signals: sigset_t, _ reloader: consuming Reloader, _ log: Log
    ) {
        let address = listener.address
        let adminAddress = Self.address(of: admin)
        let notifier = ServiceNotifier()
        let handover = Locked<Listener?>(listener)
        let adminHandover = Locked<Listener?>(admin)
        let acceptor = OSThread(name: "acceptor") {
            if let listener = handover.withLock({ $0.take() }) {
                node.accept(on: listener, admin: adminHandover.withLock { $0.take() })
            }
        }

        node.health.isServing.store(true, ordering: .relaxed)
        if let adminAddress { announce("syncdaemon: for operators on http://\(adminAddress)") }
        announce("syncdaemon: listening on http://\(address)")
        log.notice("Ready.", ["address": address, "version": Release.version])
        notifier.ready(status: "Listening on \(address)")
        let signal = watch(node, until: signals, reloader, notifier, log)

        log.notice("Stopping.", ["signal": signal])
        notifier.stopping(status: "Draining")
        let lastResort = LastResort()
        lastResort.start()
        node.stopAccepting()
        acceptor.join()
        node.drain { lastResort.begins($0) }
        lastResort.begins(.end)
        log.notice("Stopped.")
        log.reportSuppressed()
    }

    /// Feeds the watchdog, and reloads, until a signal comes that ends the daemon.
    ///
    /// - Returns: The signal.
    private static func watch(
        _ node: Node, until signals: sigset_t, _ reloader: consuming Reloader,
        _ notifier: ServiceNotifier, _ log: Log
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
                notifier.reloading(at: Clock.monotonicMicroseconds())
                reloader.reload(node)
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

    private static func makeListener(
        _ configuration: Configuration
    ) throws(StartError) -> Listener {
        let passed: [Int32]
        do throws(ServiceError) {
            passed = try ServiceNotifier.listenDescriptors()
        } catch {
            throw .service(error)
        }
        if let first = passed.first {
            let listener = Listener(adopting: FileDescriptor(owning: first))
            do throws(ConfigurationError) {
                try configuration.permit(listener.address, from: .passedSocket)
            } catch {
                throw .configuration(error)
            }
            return listener
        }
        do throws(TransportError) {
            return try Listener(host: configuration.listen.host, port: configuration.listen.port)
        } catch {
            throw .transport(error)
        }
    }

    /// Where operators ask; never passed by systemd.
    private static func makeAdminListener(
        _ configuration: Configuration
    ) throws(StartError) -> Listener? {
        guard let address = configuration.adminListen else { return nil }
        do throws(TransportError) {
            return try Listener(host: address.host, port: address.port)
        } catch {
            throw .transport(error)
        }
    }

    private static func address(of listener: borrowing Listener?) -> String? {
        switch listener {
        case .some(let listener): listener.address
        case .none: nil
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
