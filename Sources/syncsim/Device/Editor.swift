// Somebody who writes, and then changes what was written, and takes it back; and would like to do
// so with what others wrote.

import Basis
import EventModel

@testable import SyncDaemon

/// A client that edits and deletes messages by the operations for it.
final class Editor {
    static let name = "e0"
    /// Few, so that a message often had a text before.
    private static let texts = [#""one""#, #""two""#, #"{"three":3}"#]

    private unowned let world: World
    private lazy var errands = Errands(
        Self.name, Line.Stumbles(cuts: 70), refusals: ["not_owner", "no_such_message"], in: world
    ) { [unowned self] in answered($0, $1) }
    /// What it was told that it published, by channel; also what is gone since.
    private var published: [String: [Timetoken]] = [:]

    init(in world: World) {
        self.world = world
        errands.begin(pausing: Microseconds.second / 20, 4 * Microseconds.second) {
            [unowned self] in act()
        }
    }

    var isAtRest: Bool { errands.isAtRest }
    /// What it waits for.
    var left: Int { errands.left }
    var state: String { errands.state }

    /// Another store is in the place of the present one.
    func hangUp() { errands.line.hangUp() }

    /// Nothing keeps it from the daemon any more.
    func heal() {
        errands.line.wake()
        errands.line.cut()
    }

    // MARK: What it wants

    private func act() {
        let channel = world.choices.pick(world.setting.channels)
        let mutation = "m\(world.nextMutation())"
        guard let message = message(in: channel), world.choices.chance(75) else {
            return errands.wish(
                .publish(
                    PublishRequest(
                        channel: channel, message: Message(payload: #""zero""#),
                        mutation: mutation)))
        }
        guard world.choices.chance(80) else {
            return errands.wish(
                .deleteMessage(
                    OwnDeletionRequest(
                        channel: channel, messageTimetoken: message, mutation: mutation)))
        }
        // One after the other: else nobody could say which was the last.
        guard !isEditing(message) else { return }
        errands.wish(
            .editMessage(
                EditRequest(
                    channel: channel, messageTimetoken: message,
                    payload: world.choices.pick(Self.texts), mutation: mutation)))
    }

    private func isEditing(_ message: Timetoken) -> Bool {
        errands.wishes.contains { wish in
            if case .editMessage(let other) = wish.command {
                other.messageTimetoken == message
            } else {
                false
            }
        }
    }

    /// Mostly of its own, and mostly a new one.
    private func message(in channel: String) -> Timetoken? {
        let own = published[channel] ?? []
        if own.isEmpty || world.choices.chance(10) {
            let all = world.truth.rows(of: channel).messages.keys.sorted()
            return all.isEmpty ? nil : world.choices.pick(all)
        }
        return world.choices.pick(Array(own.suffix(world.choices.chance(80) ? 2 : 50)))
    }

    // MARK: What it is told

    private func answered(_ command: Command, _ answer: Errands.Answer) {
        switch (command, answer) {
        case (.publish(let request), .success(.published(let timetoken))):
            errands.checkDurable(request.mutation)
            published[request.channel, default: []].append(timetoken)
        case (.editMessage(let request), .success(.actionAdded(let action, _))):
            world.tally.count("edit")
            errands.checkDurable(request.mutation)
            check(action, request)
        case (.deleteMessage(let request), .success(.messageDeleted)):
            world.tally.count("deletion of one's own")
            errands.checkDurable(request.mutation)
            let rows = world.truth.rows(of: request.channel)
            if rows.messages[request.messageTimetoken] != nil {
                world.violation("I14", "\(request.messageTimetoken) stands, and was deleted")
            }
        case (.editMessage(let request), .failure(let error)):
            check(error, request.messageTimetoken, in: request.channel)
        case (.deleteMessage(let request), .failure(let error)):
            check(error, request.messageTimetoken, in: request.channel)
        default: world.violation("wire", "\(command) was answered with \(answer)")
        }
    }

    /// Nobody changes what another wrote, and everybody what is their own.
    private func check(_ error: ProtocolError, _ message: Timetoken, in channel: String) {
        world.tally.count("refused \(error.code)")
        guard let author = world.truth.rows(of: channel).messages[message]?.uuid else { return }
        if author == Self.name || error.code == "no_such_message" {
            world.violation("I14", "\(message) of \(author) was refused with \(error.code)")
        }
    }

    /// What was said last is what the message says.
    private func check(_ action: MessageAction, _ request: EditRequest) {
        let message = request.messageTimetoken
        let versions = world.truth.rows(of: request.channel).versions(of: message)
        // A moderator may have removed it since.
        guard versions.contains(where: { $0.payload == request.payload }),
            let newest = versions.last
        else { return }
        if newest.payload != request.payload || action.key.value != request.payload {
            world.violation(
                "I14", "\(message) says \(newest.payload), and \(request.payload) was said last")
        }
    }
}
