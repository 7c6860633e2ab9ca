// Threads in a device's list, kept while replies come and go, against a recount.

import Basis
import Testing

@testable import EventModel

@Suite("Threads")
struct ThreadTests {
    private let room = Channel("room")

    @Test("a list has the replies of each message, after every step", arguments: UInt64(1)...40)
    func recount(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        var device = Device(user: "ada")
        _ = device.connected(epoch: "a.1")
        var effects = device.follow("room")
        let ticket = try #require(effects.questions.first?.ticket)
        _ = device.received(
            .success(
                .subscribed([SubscribedChannel(channel: "room", mode: .delta, cursor: .zero)])),
            to: ticket)
        var list = device.observe("room")
        var time: UInt64 = 0
        for step in 0..<200 {
            time += 1
            // The parent may be deleted, or not be there yet.
            let parent =
                choices.chance(60) ? Timetoken(rawValue: 1 + UInt64(choices.below(60))) : nil
            let some = UInt64(choices.below(Int(time)))
            let event: Event =
                choices.chance(12)
                ? .messagesDeleted(
                    after: Timetoken(rawValue: some), through: Timetoken(rawValue: some + 4))
                : .message(Message(payload: "\(time)", parent: parent))
            let envelope = Envelope(
                channel: room, timetoken: Timetoken(rawValue: time), uuid: "bob", event: event)
            effects = device.received(
                Batch(channel: room, cursor: Timetoken(rawValue: time), envelopes: [envelope]))
            for (_, changes) in effects.changes {
                // The reply, and the message that it is about.
                if case .message = event { #expect(changes.count <= 2) }
                for change in changes { list.apply(change) }
            }
            let messages = device.channel("room")?.base.cache.messages ?? [:]
            let expected = messages.keys.sorted().map { message in
                messages.values.count { $0.message.parent == message }
            }
            #expect(list.map(\.threadCount) == expected, "seed \(seed), step \(step)")
            let parents = messages.sorted { $0.key < $1.key }.map(\.value.message.parent)
            #expect(list.map(\.parent) == parents)
            guard list.map(\.threadCount) == expected else { return }
        }
        #expect(list.contains { $0.threadCount > 0 })
    }

    @Test("a device that starts anew counts what it kept")
    func kept() throws {
        let reply = DeviceCache.Entry(
            uuid: "ada", message: Message(payload: "2", parent: Timetoken(rawValue: 1)))
        let first = DeviceCache.Entry(uuid: "ada", message: Message(payload: "1"))
        let cache = DeviceCache(
            messages: [Timetoken(rawValue: 1): first, Timetoken(rawValue: 2): reply], actions: [],
            cursor: Timetoken(rawValue: 2))
        let items = ChannelView(ChannelBase(cache: cache), [], user: "ada").items
        #expect(items.map(\.threadCount) == [1, 0])
        #expect(items.map(\.parent) == [nil, Timetoken(rawValue: 1)])
    }
}
