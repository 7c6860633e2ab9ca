// What others do at the same time: people with SDKs, who write, delete, send what is not kept, and
// change groups.

import Basis
import EventModel

@testable import SyncDaemon

/// Requests of those whom nobody watches.
enum Bystanders {
    static func act(_ world: World) {
        let isWild = world.choices.chance(30)
        let name = world.choices.pick(isWild ? PollInterests.wildChannels : world.setting.channels)
        let messages = world.truth.rows(of: name).messages.keys.sorted()
        switch world.choices.below(12) {
        case 0 where !messages.isEmpty:
            let message = world.choices.pick(messages)
            delete(
                name, after: Timetoken(rawValue: message.rawValue - 1), through: message,
                "deletion", world)
        case 1 where messages.count > 3:
            let end = world.choices.pick(Array(messages.prefix(messages.count / 2)))
            delete(name, after: .zero, through: end, "deletion of many", world)
        case 2..<4: publish("&ttl=1", "message that expires", to: name, world)
        case 4..<6: publish("&store=0", "message not stored", to: name, world)
        case 6..<8: publish("", "message of an SDK", to: name, world)
        case 8..<10:
            world.tally.count("signal")
            HTTPCall(.get, "/signal/demo/default/0/\(name)/0/1?uuid=sdk", in: world)
        case 10: changeGroup(name, world)
        default:
            world.tally.count("here now")
            HTTPCall(.get, "/v2/presence/sub-key/default/channel/\(name)?uuid=sdk", in: world)
        }
    }

    private static func publish(
        _ options: String, _ what: String, to name: String, _ world: World
    ) {
        world.tally.count(what)
        let isStored = !options.contains("store=0")
        HTTPCall(
            .get,
            "/publish/demo/default/0/\(name)/0/%22of%20an%20sdk%20\(world.nextMutation())%22"
                + "?uuid=sdk\(options)", in: world,
            written: { [unowned world] response in
                guard isStored, response.status == 200 else { return }
                world.witness(published: response)
            })
    }

    private static func delete(
        _ name: String, after start: Timetoken, through end: Timetoken, _ what: String,
        _ world: World
    ) {
        world.tally.count(what)
        HTTPCall(
            .delete,
            "/v3/history/sub-key/default/channel/\(name)?start=\(start)&end=\(end)&uuid=sdk",
            in: world)
    }

    private static func changeGroup(_ name: String, _ world: World) {
        world.tally.count("group change")
        let group = world.choices.pick(PollInterests.groups)
        let change = world.choices.chance(65) ? "add" : "remove"
        HTTPCall(
            .get,
            "/v1/channel-registration/sub-key/default/channel-group/\(group)"
                + "?\(change)=\(name)&uuid=sdk", in: world)
    }
}
