// What `top` knows of a daemon at one moment. Pure.

import Basis
import JSON

/// What is shown of it.
struct TopScene: Hashable, Sendable {
    struct Tenant: Hashable, Sendable {
        var keyset: String
        var connections = 0
        var subscriptions = 0
        var channels = 0
        var storedBytes = 0
        /// Connections, writes and the like that its quotas did not let in.
        var refused = 0
        var rateLimited = 0
    }

    struct Session: Hashable, Sendable {
        var id: String
        var user: String
        var device: String
        var address: String
        var kind: String
        var subscriptions: Int
        var queuedBytes: Int
        /// As the daemon writes a moment: later ones are greater.
        var since: String
    }

    /// Such as its version.
    var title = ""
    /// What the daemon itself says is wrong, or why it says nothing.
    var troubles: [String] = []
    /// `nil`: there was one reading only.
    var interval: StatsInterval?
    var tenants: [Tenant] = []
    var sessions: [Session] = []
}

extension TopScene {
    /// Takes what the daemon answers to operators; what an earlier release leaves out is empty.
    init(status: JSONValue, tenants: JSONValue, sessions: JSONValue) {
        let version = status.text("version")
        let serves = status.member("serves")?.bool == false ? ", serves nobody now" : ""
        title =
            "syncdaemon \(version), process \(status.number("pid")), since "
            + "\(status.text("since").prefix(19).replacing("T", with: " ")) UTC\(serves)"
        troubles = status.elements("troubles").map { trouble in
            trouble.string ?? trouble.member("text")?.string ?? trouble.compactText
        }
        self.tenants = tenants.elements("tenants").map { tenant in
            func held(_ name: String) -> Int { tenant.member(name)?.number("held") ?? 0 }
            return Tenant(
                keyset: tenant.text("keyset"), connections: held("connections"),
                subscriptions: held("subscriptions"), channels: held("channels"),
                storedBytes: held("stored_bytes"),
                refused: tenant.members.reduce(0) {
                    $0.addingClamped($1.value.number("refused"))
                },
                rateLimited: tenant.number("rateLimited"))
        }
        self.sessions = sessions.elements("sessions").map { session in
            Session(
                id: session.text("id"), user: session.text("user"),
                device: session.text("device"), address: session.text("address"),
                kind: session.text("kind"), subscriptions: session.number("subscriptions"),
                queuedBytes: session.number("queuedBytes"), since: session.text("since"))
        }
    }
}

extension JSONValue {
    fileprivate func text(_ name: String) -> String { member(name)?.string ?? "-" }

    fileprivate func number(_ name: String) -> Int {
        guard isObject, let value = member(name) else { return 0 }
        if let integer = value.integer { return Int(clamping: integer) }
        let real: Double = value.number ?? 0
        return Int(exactly: real.rounded(.towardZero)) ?? (real < 0 ? .min : .max)
    }

    fileprivate func elements(_ name: String) -> [JSONValue] {
        guard let list = member(name), list.isArray else { return [] }
        return (0..<list.count).map { list.element(at: $0) }
    }
}
