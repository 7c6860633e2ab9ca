// What syncctl writes, for people and for programs.

import EventModel
import Testing

@testable import syncctl

@Suite("Formats")
struct FormatTests: FormatSamples {
    @Test(
        "the daemon's reason for a close is told by its code, in whole sentences",
        arguments: [
            (
                "token_expired: Your token has expired. Ask for another, and show it.",
                "token_expired", "Your token has expired. Ask for another, and show it."
            ),
            ("token_invalid: It is not good. See docs, or ask", "token_invalid", "It is not good."),
            ("forbidden: You may not. It lacks…", "forbidden", "You may not. It lacks…"),
            ("You read too slowly. Reconnect.", "failed", "You read too slowly. Reconnect."),
            ("the connection broke", "failed", "the connection broke."),
            ("there is no token: none", "failed", "there is no token: none."),
        ])
    func closeReasons(reason: String, code: String, message: String) {
        let error = JobError(closedBecause: reason)
        #expect(error.code == code)
        #expect(error.message == message)
    }

    /// Applies events and formats each after it was applied, as `subscribe` does.
    private func lines(_ envelopes: [Envelope], _ format: (Envelope, DeviceCache) -> String)
        -> [String]
    {
        var cache = DeviceCache()
        return envelopes.map { envelope in
            cache.apply(envelope)
            return format(envelope, cache)
        }
    }

