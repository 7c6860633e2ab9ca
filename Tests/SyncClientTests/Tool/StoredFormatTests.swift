// What syncctl writes of what is stored, and of what differs, for people and for programs.

import EventModel
import Testing

@testable import syncctl

@Suite("Formats of what is stored")
struct StoredFormatTests: FormatSamples {
    @Test("stored messages and actions")
    func stored() {
        let stored = StoredMessage(
            timetoken: message, uuid: "ada",
            message: Message(payload: #""hi""#, meta: "{}", type: "text"),
            actions: [action("👍", "bob", at: 101), action("👍", "ada", at: 102)])
        let human = HumanFormat(user: "ada")
        let json = JSONFormat(user: "ada")

        #expect(human.lines(for: stored) == ["100  ada: hi", "    👍 2"])
        #expect(human.line(for: stored.actions[0]) == "101  bob: 👍 on 100")
        #expect(
            json.line(for: stored, showsActions: false) == """
                {"timetoken":"100","uuid":"ada","payload":"hi","meta":{},"messageType":"text"}
                """)
        #expect(
            json.line(for: stored, showsActions: true).hasSuffix(
                """
                ,"actions":[{"messageTimetoken":"100","type":"reaction","value":"👍",\
                "uuid":"bob","actionTimetoken":"101"},{"messageTimetoken":"100",\
                "type":"reaction","value":"👍","uuid":"ada","actionTimetoken":"102"}]}
                """))
    }

    @Test("a message as its author has it now, with its replies, and what reactions count for")
    func currentMessages() {
        let clap = MessageAction(
            key: action("👏", "bob", at: 101).key, actionTimetoken: Timetoken(rawValue: 101),
            score: 5)
        var stored = StoredMessage(
            timetoken: message, uuid: "ada", message: Message(payload: #""hi""#),
            actions: [clap, action("👏", "ada", at: 102)],
            edited: MessageVersion(
                payload: #"{"text":"hello"}"#, timetoken: Timetoken(rawValue: 103)))
        stored.threadCount = 2
        let human = HumanFormat(user: "ada")
        #expect(
            human.lines(for: stored) == [
                "100  ada: hello  (edited, 2 replies)", "    👏 2 (score 6)",
            ])
        #expect(human.line(for: clap) == "101  bob: 👏 ×5 on 100")
        #expect(
            JSONFormat(user: "ada").line(for: stored, showsActions: false) == """
                {"timetoken":"100","uuid":"ada","payload":"hi",\
                "edited":{"payload":{"text":"hello"},"timetoken":"103"},"threadCount":2}
                """)
        #expect(JSONFormat(user: "ada").line(for: clap).hasSuffix(#","score":5}"#))
        stored.deleted = Timetoken(rawValue: 104)
        stored.threadCount = 1
        #expect(
            human.lines(for: stored).first
                == "100  ada: hello  (edited, deleted by its author, 1 reply)")
        #expect(
            JSONFormat(user: "ada").line(for: stored, showsActions: false)
                .hasSuffix(#","deleted":"104","threadCount":1}"#))
    }

    @Test("what became of a reaction, with what it counts for")
    func outcomes() {
        let human = HumanFormat(user: "ada")
        func added(_ applied: Addition, _ score: Int) -> String {
            human.line(for: "👏", applied: applied, score: score, message)
        }
        #expect(added(.added, 1) == "👏 added to 100")
        #expect(added(.added, 5) == "👏 added to 100, and counts for 5")
        #expect(added(.updated, 2) == "👏 on 100 counts for 2 now")
        #expect(added(.already, 1) == "👏 stands already on 100")
        func removed(_ removal: Removal, _ left: Int?) -> String {
            human.line(for: "👏", removal: removal, left: left, message)
        }
        #expect(removed(.removed, nil) == "👏 removed from 100")
        #expect(removed(.removed, 3) == "one 👏 taken off 100, 3 left")
        #expect(removed(.absent, nil) == "👏 was not there on 100")
    }

    private var finding: CacheFinding {
        CacheFinding(
            channel: "room", messages: 1, actions: 2, cursor: Timetoken(rawValue: 110),
            segments: .init(
                of: [
                    .actionPut(action("👍", "bob", at: 101)),
                    .messageDropped(
                        message, DeviceCache.Entry(uuid: "ada", message: Message(payload: "1"))),
                ], cutBefore: [message]))
    }

    @Test("what differed in a cache is told row by row")
    func caches() {
        let human = HumanFormat(user: "ada")
        let json = JSONFormat(user: "ada")
        var equal = finding
        equal.segments = []

        #expect(
            human.lines(for: finding, wasRepaired: false) == [
                "room: different, 2 rows in 1 segment (1 messages, 2 actions as of 110)",
                "  messages after 0: 2 rows",
                "    missing  101  bob: 👍 on 100", "    extra    100  a message",
            ])
        #expect(
            human.lines(for: finding, wasRepaired: true).first
                == "room: repaired, 2 rows in 1 segment (1 messages, 2 actions as of 110)")
        #expect(
            human.lines(for: equal, wasRepaired: true)
                == ["room: equal (1 messages, 2 actions as of 110)"])
        #expect(
            json.line(for: finding, wasRepaired: true) == """
                {"channel":"room","equal":false,"repaired":true,"messages":1,"actions":2,\
                "cursor":"110","segments":[{"after":"0","rows":2,"differences":[\
                {"row":"missing","messageTimetoken":"100",\
                "type":"reaction","value":"👍","uuid":"bob","actionTimetoken":"101"},\
                {"row":"extra","timetoken":"100"}]}]}
                """)
    }

    @Test("what is before a part of a channel is told beside the part")
    func cacheOfAPart() {
        var part = finding
        part.segments = []
        part.rest = CacheFinding.Rest(after: Timetoken(rawValue: 90), isEqual: true)
        #expect(part.isEqual)
        #expect(
            HumanFormat(user: "ada").lines(for: part, wasRepaired: false)
                == ["room: equal (1 messages, 2 actions as of 110, after 90)"])
        part.rest?.isEqual = false
        #expect(!part.isEqual)
        #expect(
            HumanFormat(user: "ada").lines(for: part, wasRepaired: true) == [
                "room: repaired (1 messages, 2 actions as of 110, after 90)",
                "  what is before those that the file has",
            ])
        #expect(
            JSONFormat(user: "ada").line(for: part, wasRepaired: false).hasSuffix(
                #""cursor":"110","window":{"after":"90","restEqual":false},"segments":[]}"#))
    }

    @Test("rows are told by the segments of the channel's messages")
    func segments() {
        let messages = (1...2000).map { Timetoken(rawValue: 17_952_187_953_730_000 + $0 * 7) }
        let cuts = messages.filter { $0.beginsSegment(ofMessages: CacheFinding.segmentMessages) }
        let rows = [messages[1500], messages[3], messages[1500]].map { message in
            RowChange.messageDropped(
                message, DeviceCache.Entry(uuid: "ada", message: Message(payload: "1")))
        }
        let segments = [CacheFinding.Segment](of: rows, cutBefore: messages.shuffled())
        #expect(segments.map(\.differences.count) == [1, 2])
        #expect(
            segments.allSatisfy { segment in
                segment.differences.allSatisfy {
                    segment.messages.contains($0.row.messageTimetoken)
                }
            })
        // Each ends where the next one begins.
        #expect(
            segments[1].messages.after.rawValue + 1 == cuts.last { $0 <= messages[1500] }?.rawValue)
        #expect(
            segments[1].messages.through.rawValue + 1
                == cuts.first { $0 > messages[1500] }?.rawValue)
        #expect([CacheFinding.Segment](of: rows, cutBefore: []).map(\.messages.through) == [.end])
    }
}
