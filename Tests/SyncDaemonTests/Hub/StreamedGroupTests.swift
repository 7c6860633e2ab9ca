// Streams of groups that change, beside a model that knows who was in a group when.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// Streams, one poll after another, and what each is owed.
private final class StreamBench {
    struct Stream {
        let session: SessionID
        let names: [String]
        let groups: [String]
        var cursor: UInt64 = 1
        var isOpen = false
        var got: [UInt64] = []
        var owed: [UInt64] = []
    }

    static let channels = ["a", "b", "n.x", "n.y"]
    static let names = channels + ["n.*"]
    static let groups = ["g", "h"]

    let polls: PollBench
    var random: SeededGenerator
    private(set) var streams: [Stream] = []
    private var members: [String: Set<String>] = [:]
    private var newest: UInt64 = 1
    /// What the ledger has done, and this reactor has not heard of; readers and the table of groups
    /// know it already.
    private var unheard: [Step] = []

    private enum Step {
        case published(UInt64, in: Channel)
        case changed(GroupMembership)
    }

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        polls = PollBench(recentBytesMax: seed % 3 == 0 ? 0 : Limits.recentBytesMax)
        streams = (1...3 as ClosedRange<UInt32>).map { number in
            Stream(
                session: SessionID(slot: 9, generation: 1000 + number),
                names: Bool.random(using: &random) ? ["b"] : [],
                groups: number == 1 ? ["g"] : Self.groups)
        }
        try polls.bench.publish(1, in: Channel("elsewhere"))
    }

    func open(_ index: Int) {
        guard !streams[index].isOpen else { return }
        streams[index].isOpen = true
        var request = PollRequest(
            session: streams[index].session, command: 1,
            interests: streams[index].names.map {
                PollRequest.Interest(channel: Channel($0), subscription: nil)
            }, groups: streams[index].groups.map { PolledGroup($0) },
            cursor: tick(streams[index].cursor), filter: nil)
        request.isOfStream = true
        polls.bench.hub.polls.open(request)
    }

    func endTurn() throws {
        polls.bench.hub.endTurn()
        try polls.bench.answerAll()
        polls.bench.hub.checkInvariants()
        for answer in polls.take() {
            let found = streams.firstIndex { $0.session.generation == answer.poll }
            let index = try #require(found)
            streams[index].isOpen = false
            streams[index].got += answer.events
            #expect(answer.cursor >= streams[index].cursor)
            streams[index].cursor = answer.cursor
        }
    }

    func changeGroup() throws {
        let group = try #require(Self.groups.randomElement(using: &random))
        members[group] = Set(Self.names.filter { _ in Bool.random(using: &random) })
        let membership = GroupMembership(
            group: .named(group), channels: (members[group] ?? []).sorted())
        polls.bench.hub.engine.groups.apply([membership])
        unheard.append(.changed(membership))
    }

    /// Hears of the next steps of the ledger.
    func hear(atMost count: Int) {
        for step in unheard.prefix(count) {
            switch step {
            case .published(let number, let channel):
                polls.bench.deliver([
                    Envelope(
                        channel: channel, timetoken: tick(number), uuid: "ada",
                        event: .message(.sized(10)))
                ])
            case .changed(let membership): polls.bench.hub.polls.groupsChanged([membership])
            }
        }
        unheard.removeFirst(min(count, unheard.count))
    }

    func publish() throws {
        newest += 1
        let name = try #require(Self.channels.randomElement(using: &random))
        for index in streams.indices {
            let held = streams[index].groups.reduce(into: Set(streams[index].names)) {
                $0.formUnion(members[$1] ?? [])
            }
            if held.contains(where: { Channel($0).covers(Channel(name)) }) {
                streams[index].owed.append(newest)
            }
        }
        try polls.bench.keep(newest, in: Channel(name))
        unheard.append(.published(newest, in: Channel(name)))
    }
}

@Suite("Streams of groups that change")
struct StreamedGroupTests {
    /// Found by an attacker: what was published around a change came though it was published
    /// before, or never.
    @Test("each event is judged by the channels of its time", arguments: 0..<60 as Range<UInt64>)
    func judged(seed: UInt64) throws {
        let bench = try StreamBench(seed: seed)
        func openAll() { for index in bench.streams.indices { bench.open(index) } }
        openAll()
        try bench.endTurn()
        for _ in 1...150 {
            switch Int.random(in: 0..<11, using: &bench.random) {
            case 0, 1: try bench.changeGroup()
            case 2...4: try bench.publish()
            case 5...7: bench.hear(atMost: Int.random(in: 1...4, using: &bench.random))
            case 8: bench.open(Int.random(in: bench.streams.indices, using: &bench.random))
            default: try bench.endTurn()
            }
        }
        bench.hear(atMost: .max)
        for _ in 0..<200 {
            openAll()
            try bench.endTurn()
        }
        for stream in bench.streams {
            #expect(stream.got == stream.owed, "seed \(seed): \(stream.names) \(stream.groups)")
            #expect(stream.cursor >= stream.owed.last ?? 0)
        }
    }

    @Test("what is remembered of groups goes with the last stream that names them")
    func forgotten() {
        var streamed = StreamedGroups()
        let group = PolledGroup("g")
        var request = PollRequest(
            session: SessionID(slot: 0, generation: 1), command: 1, interests: [],
            groups: [group], cursor: tick(1), filter: nil)
        streamed.enter(request) { _ in [Channel("a")] }
        for number in 1...200 as ClosedRange<UInt64> {
            streamed.changed(
                GroupMembership(group: group.group, channels: ["c\(number)"]), at: tick(number))
        }
        streamed.bound(&request)
        // The oldest that are remembered.
        #expect(request.through == tick(200 - UInt64(Limits.groupShiftsMax) + 1))
        streamed.leave(request.session)
        #expect(streamed.isEmpty)
    }
}
