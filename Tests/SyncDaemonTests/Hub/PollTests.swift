// Long polls on one reactor: answered at once when anything is there, woken by what concerns them.

import EventModel
import Testing

@testable import SyncDaemon

/// A hub with polls, and what they were answered with.
final class PollBench: PollReceiver {
    struct Answer: Equatable {
        var poll: UInt32
        var events: [UInt64]
        var names: [String?]
        var cursor: UInt64
    }

    let bench: HubBench
    private(set) var answers: [Answer] = []
    private var count: UInt32 = 0

    init(
        recentBytesMax: Int = Limits.recentBytesMax,
        polledPagesBytesMax: Int = Limits.polledPagesBytesMax
    ) {
        bench = HubBench(
            recentBytesMax: recentBytesMax, polledPagesBytesMax: polledPagesBytesMax)
        bench.hub.polls.receiver = self
    }

    func answer(_ poll: PollRequest, with events: [PolledEvent], cursor: Timetoken) {
        answers.append(
            Answer(
                poll: poll.session.generation, events: events.map(\.envelope.timetoken.rawValue),
                names: events.map(\.subscription), cursor: cursor.rawValue))
    }

    /// Opens a poll and ends the turn.
    @discardableResult
    func poll(
        _ names: [String], after cursor: UInt64, group: String?, members: [String] = [],
        filter: MessageFilter? = nil
    ) -> SessionID {
        if let group, bench.hub.engine.groups.channels(of: .named(group)) != members {
            put(members, into: group)
        }
        return poll(
            names, groups: group.map { [PolledGroup($0)] } ?? [], after: cursor, filter: filter)
    }

    @discardableResult
    func poll(
        _ names: [String], groups: [PolledGroup] = [], after cursor: UInt64,
        of keyset: String = Channel.defaultKeyset, filter: MessageFilter? = nil
    ) -> SessionID {
        count += 1
        let session = SessionID(slot: 0, generation: count)
        let interests = names.map { name in
            PollRequest.Interest(
                channel: Channel(name, keyset: keyset),
                subscription: Channel(name).isWildcard ? name : nil)
        }
        bench.hub.polls.open(
            PollRequest(
                session: session, command: 1, interests: interests, groups: groups,
                cursor: tick(cursor), filter: filter))
        bench.hub.endTurn()
        return session
    }

    /// Gives a group these channels and no others.
    func put(_ members: [String], into group: String) {
        let membership = GroupMembership(group: .named(group), channels: members.sorted())
        bench.hub.engine.groups.apply([membership])
        bench.hub.polls.groupsChanged([membership])
    }

    /// The answers since the last call.
    func take() -> [Answer] {
        defer { answers = [] }
        return answers
    }
}

extension ChannelGroup {
    /// In the keyset of a daemon without a configuration.
    static func named(_ name: String) -> ChannelGroup {
        ChannelGroup(name, keyset: Channel.defaultKeyset)
    }
}

extension PolledGroup {
    init(_ name: String, isPresence: Bool = false) {
        self.init(group: .named(name), isPresence: isPresence)
    }
}

@Suite("Long polls")
struct PollTests {
    private let polls = PollBench()
    private var bench: HubBench { polls.bench }
    private var hub: Hub { polls.bench.hub }

    @Test("a poll waits until something happens in one of its channels")
    func waits() throws {
        polls.poll(["a", "b"], after: 0)
        try bench.publish(1, in: Channel("c"))
        #expect(polls.take() == [])
        #expect(bench.counters.polls.value == 1)

        try bench.publish(2, in: Channel("b"))

        #expect(polls.take() == [.init(poll: 1, events: [2], names: [nil], cursor: 2)])
        #expect(bench.counters.polls.value == 0)
        try bench.publish(3, in: Channel("a"))
        #expect(polls.take() == [])
    }

    @Test("what happens between two polls is remembered, stored or not")
    func lingers() throws {
        polls.poll(["a", "b"], after: 0)
        try bench.publish(1, in: Channel("a"))
        bench.signal(2, in: Channel("b"))
        try bench.publish(3, in: Channel("a"))
        _ = polls.take()

        polls.poll(["a", "b"], after: 1)

        #expect(polls.take() == [.init(poll: 2, events: [2, 3], names: [nil, nil], cursor: 3)])
        #expect(bench.asked == 0)
    }

    @Test("a cursor from before the memory is served by a reader, and then by memory")
    func reads() throws {
        try bench.publish(1, in: Channel("a"))
        try bench.publish(2, in: Channel("b"))
        polls.poll(["a", "b"], after: 0)
        #expect(polls.take() == [])

        try bench.read()()

        #expect(polls.take() == [.init(poll: 1, events: [1, 2], names: [nil, nil], cursor: 2)])
        // A reader that finds nothing leaves the poll waiting.
        polls.poll(["c", "a"], after: 1)
        try bench.read()()
        #expect(polls.take() == [])
        try bench.publish(3, in: Channel("c"))
        #expect(polls.take() == [.init(poll: 2, events: [3], names: [nil], cursor: 3)])
    }

    @Test("an answer has at most 100 events, and its cursor leads to the rest")
    func pages() throws {
        let room = Channel("a")
        polls.poll(["a"], after: 0)
        bench.deliver(
            (1...250).map {
                Envelope(
                    channel: room, timetoken: tick($0), uuid: "u",
                    event: .message(Message(payload: "1")))
            })
        hub.endTurn()
        var seen: [UInt64] = []
        var cursor: UInt64 = 0
        while let answer = polls.take().first {
            #expect(answer.events.count <= 100)
            #expect(answer.cursor == answer.events.last)
            seen += answer.events
            cursor = answer.cursor
            if seen.count < 250 { polls.poll(["a"], after: cursor) }
        }
        #expect(seen == Array(1...250))
    }

