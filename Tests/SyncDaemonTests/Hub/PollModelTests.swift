// Long polls of channels, wildcards and groups, beside a model that looks through all events.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// What happened, and what a poll of it must be answered.
private struct PollModel {
    struct Asked {
        var names: [String]
        var groups: [PolledGroup]
        var cursor: UInt64
    }

    var events: [(timetoken: UInt64, channel: Channel)] = []
    var members: [String: [String]] = [:]

    /// - Returns: Each event after the cursor, with the subscription that it comes by.
    func owed(_ asked: Asked) -> [(timetoken: UInt64, name: String?)] {
        events.filter { $0.timetoken > asked.cursor }.compactMap { event in
            if let name = asked.names.first(where: { Channel($0).covers(event.channel) }) {
                return (event.timetoken, Channel(name).isWildcard ? name : nil)
            }
            let group = asked.groups.first { group in
                members[group.group.name, default: []].contains {
                    let channel = Channel($0)
                    return (group.isPresence ? channel.presence : channel).covers(event.channel)
                }
            }
            return group.map { (event.timetoken, $0.subscription) }
        }
    }
}

@Suite("Long polls beside a model")
struct PollModelTests {
    private static let channels = ["a", "a-b", "n.x", "n.y", "n.y.z", "b"]
    private static let names = channels + ["n.*", "n.y.*"]
    private static let groups = ["g", "h", "i"]

    /// - Parameter recentBytesMax: Without memory all that a poll missed comes from a reader, which
    ///   knows nothing that is not stored here; with it a session keeps all channels in memory.
    @Test(
        "a poll is answered with all after its cursor, each event once, by its first name",
        arguments: (1...25).flatMap { [($0, 1 << 20), ($0, 0)] } as [(UInt64, Int)])
    func model(seed: UInt64, recentBytesMax: Int) throws {
        var random = SeededGenerator(seed: seed)
        let polls = PollBench(recentBytesMax: recentBytesMax)
        var model = PollModel()
        var open: [UInt32: PollModel.Asked] = [:]
        var clock: UInt64 = 0
        let session = polls.bench.open()
        for channel in Self.names.map({ Channel($0) }) where recentBytesMax > 0 {
            polls.bench.hub.subscribe(session, to: channel, from: nil)
            polls.bench.hub.subscribe(session, to: channel.presence, from: nil)
        }
        for step in 1...120 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let group = Self.groups[Int.random(in: 0..<Self.groups.count, using: &random)]
                model.members[group] = Self.names.filter { _ in Bool.random(using: &random) }
                polls.put(model.members[group] ?? [], into: group)
            case 1...4:
                let asked = PollModel.Asked(
                    names: Self.names.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
                        .shuffled(using: &random),
                    groups: Self.groups.shuffled(using: &random)
                        .prefix(Int.random(in: 0...2, using: &random))
                        .map { PolledGroup($0, isPresence: Bool.random(using: &random)) },
                    cursor: UInt64(max(0, step - 1 - Int.random(in: 0..<20, using: &random))))
                let session = polls.poll(asked.names, groups: asked.groups, after: asked.cursor)
                open[session.generation] = asked
            case 5:
                clock += UInt64.random(in: 0...50_000, using: &random)
                polls.bench.hub.beginTurn(at: clock)
                polls.bench.hub.tick()
                polls.bench.hub.endTurn()
            default:
                let index = Int.random(in: 0..<Self.channels.count, using: &random)
                var channel = Channel(Self.channels[index])
                let isStored = recentBytesMax == 0 || Bool.random(using: &random)
                if !isStored, Bool.random(using: &random) { channel = channel.presence }
                model.events.append((UInt64(step), channel))
                if isStored {
                    try polls.bench.publish(UInt64(step), in: channel)
                } else {
                    polls.bench.signal(UInt64(step), in: channel)
                }
            }
            try polls.bench.answerAll()
            polls.bench.hub.checkInvariants()
            for answer in polls.take() {
                let removed = open.removeValue(forKey: answer.poll)
                let asked = try #require(removed)
                // A change of its groups or its time end a poll without events.
                guard !answer.events.isEmpty else { continue }
                let owed = model.owed(asked)
                #expect(answer.events == owed.map(\.timetoken), "seed \(seed), step \(step)")
                #expect(answer.names == owed.map(\.name))
                #expect(answer.cursor == owed.last?.timetoken)
            }
            for (poll, asked) in open {
                #expect(model.owed(asked).isEmpty, "seed \(seed), step \(step): \(poll) waits")
            }
        }
        #expect(polls.bench.counters.polls.value == open.count)
    }
}
