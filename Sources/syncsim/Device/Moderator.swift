// Somebody who removes what others said, whatever becomes of the connection meanwhile.

import Basis
import EventModel
import JSON

@testable import SyncClient
@testable import SyncDaemon

/// A client that follows nothing: each wish goes out again until it is answered.
final class Moderator: ConnectionOwner {
    private static let author = Author(userID: "mod", deviceID: "mod")

    private unowned let world: World
    private var connection: Connection?
    private var isGreeted = false
    /// What is not answered yet, oldest first.
    private var wishes: [(id: CommandID, request: ClearingRequest)] = []
    private var lastID: CommandID = 1
    let partitionedUntil: UInt64 = 0
    let isBusy = false

    init(in world: World) {
        self.world = world
        connectLater()
        actLater()
        stumble()
    }

    /// Whether everything that it wished was answered.
    var isAtRest: Bool { wishes.isEmpty }

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
        send(.hello(Hello(userID: "mod", deviceID: "mod")), id: 1)
    }

    func disconnected(from connection: Connection, code: UInt16?) {
        guard connection === self.connection else { return }
        self.connection = nil
        isGreeted = false
        connectLater()
    }

    private func stumble() {
        let pause = world.choices.span(Microseconds.second, 20 * Microseconds.second)
        world.scheduler.after(pause) { [weak self] in
            guard let self, world.isEventful else { return }
            connection?.cut(silently: false)
            stumble()
        }
    }

    /// What is under way is not heard any more.
    func hangUp() {
        guard let connection else { return }
        self.connection = nil
        isGreeted = false
        connection.deviceLeft(silently: false)
        connectLater()
    }

    /// Nothing keeps it from the daemon any more.
    func heal() { connection?.cut(silently: false) }

    private func send(_ command: Command, id: CommandID) {
        connection?.send(CommandEncoder.encode(command, id: id))
    }

    // MARK: What it wants

    private func actLater() {
        let pause = world.choices.span(Microseconds.second / 5, 8 * Microseconds.second)
        world.scheduler.after(pause) { [weak self] in
            guard let self, world.isEventful else { return }
            act()
            actLater()
        }
    }

    private func act() {
        let channel = world.choices.pick(world.setting.channels)
        let keys = world.truth.rows(of: channel).actions.keys.sorted()
        guard !keys.isEmpty else { return }
        let key = world.choices.pick(Array(keys.suffix(world.choices.chance(50) ? 5 : 100)))
        let clearing =
            switch world.choices.below(5) {
            case 0: Clearing(messageTimetoken: key.messageTimetoken)
            case 1: Clearing(type: key.type, value: key.value)
            case 2: Clearing(userID: key.uuid)
            case 3: Clearing(messageTimetoken: key.messageTimetoken, userID: key.uuid)
            default:
                Clearing(
                    messageTimetoken: key.messageTimetoken, type: key.type, value: key.value)
            }
        lastID += 1
        let request = ClearingRequest(
            channel: channel, clearing: clearing, mutation: "m\(world.nextMutation())")
        world.trace("mod wishes \(clearing) in \(channel)")
        wishes.append((lastID, request))
        if isGreeted { send(.removeActions(request), id: lastID) }
    }

    // MARK: What comes

    func receive(_ message: [UInt8]) {
        do throws(JSONError) {
            let frame = try unsafe JSONValue(parsing: message.span.bytes, depthMax: 64)
            guard frame.member("error") == nil else {
                world.trace("mod ← \(frame.compactText)")
                // The daemon stops, or has too much to do: it comes again.
                connection?.cut(silently: false)
                return
            }
            let id = try frame.integer("id")
            if id == 1 {
                isGreeted = true
                for wish in wishes { send(.removeActions(wish.request), id: wish.id) }
            } else {
                let result = try frame.object("ok")
                let reply = try ReplyDecoder(keyset: Channel.defaultKeyset)
                    .reply(result, to: .removeActions)
                answered(id, reply)
            }
        } catch {
            world.violation("wire", "the moderator cannot read a frame: \(error)")
        }
    }

    /// What is acknowledged is durable, and what was there by then is gone.
    private func answered(_ id: CommandID, _ reply: Reply) {
        guard let index = wishes.firstIndex(where: { $0.id == id }) else { return }
        let request = wishes.remove(at: index).request
        guard case .actionsCleared(let timetoken, let count) = reply else {
            return world.violation("wire", "a clearing was answered with \(reply)")
        }
        world.trace("mod ← \(count) gone")
        let name = Truth.MutationName(author: Self.author, name: request.mutation ?? "")
        guard world.truth.mutations[name] != nil else {
            return world.violation("I9", "\(request) was acknowledged, and is not durable")
        }
        guard let timetoken else { return }
        world.tally.count("clearing")
        let rules = world.setting.rules
        let asked = request.clearing
        let value = asked.type.flatMap { type in
            asked.value.map { rules.canonical(type: type, value: $0).value }
        }
        let clearing = Clearing(
            messageTimetoken: asked.messageTimetoken, type: asked.type, value: value,
            userID: asked.userID)
        let left = world.truth.rows(of: request.channel).actions.first {
            clearing.covers($0.key) && $0.value.added <= timetoken
        }
        if let left { world.violation("I13", "\(left.key) stands, and was cleared") }
    }
}