    @Test("events name the wildcard or group that they came by, once each")
    func names() throws {
        polls.poll(["news.*", "news.sport.*", "c"], after: 0, group: "g", members: ["c", "d"])
        try bench.publish(1, in: Channel("news.sport.tennis"))
        #expect(
            polls.take() == [.init(poll: 1, events: [1], names: ["news.*"], cursor: 1)])
        polls.poll(["news.*", "c"], after: 1, group: "g", members: ["c", "d"])
        try bench.publish(2, in: Channel("c"))
        #expect(polls.take() == [.init(poll: 2, events: [2], names: [nil], cursor: 2)])
        polls.poll(["c"], after: 2, group: "g", members: ["c", "d"])
        try bench.publish(3, in: Channel("d"))
        #expect(polls.take() == [.init(poll: 3, events: [3], names: ["g"], cursor: 3)])
    }

    @Test(
        "a wildcard covers what begins like it, down to two dots",
        arguments: [
            ("a.*", "a.b", true), ("a.*", "a.b.c", true), ("a.b.*", "a.b.c", true),
            ("a.*", "a", false), ("a.*", "ab.c", false), ("a.b.*", "a.c", false),
            ("a.b.c.*", "a.b.c.d", false), ("a.*-pnpres", "a.b-pnpres", true),
            ("a.*", "a.b-pnpres", false), ("a.*-pnpres", "a.b", false),
        ])
    func wildcards(wildcard: String, channel: String, isCovered: Bool) throws {
        polls.poll([wildcard], after: 0)
        bench.signal(1, in: Channel(channel))
        #expect(polls.take().isEmpty == !isCovered)
        #expect(Channel(wildcard).covers(Channel(channel)) == isCovered)
    }

    @Test("what the client's filter refuses wakes nobody and is not counted")
    func filters() throws {
        polls.poll(["a"], after: 0, filter: try MessageFilter("kind == 'good'"))
        try bench.publish(1, in: Channel("a"))
        #expect(polls.take() == [])
        try bench.publish(2, in: Channel("a"), Message(payload: "1", meta: #"{"kind":"good"}"#))
        #expect(polls.take() == [.init(poll: 1, events: [2], names: [nil], cursor: 2)])
    }

    @Test("a change of a group ends its polls with the cursor where it was")
    func groups() {
        polls.poll(["a"], after: 7, group: "g", members: [])
        polls.poll(["a"], after: 8)
        hub.polls.groupsChanged([GroupMembership(group: .named("other"), channels: ["a"])])
        #expect(polls.take() == [])
        hub.polls.groupsChanged([GroupMembership(group: .named("g"), channels: ["a"])])
        #expect(polls.take() == [.init(poll: 1, events: [], names: [], cursor: 7)])
    }

    @Test("of a channel that is added to a group nothing comes that was there before")
    func added() throws {
        polls.poll([], after: 1, group: "g", members: ["a"])
        bench.deliver([message(2, in: "b")])
        polls.put(["a", "b"], into: "g")
        #expect(polls.take() == [.init(poll: 1, events: [], names: [], cursor: 2)])
        // What was in those that were there, and has not been sent, it lacks.
        polls.poll(["other"], groups: [PolledGroup("g")], after: 2)
        bench.deliver([message(3, in: "c")])
        bench.deliver([message(4, in: "a"), message(5, in: "other")])
        polls.put(["a", "b", "c"], into: "g")
        #expect(polls.take() == [.init(poll: 2, events: [], names: [], cursor: 3)])
        hub.endTurn()
        polls.poll(["other"], groups: [PolledGroup("g", isPresence: true)], after: 5)
        bench.deliver([message(6, in: "other")])
        polls.put(["a"], into: "g")
        #expect(polls.take() == [.init(poll: 3, events: [], names: [], cursor: 5)])
    }

    private func message(_ number: UInt64, in channel: String) -> Envelope {
        Envelope(
            channel: Channel(channel), timetoken: tick(number), uuid: "ada",
            event: .message(.sized(10)))
    }

    @Test("a poll ends after its time, and one that was hung up never")
    func ends() throws {
        polls.poll(["a"], after: 5)
        let gone = polls.poll(["a"], after: 6)
        hub.polls.forget(gone)
        hub.beginTurn(at: UInt64(Limits.pollSeconds) * 1000 - 1)
        hub.tick()
        #expect(polls.take() == [])
        hub.beginTurn(at: UInt64(Limits.pollSeconds) * 1000)
        hub.tick()
        #expect(polls.take() == [.init(poll: 1, events: [], names: [], cursor: 5)])
        #expect(bench.counters.polls.value == 0)
    }

    @Test("a channel that nobody follows is forgotten after a while")
    func forgets() throws {
        polls.poll(["a"], after: 0)
        try bench.publish(1, in: Channel("a"))
        hub.beginTurn(at: UInt64(Limits.topicLingerSeconds) * 1000)
        hub.endTurn()
        polls.poll(["a"], after: 0)
        #expect(bench.asked == 1)
    }

    @Test("overloaded readers are asked again later")
    func starves() throws {
        try bench.publish(1, in: Channel("a"))
        bench.refuseQuestions(true)
        polls.poll(["a"], after: 0)
        bench.refuseQuestions(false)
        hub.tick()
        hub.endTurn()
        try bench.read()()
        #expect(polls.take().map(\.events) == [[1]])
    }
}
