// Presence with two clocks that a test turns, and its announcements as short texts.

import EventModel
import Testing

@testable import SyncDaemon

/// One tenant's presence, driven by hand.
final class PresenceBench {
    let presence: Presence
    let keyset: String
    private(set) var now = Presence.Instant(milliseconds: 10_000, wallSeconds: 1_700_000_010)

    init(_ keyset: Keyset = Keyset(subscribeKey: "k"), bounds: Presence.Bounds = .init()) {
        self.keyset = keyset.subscribeKey
        presence = Presence(keysets: Keysets([keyset]), bounds: bounds)
    }

    func member(_ userID: String) -> Presence.Member {
        Presence.Member(userID: userID, keyset: keyset)
    }

    @discardableResult
    func beat(
        _ userID: String, _ channels: String..., seconds: Int = 300, state: String? = nil
    ) -> Presence.Refusal? {
        let states = state.map { text in
            Dictionary(uniqueKeysWithValues: channels.map { (ExactText($0), text) })
        }
        return presence.beat(
            member(userID), channels: channels, seconds: seconds, states: states ?? [:], at: now)
    }

    /// The start of a poll.
    func poll(_ userID: String, _ channels: String..., seconds: Int? = nil) {
        presence.beat(
            member(userID), channels: channels, seconds: seconds, isPoll: true, at: now)
    }

    func leave(_ userID: String, _ channels: String...) {
        presence.leave(member(userID), channels: channels, at: now)
    }

    @discardableResult
    func setState(_ userID: String, _ channels: String..., to state: String) -> Presence.Refusal? {
        presence.setState(member(userID), channels: channels, state: state, at: now)
    }

    /// The state of a user in one channel.
    func state(_ userID: String, _ channel: String) -> String? {
        presence.state(of: member(userID), channels: [channel])[0].state
    }

    /// Ids of the users of a channel, in the order of the answer.
    func users(_ channel: String, limit: Int = 1000, offset: Int = 0) -> [String] {
        let page = Presence.Page(limit: limit, offset: offset)
        return presence.occupancy(of: [channel], keyset: keyset, page: page)[0].users.map(\.userID)
    }

    /// Lets time pass as a thread does that wakes at each deadline, and collects what goes out.
    func pass(milliseconds: UInt64) -> [Presence.Announcement] {
        let end = now.milliseconds + milliseconds
        var published: [Presence.Announcement] = []
        while let deadline = presence.nextDeadline, deadline <= end {
            move(to: max(deadline, now.milliseconds))
            published += presence.advance(to: now)
            guard let next = presence.nextDeadline, next <= deadline else { continue }
            Issue.record("advance at \(deadline) left the deadline at \(next)")
            break
        }
        move(to: end)
        return published + presence.advance(to: now)
    }

    /// What goes out while time passes, without the channels.
    func notices(after milliseconds: UInt64) -> [String] {
        pass(milliseconds: milliseconds).map(\.notice.text)
    }

    /// Moves the clocks and tells nobody.
    func move(to milliseconds: UInt64) {
        now = Presence.Instant(
            milliseconds: milliseconds, wallSeconds: 1_700_000_000 + milliseconds / 1000)
    }
}

extension PresenceNotice {
    /// For example `join ada 1 {"a":1}`, and `interval 3 +[ada] -[bob] ~[cy]`.
    var text: String {
        guard action == .interval else {
            return [action.rawValue, userID, "\(occupancy)", state].compactMap(\.self)
                .joined(separator: " ")
        }
        let lists = [("+", joined), ("-", left), ("~", timedOut)].filter { !$0.1.isEmpty }
            .map { " \($0)[\($1.joined(separator: ","))]" }
        return "interval \(occupancy)" + lists.joined() + (needsRefresh ? " refresh" : "")
    }
}
