// Subscriptions that are held until their device's actions are repaired, and the symbols for it.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Repairs")
struct RepairTests {
    private let bench = HubBench()
    private var hub: Hub { bench.hub }
    private var room: Channel { bench.room }

    private func action(_ number: UInt64, message: UInt64 = 1) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: tick(message), type: "reaction", value: "\(number)", uuid: "ada"),
            actionTimetoken: tick(number))
    }

    private func digest(_ actions: [MessageAction]) throws -> Digest {
        let key = try #require(DigestKey("000102030405060708090a0b0c0d0e0f"))
        var digest = Digest()
        for action in actions { digest.insert(action, key: key) }
        return digest
    }

    private func run(_ first: Int, count: Int = 4, items: Int64 = 3) -> SymbolRun {
        SymbolRun(
            first: first, itemCount: items, symbols: Array(repeating: .empty, count: count))
    }

    private func held(at cursor: UInt64) throws -> (Session, Subscription) {
        let session = bench.open()
        hub.hold(session, on: room, at: tick(cursor))
        return (session, try #require(session.subscriptions[room]))
    }

    /// A commit that adds an action.
    private func add(_ number: UInt64, digest: Digest) {
        hub.accept(
            Commit(
                events: [
                    Envelope(
                        channel: room, timetoken: tick(number), uuid: "ada",
                        event: .actionAdded(action(number)))
                ], digests: [room: digest], last: tick(number), durable: tick(number)))
        hub.endTurn()
    }

    /// Brings a held subscription's repair to an end, as a reader at a cursor would.
    private func repair(
        _ session: Session, at cursor: UInt64, to outcome: RepairOutcome? = nil, digest: Digest
    ) throws -> Result<Reply, ProtocolError> {
        let subscription = try #require(session.subscriptions[room])
        _ = hub.take(run(0), for: subscription, command: 9)
        let repaired = RepairedChannel(
            cursor: tick(cursor), digest: digest, rows: [action(2)], drop: [tick(3)])
        return hub.finishRepair(
            outcome ?? .repaired(repaired),
            for: ReadAnswer(
                asker: .client(Origin(reactor: 3, session: session.id, command: 9)), channel: room,
                result: .repair(.snapshot)))
    }

    // MARK: Symbols

    @Test("symbols come in order, and are compared once there are as many as a reader needs")
    func collects() throws {
        let (session, subscription) = try held(at: 5)
        #expect(try hub.take(run(0), for: subscription, command: 9).get() == run(0))

        let answer = ReadAnswer(
            asker: .client(Origin(reactor: 3, session: session.id, command: 9)), channel: room,
            result: .repair(.needs(12)))
        let reply = hub.finishRepair(.needs(12), for: answer)
        #expect(reply == .success(.repair(.needsSymbols(12))))
        guard
            case .failure(.step(.needsSymbols(12))) = hub.take(
                run(4), for: subscription, command: 10)
        else {
            Issue.record("too few symbols were compared")
            return
        }
        #expect(try hub.take(run(8), for: subscription, command: 11).get() == run(0, count: 12))
        #expect(hub.repairs.symbolCount == 12)
    }

    @Test("symbols that come while a reader compares those before are kept, and asked with more")
    func comesMeanwhile() throws {
        let (session, subscription) = try held(at: 5)
        #expect(try hub.take(run(0), for: subscription, command: 9).get() == run(0))
        for (first, command) in [(4, 10), (8, 11)] {
            guard
                case .failure(.step(.needsSymbols(first + 4))) = hub.take(
                    run(first), for: subscription, command: CommandID(command))
            else {
                Issue.record("not kept: \(first)")
                return
            }
        }
        let answer = ReadAnswer(
            asker: .client(Origin(reactor: 3, session: session.id, command: 9)), channel: room,
            result: .repair(.needs(10)))
        #expect(
            hub.finishRepair(.needs(10), for: answer) == .success(.repair(.needsSymbols(13))))

        #expect(try hub.take(run(12), for: subscription, command: 12).get() == run(0, count: 16))
        #expect(hub.repairs.symbolCount == 16)
        hub.checkInvariants()
    }

    @Test(
        "symbols that do not go on where the last ones ended are refused",
        arguments: [(3, 3), (5, 3), (8, 3), (4, 2)] as [(Int, Int64)])
    func refusesGaps(first: Int, items: Int64) throws {
        let (session, subscription) = try held(at: 5)
        _ = hub.take(run(0), for: subscription, command: 9)
        let answer = ReadAnswer(
            asker: .client(Origin(reactor: 3, session: session.id, command: 9)), channel: room,
            result: .repair(.needs(12)))
        _ = hub.finishRepair(.needs(12), for: answer)

        guard
            case .failure(.error(.noRepair)) = hub.take(
                run(first, items: items), for: subscription, command: 10)
        else {
            Issue.record("a gap was taken")
            return
        }
        // From 0 it may always begin anew.
        #expect(try hub.take(run(0), for: subscription, command: 11).get() == run(0))
        #expect(hub.repairs.symbolCount == 4)
        // What the first question finds now has nobody who waits for it.
        #expect(hub.finishRepair(.snapshot, for: answer) == .failure(.noRepair))
    }

    @Test("symbols are forgotten with their repair, their subscription and their session")
    func forgets() throws {
        let (session, subscription) = try held(at: 5)
        _ = hub.take(run(0), for: subscription, command: 9)
        #expect(hub.repairs.symbolCount == 4)
        hub.unsubscribe(session, from: room)
        #expect(hub.repairs.symbolCount == 0)

        hub.hold(session, on: room, at: tick(5))
        #expect(
            try repair(session, at: 6, to: .snapshot, digest: .empty)
                == .success(.repair(.snapshot)))
        #expect(hub.repairs.symbolCount == 0)

        _ = hub.take(run(0), for: try #require(session.subscriptions[room]), command: 9)
        hub.hold(session, on: Channel("den"), at: tick(5))
        let den = try #require(session.subscriptions[Channel("den")])
        _ = hub.take(run(0, count: 7), for: den, command: 10)
        #expect(hub.repairs.symbolCount == 11, "each channel has its own")
        #expect(session.repairSymbolCount == 11)
        hub.forget(session.id)
        #expect(hub.repairs.symbolCount == 0)
        hub.endTurn()
        #expect(bench.counters.subscriptions.value == 0)
    }

    @Test(
        "a question that no reader has is taken back with its symbols",
        arguments: [false, true])
    func withdraws(unsubscribes: Bool) throws {
        let (session, subscription) = try held(at: 5)
        let symbols = try hub.take(run(0), for: subscription, command: 9).get()
        bench.refuseQuestions(true)
        session.commandsInFlight = 1
        hub.catchUp.ask(
            ReadRequest(
                asker: .client(Origin(reactor: 3, session: session.id, command: 9)), channel: room,
                query: .repair(RepairQuery(symbols: symbols))), for: session)
        hub.endTurn()
        #expect(session.questions.count == 1)

        if unsubscribes {
            hub.unsubscribe(session, from: room)
        } else {
            #expect(try hub.take(run(0), for: subscription, command: 10).get() == run(0))
        }
        hub.endTurn()

        #expect(session.questions.isEmpty)
        #expect(session.commandsInFlight == 0)
        let codes = try bench.transport.takeFrames(of: session.id).map {
            frame -> String? in
            if case .reply(let reply) = frame { reply.code } else { nil }
        }
        #expect(codes == ["no_repair"])
    }

    @Test("all sessions together keep so many symbols and no more")
    func boundsSymbols() throws {
        let many = Limits.repairSymbolsMax
        var taken = 0
        while taken + many <= Limits.repairSymbolsPerReactorMax {
            _ = hub.take(run(0, count: many), for: try held(at: 5).1, command: 9)
            taken += many
        }
        #expect(hub.repairs.symbolCount == taken)

        guard
            case .failure(.error(.overloaded)) = hub.take(
                run(0, count: many), for: try held(at: 5).1, command: 9)
        else {
            Issue.record("too many symbols were kept")
            return
        }
        #expect(hub.repairs.symbolCount == taken)
    }

    @Test("one session keeps symbols of several channels, but not of many")
    func boundsSymbolsOfSession() throws {
        let session = bench.open()
        let many = Limits.repairSymbolsMax
        for number in 0...Limits.repairSymbolsPerSessionMax / many {
            let channel = Channel("c\(number)")
            hub.hold(session, on: channel, at: tick(5))
            let subscription = try #require(session.subscriptions[channel])
            let result = hub.take(run(0, count: many), for: subscription, command: 9)
            if number < Limits.repairSymbolsPerSessionMax / many {
                #expect(try result.get().symbols.count == many)
            } else if case .failure(.error(.overloaded)) = result {
                #expect(session.repairSymbolCount == Limits.repairSymbolsPerSessionMax)
            } else {
                Issue.record("too many symbols were kept")
            }
        }
    }

    @Test("a repair that costs too much ends in a snapshot")
    func tooMuch() throws {
        let (session, _) = try held(at: 5)

        for outcome in [RepairOutcome.needs(Limits.repairSymbolsMax + 1), .snapshot] {
            #expect(
                try repair(session, at: 9, to: outcome, digest: .empty)
                    == .success(.repair(.snapshot)))
        }
        hub.endTurn()
        #expect(bench.asked == 0)
    }

    @Test("a subscription that is not held has no repair")
    func notHeld() throws {
        let session = bench.open()
        hub.subscribe(session, to: room, from: nil)
        let subscription = try #require(session.subscriptions[room])

        guard case .failure(.error(.noRepair)) = hub.take(run(0), for: subscription, command: 9)
        else {
            Issue.record("symbols of a subscription that is not held")
            return
        }
    }

    // MARK: Held

    @Test("a held subscription gets nothing, neither from memory nor live")
    func holds() throws {
        let other = bench.open()
        hub.subscribe(other, to: room, from: nil)
        try bench.publish(1...3)
        let (session, _) = try held(at: 1)
        hub.endTurn()
        try bench.publish(4...6)

        #expect(try bench.seen(session) == [])
        #expect(try bench.seen(other) == [1, 2, 3, 4, 5, 6])
        #expect(bench.asked == 0)
    }

    @Test("after the repair nothing comes again, and what is later comes")
    func readsOn() throws {
        try bench.publish(1...6)
        let (session, _) = try held(at: 2)
        let state = try digest([action(2)])

        let reply = try repair(session, at: 6, digest: state)
        hub.endTurn()

        #expect(
            reply
                == .success(
                    .repair(
                        .difference(
                            RepairDifference(
                                cursor: tick(6), state: state, rows: [action(2)],
                                dropped: [tick(3)])))))
        #expect(bench.asked == 0)
        #expect(try bench.seen(session) == [])
        try bench.publish(7...7)
        #expect(try bench.seen(session) == [7])
    }

    @Test("after the repair memory leaves out what it brought")
    func remembers() throws {
        hub.subscribe(bench.open(), to: room, from: nil)
        try bench.publish(1...3)
        add(4, digest: try digest([action(4)]))
        let (session, _) = try held(at: 2)
        let end = try digest([action(4), action(5)])
        add(5, digest: end)

        _ = try repair(session, at: 4, digest: try digest([action(4)]))
        hub.endTurn()

        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.flatMap(\.envelopes).map(\.timetoken) == [tick(5)])
        #expect(batches.map(\.state) == [end])
        #expect(bench.asked == 0)
    }

    @Test("a repair of commits that were not heard of is followed by what readers say")
    func readerIsAhead() throws {
        hub.subscribe(bench.open(), to: room, from: nil)
        try bench.publish(1...3)
        let (session, _) = try held(at: 3)

        _ = try repair(session, at: 8, digest: try digest([action(2)]))
        hub.endTurn()

        #expect(bench.asked == 1)
        #expect(session.subscriptions[room]?.state == .reading)
        // Said by the repair already, with what came after it.
        add(7, digest: try digest([action(7)]))
        #expect(try bench.seen(session) == [])
    }

    @Test("a repaired device that lacks nothing else is sent nothing before something happens")
    func goesOn() throws {
        hub.subscribe(bench.open(), to: room, from: nil)
        try bench.publish(1...3)
        hub.accept(Commit(last: tick(9), durable: tick(9)))
        let (session, _) = try held(at: 3)
        let state = try digest([action(2)])

        _ = try repair(session, at: 9, digest: state)
        hub.endTurn()

        #expect(try bench.transport.takeBatches(of: session.id).isEmpty)
        #expect(session.subscriptions[room]?.position == tick(9))
        add(12, digest: state)
        #expect(try bench.seen(session) == [12])
    }

    @Test("a slow reader that is set back after its repair misses nothing and gets nothing twice")
    func setBack() throws {
        let bench = HubBench(sendQueueBytesMax: 5000)
        let hub = bench.hub
        hub.subscribe(bench.open(), to: bench.room, from: nil)
        try bench.publish(1...2, bytes: 900)
        let slow = bench.open()
        hub.hold(slow, on: bench.room, at: tick(1))
        let subscription = try #require(slow.subscriptions[bench.room])
        _ = hub.take(run(0), for: subscription, command: 9)
        bench.transport.full.insert(slow.id)
        _ = hub.finishRepair(
            .repaired(RepairedChannel(cursor: tick(2), digest: .empty, rows: [], drop: [])),
            for: ReadAnswer(
                asker: .client(Origin(reactor: 3, session: slow.id, command: 9)),
                channel: bench.room,
                result: .repair(.snapshot)))
        hub.endTurn()
        for number in 3...30 as ClosedRange<UInt64> {
            try bench.publish(number...number, bytes: 900)
        }
        #expect(bench.counters.slowConsumersCollapsed.value > 0)
        #expect(subscription.start.actions >= tick(2))

        for _ in 0..<20 {
            if bench.transport.makeRoom(slow.id) { hub.outlet.canWrite(slow) }
            hub.endTurn()
            try bench.answerAll()
        }
        #expect(try bench.seen(slow) == Array(3...30))
    }
}

extension Hub {
    /// Takes symbols of all rows.
    fileprivate func take(
        _ run: SymbolRun, for subscription: Subscription, command: CommandID
    ) -> Result<SymbolRun, RepairRefusal> {
        take(RepairRequest(channel: "room", run: run), for: subscription, command: command)
            .map(\.symbols)
    }
}