    private var story: [Envelope] {
        [
            envelope(100, "ada", .message(Message(payload: #"{"text":"hi"}"#))),
            envelope(101, "bob", .actionAdded(action("👍", "bob", at: 101))),
            envelope(102, "ada", .actionAdded(action("👍", "ada", at: 102))),
            envelope(103, "ada", .actionAdded(action("❤️", "ada", at: 103))),
            envelope(104, "bob", .actionRemoved(action("👍", "bob", at: 101))),
            envelope(105, "bob", .actionAdded(action("read", "bob", at: 105, type: "receipt"))),
        ]
    }

    @Test("a story for people, with the counts after each action")
    func human() {
        let format = HumanFormat(user: "ada")

        #expect(
            lines(story) { format.line(for: $0, in: $1) } == [
                "100  ada: hi",
                "101  bob added 👍 to \"hi\" 100  👍 1",
                "102  ada added 👍 to \"hi\" 100  👍 2",
                "103  ada added ❤️ to \"hi\" 100  👍 2  ❤️ 1",
                "104  bob removed 👍 from \"hi\" 100  👍 1  ❤️ 1",
                "105  bob added receipt read to \"hi\" 100  👍 1  ❤️ 1",
            ])
    }

    @Test("the same for programs")
    func json() {
        let format = JSONFormat(user: "ada")

        let lines = lines(story) { format.line(for: $0, in: $1) }

        #expect(
            lines[0] == """
                {"event":"message","channel":"room","timetoken":"100","uuid":"ada",\
                "payload":{"text":"hi"}}
                """)
        #expect(
            lines[2] == """
                {"event":"actionAdded","channel":"room","timetoken":"102",\
                "messageTimetoken":"100","type":"reaction","value":"👍","uuid":"ada",\
                "actionTimetoken":"102","reactions":[{"value":"👍","count":2,"mine":true}]}
                """)
        #expect(
            lines[4] == """
                {"event":"actionRemoved","channel":"room","timetoken":"104",\
                "messageTimetoken":"100","type":"reaction","value":"👍","uuid":"bob",\
                "actionTimetoken":"101","reactions":[{"value":"👍","count":1,"mine":true},\
                {"value":"❤️","count":1,"mine":true}]}
                """)
    }

    @Test("an action on a message that is not known names its timetoken")
    func unknownMessage() {
        let format = HumanFormat(user: "ada")

        #expect(
            lines([story[1]]) { format.line(for: $0, in: $1) }
                == ["101  bob added 👍 to 100  👍 1"])
    }

    @Test("an action that nobody signed is nobody's, to people and to programs")
    func unsigned() {
        let key = MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 100), type: "reaction", value: "👍", uuid: "")
        let action = MessageAction(key: key, actionTimetoken: Timetoken(rawValue: 101))
        let human = HumanFormat(user: "ada")

        #expect(
            lines([envelope(101, "", .actionAdded(action))]) { human.line(for: $0, in: $1) }
                == ["101  (nobody) added 👍 to 100  👍 1"])
        #expect(human.line(for: action) == "101  (nobody): 👍 on 100")
        #expect(JSONFormat(user: "ada").line(for: action).contains(#""uuid":"""#))
    }

    @Test(
        "payloads as people read them",
        arguments: [
            (#""hi""#, "hi"), (#"{"text":"hi","x":1}"#, "hi"), (#"{"a":[1,2]}"#, #"{"a":[1,2]}"#),
            ("42", "42"), ("null", "null"), (#"{"text":5}"#, #"{"text":5}"#),
            (#""two\nlines""#, "two⏎lines"), (#""👨‍👩‍👧""#, "👨‍👩‍👧"),
        ])
    func payloads(payload: String, text: String) {
        let format = HumanFormat(user: "ada")

        #expect(
            lines([envelope(1, "ada", .message(Message(payload: payload)))]) {
                format.line(for: $0, in: $1)
            } == ["1  ada: \(text)"])
    }

    @Test("what others write cannot steer the terminal")
    func escapes() {
        #expect(
            printable("\u{1B}[2J\u{07}\u{9B}x\u{202E}y\r")
                == #"\u{1b}[2J\u{7}\u{9b}x\u{202e}y\u{d}"#)
        let format = HumanFormat(usesColor: true, user: "ada")
        let line = lines([envelope(1, "\u{1B}c", .message(Message(payload: #""\u001b[31m""#)))]) {
            format.line(for: $0, in: $1)
        }
        #expect(line == ["\u{1B}[2m1\u{1B}[0m  \\u{1b}c: \\u{1b}[31m"])
    }

    @Test(
        "who has something in their name that nobody sees is not taken for somebody else",
        arguments: [
            "\u{200B}", "\u{2060}", "\u{AD}", "\u{200F}", "\u{61C}", "\u{3164}", "\u{E0041}",
            "\u{34F}", "\u{200D}", "\u{FE0F}", "\u{FEFF}",
        ] as [Unicode.Scalar])
    func unseen(scalar: Unicode.Scalar) {
        for name in ["ada\(scalar)", "a\(scalar)da", "\(scalar)ada"] {
            let isSeen = printable(name).utf8.allSatisfy { $0 < 0x80 }
            #expect(isSeen)
        }
    }

    @Test(
        "what belongs to an emoji or a script stays",
        arguments: [
            "❤️‍🔥", "👩🏽‍❤️‍💋‍👨🏿", "1️⃣", "©️", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "می\u{200C}خواهم", "क्\u{200D}ष", "été", "e\u{301}", "กี่",
        ])
    func belongs(text: String) {
        #expect(printable(text) == text)
    }

    @Test(
        "a name for operators has nothing that nobody sees, wherever it is",
        arguments: [
            0x200B, 0x200C, 0x200D, 0x202E, 0x3164, 0xFDD0, 0xFE0F, 0xFFFF, 0xE0001, 0xE0041,
            0xE007F, 0xE0100, 0x10FFFE,
        ] as [UInt32])
    func unseenInTables(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        for (before, after) in [("👩", "👩"), ("🏴", ""), ("م", "م"), ("1", "\u{20E3}"), ("", "")] {
            let written = printableName("\(before)\(scalar)\(scalar)\(after)")
            #expect(written == "\(before)\(named(scalar))\(named(scalar))\(after)")
        }
    }

    @Test(
        "what is no character, or a tag of no flag, is written out everywhere",
        arguments: [0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFF, 0xE0041, 0xE0061, 0x10FFFF] as [UInt32])
    func tags(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(printable("a\(scalar)\(scalar)") == "a\(named(scalar))\(named(scalar))")
        #expect(printable("é\(scalar)\(scalar)") == "é\(named(scalar))\(named(scalar))")
    }

    @Test("a flag hides no text behind it")
    func longFlag() {
        let tag: Unicode.Scalar = "\u{E0061}"
        let flag = "🏴" + String(repeating: "\(tag)", count: 7)
        #expect(printable(flag + "\(tag)\(tag)") == flag + named(tag) + named(tag))
    }

    private func named(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16))}"
    }

    @Test("a letter has no more marks than a script would give it")
    func marks() {
        let heap = "z\(String(repeating: "\u{301}", count: 3000))a"
        #expect(printable(heap) == "z\(String(repeating: "\u{301}", count: 8))…a")
    }

    @Test("a long message is quoted in part")
    func excerpt() {
        let long = envelope(
            100, "ada", .message(Message(payload: "\"\(String(repeating: "é", count: 60))\"")))
        let format = HumanFormat(showsChannel: true, user: "ada")

        let line = lines([long, story[1]]) { format.line(for: $0, in: $1) }[1]

        #expect(
            line == "room  101  bob added 👍 to \"\(String(repeating: "é", count: 39))…\" 100  👍 1")
    }
}
