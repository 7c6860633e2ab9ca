// What a device makes of refusals that are about its token: another one may come.

import Testing

@testable import EventModel

@Suite("Refusals because of a token")
struct TokenRefusalTests {
    private let write = DeviceTicket.write(mutation: "m1")

    private func refused(_ status: Int, _ code: String) -> Result<Reply, ProtocolError> {
        .failure(ProtocolError(status: status, code: code, message: "No."))
    }

    private func publishing() -> Device {
        var device = Device(user: "ada")
        _ = device.connected(epoch: "a.1")
        _ = device.publish(Message(payload: "1"), in: "room", mutation: "m1")
        return device
    }

    @Test(
        "a write stays, and goes out with the next token or session",
        arguments: ["token_missing", "token_invalid", "token_expired", "token_revoked"],
        [true, false])
    func kept(code: String, isSameSession: Bool) {
        var device = publishing()

        let effects = device.received(refused(401, code), to: write)

        #expect(effects.refused.isEmpty)
        #expect(effects.retriesLater)
        #expect(device.outbox.entries.map(\.mutation) == ["m1"])
        if !isSameSession { device.disconnected() }
        let next = isSameSession ? device.allowed() : device.connected(epoch: "a.1")
        #expect(next.questions.map(\.ticket) == [write])
        device.checkInvariants()
    }

    @Test("a write that the token does not allow is refused for good")
    func forbidden() {
        var device = publishing()

        let effects = device.received(refused(403, "forbidden"), to: write)

        #expect(effects.refused.map(\.0.mutation) == ["m1"])
        #expect(device.outbox.isEmpty)
    }

    @Test(
        "a channel is asked for again when its right was lacking, and not for another reason",
        arguments: [("forbidden", true), ("too_many_channels", false)])
    func channels(code: String, isAsked: Bool) throws {
        var device = Device(user: "ada")
        _ = device.follow("room")
        let ticket = try #require(device.connected(epoch: "a.1").questions.first?.ticket)
        let effects = device.received(refused(403, code), to: ticket)
        #expect(effects.refusedChannels.map(\.0) == ["room"])

        let next = device.allowed()

        #expect(next.questions.isEmpty != isAsked)
        #expect((device.channel("room")?.phase == .subscribing) == isAsked)
        #expect(device.allowed().questions.isEmpty)
        device.checkInvariants()
    }
}
