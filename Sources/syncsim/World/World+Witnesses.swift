// Who watches a world, and when they are asked.

import Basis
import EventModel

@testable import SyncDaemon

/// Those who watch the daemon from outside; each device has a witness of its own beside.
struct Witnesses {
    var daemon = DaemonWitness()
    var polls = PollWitness()
    var presence = PresenceWitness()
    var retention = RetentionWitness()

    /// Another store is in the place of the present one.
    mutating func begin(with truth: Truth) {
        daemon.begin(with: truth)
        polls.forget()
        retention.forget()
    }
}

extension World {
    /// A daemon found a store, and runs.
    func begin(with store: SimulatedStore) throws(StoreError) {
        witnesses.presence.begin()
        report(try witnesses.daemon.begin(with: store))
    }

    /// A transaction ended, well or not.
    func witness(_ commit: Commit, of writes: [Write], _ store: SimulatedStore, failed: Bool) {
        tally.count("commit")
        report(witnesses.daemon.see(commit, of: writes, store, failed: failed))
        guard case .durable = store.outcome else { return }
        lastDurable = scheduler.now
        let early = witnesses.retention.see(
            commit, of: writes, store.operations, floor: store.tombstoneFloor,
            tombstoneSeconds: setting.tombstoneSeconds, at: scheduler.now)
        report(early.map { ("I10", $0) })
        if choices.chance(10) {
            report(witnesses.daemon.check(commit.digests, secret: store.secret))
        }
        if failed { tally.count("durable, but nobody was told") }
    }

    /// The reactors of a daemon are told of a step.
    func witness(_ step: Commit, of teller: SimulatedDaemon) {
        guard !teller.isFollowing else {
            for event in step.events { witnesses.polls.hear(event, life: teller.life) }
            return
        }
        guard teller === daemon else { return report(witnesses.daemon.seeLate(step)) }
        report(witnesses.daemon.see(step))
        for event in step.events {
            if let problem = witnesses.polls.see(event, life: life) { violation("I3", problem) }
            let now = scheduler.now / Microseconds.millisecond
            if let problem = witnesses.presence.see(event, at: now) { violation("I11", problem) }
        }
    }

    /// The presence of a daemon is told something; nobody counts on one whose term is over.
    func witness(_ request: PresenceRequest, of asked: SimulatedDaemon) {
        guard asked === daemon else { return }
        witnesses.presence.see(request, at: scheduler.now / Microseconds.millisecond)
    }

    /// A poll is answered.
    func witness(_ response: HTTPResponse, to ask: PollWitness.Ask, by userID: String) {
        guard let answer = PollAnswer(response.body) else {
            return violation("wire", "\(userID) cannot read what it polled")
        }
        tally.count("polled event", answer.events.count)
        let problems = witnesses.polls.see(
            answer, to: ask, truth, floor: floor, lineage: lineage)
        for problem in problems { violation("I3", "\(userID) \(problem)") }
    }

    /// Somebody with an SDK is told that a message is stored.
    func witness(published response: HTTPResponse) {
        // [1,"Sent","TIMETOKEN"]
        let text = String(decoding: response.body, as: UTF8.self)
        guard let timetoken = Timetoken(String(text.filter(\.isNumber).dropFirst())) else {
            return violation("wire", "a publish was answered with \(text)")
        }
        if !truth.timetokens.contains(timetoken) {
            violation("I9", "\(timetoken) was acknowledged, and is not durable")
        }
    }

    /// Whether there is nothing that somebody with this cursor has to be told.
    func owes(nothingAfter cursor: Timetoken, in interests: PollInterests) -> Bool {
        guard let daemon else { return false }
        let channels = interests.resolved(daemon.groups)
        let owed = truth.owed(after: cursor, through: .end, floor: floor) { channel in
            channels.contains { $0.covers(channel) }
        }
        return owed.isEmpty
    }

    /// Everything that is durable is in the store, and nothing else.
    func checkStore() {
        guard let store, let daemon else { return }
        do throws(StoreError) {
            let channels = setting.channels + PollInterests.wildChannels
            report(
                try witnesses.daemon.check(store.makeReader(), channels, secret: store.secret))
            report(witnesses.daemon.check(daemon.groups))
            report(witnesses.daemon.check(setting.rules))
        } catch {
            violation("I9", "the store cannot be read: \(error)")
        }
    }

    func comparePresence() {
        let now = scheduler.now / Microseconds.millisecond
        for difference in witnesses.presence.differences(at: now) {
            violation("I11", difference)
        }
    }

    private func report(_ findings: [DaemonWitness.Finding]) {
        for finding in findings { violation(finding.invariant, finding.text) }
    }
}
