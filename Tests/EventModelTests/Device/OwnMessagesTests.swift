// The rows of one's own messages: the same row from the moment when it is written.

import Testing

@testable import EventModel

@Suite("Own messages in a list")
struct OwnMessagesTests {
    private let message = Message(payload: #""ok""#)
    private let place = Timetoken(rawValue: 10)

    private func following() throws -> Device {
        var device = Device(user: "ada")
        _ = device.follow("room")
        let connected = device.connected(epoch: "a.1")
        let ticket = try #require(connected.questions.first).ticket
        let reply = SubscribedChannel(channel: "room", mode: .delta, cursor: .zero)
        _ = device.received(.success(.subscribed([reply])), to: ticket)
        _ = device.observe("room")
        return device
    }

    private func push(_ places: Timetoken...) -> Batch {
        Batch(
            channel: Channel("room"), cursor: places.last ?? .zero,
            envelopes: places.map {
                Envelope(
                    channel: Channel("room"), timetoken: $0, uuid: "ada", event: .message(message))
            }, state: .empty)
    }

    private func changes(_ effects: DeviceEffects) -> [ListChange] {
        effects.changes.flatMap(\.changes)
    }

    @Test(
        "push and reply, in either order, keep the row and tell of it once",
        arguments: [false, true])
    func oneUpdate(pushComesFirst: Bool) throws {
        var device = try following()
        var list: [ListItem] = []
        for change in changes(device.publish(message, in: "room", mutation: "m1")) {
            list.apply(change)
        }
        let id = try #require(list.first).id
        #expect(list.map(\.timetoken) == [nil])

        var told: [ListChange] = []
        for isPush in [pushComesFirst, !pushComesFirst] {
            told += changes(
                isPush
                    ? device.received(push(place))
                    : device.received(.success(.published(place)), to: .write(mutation: "m1")))
        }
        for change in told { list.apply(change) }
        #expect(told.count == 1, "\(told)")
        guard case .update(let item, at: 0) = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(item.id == id)
        #expect(item.timetoken == place)
        #expect(!item.isPending)
        #expect(device.list(of: "room") == list)
        #expect(device.outbox.isEmpty)

        // It is the same row for ever after, whatever happens to it.
        let reaction = device.wish("👍", isPresent: true, on: place, in: "room", mutation: "m2")
        for change in changes(reaction) { list.apply(change) }
        #expect(list.map(\.id) == [id])
        #expect(list.first?.reactions.count == 1)
    }

    @Test("two that say the same keep their rows, also when the first guess was wrong")
    func twins() throws {
        let (first, second) = (Timetoken(rawValue: 10), Timetoken(rawValue: 12))
        var device = try following()
        var list: [ListItem] = []
        func apply(_ effects: DeviceEffects) { for it in changes(effects) { list.apply(it) } }
        apply(device.publish(message, in: "room", mutation: "m1"))
        let mine = try #require(list.first).id
        // Another device of the same user said it first.
        apply(device.received(push(first)))
        apply(device.received(push(second)))
        apply(device.received(.success(.published(second)), to: .write(mutation: "m1")))

        #expect(list.map(\.timetoken) == [first, second])
        #expect(Set(list.map(\.id)).count == 2)
        #expect(list == device.list(of: "room"))
        #expect(list.contains { $0.id == mine })
    }

    @Test("events that are not stored are told, once, whatever the channel waits for")
    func announced() throws {
        var device = try following()
        func signal(_ place: UInt64) -> Envelope {
            Envelope(
                channel: Channel("room"), timetoken: Timetoken(rawValue: place), uuid: "bob",
                event: .signal(Message(payload: "1")), isStored: false)
        }
        func batch(_ envelopes: Envelope...) -> Batch {
            Batch(channel: Channel("room"), cursor: place, envelopes: envelopes)
        }
        #expect(device.received(batch(signal(11))).announced.map(\.envelopes) == [[signal(11)]])
        #expect(device.received(batch(signal(11))).announced.isEmpty)
        #expect(
            device.received(batch(signal(11), signal(12))).announced.map(\.envelopes)
                == [[signal(12)]])
        #expect(device.list(of: "room").isEmpty)
        _ = device.unfollow("room")
        #expect(device.received(batch(signal(13))).announced.isEmpty)
    }

    @Test("a channel that is left is asked for no more, and its cache is not forgotten")
    func leaves() throws {
        var device = try following()
        let left = device.unfollow("room")
        #expect(left.questions.map(\.ticket) == [.unsubscribe])
        #expect(left.writes.isEmpty)
        #expect(device.followedChannels.isEmpty)
    }

    @Test("what the server said to wait is waited")
    func waits() throws {
        var device = try following()
        _ = device.publish(message, in: "room", mutation: "m1")
        let busy = ProtocolError(
            status: 429, code: "rate_limited", message: "No.", retryAfterSeconds: 7)
        let effects = device.received(.failure(busy), to: .write(mutation: "m1"))
        #expect(effects.retriesLater)
        #expect(effects.retryAfterSeconds == 7)
    }
}
