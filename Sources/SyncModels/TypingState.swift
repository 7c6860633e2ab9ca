// Who types, by the convention in docs/PROTOCOL.md ("signal"). Pure.

import EventModel
import JSON

/// Those who said so a moment ago, and when they have to say it again.
struct TypingState {
    /// Who types says so this often at most.
    static let pause = Duration.seconds(3)
    /// Nobody types longer than this after having said so.
    static let expiry = Duration.seconds(6)
    /// More than a screen shows: what others send must not grow without end.
    static let usersMax = 50

    static let started = Message(payload: #"{"typing":true}"#)
    static let ended = Message(payload: #"{"typing":false}"#)

    private struct Typist {
        let user: ExactText
        var until: Duration
        var heard: Timetoken
    }

    /// Who began first is first.
    private var typists: [Typist] = []

    var users: [String] { typists.map(\.user.string) }

    /// When the next of them has not said so for too long; `nil`: nobody types.
    var next: Duration? { typists.map(\.until).min() }

    /// - Returns: Whether the payload is of the convention; `nil`: it is another signal.
    static func typing(in payload: String) -> Bool? {
        (try? JSONValue(parsing: payload))?.member("typing")?.bool
    }

    /// Hears somebody's signal.
    mutating func hear(_ isTyping: Bool, of user: String, at heard: Timetoken, now: Duration) {
        let index = typists.firstIndex { $0.user == ExactText(user) }
        switch (index, isTyping) {
        case (let index?, true):
            typists[index].until = now + Self.expiry
            typists[index].heard = heard
        case (let index?, false): typists.remove(at: index)
        case (nil, true) where typists.count < Self.usersMax:
            typists.append(
                Typist(user: ExactText(user), until: now + Self.expiry, heard: heard))
        case (nil, _): break
        }
    }

    /// A message of that user is there; an older one, which a page brought, ends nothing.
    mutating func wrote(_ user: String, at position: Timetoken) {
        typists.removeAll { $0.user == ExactText(user) && $0.heard < position }
    }

    mutating func expire(at now: Duration) {
        typists.removeAll { $0.until <= now }
    }

    mutating func reset() {
        typists = []
    }
}
