// Threads in a device's list, kept while replies come and go, against a recount.

import Basis
import Testing

@testable import EventModel

@Suite("Threads")
struct ThreadTests {
    private let room = Channel("room")

    /// A device that has nothing, and hears of what comes.
    private func following() throws -> Device {
        var device = Device(user: "ada")
        _ = device.connected(epoch: "a.1")
        let ticket = try #require(device.follow("room").questions.first?.ticket)
        _ = device.received(
            .success(
                .subscribed([SubscribedChannel(channel: "room", mode: .delta, cursor: .zero)])),
            to: ticket)
        return device
    }

    @Test("a list has the replies of each message, after every step", arguments: UInt64(1)...40)
    func recount(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        var device = try following()
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
            let effects = device.received(
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

    @Test("replies on their way count as often as they are shown", arguments: UInt64(1)...40)
    func onTheirWay(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        var device = try following()
        var list = device.observe("room")
        /// What the server has of the device's messages, what it has not told, and not answered.
        var sent: [(ticket: DeviceTicket, message: Message)] = []
        var events: [Envelope] = []
        var answers: [(DeviceTicket, Result<Reply, ProtocolError>)] = []
        var time: UInt64 = 0
        var hasCounted = false
        for step in 0..<200 {
            time += 1
            var effects = DeviceEffects()
            switch choices.below(4) {
            case 0:
                let known = list.compactMap(\.timetoken)
                let message = Message(
                    payload: "\(choices.below(5))",
                    parent: known.isEmpty || choices.chance(30) ? nil : choices.pick(known))
                effects = device.publish(message, in: "room", mutation: "m\(step)")
            case 1 where !sent.isEmpty:
                let (ticket, message) = sent.removeFirst()
                let place = Timetoken(rawValue: time)
                if choices.chance(15) {
                    let error = ProtocolError(status: 403, code: "forbidden", message: "No.")
                    answers.append((ticket, .failure(error)))
                } else {
                    answers.append((ticket, .success(.published(place))))
                    events.append(
                        Envelope(
                            channel: room, timetoken: place, uuid: "ada",
                            event: .message(message)))
                }
            case 2 where !events.isEmpty:
                let event = events.removeFirst()
                effects = device.received(
                    Batch(channel: room, cursor: event.timetoken, envelopes: [event]))
            case 3 where !answers.isEmpty:
                let (ticket, result) = answers.removeFirst()
                effects = device.received(result, to: ticket)
            default: continue
            }
            for question in effects.questions {
                if case .publish(let request) = question.command {
                    sent.append((question.ticket, request.message))
                }
            }
            for change in effects.changes.flatMap(\.changes) { list.apply(change) }
            let expected = list.map { item in
                item.timetoken.map { place in list.count { $0.parent == place } } ?? 0
            }
            #expect(list.map(\.threadCount) == expected, "seed \(seed), step \(step)")
            guard list.map(\.threadCount) == expected else { return }
            #expect(device.list(of: "room").map(\.threadCount) == expected)
            hasCounted = hasCounted || expected.contains { $0 > 0 }
        }
        #expect(hasCounted)
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
