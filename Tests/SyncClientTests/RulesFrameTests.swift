// What a client reads of the rules that the daemon tells it.

import EventModel
import TestSupport
import Testing

@testable import SyncClient

@Suite("Rules of reactions in frames")
struct RulesFrameTests {
    private func decode(_ text: String) throws -> ServerFrame {
        try ServerFrameDecoder(keyset: "default").decode(Array(text.utf8)) { _ in .subscribe }
    }

    private func rules(_ said: String) throws -> ReactionRules {
        let frame = try decode(#"{"channels":[{"name":"room","rules":0}],"rules":[\#(said)]}"#)
        guard case .rules(let rules) = frame else {
            Issue.record("\(frame)")
            return ReactionRules()
        }
        return try #require(rules["room"])
    }

    @Test("the document's example is read")
    func document() throws {
        let example =
            #"{"channels":[{"name":"room","rules":0},{"name":"den"}],"rules":[{"mode":"unique","#
            + #""values":["👍","❤️"],"aliases":[{"name":"love","value":"❤️"}]}]}"#
        #expect(try ProtocolDocument.lines().contains(example))
        var unique = ReactionRules()
        unique.mode = .unique
        unique.values = .list(["👍", "❤️"])
        unique.aliases = [ReactionRules.Alias(name: "love", value: "❤️")]
        #expect(try decode(example) == .rules(["room": unique, "den": ReactionRules()]))
    }

    @Test("every member is read, and what is left out or new is as ever")
    func members() throws {
        let said =
            #"{"reactions":false,"mode":"flag","values":"emoji","types":["like"],"#
            + #""needsMessage":true,"valuesMax":3,"ownMax":2,"actionsMax":1,"later":{}}"#
        var rules = ReactionRules()
        (rules.isOn, rules.mode, rules.values) = (false, .flag, .emoji)
        (rules.types, rules.needsMessage, rules.valuesMax) = (["like"], true, 3)
        (rules.ownMax, rules.actionsMax) = (2, 1)
        #expect(try self.rules(said) == rules)
        #expect(try self.rules("{}") == ReactionRules())
        #expect(try self.rules(#"{"mode":"claps","values":"all"}"#) == ReactionRules())
    }

    @Test(
        "what cannot be read costs that frame",
        arguments: [
            #"{"channels":[{"name":"room","rules":1}],"rules":[{}]}"#,
            #"{"channels":[{"name":"room","rules":-1}],"rules":[{}]}"#,
            #"{"channels":[{"rules":0}],"rules":[{}]}"#, #"{"channels":{},"rules":[{}]}"#,
            #"{"channels":[{"name":"room","rules":0}],"rules":[{"values":[1]}]}"#,
            #"{"channels":[{"name":"room","rules":0}],"rules":[{"aliases":[{"name":"a"}]}]}"#,
        ])
    func malformed(text: String) {
        #expect(throws: FrameError.self) { try decode(text) }
    }

    @Test("a subscription begins under its channel's rules")
    func subscribed() throws {
        let frame = try decode(
            #"{"id":1,"ok":{"channels":[{"name":"a","mode":"current","cursor":"7","rules":1},"#
                + #"{"name":"b","mode":"current","cursor":"7"}],"rules":[{},{"mode":"unique"}]}}"#)
        guard case .reply(1, .success(.subscribed(let channels))) = frame else {
            Issue.record("\(frame)")
            return
        }
        #expect(channels.map(\.rules.mode) == [.unique, .distinct])
    }
}
