// Sessions that are to hear what reactions there are from now on, a few in each turn.

import Basis
import EventModel
import JSON

/// Who has not been told of a change of the settings yet.
struct RulesNews {
    private var waiting = Queue<SessionID>()
    /// What held when they last heard of it; `nil`: unknown, so that they are told of everything.
    private var before: Keysets?

    var isEmpty: Bool { waiting.isEmpty }

    /// Has all sessions hear of what is different now.
    mutating func begin(_ sessions: some Sequence<SessionID>, before: Keysets) {
        // Who has not heard of the last change yet may know anything.
        self.before = waiting.isEmpty ? before : nil
        waiting = Queue()
        for session in sessions { waiting.append(session) }
    }

    /// Tells some of them.
    ///
    /// - Parameter subscriptionsMax: Subscriptions that are looked at, at least one session's.
    mutating func tell(_ hub: Hub, _ keysets: Keysets, subscriptionsMax: Int) {
        var rest = subscriptionsMax
        while rest > 0, let id = waiting.popFirst() {
            guard let session = hub.sessions[id], !session.isClosing else { continue }
            rest -= max(1, session.subscriptions.count)
            endLive(of: session, hub, keysets)
            let changed = session.subscriptions.keys.filter { channel in
                before.map { before in
                    before.settings(of: channel).reactions
                        != keysets.settings(of: channel).reactions
                } ?? true
            }
            guard !changed.isEmpty else { continue }
            hub.outlet.send(session) { json in
                Self.encode(changed, keysets, into: &json)
            }
        }
        if waiting.isEmpty { before = nil }
    }

    /// Ends live queries that mean something else now.
    private func endLive(of session: Session, _ hub: Hub, _ keysets: Keysets) {
        for query in session.live?.all.values.map(\.self) ?? [] {
            let rules = keysets.settings(of: query.topic.channel).reactions
            if query.asked.named(under: rules) != query.filter {
                hub.live.end(query, because: .rulesChanged)
            }
        }
    }

    private static func encode(
        _ channels: [Channel], _ keysets: Keysets, into json: inout JSONWriter
    ) {
        var rules = RulesEncoder()
        json.beginObject()
        json.beginArray("channels")
        for channel in channels {
            json.beginObject()
            json.member("name", channel.name)
            rules.encode(keysets.settings(of: channel).reactions, into: &json)
            json.endObject()
        }
        json.endArray()
        rules.end(into: &json, isNeeded: true)
        json.endObject()
    }
}
