// Writes of somebody who follows nothing: each goes out again until it is answered.

import EventModel

@testable import SyncClient
@testable import SyncDaemon

/// A client that is there for its writes only.
final class Errands: LineOwner {
    typealias Answer = Result<Reply, ProtocolError>

    let line: Line
    private unowned let world: World
    /// Refusals that are an answer, and no reason to ask again.
    private let refusals: Set<String>
    private let answered: (Command, Answer) -> Void
    private let decoder = ServerFrameDecoder(keyset: Channel.defaultKeyset)
    private var isGreeted = false
    /// What is not answered yet, oldest first.
    private(set) var wishes: [(id: CommandID, command: Command)] = []
    private var lastID: CommandID = 1

    init(
        _ name: String, _ stumbles: Line.Stumbles, refusals: Set<String> = [], in world: World,
        answered: @escaping (Command, Answer) -> Void
    ) {
        self.world = world
        self.refusals = refusals
        self.answered = answered
        line = Line(name, stumbles, in: world)
    }

    /// Connects, and has its owner do something now and then, as long as the faults last.
    func begin(pausing low: UInt64, _ high: UInt64, _ act: @escaping () -> Void) {
        line.begin(for: self)
        actLater(low, high, act)
        line.stumble()
    }

    private func actLater(_ low: UInt64, _ high: UInt64, _ act: @escaping () -> Void) {
        world.scheduler.after(world.choices.span(low, high)) { [weak self] in
            guard let self, world.isEventful else { return }
            act()
            actLater(low, high, act)
        }
    }

    /// Whether everything was answered.
    var isAtRest: Bool { wishes.isEmpty }
    var left: Int { wishes.count }
    /// For a report.
    var state: String { "\(line.name) waits for \(wishes.count) answers" }

    /// - Parameter command: Carries a mutation: it may go out more than once.
    func wish(_ command: Command) {
        lastID += 1
        world.trace("\(line.name) wishes \(Trace.text(command))")
        wishes.append((lastID, command))
        if isGreeted { line.send(command, id: lastID) }
    }

    func opened() { line.send(line.hello(), id: 1) }
    func lost() { isGreeted = false }

    func heard(_ message: [UInt8]) {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try decoder.decode(message) { id in
                id == 1 ? .hello : wishes.first { $0.id == id }?.command.kind
            }
        } catch {
            return world.violation("wire", "\(line.name) cannot read a frame: \(error)")
        }
        switch frame {
        case .reply(1, .failure): line.cut()
        case .reply(1, .success):
            isGreeted = true
            for wish in wishes { line.send(wish.command, id: wish.id) }
        case .reply(let id, let answer): take(answer, to: id)
        // Asked again, and then both were answered.
        case .lateReply: break
        case .complaint: line.cut()
        default: world.violation("wire", "\(line.name) got \(frame)")
        }
    }

    private func take(_ answer: Answer, to id: CommandID) {
        if case .failure(let error) = answer, !refusals.contains(error.code) {
            world.trace("\(line.name) ← \(id) \(error.code)")
            // The daemon stops, or has too much to do. To leave would be to hear no answers to
            // what it took, and to bring all of it again.
            return askAgain(id)
        }
        guard let index = wishes.firstIndex(where: { $0.id == id }) else { return }
        let command = wishes.remove(at: index).command
        world.trace("\(line.name) ← \(id) \(Trace.text(answer))")
        answered(command, answer)
    }

    private func askAgain(_ id: CommandID) {
        let pause = world.choices.span(50 * Microseconds.millisecond, 2 * Microseconds.second)
        world.scheduler.after(pause) { [weak self] in
            guard let self, isGreeted, let wish = wishes.first(where: { $0.id == id }) else {
                return
            }
            line.send(wish.command, id: id)
        }
    }

    /// What is acknowledged is durable.
    func checkDurable(_ mutation: String?) {
        let author = Author(userID: line.name, deviceID: line.name)
        let name = Truth.MutationName(author: author, name: mutation ?? "")
        if world.truth.mutations[name] == nil {
            world.violation("I9", "\(name.name) was acknowledged, and is not durable")
        }
    }
}
