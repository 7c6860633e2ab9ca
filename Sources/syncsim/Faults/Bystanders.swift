// What others do at the same time: people with SDKs, who delete messages and send what is not kept.

import EventModel

@testable import SyncDaemon

/// Writes that no simulated device asks for.
enum Bystanders {
    static func act(_ world: World) {
        guard let daemon = world.daemon else { return }
        let name = world.choices.pick(world.setting.channels)
        let messages = world.truth.rows(of: name).messages.keys.sorted()
        switch world.choices.below(10) {
        case 0..<2 where !messages.isEmpty:
            world.tally.count("deletion")
            let message = world.choices.pick(messages)
            daemon.submit(
                .deleteMessages(
                    after: Timetoken(rawValue: message.rawValue - 1), through: message),
                in: name, by: "sdk")
        case 2 where messages.count > 3:
            world.tally.count("deletion of many")
            let end = world.choices.pick(Array(messages.prefix(messages.count / 2)))
            daemon.submit(.deleteMessages(after: .zero, through: end), in: name, by: "sdk")
        case 3..<5:
            world.tally.count("message that expires")
            let text = "\"short-lived \(world.nextMutation())\""
            daemon.submit(.publish(Message(payload: text), hoursKept: 1), in: name, by: "sdk")
        case 5..<8:
            world.tally.count("signal")
            _ = daemon.announce(
                Announcement(
                    channel: Channel(name), uuid: "sdk", event: .signal(Message(payload: "1")),
                    origin: nil))
        default: break
        }
    }
}
