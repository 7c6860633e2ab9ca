// Somebody who keeps lists of who reacted: what the pushes made of them must be what the rows say.

import Basis
import EventModel
import JSON

@testable import SyncClient
@testable import SyncDaemon

/// A client that follows nothing, and has live queries open.
///
/// What it has is never asked for anew without need: so it is all the doing of pages and changes.
final class LiveWatcher: LineOwner {
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
    private let line: Line
    private var questions: [Question] = []
    private var decoder = ServerFrameDecoder(keyset: Channel.defaultKeyset)
    private var lastCommand: CommandID = 1
    private var isGreeted = false

    init(in world: World) {
        self.world = world
        let rarely = Line.Stumbles(pause: 40 * Microseconds.second, cuts: 30)
        line = Line("w0", rarely, in: world)
        for _ in 0..<world.choices.between(1, 4) { questions.append(question()) }
        line.begin(for: self)
        line.stumble()
        wonder()
    }

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

    func opened() { line.send(line.hello(), id: 1) }

    func lost() {
        isGreeted = false
        for index in questions.indices {
            (questions[index].command, questions[index].id) = (nil, nil)
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
                    line.send(.endLive(id), id: lastCommand)
                    questions[index] = question()
                    begin(index)
                }
            }
            wonder()
        }
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
        line.send(.actions(query), id: lastCommand)
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

    func heard(_ message: [UInt8]) {
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
        case .reply(1, .failure): line.cut()
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
    func heal() { line.wake() }

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
