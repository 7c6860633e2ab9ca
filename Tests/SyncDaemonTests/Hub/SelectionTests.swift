// Groups and wildcards against hand-made turns: what the end-to-end tests cannot place exactly.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Selections")
struct SelectionTests {
    private let bench = HubBench()
    private var hub: Hub { bench.hub }

    private func message(_ channel: String, _ number: UInt64, isStored: Bool = true) -> Envelope {
        Envelope(
            channel: Channel(channel), timetoken: tick(number), uuid: "bob",
            event: isStored ? .message(.sized(10)) : .signal(.sized(10)), isStored: isStored)
    }

    private func turn(_ events: Envelope...) {
        bench.deliver(events)
        hub.endTurn()
        hub.checkInvariants()
    }

    private func follow(
        _ session: Session, _ selection: Selection, since: Timetoken? = nil
    ) -> FollowedSelection? {
        _ = hub.selections.follow(
            session, FollowRequest(selection), in: Channel.defaultKeyset, pace: Pace(), .delta,
            since: since)
        hub.endTurn()
        return session.selections[selection]
    }

    /// The channels of what a session was sent, and of what it was told first.
    private func heard(_ session: Session) throws -> [String] {
        try bench.transport.takeFrames(of: session.id).compactMap { frame in
            if case .push(let push) = frame { push.channel.name } else { nil }
        }
    }

    @Test("what is not stored reaches who follows its wildcard, though its channel is new")
    func signals() throws {
        let session = bench.open()
        _ = follow(session, .wildcard("news.*"))
        turn(message("news.a", 5, isStored: false), message("other", 6))
        #expect(try heard(session) == ["news.a"])
    }

    @Test("who comes later follows channels at their next event, and nobody twice")
    func late() throws {
        let (first, second) = (bench.open(), bench.open())
        _ = follow(first, .wildcard("news.*"))
        turn(message("news.a", 5))
        _ = follow(second, .wildcard("news.*"))
        #expect(second.subscriptions.isEmpty)
        turn(message("news.a", 6))
        #expect(first.subscriptions.count == 1)
        #expect(second.subscriptions.count == 1)
        #expect(try heard(second) == ["news.a"])
        #expect(try heard(first) == ["news.a", "news.a"])
    }

    @Test("a group is as each step says, though the engine has heard of later ones")
    func ahead() throws {
        let session = bench.open()
        let group = ChannelGroup.named("team")
        _ = follow(session, .group("team"))
        // By then it is out again.
        hub.engine.groups.apply([GroupMembership(group: group, channels: [])])
        for (number, channels) in [(2, ["den"]), (4, [])] as [(UInt64, [String])] {
            hub.selections.groupsChanged(
                [GroupMembership(group: group, channels: channels)], at: tick(number - 1))
            hub.endTurn()
            turn(message("den", number))
            #expect(try heard(session).contains("den") == !channels.isEmpty)
        }
    }

    @Test("more than a turn's share waits for the next one, and misses nothing stored")
    func share() throws {
        let sessions = (0..<3).map { _ in bench.open() }
        for session in sessions { _ = follow(session, .wildcard("news.*")) }
        let channels = 0..<UInt64(Limits.selectedPerTurnMax)
        bench.deliver(channels.map { message("news.\($0)", 10 + $0) })
        hub.endTurn()
        let followed = sessions.map(\.subscriptions.count).reduce(0, +)
        #expect(followed == Limits.selectedPerTurnMax)
        #expect(sessions.allSatisfy { !$0.subscriptions.isEmpty })
        #expect(hub.nextDue != nil)
        for _ in 0..<3 { hub.endTurn() }
        #expect(sessions.allSatisfy { $0.subscriptions.count == channels.count })
        // What they came too late for is read, or was in the memory of its channel.
        for session in sessions {
            let heard = try Set(heard(session))
            let isRead = session.subscriptions.allSatisfy { channel, subscription in
                heard.contains(channel.name) == (subscription.state == .live)
            }
            #expect(isRead)
        }
    }

