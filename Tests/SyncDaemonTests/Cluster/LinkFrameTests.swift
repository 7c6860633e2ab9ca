// What daemons say to each other comes out as it went in.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct LinkFrameTests {
    static let member = Presence.Member(userID: "ann", keyset: "tenant")
    static let source = PresenceSource(
        reactor: 3, connection: SessionID(slot: 1, generation: 2))
    static let page = Presence.Page(includesUsers: false, includesState: true, limit: 7, offset: 9)

    static let operations: [PresenceRequest.Operation] = [
        .beat(
            channels: [["a", "é"], []], seconds: 300, isPoll: true,
            states: [ExactText("a"): #"{"b":1}"#]),
        .beat(channels: [], seconds: nil, isPoll: false, states: [:]),
        .leave(channels: ["a"]), .enter(channels: ["a", "b"], states: [ExactText("b"): "{}"]),
        .exit(channels: ["a"], isCut: true), .setState(channels: ["a"], state: "{}"),
        .state(channels: ["a"]), .occupancy(channels: ["a", "b"], page), .survey(page), .channels,
    ]

    static let replies: [PresenceReply] = [
        .done, .refused(.tooManyMemberships), .refused(.tooManyAnnouncements),
        .states([("a", nil), ("b", "{}")]),
        .occupancy([
            Occupancy(channel: "a", count: 2, users: [Occupant(userID: "ann", state: "{}")])
        ]),
        .survey(
            Presence.Survey(
                channels: [Occupancy(channel: "a", count: 1)], channelCount: 3, occupancy: 5)),
        .channels(["a", "b"]),
    ]

    @Test(arguments: operations)
    func questionsOfPresenceKeepTheirValue(operation: PresenceRequest.Operation) throws {
        for origin in [nil, LinkSamples.origin] {
            let request = PresenceRequest(
                member: Self.member, operation: operation, origin: origin, source: Self.source)
            let frame = LinkWriter.frame(LinkRequest.presence(request))
            guard case .presence(let copy) = try body(LinkRequest.self, of: frame) else {
                Issue.record("It became another request.")
                return
            }
            #expect((copy.member, copy.source) == (Self.member, Self.source))
            #expect(copy.origin == origin)
            #expect(String(describing: copy.operation) == String(describing: operation))
        }
    }

    @Test(arguments: replies) func whatPresenceSaysKeepsItsValue(reply: PresenceReply) throws {
        let frame = LinkWriter.frame(LinkNews.presence(LinkSamples.origin, reply))
        guard case .presence(let origin, let copy) = try body(LinkNews.self, of: frame) else {
            Issue.record("It became other news.")
            return
        }
        #expect(origin == LinkSamples.origin)
        #expect(String(describing: copy) == String(describing: reply))
    }

    @Test func aRequestForMoreThanAPageIsNone() throws {
        var page = Self.page
        page.limit = Limits.presencePageMax + 1
        let request = PresenceRequest(
            member: Self.member, operation: .survey(page), origin: nil, source: Self.source)
        let frame = LinkWriter.frame(LinkRequest.presence(request))
        #expect(throws: LinkEnd.foreign) { try body(LinkRequest.self, of: frame) }
    }

    @Test(arguments: [nil, #"{"a":1}"#]) func promisesKeepTheirValue(state: String?) throws {
        let promise = PresencePromise(
            member: Self.member, channel: "é", state: state, rest: 20_000, promised: 7,
            isTimed: true)
        let frame = LinkWriter.frame(LinkRequest.promises([promise, promise]))
        guard case .promises(let copy) = try body(LinkRequest.self, of: frame) else {
            Issue.record("They became another request.")
            return
        }
        #expect(copy == [promise, promise])
    }

    @Test func whatTenantsHaveKeepsItsValue() throws {
        var use = TenantUse(subscribeKey: "k")
        (use.connections, use.subscriptions, use.asked) = (3, 4, 1 << 40)
        var share = TenantShare(subscribeKey: "k")
        (share.connections, share.subscriptions, share.part) = (5, 6, 7)
        guard
            case .use(let uses) = try body(
                LinkRequest.self, of: LinkWriter.frame(LinkRequest.use([use]))),
            case .shares(let shares) = try body(
                LinkNews.self, of: LinkWriter.frame(LinkNews.shares([share])))
        else {
            Issue.record("They became something else.")
            return
        }
        #expect((uses, shares) == ([use], [share]))
    }

    @Test func lessThanNothingAndMoreThanTheWholeAreNone() throws {
        var use = TenantUse(subscribeKey: "k")
        use.connections = -1
        let uses = LinkWriter.frame(LinkRequest.use([use]))
        #expect(throws: LinkEnd.foreign) { try body(LinkRequest.self, of: uses) }
        var share = TenantShare(subscribeKey: "k")
        share.part = TenantShare.whole + 1
        let shares = LinkWriter.frame(LinkNews.shares([share]))
        #expect(throws: LinkEnd.foreign) { try body(LinkNews.self, of: shares) }
    }

    @Test func aFrameIsItsLengthAndItsBody() throws {
        let frame = LinkWriter.frame(LinkNews.alive)
        #expect(frame == [0, 0, 0, 1, 4])
        #expect(throws: LinkEnd.foreign) {
            try LinkReader.value(LinkNews.self, of: (frame[4...] + [0])[...])
        }
    }

    private func body<Value: LinkCodable>(
        _ type: Value.Type, of frame: [UInt8]
    ) throws(LinkEnd) -> Value {
        try LinkReader.value(of: frame[4...])
    }
}
