// What the world hears of joins, leaves and states, and when.

import EventModel

extension Presence {
    // MARK: Time

    /// When to call `advance` next, in milliseconds of the clock that never steps back.
    ///
    /// `nil` when nothing is scheduled: then nothing happens before the next call of something
    /// else.
    var nextDeadline: UInt64? {
        // With a full outbox nothing else is due before something has left it.
        guard outbox.count < bounds.announcements else { return outbox.nextDue }
        let deadlines = [nextTick?.milliseconds, outbox.nextDue]
        return deadlines.compactMap(\.self).min()
    }

    private var nextTick: PresenceTick? {
        [expiries.nextTick, intervals.nextTick].compactMap(\.self).min()
    }

    /// Ends what is over and returns what is to be published now, in order.
    ///
    /// Of each no more than a step's worth: the rest is due at once.
    ///
    /// While too many announcements wait, nobody times out: they do when those have gone out.
    func advance(to now: Instant) -> [Announcement] {
        let published = outbox.takeDue(at: now.milliseconds, atMost: bounds.perStep)
        var ended = 0
        while ended < bounds.perStep, outbox.count < bounds.announcements, let tick = nextTick,
            tick.milliseconds <= now.milliseconds
        {
            if tick == expiries.nextTick {
                let due = expiries.takeDue(atMost: bounds.perStep)
                for membership in due.sorted(by: { $0.serial < $1.serial }) {
                    remove(membership, .timedOut, at: now)
                }
                ended += due.count
            } else {
                let due = intervals.takeDue(atMost: bounds.perStep)
                for room in due {
                    announceInterval(of: room, occupancy: room.occupancy, at: now)
                }
                ended += due.count
            }
        }
        return published
    }

    // MARK: Announcing

    /// Announces a change of who is in a channel, or saves it for the next interval.
    func announce(
        _ change: PresenceDeltas.Change, of membership: PresenceMembership, at now: Instant
    ) {
        let room = membership.room
        guard room.occupancy <= max(0, room.settings.announceMax) else {
            note(change, of: membership, at: now)
            return
        }
        // Only somebody who goes can end the time of intervals; one closes it, as of just before.
        announceInterval(of: room, occupancy: room.occupancy + 1, at: now)
        let notice = PresenceNotice(
            action: change.action, userID: membership.user.id.string, occupancy: room.occupancy,
            seconds: now.wallSeconds, state: change == .joined ? membership.state : nil)
        outbox.append(
            Announcement(channel: room.channel.presence, notice: notice), at: now.milliseconds)
    }

    /// Announces a state, however many are in the channel: intervals do not speak of states.
    func announceState(of membership: PresenceMembership, at now: Instant) {
        let room = membership.room
        let notice = PresenceNotice(
            action: .stateChange, userID: membership.user.id.string, occupancy: room.occupancy,
            seconds: now.wallSeconds, state: membership.state ?? "{}")
        outbox.append(
            Announcement(channel: room.channel.presence, notice: notice), at: now.milliseconds)
    }

    private func note(
        _ change: PresenceDeltas.Change, of membership: PresenceMembership, at now: Instant
    ) {
        let room = membership.room
        if room.news == nil {
            room.news = PresenceDeltas()
            let span = UInt64(max(1, room.settings.intervalSeconds)) * 1000
            room.deadline = PresenceTick(notBefore: now.milliseconds + span)
            intervals.schedule(room)
        }
        if room.settings.sendsDeltas { room.news?.note(change, of: membership.user.id) }
    }

    /// Announces a busy channel as a whole, if anybody came or went since the last time.
    ///
    /// PubNub repeats itself every interval; what has not changed is not worth waking its
    /// followers.
    private func announceInterval(of room: PresenceRoom, occupancy: Int, at now: Instant) {
        guard let news = room.news else { return }
        room.news = nil
        var notice = PresenceNotice(
            action: .interval, occupancy: occupancy, seconds: now.wallSeconds)
        notice.needsRefresh = news.isTooLong
        notice.joined = news.users(.joined)
        notice.left = news.users(.left)
        notice.timedOut = news.users(.timedOut)
        outbox.append(
            Announcement(channel: room.channel.presence, notice: notice), at: now.milliseconds)
    }
}

extension PresenceDeltas.Change {
    fileprivate var action: PresenceNotice.Action {
        switch self {
        case .joined: .join
        case .left: .leave
        case .timedOut: .timeout
        }
    }
}
