// What removeActions may name: at least a message, a value or a user.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Decoding removeActions")
struct ClearingDecoderTests {
    private func decoded(_ members: String) throws(ProtocolError) -> ClearingRequest? {
        let text = #"{"id":1,"op":"removeActions","channel":"room"\#(members)}"#
        let bytes = Array(text.utf8)
        guard
            case .removeActions(let request) = try CommandDecoder.decode(bytes.span.bytes).command
                .get()
        else { return nil }
        return request
    }

    @Test(
        "what is absent may be anything, and a value is a reaction's unless it says otherwise",
        arguments: [
            (#","messageTimetoken":"17""#, Clearing(messageTimetoken: tick(17))),
            (#","userId":"bob""#, Clearing(userID: "bob")),
            (#","value":"👍""#, Clearing(type: "reaction", value: "👍")),
            (#","value":"👍","type":"receipt""#, Clearing(type: "receipt", value: "👍")),
            (#","userId":"bob","type":"receipt""#, Clearing(type: "receipt", userID: "bob")),
            (
                #","messageTimetoken":"17","type":"t","value":"v","userId":"u""#,
                Clearing(messageTimetoken: tick(17), type: "t", value: "v", userID: "u")
            ),
        ])
    func reads(members: String, clearing: Clearing) throws {
        #expect(try decoded(members) == ClearingRequest(channel: "room", clearing: clearing))
        let request = try decoded(members + #","mutation":"m""#)
        #expect(request?.mutation == "m")
    }

    @Test(
        "all of a channel, and all of a type, are nobody's to remove",
        arguments: ["", #","type":"reaction""#, #","userId":null"#])
    func needsOne(members: String) {
        let error = #expect(throws: ProtocolError.self) { try decoded(members) }
        #expect(error?.code == "missing_field")
        #expect(error?.message.contains("messageTimetoken") == true)
    }

    @Test(
        "what cannot be is refused by its name",
        arguments: [
            ("messageTimetoken", #""0""#), ("messageTimetoken", "17"), ("userId", #""""#),
            ("value", "1"), ("type", #"["reaction"]"#), ("value", #""\#("x\u{0}")""#),
        ])
    func refuses(member: String, value: String) {
        let error = #expect(throws: ProtocolError.self) {
            try decoded(#","\#(member)":\#(value)"#)
        }
        #expect(error != nil)
    }
}
