// Random beats, leaves, states and jumps of time: presence and its model stay equal.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// Presence and its model, told the same and asked the same.
private struct PresencePair {
    let presence: Presence
    var model: PresenceModel
    var choices: SeededGenerator
    var now = Presence.Instant(milliseconds: 1, wallSeconds: 1_700_000_000)
    /// How much went out, by kind.
    var published: [PresenceNotice.Action: Int] = [:]

    let users = (0..<9).map { "user \($0)" }
    let channels = ["a", "b", "c"]
    let states = [#"{"a":1}"#, #"{"b":"two"}"#, "{}"]

    init(seed: UInt64) {
        choices = SeededGenerator(seed: seed)
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.announceMax = choices.pick([0, 2, 4, 20])
        keyset.defaults.sendsDeltas = choices.chance(70)
        keyset.defaults.intervalSeconds = choices.pick([10, 17])
        var bounds = Presence.Bounds()
        bounds.absentStates = 5
        bounds.memberships = choices.pick([18, 1000])
        presence = Presence(keysets: Keysets([keyset]), bounds: bounds)
        model = PresenceModel(keyset: keyset, bounds: bounds)
    }

    mutating func step() {
        let userID = choices.pick(users)
        let member = Presence.Member(userID: userID, keyset: "k")
        let some = channels.filter { _ in choices.chance(50) }
        switch choices.below(10) {
        case 0..<5:
            let seconds = choices.pick([20, 20, 25, 60])
            var states: [ExactText: String] = [:]
            for channel in some where choices.chance(20) {
                states[ExactText(channel)] = choices.pick(self.states)
            }
            presence.beat(member, channels: some, seconds: seconds, states: states, at: now)
            for channel in some {
                model.beat(
                    userID, channel, seconds: seconds, state: states[ExactText(channel)], at: now)
            }
        case 5..<7:
            presence.leave(member, channels: some, at: now)
            for channel in some { model.leave(userID, channel, at: now) }
        case 7:
            let state = choices.pick(states)
            presence.setState(member, channels: some, state: state, at: now)
            for channel in some { model.setState(userID, channel, to: state, at: now) }
        default:
            let passed = UInt64(choices.below(choices.pick([10, 1000, 1000, 8000, 30_000])))
            now.milliseconds += passed
            // The wall clock does as it likes.
            now.wallSeconds += UInt64(choices.below(9))
            advance()
        }
        compare()
    }

    private mutating func advance() {
        let announcements = presence.advance(to: now)
        let expected = model.advance(to: now)
        for announcement in announcements { published[announcement.notice.action, default: 0] += 1 }
        // In one channel the order is the order of the facts; channels are independent.
        for name in channels {
            let channel = Channel(name, keyset: "k").presence
            #expect(
                announcements.filter { $0.channel == channel }.map(\.notice)
                    == expected.filter { $0.channel == name }.map(\.notice))
        }
        #expect(announcements.count == expected.count)
        let isSilent = presence.nextDeadline.map { $0 > now.milliseconds } ?? true
        #expect(isSilent, "advance left something that was due")
    }

    private mutating func compare() {
        let limit = choices.below(10), offset = choices.below(10)
        let page = Presence.Page(includesState: true, limit: limit, offset: offset)
        let expected = channels.map { channel in
            let users = model.users(channel)
            return Occupancy(
                channel: channel, count: users.count,
                users: users.dropFirst(offset).prefix(limit).map {
                    Occupant(userID: $0, state: model.state($0, channel))
                })
        }
        #expect(presence.occupancy(of: channels, keyset: "k", page: page) == expected)
        let survey = presence.occupancyEverywhere(keyset: "k", page: page)
        #expect(survey.channels == expected.filter { $0.count > 0 })
        #expect(survey.occupancy == model.memberships.count)
        let userID = choices.pick(users)
        let member = Presence.Member(userID: userID, keyset: "k")
        let states = presence.state(of: member, channels: channels).map(\.state)
        #expect(states == channels.map { model.state(userID, $0) })
        let places = model.memberships.filter { $0.userID == userID }.map(\.channel).sorted()
        #expect(presence.channels(of: member) == places)
        #expect(presence.absentStates.count == model.absent.count)
    }

    /// Everybody vanishes, and then nothing is left to do.
    mutating func end() {
        while let deadline = presence.nextDeadline {
            now.milliseconds = max(now.milliseconds, deadline)
            advance()
        }
        #expect(presence.membershipCount == 0)
        #expect(presence.tenants.isEmpty)
    }
}

@Suite("Presence and its model")
struct PresenceModelTests {
    @Test("agree on who is where and on what is announced", arguments: UInt64(1)...60)
    func agree(seed: UInt64) {
        var pair = PresencePair(seed: seed)

        for _ in 0..<400 { pair.step() }
        pair.end()

        let kinds: [PresenceNotice.Action] =
            pair.model.keyset.defaults.announceMax == 20 ? [.join, .leave, .timeout] : [.interval]
        for kind in kinds + [.stateChange] {
            #expect(pair.published[kind, default: 0] > 3, "seed \(seed): hardly any \(kind)")
        }
    }
}
