// How much of its channels a device holds, and what its user does about that; and the mistakes that
// it could make.

import Basis

@testable import EventModel

/// The windows of one device.
struct WindowHolder {
    /// By channel; a channel that is not in it is held whole.
    private(set) var windows: [String: ChannelWindow] = [:]

    /// Another life of a device: people change what they want to see.
    mutating func begin(_ channels: [String], in world: World) {
        guard world.hasWindows else { return }
        windows = [:]
        for channel in channels {
            windows[channel] = world.choices.pick([
                nil, .last(1, keeping: 2), .last(3, keeping: 6), .last(4, keeping: 40),
                .last(1000),
            ])
        }
    }

    /// What somebody does who looks around.
    ///
    /// - Parameter begins: Called with a channel that is to come anew.
    func act(
        _ core: inout Device, in world: World, begins: (String) -> Void
    ) -> DeviceEffects {
        let channels = windows.keys.sorted()
        guard !channels.isEmpty else { return DeviceEffects() }
        let channel = world.choices.pick(channels)
        switch world.choices.below(10) {
        case 0..<6:
            world.tally.count("older page wished")
            return core.loadOlder(world.choices.between(1, 5), of: channel)
        case 6..<9:
            world.tally.count("window verified")
            return core.verify(channel)
        default:
            begins(channel)
            return core.repair(channel)
        }
    }
}

extension WindowPage {
    /// What somebody makes of a page who makes mistakes.
    func misread(by bug: PlantedBug?) -> WindowPage {
        var page = self
        switch bug {
        case .windowTooLong where after > .zero:
            page.after = Timetoken(rawValue: after.rawValue - min(after.rawValue - 1, 50_000_000))
        case .pageOverPushes: page.cursor = cursor.advanced(by: 20_000_000)
        default: break
        }
        return page
    }
}

extension Device {
    /// From now on it files what happens to the first message of a window before it.
    mutating func misfile(_ channel: String) {
        guard let base = channels[Channel(channel)]?.base, base.rest.after < .end,
            base.rest.after > .zero, let first = base.cache.messages.keys.min()
        else { return }
        channels[Channel(channel)]?.base.rest = ChannelRest(
            after: first, digest: base.rest.digest, cursor: base.rest.cursor)
    }
}

extension Batch {
    /// What somebody makes of a batch who makes mistakes, and holds what is after a message.
    func misread(by bug: PlantedBug?, holding after: Timetoken) -> Batch {
        guard bug == .uncountedBefore || bug == .nothingGone, after > .zero, after < .end else {
            return self
        }
        let misread = envelopes.compactMap { envelope -> Envelope? in
            switch (envelope.event, bug) {
            case (.actionAdded(let action), .uncountedBefore) where action.isOn(after),
                (.actionRemoved(let action), .uncountedBefore) where action.isOn(after):
                nil
            case (.messagesDeleted, .nothingGone):
                Envelope(
                    channel: envelope.channel, timetoken: envelope.timetoken, uuid: envelope.uuid,
                    event: envelope.event, gone: .empty)
            default: envelope
            }
        }
        return Batch(
            channel: channel, cursor: cursor, envelopes: misread, state: state,
            summaries: summaries, window: window)
    }
}

extension MessageAction {
    fileprivate func isOn(_ after: Timetoken) -> Bool { key.messageTimetoken <= after }
}
