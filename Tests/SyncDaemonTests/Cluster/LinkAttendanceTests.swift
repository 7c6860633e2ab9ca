// When a daemon's link ends, presence hears of everybody whom it held, and of nobody else.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct LinkAttendanceTests {
    private let source = PresenceSource(
        reactor: 300, connection: SessionID(slot: 1, generation: 2))

    private func request(
        _ user: String, _ operation: PresenceRequest.Operation
    ) -> PresenceRequest {
        PresenceRequest(
            member: Presence.Member(userID: user, keyset: "tenant"), operation: operation,
            origin: nil, source: source)
    }

    private func exits(after requests: [PresenceRequest]) -> [String] {
        var attendance = LinkAttendance()
        for request in requests { attendance.hear(request) }
        return attendance.exits.compactMap { request in
            guard case .exit(let channels, isCut: true) = request.operation else { return nil }
            #expect(request.source == source && request.origin == nil)
            return "\(request.member.userID): \(channels.sorted().joined(separator: " "))"
        }.sorted()
    }

    @Test func whoIsInIsCut() {
        #expect(
            exits(after: [
                request("ann", .enter(channels: ["a", "b"], states: [:])),
                request("ann", .exit(channels: ["b"], isCut: false)),
                request("bob", .enter(channels: ["a"], states: [:])),
                request("eve", .enter(channels: ["a"], states: [:])),
                request("eve", .exit(channels: ["a"], isCut: true)),
            ]) == ["ann: a", "bob: a"])
    }

    /// They are there for as long as they promised, whichever daemon they said it to.
    @Test func whoBeatsIsLeftAlone() {
        #expect(
            exits(after: [
                request("ann", .beat(channels: [["a"]], seconds: 60, isPoll: true, states: [:])),
                request("ann", .setState(channels: ["a"], state: "{}")),
            ]).isEmpty)
    }
}
