// What takes long to say is said in parts of turns, and what is short does not wait for it.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Long answers")
struct LongAnswersTests {
    private static let list = "/v1/channel-registration/sub-key/sub/channel-group/friends"

    @Test("a turn makes so many lists, and the rest in the next; what is short passes")
    func lists() throws {
        let bench = AccessBench(keyset: AccessBench.keyset)
        let token = try AccessBench.token(groups: ["friends": 1])
            .replacing("=", with: "%3D")
        func ask(_ target: String) -> SessionID {
            let connection = bench.newConnection()
            bench.core.http.connection(
                connection,
                didRequest: HTTPRequest(method: .get, target: target, body: []))
            return connection
        }
        let perTurn = Limits.answeredBytesPerTurnMax / Limits.answeredListBytes
        let asked = (0..<perTurn * 2 + 1).map { _ in ask("\(Self.list)?uuid=ada&auth=\(token)") }
        func answered() -> Int { asked.count { bench.transport.responses[$0] != nil } }

        #expect(answered() == perTurn)
        let refused = ask(Self.list)
        #expect(bench.transport.responses[refused]?.status == 403)
        #expect(bench.core.nextDue != nil)
        bench.core.turn(at: 0)
        #expect(answered() == perTurn * 2)
        bench.core.turn(at: 0)
        #expect(answered() == asked.count)
        for connection in asked { #expect(bench.transport.responses[connection]?.status == 200) }
    }

    @Test("with little memory less waits, and one answer always may")
    func littleMemory() throws {
        let origin = Origin(reactor: 0, session: SessionID(slot: 0, generation: 1), command: 1)
        let little = Limits.memoryMaxMin
        let bytes = Limits.cacheBytes(Limits.answersWaitingBytesMax, within: little)
        var answers = LongAnswers()
        func wait(_ answer: LongAnswers.Answer, within memoryMax: Int) -> Bool {
            answers.wait(answer, for: origin, within: memoryMax)
        }
        let taken = (0...bytes / Limits.answeredListBytes).map { _ in wait(.list, within: little) }
        #expect(taken.count { $0 } == bytes / Limits.answeredListBytes)
        #expect(wait(.list, within: 0))

        answers = LongAnswers()
        let names = Array(repeating: "room", count: bytes / 40 + 1)
        #expect(wait(.presence(.channels(names)), within: little))
        #expect(!wait(.list, within: little))
    }

    @Test("more groups than a list has room for are not listed")
    func manyGroups() {
        let groups = ChannelGroups(
            (0...Limits.groupsListedMax).map { number in
                GroupMembership(
                    group: ChannelGroup("g\(number)", keyset: "k"), channels: ["room"])
            })
        #expect(groups.groups(inKeyset: "k") == nil)
        groups.apply([
            GroupMembership(group: ChannelGroup("g0", keyset: "k"), channels: [])
        ])
        #expect(groups.groups(inKeyset: "k")?.count == Limits.groupsListedMax)
    }
}
