// Rows, days and bubbles of a model, from changes as a client tells them.

import Basis
import Foundation
import SyncClient
import Testing

@testable import EventModel
@testable import SyncModels

/// What the tests write.
struct Note: Codable, Hashable, Sendable {
    var text: String
}

@MainActor @Suite("Rows of a channel's model")
struct ChannelRowTests {
    private let client: SyncClient

    init() throws {
        client = SyncClient(
            try SyncClient.Configuration(url: "ws://127.0.0.1:9", userID: "ada", deviceID: "phone"))
    }

    private func model(
        order: ReactionOrder = .first, zone: String = "UTC",
        onDecode: @escaping @Sendable () -> Void = {}
    ) throws -> ChannelModel<Note> {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        var coding = PayloadCoding<Note>.json
        let decode = coding.decode
        coding.decode = {
            onDecode()
            return try decode($0)
        }
        return ChannelModel(
            client, "room", order: order, calendar: calendar, coding: coding,
            clock: HandClock().clock)
    }

    /// A message so many hours after 1970.
    private func item(
        _ hour: UInt64, _ text: String? = nil, by user: String = "bob"
    ) -> ListItem {
        let timetoken = Timetoken(rawValue: hour * 3600 * 10_000_000)
        return ListItem(
            id: .message(timetoken), timetoken: timetoken, uuid: user,
            message: Message(payload: text ?? #"{"text":"\#(hour)"}"#), isPending: false,
            reactions: [])
    }

    private func reaction(
        _ value: String, _ count: Int, isMine: Bool = false, type: String = "reaction"
    ) -> ListItem.Reaction {
        ListItem.Reaction(
            type: type, value: value, count: count, score: count, ownScore: isMine ? 1 : 0,
            isMine: isMine, isPending: false, first: Timetoken(rawValue: 1),
            last: Timetoken(rawValue: 1))
    }

    @Test("changes come to what the list comes to, whatever they are")
    func changes() throws {
        let model = try model()
        var list: [ListItem] = [item(1), item(2), item(3)]
        model.take(.all(list))
        var edited = item(2, #"{"text":"other"}"#)
        edited.versions = 1
        let changes: [ListChange] = [
            .insert(item(4), at: 3), .move(from: 3, to: 0), .update(edited, at: 2),
            .remove(at: 1), .insert(item(0), at: 0),
        ]
        for change in changes {
            model.take(.changes([change]))
            list.apply(change)
            #expect(model.items.map(\.source) == list)
        }
        #expect(model.items.map(\.payload?.text) == ["0", "4", "other", "3"])
        #expect(model.items.map(\.isEdited) == [false, false, true, false])
    }

    @Test("only what says something else is decoded again")
    func decodes() throws {
        let decoded = Count()
        let model = try model(onDecode: { decoded.add() })
        model.take(.all([item(1), item(2)]))
        #expect(decoded.value == 2)
        var liked = item(1)
        liked.reactions = [reaction("👍", 1)]
        model.take(.changes([.update(liked, at: 0), .move(from: 0, to: 1)]))
        model.take(.all([item(1), item(2)]))
        #expect(decoded.value == 2)
        model.take(.changes([.update(item(1, #"{"text":"x"}"#), at: 0)]))
        #expect(decoded.value == 3)
    }

    @Test("what cannot be decoded stays, as it is")
    func raw() throws {
        let model = try model()
        model.take(.all([item(1, "7"), item(2, #"{"txt":1}"#), item(3)]))
        #expect(model.items.map { $0.payload != nil } == [false, false, true])
        #expect(model.items.map(\.raw) == ["7", #"{"txt":1}"#, #"{"text":"3"}"#])
        guard case .unreadable(let reason) = model.items[0].content else {
            Issue.record("It was read.")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("days begin where the calendar says")
    func days() throws {
        let items = [item(1), item(23), item(24), item(46), item(47), item(75)]
        let london = try model()
        london.take(.all(items))
        #expect(london.days.map(\.items.count) == [2, 3, 1])
        let tokyo = try model(zone: "Asia/Tokyo")
        tokyo.take(.all(items))
        #expect(tokyo.days.map(\.items.count) == [1, 2, 2, 1])
        #expect(Set(tokyo.days.map(\.id)).count == 4)
        #expect(tokyo.days.flatMap(\.items).map(\.id) == items.map(\.id))
        #expect(try model().days.isEmpty)
    }

    @Test("a message on its way is of the clock's day, and keeps its id when it is accepted")
    func pending() throws {
        let model = try model()
        var pending = item(1, by: "ada")
        (pending.id, pending.timetoken, pending.isPending) = (.written("m"), nil, true)
        model.take(.all([pending]))
        #expect(model.items[0].date == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(model.items[0].isOwn)
        var accepted = item(9, by: "ada")
        accepted.id = .written("m")
        model.take(.changes([.update(accepted, at: 0)]))
        #expect(model.items[0].id == pending.id)
        #expect(model.items[0].date == Date(timeIntervalSince1970: 9 * 3600))
        #expect(!model.items[0].isPending)
    }

    @Test("bubbles are the reactions alone, in the order that was asked for, and in another one")
    func bubbles() throws {
        let model = try model(order: .count)
        var liked = item(1)
        liked.reactions = [
            reaction("👍", 1), reaction("🔥", 3, isMine: true), reaction("x", 9, type: "receipt"),
            reaction("❤️", 120),
        ]
        model.take(.all([liked]))
        #expect(model.items[0].bubbles.map(\.value) == ["❤️", "🔥", "👍"])
        #expect(model.items[0].bubbles.map(\.countText) == ["99+", "3", "1"])
        #expect(model.items[0].bubbles.map(\.isOwn) == [false, true, false])
        model.order = ReactionOrder(comparing: { $0.isMine && !$1.isMine })
        #expect(model.items[0].bubbles.first?.value == "🔥")
        #expect(Set(model.items[0].bubbles.map(\.id)).count == 3)
    }

    @Test("where there are no reactions there are no bubbles, until there are")
    func rules() throws {
        let model = try model()
        var liked = item(1)
        liked.reactions = [reaction("👍", 1)]
        model.take(.all([liked]))
        var off = ReactionRules()
        off.isOn = false
        model.take(off)
        #expect(model.items[0].bubbles.isEmpty)
        model.take(ReactionRules())
        #expect(model.items[0].bubbles.count == 1)
    }

    @Test("what needs a model that was started says so")
    func notStarted() async throws {
        let model = try model()
        model.take(.all([item(1)]))
        let error = SyncClientError.notStarted("room")
        await #expect(throws: error) { try await model.toggle("👍", on: model.items[0]) }
        await #expect(throws: error) { try await model.send(Note(text: "x")) }
        await #expect(throws: error) { try await model.loadOlder() }
        #expect(
            "\(error)" == "The model of the channel room is not started. "
                + "Call start(), and wait for it.")
    }
}

/// A number that any thread may add to.
private final class Count: Sendable {
    private let number = Locked(0)
    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}
