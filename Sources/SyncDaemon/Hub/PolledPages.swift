// For which long polls readers are asked: so many at a time, and tenants in turn.

import Basis
import EventModel

/// The polls of one reactor whose pages are being read, or wait to be looked at, and those that
/// wait for a place among them.
///
/// Each page is a copy of what memory has no more, encoded. Thousands of polls that miss the same
/// events would hold as many copies, while a turn answers a few.
struct PolledPages {
    private let max: Int
    /// No tenant has all places, however long its pages take to be read.
    private let maxPerTenant: Int
    /// Which have a place now, and whose they are.
    private var held: [SessionID: ExactText] = [:]
    private var heldOfTenant: [ExactText: Int] = [:]
    /// Those who wait and may have another.
    private var turns = FairTurns<ExactText>()
    private var waiting: [ExactText: Queue<LongPoll>] = [:]
    private var waitingCount = 0
    /// Of those that wait, how many have ended meanwhile.
    private var endedCount = 0

    /// - Parameter bytesMax: Of all pages together.
    init(bytesMax: Int) {
        // One that is asked for and one that is served: else readers would rest meanwhile.
        max = Swift.max(2, bytesMax / Limits.catchUpBytesMax)
        maxPerTenant = Swift.max(1, max * 3 / 4)
    }

    /// Has a poll wait for its turn.
    mutating func wait(_ poll: LongPoll) {
        let tenant = poll.tenant
        waiting[tenant, default: Queue()].append(poll)
        waitingCount += 1
        if heldOfTenant[tenant, default: 0] < maxPerTenant { turns.enter(tenant) }
    }

    /// The poll whose turn it is, which has a place from now on; `nil`: there is none, or none
    /// waits.
    mutating func next() -> LongPoll? {
        while held.count < max, let tenant = turns.next() {
            guard let poll = waiting[tenant]?.popFirst() else {
                preconditionFailure("Who has a turn has a poll.")
            }
            waitingCount -= 1
            let isWanted = poll.state == .queued
            if isWanted {
                turns.charge(tenant, 1)
                held[poll.request.session] = tenant
                heldOfTenant[tenant, default: 0] += 1
            } else {
                endedCount -= 1
            }
            if waiting[tenant]?.isEmpty == true { waiting[tenant] = nil }
            if waiting[tenant] == nil || heldOfTenant[tenant, default: 0] >= maxPerTenant {
                turns.rest(tenant)
            }
            if isWanted { return poll }
        }
        return nil
    }

    /// Takes the place of a poll back, if it has one.
    mutating func leave(_ poll: LongPoll) {
        guard let tenant = held.removeValue(forKey: poll.request.session) else { return }
        let left = heldOfTenant[tenant, default: 0] - 1
        heldOfTenant[tenant] = left > 0 ? left : nil
        if waiting[tenant] != nil { turns.enter(tenant) }
    }

    /// Hears that a poll has ended that waits.
    mutating func ended() {
        endedCount += 1
        guard endedCount > waitingCount / 2 + 64 else { return }
        for tenant in Array(waiting.keys) {
            _ = waiting[tenant]?.removeAll { $0.state != .queued }
            guard waiting[tenant]?.isEmpty == true else { continue }
            waiting[tenant] = nil
            turns.rest(tenant)
        }
        waitingCount -= endedCount
        endedCount = 0
    }

    func checkInvariants(of open: [SessionID: LongPoll]) {
        precondition(held.count <= max, "No more pages are read than there is room for.")
        for session in held.keys {
            precondition(
                open[session].map { $0.state == .reading || $0.page != nil } ?? false,
                "Who has a place has a page, or waits for one.")
        }
        let polls = waiting.values.reduce(0) { $0 + $1.count }
        precondition(polls == waitingCount, "Who waits for a place is counted.")
    }
}

extension LongPoll {
    /// Whose it is.
    fileprivate var tenant: ExactText {
        ExactText(
            request.interests.first?.channel.keyset ?? request.groups.first?.group.keyset ?? "")
    }
}
