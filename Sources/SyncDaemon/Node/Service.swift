// The life of the process: signals, readiness, the watchdog, and the way out.

import EventModel
import Glibc
import Synchronization

/// Runs one daemon from start to exit code.
enum Service {
    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Returns: The exit code: 0 after a drain, 1 when it could not start, 2 for a wrong
    ///   configuration.
    static func run(_ configuration: Configuration) -> Int32 {
        let log = Log(level: configuration.logLevel, format: configuration.logFormat)
        // Before the first thread, so that all inherit it: the main thread alone takes signals.
        let signals = blockSignals()
        do throws(StartError) {
            let listener = try makeListener(configuration)
            let node = try Node(configuration: configuration, log: log) { error in
                log.error(error.description)
                // After a failed sync nothing that the kernel says about this file can be believed.
                _exit(1)
            }
            serve(node, on: listener, until: signals, log)
            return 0
        } catch {
            complain("syncdaemon: \(error)")
            if case .configuration = error { return 2 }
            return 1
        }
    }

    private static func serve(
        _ node: Node, on listener: consuming Listener, until signals: sigset_t, _ log: Log
    ) {
        let address = listener.address
        let notifier = ServiceNotifier()
        var ends: [Int32] = [0, 0]
        let status = unsafe pipe(&ends)
        precondition(status == 0, "pipe failed: out of descriptors at start.")
        let stop = FileDescriptor(owning: ends[1])
        let handover = Locked<Listener?>(listener)
        let stopped = FileDescriptor(owning: ends[0])
        let stoppedHandover = Locked<FileDescriptor?>(stopped)
        let acceptor = OSThread(name: "acceptor") {
            guard let listener = handover.withLock({ $0.take() }),
                let stop = stoppedHandover.withLock({ $0.take() })
            else { return }
            node.accept(on: listener, until: stop)
        }

        node.isReady.store(true, ordering: .relaxed)
        announce("syncdaemon: listening on http://\(address)")
        log.notice("Ready.", ["address": address, "version": Invocation.version])
        notifier.ready(status: "Listening on \(address)")
        let signal = watch(node, until: signals, notifier, log)

        log.notice("Stopping.", ["signal": signal])
        notifier.stopping(status: "Draining")
        // A drain that hangs must not last: the devices resume elsewhere.
        alarm(UInt32(Limits.drainSeconds) + 3)
        _ = unsafe write(stop.rawValue, "x", 1)
        acceptor.join()
        node.drain()
        log.notice("Stopped.")
        log.reportSuppressed()
    }

    /// Feeds the watchdog until a signal comes.
    ///
    /// - Returns: The signal.
    private static func watch(
        _ node: Node, until signals: sigset_t, _ notifier: ServiceNotifier, _ log: Log
    ) -> Int32 {
        var signals = signals
        let interval = ServiceNotifier.watchdogInterval() ?? .seconds(4)
        // Asked four times per interval, so that one slow turn is not mistaken for a hang.
        let nanoseconds = max(1_000_000, Int(interval / .nanoseconds(1)) / 4)
        var pause = timespec(
            tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        var seen = node.heartbeats
        node.requestHeartbeats()
        while true {
            let signal = unsafe sigtimedwait(&signals, nil, &pause)
            if signal == SIGTERM || signal == SIGINT { return signal }
            let beats = node.heartbeats
            if zip(beats, seen).allSatisfy({ $0 != $1 }) {
                notifier.feedWatchdog()
                seen = beats
                node.requestHeartbeats()
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

    /// Takes over the signals that stop the daemon, and ignores what closed sockets send.
    private static func blockSignals() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe sigaddset(&signals, SIGINT)
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
func complain(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
