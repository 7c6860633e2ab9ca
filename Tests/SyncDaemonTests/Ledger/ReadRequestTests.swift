// Questions about several channels at once, and that they stay in their keyset.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Read requests")
struct ReadRequestTests {
    private let store = MemoryStore()

    init() throws {
        try store.publish(1, in: Channel("a"))
        try store.publish(2, in: Channel("b"))
        try store.publish(3, in: Channel("a", keyset: "k"))
        try store.publish(4, in: Channel("a"))
    }

    private func reply(
        _ query: ReadRequest.Query, keyset: String = Channel.defaultKeyset
    ) throws -> Result<Reply, ProtocolError>? {
        let request = ReadRequest(
            origin: Origin(
                reactor: 0, session: SessionID(slot: 0, generation: 0), command: 1),
            channel: Channel("any", keyset: keyset), query: query)
        guard case .reply(let result) = request.answer(from: try store.makeReader()).result else {
            return nil
        }
        return result
    }

    private func history(_ name: String, _ timetokens: UInt64...) -> ChannelHistory {
        let messages = timetokens.map {
            StoredMessage(timetoken: tick($0), uuid: "ada", message: .numbered($0))
        }
        return ChannelHistory(channel: name, page: HistoryPage(messages: messages, next: nil))
    }

    @Test("histories come in the order of the question, each channel with its own query")
    func histories() throws {
        let query = ReadRequest.Query.histories([
            HistoryQuery(channel: "b"), HistoryQuery(channel: "none"),
            HistoryQuery(channel: "a", after: tick(1)),
        ])
        #expect(
            try reply(query)
                == .success(.histories([history("b", 2), history("none"), history("a", 4)])))
        #expect(
            try reply(query, keyset: "k")
                == .success(.histories([history("b"), history("none"), history("a", 3)])))
    }

    @Test("counts come in the order of the question")
    func counts() throws {
        let query = ReadRequest.Query.messageCounts([
            CountQuery(channel: "a", after: .zero), CountQuery(channel: "none", after: .zero),
            CountQuery(channel: "a", after: tick(1)), CountQuery(channel: "b", after: tick(2)),
        ])
        func counts(_ numbers: Int...) -> Reply {
            .messageCounts(
                zip(["a", "none", "a", "b"], numbers).map { MessageCount(channel: $0, count: $1) })
        }
        #expect(try reply(query) == .success(counts(2, 0, 1, 0)))
        #expect(try reply(query, keyset: "k") == .success(counts(1, 0, 1, 0)))
    }

    @Test("a backlog comes with its end")
    func backlog() throws {
        let interests = [Interest.channel(Channel("a")), .channel(Channel("b"))]
        guard
            case .success(.backlog(let backlog)) = try reply(
                .backlog(interests, after: tick(1), limit: 1))
        else {
            Issue.record("no backlog")
            return
        }
        #expect(backlog.envelopes.map(\.timetoken) == [tick(2)])
        #expect(backlog.through == tick(2))
        #expect(!backlog.isComplete)
    }

    @Test("a backlog of more channels than a reader may look through is refused")
    func backlogTooWide() throws {
        try store.commit(through: 9) {
            for number in 0...Limits.backlogChannelsMax {
                let channel = Channel("wide.\(number)")
                try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(9)), in: channel)
            }
        }
        let wide = ReadRequest.Query.backlog(
            [.prefix("wide.", keyset: Channel.defaultKeyset)], after: .zero, limit: 1)
        let max = Limits.backlogChannelsMax
        #expect(try reply(wide) == .failure(.tooManyChannels(max, per: "backlog")))
    }
}
