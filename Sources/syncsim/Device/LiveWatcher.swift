// Somebody who keeps lists of who reacted: what the pushes made of them must be what the rows say.

import Basis
import EventModel
import JSON

@testable import SyncClient
@testable import SyncDaemon

/// A client that follows nothing, and has live queries open.
///
/// What it has is never asked for anew without need: so it is all the doing of pages and changes.
final class LiveWatcher: ConnectionOwner {
    private struct Question {
        var list: LiveList
        /// Of the command that is under way.
        var command: CommandID?
        /// At the daemon.
        var id: LiveID?
        /// Whether the daemon said no: nothing is asked before a while has passed.
        var rests = false
    }

    private unowned let world: World
    private var connection: Connection?
    private var questions: [Question] = []
    private var decoder = ServerFrameDecoder(keyset: Channel.defaultKeyset)
    private var lastCommand: CommandID = 1
    private var isGreeted = false
    private var busyUntil: UInt64 = 0
    let partitionedUntil: UInt64 = 0

    init(in world: World) {
        self.world = world
        for _ in 0..<world.choices.between(1, 4) { questions.append(question()) }
        connectLater()
        stumble()
        wonder()
    }

    var isBusy: Bool { world.scheduler.now < busyUntil }

    /// Any of any order, often about something that people reacted to.
    private func question() -> Question {
        let channel = world.choices.pick(world.setting.channels)
        let rows = world.truth.rows(of: channel)
        let messages = Set(rows.actions.keys.map(\.messageTimetoken)).sorted()
        var query = ActionsQuery(channel: channel, limit: world.choices.pick([1, 2, 5, 1000]))
        if !messages.isEmpty, world.choices.chance(80) {
            query.messageTimetoken = world.choices.pick(messages)
            query.order = world.choices.pick(ActionsQuery.Order.allCases)
        }
        query.isDescending = world.choices.chance(50)
        if world.choices.chance(30) { query.values = [world.choices.pick(world.setting.values)] }
        if world.choices.chance(20) { query.userIDs = ["u0", "u1"] }
        return Question(list: LiveList(query))
    }

    // MARK: The connection

    private func connectLater() {
        world.scheduler.after(world.choices.span(1000, 2 * Microseconds.second)) { [weak self] in
            self?.connect()
        }
    }

    private func connect() {
        guard connection == nil else { return }
        guard let daemon = world.daemon, daemon.isAccepting, !daemon.reactors.isEmpty else {
            return connectLater()
        }
        let reactor = world.choices.pick(daemon.reactors)
        let connection = Connection(world.nextSession(), to: reactor, of: self, in: world)
        self.connection = connection
        reactor.transport.add(connection)
        reactor.hear(.open(connection.session))
        connection.send(
            CommandEncoder.encode(.hello(Hello(userID: "w0", deviceID: "w0")), id: 1))
    }

    /// Its connection breaks now and then, and now and then it reads nothing for a while.
    private func stumble() {
        let pause = world.choices.span(Microseconds.second, 40 * Microseconds.second)
        world.scheduler.after(pause) { [weak self] in
            guard let self, world.isEventful else { return }
            if world.choices.chance(30) {
                connection?.cut(silently: false)
            } else {
                busyUntil = world.scheduler.now + world.choices.span(0, 8 * Microseconds.second)
                world.scheduler.at(busyUntil) { [weak self] in self?.connection?.read() }
            }
            stumble()
        }
    }

    /// Now and then it wants another page, or something else.
    private func wonder() {
        world.scheduler.after(world.choices.span(10_000, 8 * Microseconds.second)) { [weak self] in
            guard let self, world.isEventful else { return }
            let index = world.choices.below(questions.count)
            if questions[index].command == nil, let id = questions[index].id {
                if let next = questions[index].list.next, world.choices.chance(70) {
                    ask(index, after: next, .extend(id))
                } else if world.choices.chance(30) {
                    lastCommand += 1
                    connection?.send(CommandEncoder.encode(.endLive(id), id: lastCommand))
                    questions[index] = question()
                    begin(index)
                }
            }
            wonder()
        }
    }

    func disconnected(from connection: Connection, code: UInt16?) {
        guard connection === self.connection else { return }
        world.trace("w0 is disconnected \(code.map(String.init) ?? "")")
        self.connection = nil
        isGreeted = false
        for index in questions.indices {
            (questions[index].command, questions[index].id) = (nil, nil)
        }
        connectLater()
    }

