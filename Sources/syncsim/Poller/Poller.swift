// Somebody with an SDK of PubNub's: polls, beats, and is killed and comes back with its cursor.

import Basis
import EventModel

@testable import SyncDaemon

/// One client of the long-poll door.
final class Poller {
    /// A position, and the store that gave it.
    struct Cursor {
        var timetoken = Timetoken.zero
        /// Whether what is between it and now can be told from it.
        var lineage = 0
    }

    let userID: String
    let interests: PollInterests
    private unowned let world: World
    private let heartbeat: Int
    /// In memory, and as the application wrote it down last.
    private var cursor = Cursor()
    private var kept = Cursor()
    /// What it waits for now.
    private var call: HTTPCall?
    /// What was planned for an earlier life finds another number.
    private var life = 0
    private var isKilled = false
    private var failures = 0

    init(_ number: Int, in world: World) {
        userID = "p\(number)"
        self.world = world
        heartbeat = world.choices.pick([20, 20, 60])
        interests = PollInterests(
            &world.choices, channels: world.setting.channels + PollInterests.wildChannels)
        after(0, Microseconds.second) { $0.poll() }
        beat()
    }

    private func after(_ low: UInt64, _ high: UInt64, _ body: @escaping (Poller) -> Void) {
        world.scheduler.after(world.choices.span(low, high)) { [weak self, life] in
            guard let self, self.life == life, !isKilled else { return }
            body(self)
        }
    }

    private func poll() {
        let asked = cursor
        var ask: PollWitness.Ask?
        var lineage = 0
        world.tally.count(asked.timetoken == .zero ? "handshake" : "poll")
        world.trace("\(userID) polls \(interests.path)\(interests.query) from \(asked.timetoken)")
        call = HTTPCall(
            .get,
            "/v2/subscribe/default/\(interests.path)/0?tt=\(asked.timetoken)&tr=1&uuid=\(userID)"
                + "&heartbeat=\(heartbeat)\(interests.query)",
            in: world,
            taken: { [unowned self] daemon in
                ask = PollWitness.Ask(
                    cursor: asked, channels: interests.resolved(daemon.groups),
                    life: daemon.life)
            },
            written: { [unowned self] response in
                lineage = world.lineage
                guard response.status == 200, let ask else { return }
                world.witness(response, to: ask, by: userID)
            },
            heard: { [unowned self] response in hear(response, of: lineage) })
    }

    /// - Parameter lineage: Of the store that the answer is of.
    private func hear(_ response: HTTPResponse?, of lineage: Int) {
        call = nil
        guard let response, response.status == 200, let answer = PollAnswer(response.body) else {
            failures += 1
            let wait = UInt64(min(failures, 8)) * 300 * Microseconds.millisecond
            return after(wait / 4, wait) { $0.poll() }
        }
        failures = 0
        world.trace(
            "\(userID) ← \(answer.events.map { Trace.tail($0.timetoken) }) "
                + "through \(answer.cursor)")
        cursor = Cursor(timetoken: answer.cursor, lineage: lineage)
        if world.choices.chance(80) { kept = cursor }
        // An application may be slow with what it got.
        let high = world.choices.chance(5) ? 5 * Microseconds.second : Microseconds.millisecond
        after(0, high) { $0.poll() }
    }

    /// An SDK beats beside its polls: an open one says nothing.
    private func beat() {
        let pause = UInt64(heartbeat / 2 - 1) * Microseconds.second
        after(pause, pause + Microseconds.second) { poller in
            poller.world.tally.count("heartbeat")
            HTTPCall(
                .get,
                "/v2/presence/sub-key/default/channel/\(poller.interests.path)/heartbeat"
                    + "?uuid=\(poller.userID)&heartbeat=\(poller.heartbeat)"
                    + poller.interests.query,
                in: poller.world)
            poller.beat()
        }
    }

    /// The process ends, and begins again from what it kept, or from nothing.
    func kill() {
        guard !isKilled else { return }
        call?.hangUp()
        call = nil
        isKilled = true
        life += 1
        let isForgetful = world.choices.chance(15)
        if world.choices.chance(40) { leave() }
        world.scheduler.after(
            world.choices.span(Microseconds.second / 10, 60 * Microseconds.second)
        ) { [weak self] in
            guard let self, isKilled else { return }
            if isForgetful { kept = Cursor() }
            come()
        }
    }

    /// It says that it goes.
    private func leave() {
        HTTPCall(
            .get,
            "/v2/presence/sub-key/default/channel/\(interests.path)/leave?uuid=\(userID)"
                + interests.query,
            in: world)
    }

    private func come() {
        isKilled = false
        life += 1
        cursor = kept
        poll()
        beat()
    }

    /// Nothing keeps it from polling any more.
    func heal() {
        if isKilled { come() }
    }

    /// Whether it waits, and everything that it is to get has come.
    var isAtRest: Bool {
        guard let call, !call.isAnswered else { return false }
        // A cursor of another store waits for what comes here.
        return cursor.lineage != world.lineage
            || world.owes(nothingAfter: cursor.timetoken, in: interests)
    }

    /// For a report.
    var state: String {
        "\(userID) at \(cursor.timetoken)\(call == nil ? "" : ", polling")"
            + (isKilled ? ", killed" : "")
    }
}
