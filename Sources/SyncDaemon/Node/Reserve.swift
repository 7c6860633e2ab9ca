// A daemon that finds its schema in use: it waits until the one that serves is gone, or follows it.

import EventModel
import Glibc

/// What a daemon does until it is its turn.
struct Reserve {
    /// What its wait came to.
    enum Turn {
        /// The schema is free, for now.
        case serves
        /// The daemon that serves has let it in.
        case follows(LinkConnection)
        case ends(signal: Int32)
    }

    let server: DatabaseServer
    let schema: String
    /// How it finds the others of its cluster; `nil`: it has none.
    let cluster: ClusterSettings?
    let log: Log
    private let notifier = ServiceNotifier()
    private var lastWords = ""
    /// Why it could not serve when it was its turn.
    private var hindrance: String?

    /// - Returns: `nil` where a schema that is in use is a mistake.
    init?(_ configuration: Configuration, log: Log) {
        guard let server = configuration.storeServer,
            configuration.waitsInReserve || configuration.cluster != nil
        else { return nil }
        (self.server, schema) = (server, configuration.storeSchema)
        (cluster, self.log) = (configuration.cluster, log)
    }

    private mutating func say(_ words: String, isNormal: Bool = false) {
        // Once, however often it is seen.
        guard words != lastWords else { return }
        lastWords = words
        if isNormal {
            log.notice(words, ["schema": schema])
        } else {
            log.warning(words, ["schema": schema])
        }
        notifier.ready(status: words)
    }

    /// Hears why the daemon could not start though it was its turn.
    ///
    /// - Returns: Whether that may pass, so that it is to wait again.
    mutating func hears(_ error: StartError) -> Bool {
        switch error {
        // Another one was faster.
        case .store(.inUse): hindrance = nil
        case .store(let error):
            guard case .server = error else { return false }
            hindrance = "In reserve, and the database cannot be served. \(error)"
        default: return false
        }
        return true
    }

    /// Waits, and feeds the watchdog meanwhile.
    ///
    /// - Parameter signals: Those that end the daemon, among others.
    mutating func wait(until signals: sigset_t) -> Turn {
        var (signals, watch) = (signals, SeatWatch?.none)
        var pause = Clock.span(nanoseconds: Limits.seatLookMilliseconds * 1_000_000)
        while true {
            do throws(StoreError) {
                if watch == nil { watch = try SeatWatch(target: server.text, schema: schema) }
                switch try watch?.look() ?? .taken(by: "") {
                case .free:
                    guard let hindrance else { return .serves }
                    say(hindrance)
                    // It is tried again after a pause.
                    self.hindrance = nil
                case .taken(let address):
                    if let connection = follow(address) { return .follows(connection) }
                case .ended:
                    say("In reserve: the daemon that serves is silent. Its session is told to end.")
                case .silent:
                    say(
                        "In reserve: the daemon that serves is silent, and its session cannot be"
                            + " ended. The server keeps it waiting, or another role has it.")
                }
            } catch {
                watch = nil
                say("In reserve, and the database cannot be asked. \(error)")
            }
            notifier.feedWatchdog()
            switch unsafe sigtimedwait(&signals, nil, &pause) {
            case SIGTERM: return .ends(signal: SIGTERM)
            case SIGINT: return .ends(signal: SIGINT)
            case SIGQUIT: return .ends(signal: SIGQUIT)
            default: log.reportSuppressed()
            }
        }
    }

    /// Asks the daemon that serves to be let in, if there is a cluster.
    private mutating func follow(_ address: String) -> LinkConnection? {
        guard let cluster, let place = ListenAddress(address) else {
            say(
                cluster == nil || address.isEmpty
                    ? "In reserve: another daemon serves."
                    : "In reserve: another daemon serves, and nobody finds it at \(address).",
                isNormal: true)
            return nil
        }
        do throws(LinkEnd) {
            return try LinkConnection(to: place, key: cluster.key)
        } catch {
            say("In reserve: the daemon that serves cannot be followed at \(address): \(error).")
            return nil
        }
    }
}