    // MARK: Questions

    private func begin(_ index: Int) {
        guard isGreeted else { return }
        questions[index].list = LiveList(questions[index].list.query)
        questions[index].id = nil
        ask(index, after: nil, .begin)
    }

    private func ask(_ index: Int, after place: ActionsPlace?, _ wish: LiveWish) {
        lastCommand += 1
        questions[index].command = lastCommand
        var query = questions[index].list.query
        (query.after, query.live) = (place, wish)
        connection?.send(CommandEncoder.encode(.actions(query), id: lastCommand))
    }

    private func beginLater(_ index: Int) {
        (questions[index].command, questions[index].id) = (nil, nil)
        guard !questions[index].rests else { return }
        questions[index].rests = true
        world.scheduler.after(world.choices.span(10_000, Microseconds.second)) { [weak self] in
            guard let self else { return }
            questions[index].rests = false
            if questions[index].id == nil, questions[index].command == nil { begin(index) }
        }
    }

    // MARK: What comes

    func receive(_ message: [UInt8]) {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try decoder.decode(message) { id in
                id == 1 ? .hello : questions.contains { $0.command == id } ? .actions : nil
            }
        } catch {
            return world.violation("wire", "a watcher cannot read a frame: \(error)")
        }
        switch frame {
        case .reply(1, .success):
            isGreeted = true
            for index in questions.indices { begin(index) }
        case .reply(1, .failure): connection?.cut(silently: false)
        case .reply(let id, let result): answered(id, result)
        case .live(let id, let changes): take(changes, for: id)
        case .liveEnded(let id, let reason):
            world.trace("w0 ← \(id) ended: \(reason)")
            world.tally.count("live query ended")
            guard let index = questions.firstIndex(where: { $0.id == id }) else { return }
            beginLater(index)
        case .lateReply: break
        default: world.violation("wire", "a watcher got \(frame)")
        }
    }

    private func answered(_ id: CommandID, _ result: Result<Reply, ProtocolError>) {
        guard let index = questions.firstIndex(where: { $0.command == id }) else { return }
        switch result {
        case .success(.actions(let page)):
            guard let live = page.live else {
                return world.violation("wire", "a page of a live query does not say so")
            }
            world.trace("w0 ← \(live.id) \(page.actions.count) as of \(Trace.tail(live.position))")
            world.tally.count("live page")
            (questions[index].command, questions[index].id) = (nil, live.id)
            _ = questions[index].list.take(page)
        case .success: world.violation("wire", "a watcher got another reply")
        case .failure(let error):
            world.trace("w0 ← \(error.code)")
            beginLater(index)
        }
    }

    private func take(_ changes: [LiveChange], for id: LiveID) {
        // What is told of a query that was ended is under way still.
        guard let index = questions.firstIndex(where: { $0.id == id }) else { return }
        world.tally.count("live change", changes.count)
        world.trace("w0 ← \(id) \(changes.count) changes")
        for change in changes { _ = questions[index].list.take(change) }
    }

    // MARK: At the end

    /// Nothing keeps it from the daemon any more; what it has it keeps.
    func heal() {
        busyUntil = 0
        connection?.read()
    }

    /// Whether its lists are what there is.
    var isAtRest: Bool {
        isGreeted && questions.allSatisfy { $0.id != nil && $0.command == nil } && difference == nil
    }

    private var difference: String? {
        for question in questions {
            let (list, query) = (question.list, question.list.query)
            let filter = query.named(under: world.setting.rules)
            let rows = world.truth.rows(of: query.channel).actions
                .map { key, mark in
                    MessageAction(key: key, actionTimetoken: mark.added, score: mark.score)
                }
                .filter { action in
                    let place = query.place(of: action)
                    return filter.matches(action.key)
                        && list.next.map { !query.precedes($0, place) } ?? true
                }
                .sorted { query.precedes(query.place(of: $0), query.place(of: $1)) }
            if rows != list.actions {
                let (mine, all) = (Set(list.actions), Set(rows))
                return "\(mine.subtracting(all)) too many, \(all.subtracting(mine)) too few of "
                    + "\(query) up to \(list.next?.text ?? "-")"
            }
        }
        return nil
    }

    /// For a report.
    var state: String { "w0 has \(difference ?? "all it asks for")" }
}
