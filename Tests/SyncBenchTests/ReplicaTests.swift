// What the load tool's devices keep of a channel.

import Basis
import EventModel
import JSON
import Testing

@testable import syncbench

@Suite("Replicas")
struct ReplicaTests {
    private let key: DigestKey

    init() throws {
        key = try #require(DigestKey("000102030405060708090a0b0c0d0e0f"))
    }

    private func action(_ user: String, _ timetoken: UInt64) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 17), type: "reaction", value: "👍",
                uuid: user),
            actionTimetoken: Timetoken(rawValue: timetoken))
    }

    private func digest(_ actions: [MessageAction]) -> Digest {
        actions.reduce(into: Digest.empty) { $0.insert($1, key: key) }
    }

    private func event(_ kind: String, _ action: MessageAction, at timetoken: UInt64) -> String {
        #"{"a":"1","f":0,"e":3,"i":"\#(action.key.uuid)","p":{"t":"\#(timetoken)","r":1},"#
            + #""k":"default","c":"c000042","d":{"source":"actions","version":"1.0","#
            + #""event":"\#(kind)","data":{"messageTimetoken":"17","type":"reaction","#
            + #""value":"👍","actionTimetoken":"\#(action.actionTimetoken)"}}}"#
    }

    private func push(_ events: [String], _ state: Digest) -> [UInt8] {
        Array(
            (#"{"t":{"t":"30","r":1},"c":"c000042","m":[\#(events.joined(separator: ","))],"#
                + #""s":{"n":\#(state.count),"d":"\#(state.text)"}}"#).utf8)
    }

    private func read(_ text: [UInt8]) throws -> Push {
        try Push(JSONValue(parsing: String(decoding: text, as: UTF8.self)))
    }

    @Test("a push is applied in its order and compared with what it says")
    func pushes() throws {
        let (ada, bob, adaAgain) = (action("ada", 18), action("bob", 19), action("ada", 21))
        let text = push(
            [
                event("added", ada, at: 18), event("added", bob, at: 19),
                event("removed", ada, at: 20), event("added", adaAgain, at: 21),
                event("removed", action("eve", 3), at: 22),
            ], digest([bob, adaAgain]))

        var replica = Replica(key: key)

        let isEqual = try replica.apply(read(text))
        #expect(isEqual == true)
        #expect(replica.rows == [bob.key: bob.actionTimetoken, ada.key: adaAgain.actionTimetoken])
        #expect(replica.cursor == Timetoken(rawValue: 30))
        let wrong = push([event("removed", bob, at: 23)], digest([]))
        let isStillEqual = try replica.apply(read(wrong))
        #expect(isStillEqual == false)
    }

    @Test("a repair's answer drops, inserts, and is compared")
    func differences() throws {
        let (ada, bob, eve) = (action("ada", 18), action("bob", 19), action("eve", 20))
        var replica = Replica(key: key)
        for action in [ada, bob] { replica.put(action) }
        let state = digest([bob, eve])
        let answer = try JSONValue(
            parsing: #"{"cursor":"40","s":{"n":2,"d":"\#(state.text)"},"#
                + #""rows":"\#(PackedActions.text([eve]))","#
                + #""drop":"\#(PackedActions.text([ada.actionTimetoken]))"}"#)

        guard case .difference(let difference) = try RepairAnswer(answer) else {
            Issue.record("This is a difference.")
            return
        }

        let isEqual = replica.apply(difference)
        #expect(isEqual)
        #expect(Set(replica.rows.keys) == [bob.key, eve.key])
        #expect(replica.items().count == 2)
    }

    @Test("what is before a window changes its rest alone")
    func windows() throws {
        let (ada, bob, eve) = (action("ada", 18), action("bob", 19), action("eve", 20))
        let (none, one) = (digest([]), digest([ada]))
        let page = try JSONValue(
            parsing: #"{"cursor":"25","after":"17","rest":{"n":1,"d":"\#(one.text)"},"#
                + #""s":{"n":1,"d":"\#(one.text)"},"messages":[],"rows":"AA=="}"#)
        var replica = Replica(key: key, window: try OlderPage(page))
        let whole = digest([bob, eve])
        let text = push(
            [
                event("added", bob, at: 26), event("removed", ada, at: 27),
                event("added", eve, at: 28),
            ], whole)

        let isEqual = try replica.apply(read(text))

        #expect(isEqual == true)
        #expect(replica.rows.isEmpty && replica.digest == none && replica.state == whole)
        let summed =
            String(decoding: push([], one), as: UTF8.self).dropLast()
            + #","window":{"after":"17","rest":{"n":1,"d":"\#(one.text)"}}}"#
        let isEqualAgain = try replica.apply(read(Array(summed.utf8)))
        #expect(isEqualAgain == true)
        #expect(replica.request("c", epoch: "e").hasSuffix(#","window":{"after":"17"}}"#))
    }

    @Test("devices that got the same bytes share what they have; others do not")
    func shared() throws {
        let (ada, bob) = (action("ada", 18), action("bob", 19))
        let base = SharedState(Replica(key: key), isVerified: false)
        let right = push([event("added", ada, at: 18)], digest([ada]))
        let wrong = push([event("added", bob, at: 19)], digest([ada]))

        let first = try base.after(right)

        #expect(first.isVerified)
        #expect(try base.after(right) === first)
        #expect(try base.after(wrong) !== first)
        #expect(try !base.after(wrong).isVerified)
        #expect(base.replica.rows.isEmpty)
        #expect(FrameText.isPush(right))
        #expect(FrameText.channel(ofPush: right) == 42)
        #expect(FrameText.channel(ofPush: Array(#"{"t":{"t":"30","r":1}}"#.utf8)) == nil)
    }

    @Test("different channels are drawn, the popular ones more often")
    func popularity() {
        var random = SeededGenerator(seed: 1)
        let popularity = Popularity(count: 100)
        var counts = Array(repeating: 0, count: 100)
        for _ in 0..<1000 {
            let drawn = popularity.draw(10, using: &random)
            #expect(Set(drawn).count == 10)
            for channel in drawn { counts[channel] += 1 }
        }

        #expect(counts.allSatisfy { $0 > 0 })
        #expect(counts[0] > 3 * counts[99])
        #expect(Set(popularity.draw(200, using: &random)) == Set(0..<100))
    }

    @Test("an HTTP answer's head says where its body ends")
    func heads() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: 12\r\n\r\n{"
        let head = try #require(HTTPConversation.head(Array(text.utf8)))

        #expect(head.status == 200)
        #expect(head.length == 12)
        #expect(head.size == text.utf8.count - 1)
        #expect(HTTPConversation.head(Array(text.utf8.prefix(60))) == nil)
    }
}
