// Reactors are told of what they follow, and of nothing else.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interests")
struct InterestTableTests {
    private func event(_ channel: String, at number: UInt64) -> Envelope {
        Envelope(
            channel: Channel(channel), timetoken: tick(number), uuid: "ada",
            event: .message(.numbered(1)))
    }

    @Test("what is wanted agrees with a plain list", arguments: UInt64(1)...20)
    func agrees(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let names = ["a", "a.b", "a.b.c", "a.*", "a.b.*", "d"]
        let table = InterestTable()
        var model: Set<[String]> = []
        for _ in 0..<200 {
            let name = names[choices.below(names.count)]
            let reactor = [0, 1, 63, 64, 255][choices.below(5)]
            if choices.chance(50) {
                table.add(Channel(name), of: reactor)
                model.insert([name, "\(reactor)"])
            } else {
                table.remove(Channel(name), of: reactor)
                model.remove([name, "\(reactor)"])
            }
            let events = ["a", "a.b", "a.b.c", "d"].map { event($0, at: 1) }
            for (event, wanted) in zip(events, table.reactors(wanting: events)) {
                let matching = [event.channel.name] + event.channel.wildcards.map(\.name)
                for reactor in 0..<ReactorSet.countMax {
                    let expected = matching.contains { model.contains([$0, "\(reactor)"]) }
                    #expect(wanted[reactor] == expected)
                }
            }
        }
    }

    @Test("each reactor gets its own part of a commit, and nothing when nothing is for it")
    func parts() {
        let table = InterestTable()
        table.add(Channel("a"), of: 0)
        table.add(Channel("a"), of: 1)
        table.add(Channel("d"), of: 1)
        let answer = Answer(
            origin: Origin(
                reactor: 2, session: SessionID(slot: 1, generation: 1), command: 1),
            result: .success(.published(tick(1))))
        let commit = Commit(
            events: [event("a", at: 1), event("d", at: 2), event("e", at: 3)], answers: [answer],
            last: tick(3), durable: tick(3))
        let parts = commit.parts(for: 4, wanted: table.reactors(wanting: commit.events))

        #expect(parts[0]?.events.map(\.timetoken) == [tick(1)])
        #expect(parts[1]?.events.map(\.timetoken) == [tick(1), tick(2)])
        #expect(parts[2]?.events.isEmpty == true)
        #expect(parts[2]?.answers == [answer])
        #expect(parts[3] == nil)
        #expect(parts[0]?.last == tick(3))
    }

    @Test("a changed group concerns every reactor")
    func groups() {
        let group = GroupMembership(
            group: ChannelGroup("g", keyset: "default"), channels: ["a"])
        let parts = Commit(groups: [group]).parts(for: 3, wanted: [])
        #expect(parts.allSatisfy { $0?.groups == [group] })
    }
}
