// A daemon in reserve: it waits until the one that serves is gone.

import EventModel
import Glibc

/// What a daemon does until it is its turn.
struct Reserve {
    let server: DatabaseServer
    let schema: String
    let log: Log

    /// Waits, and feeds the watchdog meanwhile.
    ///
    /// - Parameter signals: Those that end the daemon, among others.
    /// - Returns: The signal that ended the wait; `nil`: the schema is free, for now.
    func wait(until signals: sigset_t) -> Int32? {
        var (signals, watch) = (signals, SeatWatch?.none)
        var pause = Clock.span(nanoseconds: Limits.seatLookMilliseconds * 1_000_000)
        let notifier = ServiceNotifier()
        var lastWords = ""
        func say(_ words: String, isNormal: Bool = false) {
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
        while true {
            do throws(StoreError) {
                if watch == nil { watch = try SeatWatch(target: server.text, schema: schema) }
                switch try watch?.look() ?? .taken {
                case .free: return nil
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
