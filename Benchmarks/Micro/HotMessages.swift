// A reaction on a device that shows a message with ever more of them.

import EventModel

@testable import SyncDaemon

enum HotMessages {
    static func measure(_ watch: Stopwatch, into table: inout CostTable) {
        for size in [1, 6000, 1_000_000] where size <= watch.effort.sizeMax * 10 {
            table.add(
                "a device's list: one of \(size) reactions goes and comes back",
                change(oneOf: size, watch))
        }
    }

    /// One batch takes somebody's reaction away, the next one brings it back.
    private static func change(oneOf size: Int, _ watch: Stopwatch) -> Cost {
        let reactions = Samples.reactions(size)
        var cursor = Samples.firstTimetoken
        var device = follower()
        let message = Samples.message("1", in: Samples.channel, at: cursor)
        cursor += UInt64(size)
        receive(&device, [message] + reactions.map(Samples.added), through: cursor)
        _ = device.observe(Samples.channel.name)
        return watch.measure { count in
            var changes = 0
            for index in 0..<count {
                let action = reactions[index &* 7919 % size]
                for isAdded in [false, true] {
                    cursor += 1
                    let timetoken = Timetoken(rawValue: cursor)
                    let now = MessageAction(key: action.key, actionTimetoken: timetoken)
                    let event: Event = isAdded ? .actionAdded(now) : .actionRemoved(now)
                    let envelope = Envelope(
                        channel: Samples.channel, timetoken: timetoken, uuid: action.key.uuid,
                        event: event)
                    changes &+= receive(&device, [envelope], through: cursor)
                }
            }
            precondition(changes == 2 * count, "\(changes) of \(2 * count) changes were shown")
            return changes
        }
    }

    private static func follower() -> Device {
        var device = Device(user: "ada")
        _ = device.follow(Samples.channel.name)
        for question in device.connected(epoch: "a.1").questions {
            let reply = SubscribedChannel(
                channel: Samples.channel.name, mode: .delta, cursor: .zero)
            _ = device.received(.success(.subscribed([reply])), to: question.ticket)
        }
        return device
    }

    /// - Returns: How many changes of the list a person sees.
    @discardableResult
    private static func receive(
        _ device: inout Device, _ envelopes: [Envelope], through cursor: UInt64
    ) -> Int {
        let batch = Batch(
            channel: Samples.channel, cursor: Timetoken(rawValue: cursor), envelopes: envelopes)
        return device.received(batch).changes.reduce(0) { $0 + $1.changes.count }
    }
}
