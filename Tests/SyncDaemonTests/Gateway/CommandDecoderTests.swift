// Every mistake that a command can have, with the answer that it gets.

import EventModel
import Testing

@testable import SyncDaemon

private func decode(_ text: String) -> DecodedCommand {
    let bytes = Array(text.utf8)
    return CommandDecoder.decode(bytes.span.bytes)
}

private func problem(_ text: String) -> ProtocolError? {
    if case .failure(let error) = decode(text).command { error } else { nil }
}

private func text(_ count: Int) -> String { String(repeating: "a", count: count) }

private let channelMessage =
    "A channel name has 1 to 255 bytes, no comma and no control character, and does not end in .*: "
    + "such a name stands for many. Rename the channel, or follow the wildcard."

@Suite("CommandDecoder")
struct CommandDecoderTests {
    @Test("unknown members are ignored, and members that are null are absent")
    func ignored() throws {
        let decoded = decode(
            #"{"x":[{}],"id":3,"op":"publish","channel":"r","payload":{"a":[1, 2]},"meta":null,"#
                + #""messageType":null,"mutation":null}"#)

        let message = Message(payload: #"{"a":[1,2]}"#)
        #expect(
            try decoded.command.get() == .publish(PublishRequest(channel: "r", message: message)))
    }

    @Test(
        "a payload and its meta stay what they are, to the byte",
        arguments: [
            "-0", "1E2", "1.10", "1e999", "18446744073709551616", "-9223372036854775809",
            #""\u0000""#, #""\u00e9\/""#, #"{"z":1,"a":{"\u0000":[-0.0]}}"#,
            "0.10000000000000000001",
        ])
    func payloads(json: String) throws {
        let decoded = decode(
            #"{"id":1,"op":"publish","channel":"r","payload":\#(json),"meta":[\#(json)]}"#)
        #expect(decoded.id == 1)
        #expect(
            try decoded.command.get()
                == .publish(
                    PublishRequest(
                        channel: "r", message: Message(payload: json, meta: "[\(json)]"))))
    }

    @Test(
        "a field that must be short of something says so, and its id is answered",
        arguments: [
            (#""op":"publish","payload":1,"channel":"a\u0000b""#, "channel", "without U+0000"),
            (
                #""op":"addAction","channel":"r","messageTimetoken":"1","value":"\u0000""#, "value",
                "without U+0000"
            ),
            (
                #""op":"history","channel":"r","limit":18446744073709551616"#, "limit",
                "an integer of 64 bits"
            ),
            (#""op":"publish","channel":"r","payload":1,"ttl":-1"#, "ttl", "hours, from 0 to"),
            (#""op":"publish","channel":"r","payload":1,"store":1"#, "store", "true or false"),
        ])
    func fields(members: String, field: String, reason: String) throws {
        let command = #"{"id":7,\#(members)}"#
        #expect(decode(command).id == 7)
        let error = try #require(problem(command))
        #expect(error.code == "invalid_field")
        #expect(error.message.contains("\"\(field)\" must be"), "\(error)")
        #expect(error.message.contains(reason), "\(error)")
    }

    @Test("what is not known may hold any JSON")
    func unknownMembers() throws {
        let command =
            #"{"n":18446744073709551616,"id":7,"op":"ping","\u0000":"\u0000","x":1e999}"#
        #expect(try decode(command).command.get() == .ping)
    }

    @Test("a command that is too deep is answered by its id, wherever that stands")
    func deepID() {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        for command in [#"{"id":7,"x":\#(deep)}"#, #"{"x":\#(deep),"id":7}"#] {
            #expect(decode(command).id == 7)
            #expect(problem(command)?.code == "json_too_deep")
        }
        #expect(decode(#"{"x":\#(deep),"id":7"#).id == nil)
    }

    @Test("a signal has 64 bytes without the blanks between its values")
    func signals() throws {
        let payload = #"{"a":"\#(text(56))"}"#
        let command =
            #"{"id":7,"op":"signal","channel":"r","payload":{ "a" : "\#(text(56))" },"meta":1,"#
            + #""messageType":"t","mutation":5}"#
        #expect(payload.utf8.count == Limits.signalBytesMax)
        #expect(
            try decode(command).command.get()
                == .signal(
                    SignalRequest(channel: "r", message: Message(payload: payload, type: "t"))))
    }

    @Test("how a message is stored")
    func storing() throws {
        let command =
            #"{"id":7,"op":"publish","channel":"r","payload":1,"store":false,"ttl":876000}"#
        #expect(
            try decode(command).command.get()
                == .publish(
                    PublishRequest(
                        channel: "r", message: Message(payload: "1"), isStored: false,
                        hoursKept: 876_000)))
    }

    @Test(
        "an id is an integer of 0 or more; an unusable one is not answered with",
        arguments: [
            ("0", 0, nil), ("9223372036854775807", Int64.max, nil), ("-1", nil, "invalid_field"),
            ("1.0", nil, "invalid_field"), ("\"1\"", nil, "invalid_field"),
            ("true", nil, "invalid_field"), ("[1]", nil, "invalid_field"),
            ("null", nil, "missing_field"), ("9223372036854775808", nil, "invalid_field"),
        ] as [(String, CommandID?, String?)])
    func ids(json: String, id: CommandID?, code: String?) {
        let command = #"{"id":\#(json),"op":"ping"}"#

        #expect(decode(command).id == id)
        #expect(problem(command)?.code == code)
    }

    @Test("a mistake behind a good id is answered with it")
    func idOfMistake() {
        #expect(decode(#"{"op":"what","id":7}"#).id == 7)
        #expect(decode(#"{"id":8}"#).id == 8)
        #expect(decode("[]").id == nil)
    }

    private static let frame: [(String, String, String)] = [
        ("", "not_json", "The text is not JSON: "),
        (#"{"id":1,"id":2}"#, "not_json", "The text is not JSON: a duplicate name"),
        (
            String(repeating: "[", count: 33), "json_too_deep",
            "The JSON is nested more than 32 levels deep. Flatten it."
        ),
        (
            "[]", "not_an_object",
            #"Send one JSON object per message, such as {"id":1,"op":"ping"}."#
        ),
        ("null", "not_an_object", "Send one JSON object"),
        ("{}", "missing_field", #"The field "id" is missing. It must be an integer."#),
        (#"{"id":1}"#, "missing_field", #"The field "op" is missing. It must be a string."#),
        (#"{"id":1,"op":1}"#, "invalid_field", #"The field "op" must be a string."#),
        (#"{"id":1,"op":""}"#, "invalid_field", #"The field "op" must be a string of 1 to 64 "#),
        (
            #"{"id":1,"op":"Ping"}"#, "unknown_op",
            #"There is no op "Ping". Use one of hello, subscribe, unsubscribe, follow, unfollow, "#
                + "repair, publish, signal, addAction, removeAction, editMessage, deleteMessage, "
                + "deleteMessages, removeActions, history, older, actions, endLive, summaries, "
                + "markRead, unread, "
                + "hereNow, whereNow, "
                + "setState, getState, changeGroup, group, ping, token, users, "
        ),
    ]

    private static let hello: [(String, String, String)] = [
        (
            #""userId":"u""#, "missing_field",
            #"The field "deviceId" is missing. It must be a string."#
        ),
        (#""deviceId":"d""#, "missing_field", #"The field "userId" is missing."#),
        (
            #""userId":"","deviceId":"d""#, "invalid_field",
            #"The field "userId" must be a string of 1 to 255 bytes."#
        ),
        (
            #""userId":"u","deviceId":"\#(text(256))""#, "invalid_field",
            #"The field "deviceId" must be a string of 1 to 255 bytes."#
        ),
        (
            #""userId":"u","deviceId":"d","keyset":1"#, "invalid_field",
            #"The field "keyset" must be a string."#
        ),
    ]

    private static let channels: [(String, String, String)] = [
        ("", "missing_field", #"The field "channels" is missing. It must be an array."#),
        (#""channels":{}"#, "invalid_field", #"The field "channels" must be an array."#),
        (#""channels":[]"#, "invalid_field", #"The field "channels" must be a list of one or "#),
        (
            #""channels":["r"]"#, "invalid_field",
            #"The field "channels" must be a list of objects such as {"name":"room"}."#
        ),
        (#""channels":[{}]"#, "missing_field", #"The field "name" is missing."#),
        (#""channels":[{"name":"a,b"}]"#, "invalid_channel", channelMessage),
        (
            #""channels":[{"name":"r","cursor":1}]"#, "invalid_field",
            #"The field "cursor" must be a string of 1 to 19 decimal digits, up to 2^63-1."#
        ),
        (#""channels":[{"name":"r","cursor":"-1"}]"#, "invalid_field", #"The field "cursor" must"#),
        (
            #""channels":[{"name":"r","epoch":"\#(text(65))"}]"#, "invalid_field",
            #"The field "epoch" must be a string of 1 to 64 bytes."#
        ),
        (
            "\"channels\":["
                + Array(repeating: #"{"name":"r"}"#, count: 1001).joined(separator: ",")
                + "]", "too_many_channels",
            "At most 1000 channels per command. Name fewer, or unsubscribe from some."
        ),
    ]

    private static let writes: [(String, String, String)] = [
        (
            #""channel":"r""#, "missing_field",
            #"The field "payload" is missing. It must be any JSON "#
        ),
        (
            #""payload":1"#, "missing_field",
            #"The field "channel" is missing. It must be a string."#
        ),
        (#""payload":1,"channel":"""#, "invalid_channel", channelMessage),
        (
            #""payload":1,"channel":"r","messageType":"""#, "invalid_field",
            #"The field "messageType" must be a string of 1 to 64 bytes."#
        ),
        (
            #""payload":1,"channel":"r","mutation":"\#(text(65))""#, "invalid_field",
            #"The field "mutation" must be a string of 1 to 64 bytes."#
        ),
        (
            #""payload":1,"channel":"r","mutation":7"#, "invalid_field",
            #"The field "mutation" must"#
        ),
    ]

    private static let actions: [(String, String, String)] = [
        (
            #""channel":"r","value":"v""#, "missing_field",
            #"The field "messageTimetoken" is missing. It must be a string of decimal digits."#
        ),
        (
            #""channel":"r","messageTimetoken":"9223372036854775808","value":"v""#,
            "invalid_field", #"The field "messageTimetoken" must be a string of 1 to 19 "#
        ),
        (
            #""channel":"r","messageTimetoken":"5""#, "missing_field",
            #"The field "value" is missing."#
        ),
        (
            #""channel":"r","messageTimetoken":"5","value":"""#, "invalid_field",
            #"The field "value" must be a string of 1 to 32768 bytes."#
        ),
        (
            #""channel":"r","messageTimetoken":"5","value":"v","type":"\#(text(65))""#,
            "invalid_field", #"The field "type" must be a string of 1 to 64 bytes."#
        ),
        (
            #""channel":"*","messageTimetoken":"5","value":"v""#, "invalid_channel", channelMessage
        ),
        (
            #""channel":"r","messageTimetoken":"5","value":"v","actionTimetoken":5"#,
            "invalid_field", #"The field "actionTimetoken" must be a string of 1 to 19 "#
        ),
    ]

    private static let pages: [(String, String, String)] = [
        ("", "missing_field", #"The field "channel" is missing. It must be a string."#),
        (
            #""channel":"r","after":true"#, "invalid_field",
            #"The field "after" must be a string of "#
        ),
        (
            #""channel":"r","limit":0"#, "invalid_field",
            #"The field "limit" must be an integer from 1"#
        ),
        (
            #""channel":"r","limit":-1"#, "invalid_field",
            #"The field "limit" must be an integer from"#
        ),
        (#""channel":"r","limit":1.5"#, "invalid_field", #"The field "limit" must be an integer."#),
        (
            #""channel":"r","limit":1001"#, "invalid_field",
            #"The field "limit" must be an integer "#
        ),
    ]

    private static let table: [(String, String, String)] =
        frame
        + [
            ("hello", hello), ("subscribe", channels), ("publish", writes),
            ("removeAction", actions), ("addAction", Array(actions.dropLast())),
            ("history", pages), ("actions", pages),
            (
                "history",
                [
                    (
                        #""channel":"r","limit":101"#, "invalid_field",
                        #"The field "limit" must be an integer from 1 to 100."#
                    ),
                    (
                        #""channel":"r","actions":1"#, "invalid_field",
                        #"The field "actions" must be true or false."#
                    ),
                ]
            ),
            (
                "older",
                [
                    (
                        #""channel":"r","last":0"#, "invalid_field",
                        #"The field "last" must be an integer of 1 or more where there is no "#
                    ),
                    (
                        #""channel":"r","last":1001"#, "invalid_field",
                        #"The field "last" must be an integer from 0 to 1000"#
                    ),
                    (#""channel":"r""#, "missing_field", #"The field "last" is missing."#),
                    (
                        #""channel":"r","last":1,"through":"x""#, "invalid_field",
                        #"The field "through" must be"#
                    ),
                ]
            ),
            (
                "signal",
                [
                    (
                        #""channel":"r","payload":"\#(text(63))""#, "invalid_field",
                        #"The field "payload" must be JSON text of at most 64 bytes in a signal."#
                    ), writes[0], writes[2], writes[3],
                ]
            ),
            (
                "unsubscribe",
                [
                    (
                        #""channels":[{"name":"r"}]"#, "invalid_field",
                        #"The field "channels" must be a list of strings."#
                    ),
                    (#""channels":["r",""]"#, "invalid_channel", channelMessage),
                ]
            ),
        ].flatMap { (row: (String, [(String, String, String)])) in
            row.1.map { members, code, message in
                let separator = members.isEmpty ? "" : ","
                return (#"{"id":1,"op":"\#(row.0)"\#(separator)\#(members)}"#, code, message)
            }
        }

    @Test("a mistake gets its code and says what to do", arguments: table)
    func mistakes(command: String, code: String, message: String) throws {
        let error = try #require(problem(command), "\(command.prefix(120))")

        #expect(error.status == 400)
        #expect(error.code == code)
        #expect(error.message.hasPrefix(message), "\(error.message)")
    }
}
