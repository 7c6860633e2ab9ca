// What keys do in a chat, and what stays where it is when others write.

import EventModel
import Testing

@testable import syncctl

@Suite("Keys of a chat")
struct ChatKeyTests {
    private let rows = (0..<30).map { chatRow($0) }

    private func own(_ minute: Int) -> ChatRow {
        var row = chatRow(minute)
        row.isOwn = true
        return row
    }

    @Test("what is typed is told, sent, and gone")
    func sends() {
        var state = chatState(rows)
        #expect(state.type("hé👍") == [.typed, .typed, .typed])
        #expect(state.texts[9] == "> hé👍")
        #expect(state.picture.cursor == [9, 6])
        #expect(state.pressed(.enter) == [.send("hé👍")])
        #expect(state.pressed(.enter) == [])
        state.type("x")
        #expect(state.pressed(.backspace) == [.stoppedTyping])
        state.type("  ")
        #expect(state.pressed(.enter) == [])
        #expect(state.pressed(.control("u"), .text("q")) == [.stoppedTyping, .typed])
        #expect(state.draft.text == "q")
    }

    @Test("what is pasted in several lines is one message")
    func pastes() {
        var state = chatState(rows)
        state.type("a\nb")
        #expect(state.pressed(.enter) == [.send("a\nb")])
    }

    @Test("the selection stays on its message, and on its line, when others come and go")
    func selectionStays() {
        var state = chatState(rows)
        state.pressed(.up, .up, .up)
        #expect(state.selected?.text == "message 27")
        let line = state.line(of: "message 27")
        #expect(state.texts[line ?? 0].hasPrefix(">10:27 bob: message 27"))
        var more = rows + [chatRow(30), chatRow(31)]
        state.show(chatScene(more))
        #expect(state.selected?.text == "message 27")
        #expect(state.line(of: "message 27") == line)
        more.insert(chatRow(0, "older"), at: 0)
        more[30].bubbles = [chatBubble("👍")]
        state.show(chatScene(more))
        #expect(state.selected?.text == "message 27")
        #expect(state.line(of: "message 27") == line)
        more.removeAll { $0.text == "message 27" }
        state.show(chatScene(more))
        #expect(state.selected?.text == "message 28")
        state.show(chatScene([]))
        #expect(state.selected == nil)
        #expect(state.focus == .composer)
    }

    @Test("without a selection the log follows the newest message")
    func follows() {
        var state = chatState(rows)
        #expect(state.texts[7] == " 10:29 bob: message 29")
        state.show(chatScene(rows + [chatRow(30)]))
        #expect(state.texts[7] == " 10:30 bob: message 30")
        #expect(state.isAtEnd)
    }

    @Test("what comes below is counted, and read when it is seen")
    func below() {
        var state = chatState(rows)
        for _ in 0..<12 { state.pressed(.up) }
        var scene = chatScene(rows + [chatRow(30)])
        scene.unread = Unread(count: 1, through: rows[29].timetoken)
        state.show(scene)
        #expect(!state.readsNow)
        #expect(state.texts[8] == " ↓ 1 new (End)")
        state.pressed(.end)
        #expect(state.readsNow)
        #expect(state.line(of: "─ new ─") != nil)
    }

    @Test("up, down and pages reach every message, and older ones are asked for at the first")
    func moves() {
        var scene = chatScene(rows)
        scene.hasOlder = true
        var state = ChatState(rows: 10, columns: 40, measure: .sample)
        state.show(scene)
        var seen: Set<String> = []
        func look(_ state: ChatState) {
            seen.formUnion(
                rows.map(\.text).filter { text in
                    state.texts.contains { $0.hasSuffix(": " + text) }
                })
        }
        look(state)
        var asked = 0
        for _ in 0..<30 where asked == 0 {
            asked = state.pressed(.pageUp).count { $0 == .loadOlder }
            look(state)
        }
        #expect(asked == 1)
        #expect(seen.count == 30)
        state.pressed(.home)
        #expect(state.selected?.text == "message 0")
        #expect(state.texts[1].contains("PageUp: older"))
        #expect(state.pressed(.up) == [.loadOlder])
        scene.isLoadingOlder = true
        state.show(scene)
        #expect(state.pressed(.up) == [])
        seen = []
        for _ in 0..<40 where state.focus == .log {
            look(state)
            state.pressed(.pageDown)
        }
        look(state)
        #expect(seen.count == 30)
        #expect(state.focus == .composer)
    }

    @Test("a message that is longer than the screen is read in parts")
    func long() {
        let text = (0..<40).map { "part\($0)." }.joined(separator: "\n")
        var state = chatState([chatRow(0), chatRow(1, text), chatRow(2)])
        var seen: Set<Int> = []
        func look(_ state: ChatState) {
            seen.formUnion((0..<40).filter { state.line(of: "part\($0).") != nil })
        }
        state.pressed(.up)
        for _ in 0..<20 {
            look(state)
            state.pressed(.up)
        }
        #expect(state.selected?.text == "message 0")
        #expect(seen.count == 40)
        seen = []
        for _ in 0..<20 where state.focus == .log {
            look(state)
            state.pressed(.down)
        }
        #expect(seen.count == 40)
        #expect(state.focus == .composer)
    }

