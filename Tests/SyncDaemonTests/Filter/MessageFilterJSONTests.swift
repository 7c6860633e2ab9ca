// Filters on the envelopes that the daemon writes.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Filters on envelopes")
struct MessageFilterJSONTests {
    private static let message = Message(
        payload: #"{"text":"hi","n":1.5,"list":[1,null,{"a":"b"}],"none":null}"#,
        meta: #"{"region":"east","big":9007199254740993,"flag":true}"#)
    private static let action = MessageAction(
        key: MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 17), type: "reaction", value: "👍", uuid: "ada"),
        actionTimetoken: Timetoken(rawValue: 18))

    private func matches(_ filter: String, _ event: Event, in channel: String = "room") throws
        -> Bool
    {
        let envelope = Envelope(
            channel: Channel(channel), timetoken: Timetoken(rawValue: 19), uuid: "ada",
            event: event)
        guard let message = FilteredMessage(EncodedEnvelope(envelope)) else { return true }
        return try MessageFilter(filter).verdict(on: message).isWanted
    }

    @Test(
        "a filter reads what was published",
        arguments: [
            ("region == 'east'", true), ("region == 'west'", false), ("data.text == 'hi'", true),
            ("data.n > 1 && data.n < 2", true), ("data.list[0] == 1", true),
            ("data.list[1] == null", true), ("data.list[2].a == 'b'", true),
            ("data.list[3] != 1", false), ("data.none == null", true), ("data.gone == null", false),
            ("flag", true), ("big > 9e15", true), ("uuid == 'ada'", false), ("data.d != 1", false),
        ])
    func messages(filter: String, expected: Bool) throws {
        #expect(try matches(filter, .message(Self.message)) == expected)
        #expect(try matches(filter, .signal(Self.message)) == expected)
    }

    @Test("a payload may be anything", arguments: [#""hi""#, "1", "true", "null", "[1,2]", "{}"])
    func payloads(payload: String) throws {
        let literal = payload == "[1,2]" ? "(1,2)" : payload
        let message = Event.message(Message(payload: payload))

        #expect(try matches("data == \(payload == "{}" ? "data" : literal)", message))
        #expect(try !matches("data.text == 'hi'", message))
    }

    @Test(
        "a payload with numbers and characters that few parsers know is read all the same",
        arguments: [
            ("data.big > 1e18", true), ("data.zero == 'b'", false), ("data.zero like 'a*c'", true),
            ("data.infinite > 1", false), ("data.name == 'east'", true),
        ])
    func oddPayloads(filter: String, expected: Bool) throws {
        let payload =
            #"{"big":18446744073709551616,"zero":"a\u0000c","infinite":1e999,"name":"east"}"#
        #expect(try matches(filter, .message(Message(payload: payload))) == expected)
    }

    @Test("a message without meta, or with null, matches no filter that asks for some")
    func withoutMeta() throws {
        #expect(try !matches("region != 'east'", .message(Message(payload: "1"))))
        #expect(try !matches("region != 'east'", .message(Message(payload: "1", meta: "null"))))
        #expect(try matches("meta == null", .message(Message(payload: "1", meta: "null"))))
    }

    @Test("what is not a message passes")
    func others() throws {
        let notice = PresenceNotice(action: .join, userID: "ada", occupancy: 1, seconds: 1)
        let deletion = Event.messagesDeleted(after: .zero, through: Timetoken(rawValue: 9))

        #expect(try matches("false", .actionAdded(Self.action)))
        #expect(try matches("false", .actionRemoved(Self.action)))
        #expect(try matches("false", deletion))
        #expect(try matches("false", .presence(notice), in: "room-pnpres"))
        #expect(try !matches("false", .message(Self.message)))
        #expect(try !matches("false", .signal(Self.message)))
    }

    @Test("the deepest payload that a client can send is read")
    func depth() throws {
        let depth = Limits.jsonDepthMax
        let payload = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)

        #expect(try !matches("false", .message(Message(payload: payload))))
        #expect(
            try matches(
                "data" + String(repeating: "[0]", count: depth - 1) + " == data"
                    + String(repeating: "[0]", count: depth - 1),
                .message(Message(payload: payload))))
    }

    @Test("an event whose text was given up passes")
    func discarded() throws {
        var envelope = EncodedEnvelope(
            Envelope(
                channel: Channel("room"), timetoken: Timetoken(rawValue: 19), uuid: "ada",
                event: .message(Self.message)))
        envelope.discardText()

        #expect(FilteredMessage(envelope).map { _ in true } == nil)
    }
}
