// How long the certificate still holds, and who is told when that is not long.

import Basis
import EventModel

/// Knows when the certificate of new connections ends; any thread may ask.
final class CertificateWatch: Sendable {
    private struct State {
        /// In seconds since 1970; `nil` without TLS.
        var expiry: Int?
        /// When its end was last spoken of.
        var spoken: Int?
    }

    private let state: Locked<State>
    private let log: Log

    private static let secondsPerDay = 86_400

    init(_ identity: TLSIdentity?, log: Log) {
        self.log = log
        state = Locked(State(expiry: identity?.expiry))
    }

    /// New connections are shown another one.
    func take(_ identity: TLSIdentity?) {
        // Without one the old one is shown on.
        guard let identity else { return }
        state.withLock { $0 = State(expiry: identity.expiry) }
    }

    /// Negative when it has ended; `nil` without TLS.
    func secondsLeft(at seconds: Int) -> Int? {
        state.withLock { $0.expiry.map { $0 - seconds } }
    }

    /// Says what is to be said; called about once a second.
    ///
    /// - Parameter seconds: Now, since 1970.
    func look(at seconds: Int, _ health: Health) {
        let left: Int? = state.withLock { state in
            guard let left = state.expiry.map({ $0 - seconds }) else { return nil }
            // Who read the configuration has said so the first time.
            let isDue = state.spoken.map { seconds - $0 >= Self.secondsPerDay }
            if Self.isSoon(left), isDue ?? true { state.spoken = seconds }
            return Self.isSoon(left) && isDue == true ? left : nil
        }
        if let left { log.warning(Self.text(secondsLeft: left), ["setting": "[tls]"]) }
        guard let left = secondsLeft(at: seconds) else { return }
        health.set(.certificateExpired, left <= 0, Self.text(secondsLeft: left))
    }

    /// Whether somebody should do something by now.
    static func isSoon(_ secondsLeft: Int) -> Bool {
        secondsLeft <= Limits.certificateDays * secondsPerDay
    }

    static func text(secondsLeft: Int) -> String {
        let days = secondsLeft / secondsPerDay
        let cure = " Have it renewed, and send SIGHUP (systemctl reload syncdaemon)."
        if secondsLeft <= 0 { return "The certificate has expired: clients refuse it." + cure }
        return "The certificate expires in \(days) day\(days == 1 ? "" : "s")." + cure
    }
}