    @Test("while a reader looks for what there is, what comes starts from the device's cursor")
    func asks() throws {
        let session = bench.open()
        turn(message("other", 4))
        let followed = try #require(follow(session, .wildcard("news.*"), since: tick(3)))
        let question = try #require(bench.waiting.first)
        guard case .channels(let wildcard, let cursor) = question.query else {
            Issue.record("It asks for channels.")
            return
        }
        #expect((wildcard.name, cursor) == ("news.*", tick(3)))
        turn(message("news.a", 9))
        let subscription = try #require(session.subscriptions[Channel("news.a")])
        #expect(subscription.position == tick(3))
        #expect(followed.cursor == tick(3), "not before the reader answered")

        guard case .selection(let number, _) = question.asker else { return }
        hub.selections.received([Channel("news.a"), Channel("news.b")], for: number)
        hub.endTurn()
        #expect(session.subscriptions.count == 2)
        #expect(followed.cursor == tick(9))
        hub.checkInvariants()
    }

    @Test("of one session one is looked for at a time, however often it comes and goes")
    func looksOnce() throws {
        let session = bench.open()
        for _ in 0..<20 { _ = follow(session, .wildcard("news.*"), since: .zero) }
        _ = follow(session, .wildcard("other.*"), since: .zero)
        hub.tick()
        #expect(bench.waiting.count == 1)
        guard case .selection(let number, _)? = bench.waiting.first?.asker else { return }
        hub.selections.received([], for: number)
        hub.tick()
        #expect(bench.waiting.count == 2, "the next of those that are still wanted")
        hub.checkInvariants()
    }

    @Test("channels are only named to who wants to begin them")
    func names() throws {
        let session = bench.open()
        _ = hub.selections.follow(
            session, FollowRequest(.wildcard("news.*"), starts: false),
            in: Channel.defaultKeyset, pace: Pace(), .delta, since: nil)
        turn(message("news.a", 5))
        #expect(session.subscriptions.isEmpty)
        #expect(session.selections[.wildcard("news.*")]?.channels.count == 1)
    }

    @Test("a question that nobody had room for is asked again")
    func asksAgain() throws {
        let session = bench.open()
        bench.refuseQuestions(true)
        _ = follow(session, .wildcard("news.*"), since: .zero)
        #expect(bench.waiting.isEmpty)
        bench.refuseQuestions(false)
        hub.tick()
        #expect(bench.waiting.count == 1)
        guard case .selection(let number, _)? = bench.waiting.first?.asker else { return }
        hub.selections.searches.failedToRead(number)
        hub.tick()
        #expect(bench.waiting.count == 2)
    }

    @Test("a session that is gone leaves nothing behind")
    func leaves() throws {
        let session = bench.open()
        _ = follow(session, .wildcard("news.*"), since: .zero)
        _ = follow(session, .group("friends"), since: .zero)
        turn(message("news.a", 5))
        hub.forget(session.id)
        turn(message("news.a", 6), message("news.b", 7))
        #expect(hub.topics.existing(Channel("news.*"))?.watchers.isEmpty == true)
        #expect(session.selections.isEmpty)
    }

    @Test("of a session that is gone nothing is looked for")
    func endsItsSearch() throws {
        let (first, second) = (bench.open(), bench.open())
        for session in [first, second] { _ = follow(session, .wildcard("news.*"), since: .zero) }
        hub.selections.unfollow(first, .wildcard("news.*"))
        for session in [first, second] { hub.forget(session.id) }
        #expect(bench.waiting.map { $0.demand?.isOver } == [true, true])
        #expect(first.search == nil && second.search == nil)
    }

    @Test("who names a channel and leaves it is not sent it by a wildcard, new or not")
    func leavesOne() throws {
        let session = bench.open()
        _ = follow(session, .wildcard("news.*"))
        for name in ["news.a", "news.b"] { hub.selections.leave(Channel(name), of: session) }
        turn(message("news.a", 5), message("news.c", 6))
        #expect(try heard(session) == ["news.c"])
        _ = follow(session, .wildcard("news.*"))
        turn(message("news.a", 7))
        #expect(try heard(session) == ["news.a"])
    }

    @Test("many channels are named over several frames, and only the last has the cursor")
    func manyNames() throws {
        let session = bench.open()
        let names = (0..<450).map { "c\($0)" }
        hub.engine.groups.apply([
            GroupMembership(
                group: ChannelGroup("friends", keyset: Channel.defaultKeyset),
                channels: names.sorted())
        ])
        _ = hub.selections.follow(
            session, FollowRequest(.group("friends"), starts: false),
            in: Channel.defaultKeyset, pace: Pace(), .delta, since: nil)
        hub.endTurn()
        let frames = try bench.transport.takeTexts(of: session.id)
        let counts = frames.map { frame in names.count { frame.contains("\"\($0)\"") } }
        #expect(counts == [200, 200, 50])
    }
}
