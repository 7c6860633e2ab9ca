// What requests to webhooks say.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: bodies")
struct DeliveryBodyTests {
    private let place = OutboxPlace.of("a.b", 7)

    private func row(
        _ user: String, _ value: String = "👍", isAdded: Bool = true, on message: UInt64 = 1,
        at number: UInt64
    ) -> OutboxRow {
        let action = MessageAction(
            key: .on(message, value, by: user), actionTimetoken: tick(number))
        let envelope = Envelope(
            channel: Channel("room"), timetoken: tick(number), uuid: user,
            event: isAdded ? .actionAdded(action) : .actionRemoved(action))
        return OutboxRow(
            place: place, timetoken: tick(number), due: tick(9), author: "ada",
            event: String(decoding: EncodedEnvelope(envelope).json, as: UTF8.self))
    }

    /// A clearing or a deletion of which the batch was told.
    private func taking(
        _ event: Event, in channel: String = "room", at number: UInt64
    ) -> OutboxRow {
        let envelope = Envelope(
            channel: Channel(channel), timetoken: tick(number), uuid: "", event: event)
        return OutboxRow(
            place: place, timetoken: tick(number), due: tick(9), author: "ada",
            event: String(decoding: EncodedEnvelope(envelope).json, as: UTF8.self))
    }

    private func text(_ rows: [OutboxRow]) -> String? {
        DeliveryBody.bytes(of: rows, at: place).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("events stand in it as clients get them, under an id without dots")
    func events() {
        let body = text([.numbered(7, in: place), .numbered(8, in: place)])

        #expect(
            body == #"{"webhook":"a.b","id":"a:b-7","events":[{"number":7},{"number":8}]}"#)
    }

    @Test("collected reactions are counted, each user once, with some of their names")
    func collected() {
        let rows =
            (0..<12).map { row("user\($0)", at: 10 + $0) }
            + [row("bob", "❤️", isAdded: false, at: 40), row("eve", on: 2, at: 41)]
        let names = (0..<Limits.webhookUsersNamedMax).map { "\"user\($0)\"" }
            .joined(separator: ",")

        #expect(
            text(rows) == #"""
                {"webhook":"a.b","id":"a:b-7","keyset":"default","author":"ada","reactions":[\#
                {"channel":"room","messageTimetoken":"1","type":"reaction","value":"👍","added":12,\#
                "removed":0,"users":[\#(names)]},\#
                {"channel":"room","messageTimetoken":"1","type":"reaction","value":"❤️","added":0,\#
                "removed":1,"users":[]},\#
                {"channel":"room","messageTimetoken":"2","type":"reaction","value":"👍","added":1,\#
                "removed":0,"users":["eve"]}]}
                """#)
    }

    @Test(
        "what a clearing or a deletion took away is nothing",
        arguments: [
            .actionsCleared(Clearing(messageTimetoken: tick(1))),
            .actionsCleared(Clearing(type: "reaction", value: "👍")),
            .actionsCleared(Clearing(userID: "bob")),
            .messagesDeleted(after: .zero, through: tick(1)),
        ] as [Event])
    func takenAway(_ event: Event) {
        let came = [row("bob", at: 10), row("eve", "❤️", on: 2, at: 11)]
        let left = text(came + [taking(event, at: 12)])
        #expect(left?.contains("eve") == true && left?.contains("bob") == false)
        #expect(text([came[0], taking(event, at: 12)]) == nil)
        // What was told before, and what comes after it, or is elsewhere, stays.
        let before = text([row("bob", isAdded: false, at: 9)] + came + [taking(event, at: 12)])
        #expect(before?.contains(#""added":0,"removed":1"#) == true)
        let again = text(came + [taking(event, at: 12), row("bob", at: 13)])
        #expect(again?.contains("bob") == true)
        let elsewhere = text(came + [taking(event, in: "den", at: 12)])
        #expect(elsewhere?.contains("bob") == true)
    }

    @Test("a clearing takes away no more than it covers, to the byte")
    func notTakenAway() {
        for clearing in [
            Clearing(messageTimetoken: tick(2)), Clearing(type: "reaction", value: "❤️"),
            Clearing(type: "reaction", userID: "Bob"), Clearing(type: "receipt", userID: "bob"),
            Clearing(messageTimetoken: tick(1), type: "reaction", value: "👍", userID: "eve"),
        ] {
            let rows = [row("bob", at: 10), taking(.actionsCleared(clearing), at: 12)]
            #expect(text(rows)?.contains("bob") == true)
        }
        let range = Event.messagesDeleted(after: tick(1), through: tick(9))
        #expect(text([row("bob", at: 10), taking(range, at: 12)])?.contains("bob") == true)
    }

    @Test("what came and went, or went and came back, is nothing; then there is no request")
    func nothing() {
        let came = [row("bob", at: 10), row("bob", isAdded: false, at: 11)]
        let went = [row("eve", isAdded: false, at: 12), row("eve", at: 13)]
        #expect(text(came + went) == nil)
        #expect(text(came + went + [row("eve", isAdded: false, at: 14)])?.contains("eve") == false)
        #expect(text(came + [row("bob", at: 14)])?.contains(#""added":1"#) == true)
    }
}
