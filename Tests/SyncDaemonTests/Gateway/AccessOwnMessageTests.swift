// Messages of one's own where tokens are asked for: to write is enough for who is named.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access, messages of one's own")
struct AccessOwnMessageTests {
    private static let own =
        #"{"id":2,"op":"deleteMessage","channel":"room","messageTimetoken":"17"}"#
    private static let one = "/v3/history/sub-key/sub/channel/room?start=16&end=17"

    @Test("who writes deletes one's own, if the token says who that is")
    func named() throws {
        for (bits, user, isAllowed) in [
            (2, "ada", true), (2, nil, false), (2 + 8, nil, true), (8, "ada", false),
            (1, "ada", false), (255, nil, true),
        ] as [(UInt8, String?, Bool)] {
            let bench = AccessBench()
            let token = try AccessBench.token(channels: ["room": bits], user: user)
            let (session, _) = try bench.session(token)
            let codes = try bench.send(Self.own, session)
            #expect(codes.contains("forbidden") != isAllowed, "\(bits) \(user ?? "-")")
            #expect(bench.writes.map(\.operation) == (isAllowed ? [.deleteMessage(tick(17))] : []))
        }
    }

    @Test("an SDK that may write deletes one message, as its own; more only who may delete")
    func requests() throws {
        for (bits, user, operation) in [
            (2, "ada", .deleteMessage(tick(17))), (2, nil, nil),
            (8, nil, .deleteMessages(after: tick(16), through: tick(17))),
            (10, "ada", .deleteMessages(after: tick(16), through: tick(17))), (1, "ada", nil),
        ] as [(UInt8, String?, Write.Operation?)] {
            let bench = AccessBench()
            let token = try AccessBench.token(channels: ["room": bits], user: user)
            let status = bench.status(.delete, Self.one, token: token)
            #expect((status == 403) == (operation == nil), "\(bits) \(user ?? "-")")
            #expect(bench.writes.map(\.operation) == (operation.map { [$0] } ?? []))
        }
        let bench = AccessBench()
        let token = try AccessBench.token(channels: ["room": 2], user: "ada")
        for range in ["start=15&end=17", "end=17", "start=17&end=17", "start=16"] {
            let target = "/v3/history/sub-key/sub/channel/room?\(range)"
            #expect(bench.status(.delete, target, token: token) == 403)
        }
        #expect(bench.asked == 0)
    }
}
