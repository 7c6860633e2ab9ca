// What the screen of a chat shows, by size.

import EventModel
import Testing

@testable import syncctl

@Suite("Layout of a chat")
struct ChatLayoutTests {
    @Test("a small screen: title, day, messages, what happens, what is written")
    func small() {
        var row = chatRow(1, "Shall we meet at noon? I would say so")
        row.bubbles = [chatBubble("👍", 2, isMine: true), chatBubble("❤️")]
        var scene = chatScene([chatRow(0, "hello"), row])
        scene.occupancy = 2
        scene.typing = ["ada"]
        var state = ChatState(rows: 10, columns: 40, measure: .sample)
        state.show(scene)

        let title = " room  2 here" + String(repeating: " ", count: 20) + "online"
        let expected = [
            title, "", "", "─────────── Fri 27 Nov 2026 ────────────", " 10:00 bob: hello",
            " 10:01 bob: Shall we meet at noon? I", "       would say so",
            "       [👍 2]  ❤️ 1", " ada is typing…", ">",
        ]
        #expect(state.texts == expected)
        #expect(state.picture.cursor == [9, 2])
    }

    @Test(
        "the lines are as many as the screen has, and none is wider",
        arguments: [(5, 20), (10, 40), (24, 80), (50, 200), (4, 80), (24, 19), (1, 1)])
    func sizes(rows: Int, columns: Int) {
        var messages = (0..<30).map { chatRow($0, String(repeating: "漢 word👍 ", count: $0)) }
        messages[29].bubbles = (0..<9).map { chatBubble("👍\($0)", 98 + $0) }
        messages[28].author = String(repeating: "long name ", count: 9)
        var state = chatState(messages, lines: rows, columns: columns)
        state.pressed(.up, .up, .up)
        for keys: [ScreenKey] in [[], [.text("r")], [.escape, .text("?")], [.escape, .text("w")]] {
            for key in keys { state.pressed(key) }
            let lines = state.picture.lines
            #expect(lines.count == rows)
            #expect(lines.allSatisfy { Columns.sample.width(of: $0.text) <= columns })
        }
    }

    @Test("counts beyond 99 are 99+, one's own reaction stands out, a pending one is dim")
    func bubbles() {
        var row = chatRow(0)
        row.bubbles = [
            chatBubble("👍", 99), chatBubble("😂", 100), chatBubble("🔥", 3, isMine: true),
            chatBubble("😢", 1, isMine: true, isPending: true),
        ]
        let lines = chatState([row]).picture.lines
        let line = lines.first { $0.text.contains("👍") }
        #expect(line?.text == "        👍 99   😂 99+  [🔥 3] [😢 1]")
        #expect(line?.shows("🔥", [.reverse]) == true)
        #expect(line?.shows("😢", [.reverse, .dim]) == true)
        #expect(line?.shows("👍", .reverse) == false)
    }

    @Test("bubbles that have no room go on below")
    func manyBubbles() {
        var row = chatRow(0)
        row.bubbles = (0..<8).map { chatBubble("v\($0)") }
        let texts = chatState([row]).texts
        #expect(texts.filter { $0.contains(" v") }.count == 2)
    }

    @Test("what is not sent is dim and says so; notes go below where there is no room")
    func pending() {
        var row = chatRow(0, "on its way")
        row.isPending = true
        row.time = ""
        row.day = nil
        var edited = chatRow(1, String(repeating: "x", count: 28))
        edited.isEdited = true
        edited.replies = 2
        let state = chatState([edited, row], columns: 60)
        let line = state.picture.lines.first { $0.text.contains("on its way") }
        #expect(line?.shows("on its way", .dim) == true)
        #expect(line?.text == "   …   bob: on its way (not sent yet)")
        #expect(state.line(of: "(edited, 2 replies)") == state.line(of: "xxx"))
        let narrow = chatState([edited, row])
        #expect(narrow.line(of: "(edited, 2 replies)") == narrow.line(of: "xxx").map { $0 + 1 })
    }

    @Test("each day has one line, also when a message on its way has none yet")
    func days() {
        var pending = chatRow(4)
        pending.day = nil
        let rows = [
            chatRow(0, day: "Thu 26 Nov 2026"), chatRow(1, day: "Thu 26 Nov 2026"), chatRow(2),
            chatRow(3), pending,
        ]
        let texts = chatState(rows, lines: 20).texts
        #expect(texts.filter { $0.contains("Thu 26 Nov 2026") }.count == 1)
        #expect(texts.filter { $0.contains("Fri 27 Nov 2026") }.count == 1)
    }

    @Test("the line of what is new stands at the start and stays until the user answers")
    func new() {
        var scene = chatScene((0..<4).map { chatRow($0) })
        scene.unread = Unread(count: 2, through: Timetoken(rawValue: 2))
        var state = ChatState(rows: 15, columns: 40, measure: .sample)
        state.show(scene)
        #expect(state.readsNow)
        let line = state.texts.firstIndex { $0.contains("─ new ─") }
        #expect(line.map { $0 + 1 } == state.line(of: "message 2"))
        scene.unread = Unread(count: 0, through: Timetoken(rawValue: 4))
        scene.rows.append(chatRow(4))
        scene.unread?.count = 1
        state.show(scene)
        #expect(state.texts.filter { $0.contains("─ new ─") }.count == 1)
        state.type("ok")
        #expect(state.pressed(.enter) == [.send("ok")])
        #expect(state.line(of: "─ new ─") == nil)
    }

    @Test("where the connection stands")
    func connection() {
        var scene = chatScene([])
        var state = ChatState(rows: 10, columns: 40, measure: .sample)
        for (connection, title, info) in [
            (ChatScene.Connection.online, "online", " Up: select a message"),
            (.connecting, "connecting…", " Up: select a message"),
            (.offline(reason: "refused"), "offline, reconnecting", " refused"),
            (.closed(reason: "gone"), "closed", " Closed: gone"),
        ] {
            scene.connection = connection
            state.show(scene)
            #expect(state.texts[0].hasSuffix(title))
            #expect(state.texts[8] == info)
        }
    }

    @Test("who reacted, and how many more")
    func authors() {
        var row = chatRow(0)
        row.bubbles = [chatBubble("👍", 12, authors: ["ada", "eve"]), chatBubble("🔥")]
        var state = chatState([row], lines: 12)
        state.pressed(.up, .text("w"))
        let expected = [
            " 👍 12", "   ada", "   eve", "   and 10 more", " 🔥 1", "   and 1 more",
        ]
        #expect(Array(state.texts[1...6]) == expected)
        state.pressed(.escape)
        #expect(state.focus == .log)
    }
}
