// Presence in the simplest way that is right: lists that are searched from end to end.

import EventModel

@testable import SyncDaemon

/// What `Presence` must agree with, for one tenant.
struct PresenceModel {
    struct Membership {
        let channel: String
        let userID: String
        var tick: UInt64
        var state: String?
    }

    /// A change that waits for an interval, and who was in before the first of them.
    struct News {
        let before: Set<String>
        let tick: UInt64
        /// How each user last left.
        var ends: [String: PresenceNotice.Action] = [:]
    }

    let keyset: Keyset
    let bounds: Presence.Bounds
    /// In the order in which they joined.
    private(set) var memberships: [Membership] = []
    /// In the order in which they were set.
    private(set) var absent: [(channel: String, userID: String, state: String)] = []
    private var news: [String: News] = [:]
    private var waiting: [(due: UInt64, channel: String, notice: PresenceNotice)] = []

    init(keyset: Keyset, bounds: Presence.Bounds) {
        self.keyset = keyset
        self.bounds = bounds
    }

    func users(_ channel: String) -> [String] {
        memberships.filter { $0.channel == channel }.map(\.userID).sorted()
    }

    func state(_ userID: String, _ channel: String) -> String? {
        let membership = memberships.first { $0.channel == channel && $0.userID == userID }
        let waiting = absent.first { $0.channel == channel && $0.userID == userID }
        return membership.map(\.state) ?? waiting?.state
    }

    mutating func beat(
        _ userID: String, _ channel: String, seconds: Int, state: String?, at now: Presence.Instant
    ) {
        let tick = (now.milliseconds + UInt64(seconds) * 1000 + 249) / 250
        if let index = index(userID, channel) {
            memberships[index].tick = tick
            if let state { change(index, to: state, at: now) }
        } else if memberships.count < bounds.memberships {
            let before = Set(users(channel))
            let state = state ?? self.state(userID, channel)
            forgetAbsent(userID, channel)
            memberships.append(
                Membership(
                    channel: channel, userID: userID, tick: tick,
                    state: state == "{}" ? nil : state))
            tell(.join, userID, channel, before: before, state: state, at: now)
        }
    }

    mutating func leave(_ userID: String, _ channel: String, at now: Presence.Instant) {
        forgetAbsent(userID, channel)
        if let index = index(userID, channel) { end(index, .leave, at: now) }
    }

    mutating func setState(
        _ userID: String, _ channel: String, to state: String, at now: Presence.Instant
    ) {
        if let index = index(userID, channel) { return change(index, to: state, at: now) }
        forgetAbsent(userID, channel)
        guard state != "{}" else { return }
        absent.append((channel, userID, state))
        if absent.count > bounds.absentStates { absent.removeFirst() }
    }

    /// - Returns: Channel names and notices.
    mutating func advance(to now: Presence.Instant) -> [(channel: String, notice: PresenceNotice)] {
        let ticks = memberships.map(\.tick) + news.values.map(\.tick)
        for tick in Set(ticks).sorted() where tick * 250 <= now.milliseconds {
            while let index = memberships.firstIndex(where: { $0.tick == tick }) {
                end(index, .timeout, at: now)
            }
            for (channel, item) in news where item.tick == tick {
                tellInterval(channel, after: Set(users(channel)), at: now)
            }
        }
        let count = waiting.prefix { $0.due <= now.milliseconds }.count
        defer { waiting.removeFirst(count) }
        return waiting.prefix(count).map { ($0.channel, $0.notice) }
    }

    private func index(_ userID: String, _ channel: String) -> Int? {
        memberships.firstIndex { $0.channel == channel && $0.userID == userID }
    }

    private mutating func forgetAbsent(_ userID: String, _ channel: String) {
        absent.removeAll { $0.channel == channel && $0.userID == userID }
    }

    private mutating func change(_ index: Int, to state: String, at now: Presence.Instant) {
        let membership = memberships[index]
        guard (membership.state ?? "{}") != state else { return }
        memberships[index].state = state == "{}" ? nil : state
        let notice = PresenceNotice(
            action: .stateChange, userID: membership.userID,
            occupancy: users(membership.channel).count, seconds: now.wallSeconds, state: state)
        waiting.append((now.milliseconds + 500, membership.channel, notice))
    }

    private mutating func end(
        _ index: Int, _ action: PresenceNotice.Action, at now: Presence.Instant
    ) {
        let membership = memberships[index]
        let before = Set(users(membership.channel))
        memberships.remove(at: index)
        tell(action, membership.userID, membership.channel, before: before, state: nil, at: now)
    }

    private mutating func tell(
        _ action: PresenceNotice.Action, _ userID: String, _ channel: String, before: Set<String>,
        state: String?, at now: Presence.Instant
    ) {
        let occupancy = users(channel).count
        if occupancy > keyset.defaults.announceMax {
            let tick =
                (now.milliseconds + UInt64(keyset.defaults.intervalSeconds) * 1000 + 249) / 250
            var item = news[channel] ?? News(before: before, tick: tick)
            item.ends[userID] = action
            news[channel] = item
        } else {
            tellInterval(channel, after: before, at: now)
            let notice = PresenceNotice(
                action: action, userID: userID, occupancy: occupancy, seconds: now.wallSeconds,
                state: state == "{}" ? nil : state)
            waiting.append((now.milliseconds + 500, channel, notice))
        }
    }

    private mutating func tellInterval(
        _ channel: String, after: Set<String>, at now: Presence.Instant
    ) {
        guard let item = news.removeValue(forKey: channel) else { return }
        var notice = PresenceNotice(
            action: .interval, occupancy: after.count, seconds: now.wallSeconds)
        if keyset.defaults.sendsDeltas {
            let gone = item.before.subtracting(after).sorted()
            notice.joined = after.subtracting(item.before).sorted()
            notice.left = gone.filter { item.ends[$0] == .leave }
            notice.timedOut = gone.filter { item.ends[$0] == .timeout }
        }
        waiting.append((now.milliseconds + 500, channel, notice))
    }
}
