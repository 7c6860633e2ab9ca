// `syncctl top`: the picture that becomes of a daemon's answers, and the keys.

import JSON
import Testing

@testable import syncctl

@Suite("syncctl top")
struct TopTests {
    private func scene(_ sessions: [(user: String, follows: Int, waits: Int)] = []) throws
        -> TopScene
    {
        let list = sessions.enumerated().map { index, session in
            """
            {"id":"0-0-\(index)","kind":"websocket","user":\(JSONValue.quoted(session.user)),\
            "device":"phone","address":"::1","since":"2026-11-30T02:02:0\(index).000Z",\
            "subscriptions":\(session.follows),"queuedBytes":\(session.waits)}
            """
        }
        return TopScene(
            status: try JSONValue(
                parsing: """
                    {"version":"0.2.0","pid":7,"since":"2026-11-30T02:02:14.000Z","serves":false,
                    "troubles":[{"cause":"disk","text":"The disk is full."}]}
                    """),
            tenants: try JSONValue(
                parsing: """
                    {"tenants":[{"keyset":"one","connections":{"held":3,"quota":9,"refused":2},
                    "channels":{"held":1200,"quota":0,"refused":1},"rateLimited":4}]}
                    """),
            sessions: try JSONValue(
                parsing: "{\"sessions\":[\(list.joined(separator: ","))]}"))
    }

    private func state(_ scene: TopScene, rows: Int = 24, columns: Int = 80) -> TopState {
        var state = TopState(rows: rows, columns: columns, measure: .sample)
        state.show(scene)
        return state
    }

    private func text(_ state: TopState) -> [String] { state.picture.lines.map(\.text) }

    @Test("it says which daemon it is, what is wrong, and what each tenant has")
    func head() throws {
        let state = state(try scene())
        let lines = text(state)

        #expect(
            lines[0]
                == "syncdaemon 0.2.0, process 7, since 2026-11-30 02:02:14 UTC, serves nobody now")
        #expect(lines[1] == "The disk is full.")
        #expect(state.picture.lines[1].shows("full", .alert))
        #expect(lines.contains("keyset  sessions  follow  channels  stored  refused  limited"))
        #expect(lines.contains("one            3       0      1.2k       0        3        4"))
        #expect(lines.count == 24)
        #expect(state.picture.cursor == nil)
    }

    @Test(
        "counts of any size are shown",
        arguments: ["9223372036854775807", "-9223372036854775808", "1e19", "-1e400", "1e400"])
    func oddCounts(count: String) throws {
        let tenants = try JSONValue(
            parsing: """
                {"tenants":[{"keyset":"one","connections":{"held":\(count),"refused":\(count)},
                "channels":{"held":1,"refused":\(count)},"rateLimited":\(count)}]}
                """)
        let empty = try JSONValue(parsing: "{}")
        let scene = TopScene(status: empty, tenants: tenants, sessions: empty)

        #expect(scene.tenants.count == 1)
        #expect(text(state(scene)).contains { $0.hasPrefix("one ") })
    }

    @Test("s sorts sessions by what waits, by what they follow, and by age")
    func order() throws {
        var state = state(try scene([("ada", 1, 5), ("bob", 9, 0), ("eve", 2, 7)]))
        func users() -> [String] {
            let lines = text(state)
            let start = lines.firstIndex { $0.hasPrefix("user") } ?? 0
            return lines[(start + 1)...].prefix(3).map { String($0.prefix(3)) }
        }
        #expect(users() == ["eve", "ada", "bob"])
        #expect(state.press(.text("s")) == nil)
        #expect(users() == ["bob", "eve", "ada"])
        #expect(state.press(.text("s")) == nil)
        #expect(users() == ["ada", "bob", "eve"])
        #expect(text(state).last?.contains("by age") == true)
        #expect(state.press(.text("s")) == nil)
        #expect(users() == ["eve", "ada", "bob"])
    }

    @Test("p holds what shows, and goes on with what is then")
    func hold() throws {
        var state = state(try scene([("ada", 1, 0)]))
        #expect(state.press(.text("p")) == nil)
        state.show(try scene([("bob", 1, 0)]))
        #expect(text(state).contains { $0.hasPrefix("ada ") })
        #expect(text(state).last?.contains("held") == true)
        #expect(state.press(.text("p")) == nil)
        state.show(try scene([("bob", 1, 0)]))
        #expect(text(state).contains { $0.hasPrefix("bob ") })
    }

    @Test(
        "keys that leave, and those that mend the screen",
        arguments: [
            (.text("q"), .leave), (.escape, .leave), (.control("c"), .leave),
            (.control("l"), .redraw), (.control("z"), .suspend), (.text("x"), nil),
        ] as [(ScreenKey, TopIntent?)])
    func keys(key: ScreenKey, intent: TopIntent?) throws {
        var state = state(try scene())
        #expect(state.press(key) == intent)
    }

    @Test(
        "no screen is too small, and no name moves what stands beside it",
        arguments: [(1, 1), (3, 10), (8, 20), (24, 80), (60, 200)])
    func sizes(rows: Int, columns: Int) throws {
        let names = ["a\u{1B}[2Jb", "漢字漢字漢字漢字漢字漢字", String(repeating: "x", count: 90)]
        let state = state(
            try scene(names.map { ($0, 1, 0) }), rows: rows, columns: columns)
        let lines = text(state)

        #expect(lines.count == rows)
        #expect(lines.allSatisfy { Columns.sample.width(of: $0) <= columns })
        #expect(!lines.joined().contains("\u{1B}"))
        guard rows >= 24, columns >= 80 else { return }
        let places = lines.compactMap { $0.firstRange(of: "phone") }
        #expect(places.count == 3)
    }
}
