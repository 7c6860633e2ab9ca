// The deciding parts of the models: who types, who is here.

import EventModel
import Testing

@testable import SyncModels

@Suite("Who types")
struct TypingStateTests {
    private func at(_ position: UInt64) -> Timetoken { Timetoken(rawValue: position) }

    @Test("somebody types for six seconds after having said so, and longer if it is said again")
    func expires() {
        var state = TypingState()
        state.hear(true, of: "bob", at: at(1), now: .seconds(0))
        state.hear(true, of: "eve", at: at(2), now: .seconds(1))
        state.hear(true, of: "bob", at: at(3), now: .seconds(3))
        #expect(state.users == ["bob", "eve"])
        #expect(state.next == .seconds(7))
        state.expire(at: .seconds(7))
        #expect(state.users == ["bob"])
        state.expire(at: .milliseconds(8999))
        #expect(state.users == ["bob"])
        state.expire(at: .seconds(9))
        #expect(state.users.isEmpty)
        #expect(state.next == nil)
    }

    @Test("a message ends it, but not an older one that a page brought; saying so ends it, too")
    func ends() {
        var state = TypingState()
        state.hear(true, of: "bob", at: at(10), now: .zero)
        state.hear(true, of: "eve", at: at(11), now: .zero)
        state.wrote("bob", at: at(9))
        state.wrote("eve", at: at(12))
        #expect(state.users == ["bob"])
        state.hear(false, of: "bob", at: at(13), now: .zero)
        #expect(state.users.isEmpty)
    }

    @Test("names are told apart by their bytes, and have an end")
    func bounds() {
        var state = TypingState()
        state.hear(true, of: "e\u{301}", at: at(1), now: .zero)
        state.hear(true, of: "\u{e9}", at: at(2), now: .zero)
        #expect(state.users.count == 2)
        for number in 0..<100 {
            state.hear(true, of: "\(number)", at: at(3), now: .zero)
        }
        #expect(state.users.count == TypingState.usersMax)
    }

    @Test(
        "the convention's signals are read, and others let alone",
        arguments: [
            (#"{"typing":true}"#, true), (#"{"typing": false, "more":1}"#, false),
            (#"{"typing":1}"#, nil), (#""typing""#, nil), (#"{"x":true}"#, nil), ("{", nil),
        ] as [(String, Bool?)])
    func reads(payload: String, isTyping: Bool?) {
        #expect(TypingState.typing(in: payload) == isTyping)
    }
}

@Suite("Who is here")
struct AttendanceTests {
    private func notice(
        _ action: PresenceNotice.Action, _ user: String? = nil, of occupancy: Int
    ) -> PresenceNotice {
        PresenceNotice(action: action, userID: user, occupancy: occupancy, seconds: 1)
    }

    @Test("what is said while the question is open counts on top of the answer")
    func overtakes() {
        var attendance = Attendance()
        let number = attendance.ask()
        let isJoinShort = attendance.hear(notice(.join, "bob", of: 2))
        let isLeaveShort = attendance.hear(notice(.leave, "ada", of: 1))
        #expect((isJoinShort, isLeaveShort) == (false, false))
        attendance.answer(
            OccupancyPage(occupancy: 2, users: [Occupant(userID: "ada"), Occupant(userID: "eve")]),
            to: number)
        #expect(attendance.users == ["bob", "eve"])
    }

    @Test("an answer to an earlier question, or from before the connection broke, is nothing")
    func late() {
        var attendance = Attendance()
        let (first, second) = (attendance.ask(), attendance.ask())
        let page = OccupancyPage(occupancy: 1, users: [Occupant(userID: "ada")])
        attendance.answer(page, to: first)
        #expect(attendance.users.isEmpty)
        attendance.lose()
        attendance.answer(page, to: second)
        #expect(attendance.users.isEmpty)
        let third = attendance.ask()
        attendance.answer(page, to: third)
        #expect(attendance.users == ["ada"])
    }

    @Test("an interval with its lists needs no question, and one without them does")
    func intervals() {
        var attendance = Attendance()
        let number = attendance.ask()
        attendance.answer(
            OccupancyPage(occupancy: 1, users: [Occupant(userID: "ada")]), to: number)
        var interval = notice(.interval, of: 2)
        (interval.joined, interval.left, interval.timedOut) = (["bob", "eve"], ["ada"], [])
        let isAsked = attendance.hear(interval)
        #expect(!isAsked)
        #expect(attendance.users == ["bob", "eve"])
        let isAskedWithoutLists = attendance.hear(notice(.interval, of: 5))
        #expect(isAskedWithoutLists)
        #expect(attendance.occupancy == 5)
        var full = notice(.interval, of: 2)
        full.needsRefresh = true
        let isAskedAnew = attendance.hear(full)
        #expect(isAskedAnew)
    }

    @Test("who comes twice is here once, and who vanishes is gone")
    func changes() {
        var attendance = Attendance()
        for action in [PresenceNotice.Action.join, .stateChange, .join] {
            _ = attendance.hear(notice(action, "bob", of: 1))
        }
        #expect(attendance.users == ["bob"])
        _ = attendance.hear(notice(.timeout, "bob", of: 0))
        #expect(attendance.users.isEmpty)
    }
}
