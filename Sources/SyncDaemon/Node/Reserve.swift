// A daemon in reserve: it waits until the one that serves is gone.

import EventModel
import Glibc

/// What a daemon does until it is its turn.
struct Reserve {
    let server: DatabaseServer
    let schema: String
    let log: Log
    private let notifier = ServiceNotifier()
    private var lastWords = ""
    /// Why it could not serve when it was its turn.
    private var hindrance: String?

    init(server: DatabaseServer, schema: String, log: Log) {
        (self.server, self.schema, self.log) = (server, schema, log)
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
    /// - Returns: The signal that ended the wait; `nil`: the schema is free, for now.
    mutating func wait(until signals: sigset_t) -> Int32? {
        var (signals, watch) = (signals, SeatWatch?.none)
        var pause = Clock.span(nanoseconds: Limits.seatLookMilliseconds * 1_000_000)
        while true {
            do throws(StoreError) {
                if watch == nil { watch = try SeatWatch(target: server.text, schema: schema) }
                switch try watch?.look() ?? .taken {
                case .free:
                    guard let hindrance else { return nil }
                    say(hindrance)
                    // It is tried again after a pause.
                    self.hindrance = nil
                case .taken: say("In reserve: another daemon serves.", isNormal: true)
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
            case SIGTERM: return SIGTERM
            case SIGINT: return SIGINT
            case SIGQUIT: return SIGQUIT
            default: log.reportSuppressed()
            }
        }
    }
}