    @Test("the picker takes a value by arrows or by its digit")
    func picker() {
        var row = chatRow(0)
        row.bubbles = [chatBubble("🎉"), chatBubble("❤️", isMine: true)]
        var state = chatState([row])
        state.pressed(.up, .text("r"))
        #expect(state.texts[9] == "React:  👍  [❤️]  😂   😲   😢   🔥   🎉")
        #expect(state.picture.cursor == nil)
        #expect(state.pressed(.right, .enter) == [.toggle("❤️", on: row.id)])
        #expect(state.focus == .log)
        #expect(state.pressed(.text("+"), .text("3")) == [.toggle("😂", on: row.id)])
        // What others added is offered, too.
        #expect(state.pressed(.text("r"), .left, .enter) == [.toggle("🎉", on: row.id)])
        #expect(state.pressed(.text("r"), .escape) == [])
        #expect(state.focus == .log)
    }

    @Test("the picker offers what the channel's rules have")
    func rules() {
        var rules = ReactionRules()
        func offered() -> [String] {
            let (values, takesAny) = ChatScene.values(under: rules)
            return values + (takesAny ? ["any"] : [])
        }
        #expect(offered() == ["👍", "❤️", "😂", "😲", "😢", "🔥", "any"])
        rules.values = .list(["yes", "no"])
        #expect(offered() == ["yes", "no"])
        rules.mode = .flag
        #expect(offered() == [ReactionRules.flag])
        rules.isOn = false
        #expect(offered() == [])
        var scene = chatScene(rows)
        (scene.values, scene.takesAnyValue) = ([], false)
        var state = ChatState(rows: 10, columns: 40, measure: .sample)
        state.show(scene)
        state.pressed(.up, .text("r"))
        #expect(state.focus == .log)
        #expect(state.notice == "This channel has no reactions.")
    }

    @Test("one's own message is edited and deleted, another's is not")
    func ownMessages() {
        var state = chatState([chatRow(0), own(1)])
        state.type("draft")
        state.pressed(.up, .text("e"))
        #expect(state.texts[9] == "edit> message 1")
        state.pressed(.backspace, .text("2"))
        #expect(state.pressed(.enter) == [.edit(own(1).id, "message 2")])
        #expect(state.draft.text == "draft")
        state.pressed(.up, .text("e"), .text("x"), .escape)
        #expect(state.draft.text == "draft")
        state.pressed(.up, .text("d"))
        #expect(state.texts[9] == "Delete this message for everybody? (y/n)")
        #expect(state.pressed(.text("n")) == [])
        #expect(state.pressed(.text("d"), .text("y")) == [.delete(own(1).id)])
        for key in ["e", "d"] {
            state.pressed(.home, .text(key))
            #expect(state.focus == .log)
            #expect(state.notice?.hasPrefix("Only your own messages") == true)
        }
    }

    @Test("what is about a message ends when the message goes")
    func vanishes() {
        for keys: [ScreenKey] in [[.text("r")], [.text("d")], [.text("w")], [.text("e")]] {
            var state = chatState([chatRow(0), own(1)])
            state.type("draft")
            state.pressed(.up)
            for key in keys { state.pressed(key) }
            state.show(chatScene([chatRow(0)]))
            #expect(state.focus == (keys == [.text("e")] ? .composer : .log))
            #expect(state.draft.text == "draft")
            #expect(state.editing == nil)
        }
    }

    @Test("leaving asks where it would lose what is not sent")
    func leaving() {
        var row = own(0)
        row.isPending = true
        var state = chatState([row])
        #expect(state.pressed(.control("c")) == [])
        #expect(state.notice?.hasPrefix("1 unsent get lost") == true)
        #expect(state.pressed(.text("x"), .control("c")) == [.typed])
        #expect(state.pressed(.control("c")) == [.leave])
        var scene = chatScene([row])
        scene.keepsUnsent = true
        state.show(scene)
        #expect(state.pressed(.control("c")) == [.leave])
        #expect(chatState(rows).pressing(.up, .text("q")) == [.leave])
    }

    @Test("keys that are about the program")
    func program() {
        var state = chatState(rows)
        #expect(
            state.pressed(.control("l"), .control("r"), .control("z")) == [
                .redraw, .reconnect, .suspend,
            ])
    }
}

extension ChatState {
    fileprivate func pressing(_ keys: ScreenKey...) -> [ChatIntent] {
        var state = self
        return keys.flatMap { state.pressed($0) }
    }
}
