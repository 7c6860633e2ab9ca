// Somebody who removes what others said, whatever becomes of the connection meanwhile.

import Basis
import EventModel

@testable import SyncDaemon

/// A client with the right to moderate.
final class Moderator {
    private unowned let world: World
    private lazy var errands = Errands("mod", Line.Stumbles(cuts: 100), in: world) {
        [unowned self] in answered($0, $1)
    }

    init(in world: World) {
        self.world = world
        errands.begin(pausing: Microseconds.second / 5, 8 * Microseconds.second) { [unowned self] in
            act()
        }
    }

    var isAtRest: Bool { errands.isAtRest }
    /// What it waits for.
    var left: Int { errands.left }
    var state: String { errands.state }

    func hangUp() { errands.line.hangUp() }

    /// Nothing keeps it from the daemon any more.
    func heal() { errands.line.cut() }

    // MARK: What it wants

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
        let mutation = "m\(world.nextMutation())"
        errands.wish(
            .removeActions(
                ClearingRequest(channel: channel, clearing: clearing, mutation: mutation)))
    }

    // MARK: What it is told

    /// What was there by then is gone.
    private func answered(_ command: Command, _ answer: Errands.Answer) {
        guard case .removeActions(let request) = command,
            case .success(.actionsCleared(let timetoken, _)) = answer
        else { return world.violation("wire", "\(command) was answered with \(answer)") }
        errands.checkDurable(request.mutation)
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
