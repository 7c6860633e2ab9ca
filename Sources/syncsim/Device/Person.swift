// Who holds a device: reacts, takes back, writes messages, whether there is a connection or not.

import Basis
import EventModel

/// What one device's user does.
final class Person {
    let channels: [String]

    init(channels: [String]) {
        self.channels = channels
    }

    /// What somebody wants of a reaction.
    struct Wish {
        let key: MessageAction.Key
        let isPresent: Bool
        let channel: String
    }

    /// - Returns: What it leads to, and the wish if it is about a reaction.
    func act(
        _ core: inout Device, mutation: String, _ world: World
    ) -> (effects: DeviceEffects, wish: Wish?) {
        let channel = world.choices.pick(channels)
        let messages = core.channel(channel)?.base.cache.messages ?? [:]
        guard !messages.isEmpty, world.choices.chance(88) else {
            var text = "\(mutation) of \(core.user)"
            if world.setting.largeBytes > 0, world.choices.chance(20) {
                text += String(repeating: ".", count: world.setting.largeBytes)
            }
            world.tally.count("publish")
            let message = Message(payload: "\"\(text)\"")
            return (core.publish(message, in: channel, mutation: mutation), nil)
        }
        // Mostly the newest ones: people react to what they see.
        let recent = messages.keys.sorted().suffix(world.choices.chance(80) ? 3 : 20)
        let message = world.choices.pick(Array(recent))
        if world.hasEditors, world.choices.chance(15),
            let effects = edit(message, in: channel, of: &core, mutation: mutation, world)
        {
            return (effects, nil)
        }
        let value = world.choices.pick(world.setting.values)
        let key = MessageAction.Key(
            messageTimetoken: message, type: "reaction", value: value, uuid: core.user)
        let rules = core.rules(of: channel)
        var isPresent = core.standing(of: key, in: channel) == .absent
        var score: Int?
        if !isPresent, world.choices.chance(rules.countsTaps ? 70 : 10) {
            // Once more: it counts, or counts for something else.
            (isPresent, score) = (
                true, world.choices.pick([nil, 1, 3, 70_000, Limits.actionScoreMax])
            )
        }
        world.tally.count(isPresent ? "add" : "remove")
        let effects = core.wish(
            value, isPresent: isPresent, score: score, on: message, in: channel,
            mutation: mutation)
        return (effects, Wish(key: key, isPresent: isPresent, channel: channel))
    }

    /// Another text for a message, if it is the user's own; now and then it is as good as deleted.
    private func edit(
        _ message: Timetoken, in channel: String, of core: inout Device, mutation: String,
        _ world: World
    ) -> DeviceEffects? {
        if world.choices.chance(20) {
            guard core.channel(channel)?.base.cache.messages[message]?.uuid == core.user else {
                return nil
            }
            world.tally.count("as good as deleted")
            let key = MessageAction.Key(
                messageTimetoken: message, type: MessageVersion.deletedType, value: "1",
                uuid: core.user)
            let isPresent = core.standing(of: key, in: channel) == .absent
            return core.wish(
                key.value, type: key.type, isPresent: isPresent, on: message, in: channel,
                mutation: mutation)
        }
        let text = world.choices.pick([#""this""#, #""that""#])
        let value: String?
        do throws(EditFault) {
            value = try core.value(editing: message, to: text, in: channel)
        } catch {
            return nil
        }
        guard let value else { return nil }
        world.tally.count("edit on a device")
        return core.wish(
            value, type: MessageVersion.editedType, isPresent: true, on: message, in: channel,
            mutation: mutation)
    }
}
