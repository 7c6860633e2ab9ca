// A window whose page the server refuses for good; Tests/Fixtures/windows.json has what it asks.

import Testing

@testable import EventModel

@Suite("Refused windows")
struct RefusedWindowTests {
    private func refused(_ code: String) -> Result<Reply, ProtocolError> {
        .failure(ProtocolError(status: 409, code: code, message: "No."))
    }

    /// A device that asked for a channel's window: the tickets of the subscription and of the page.
    private func opening() throws -> (Device, subscribe: DeviceTicket, page: DeviceTicket) {
        var device = Device(user: "ada")
        _ = device.follow("room", window: .last(1))
        let tickets = device.connected(epoch: "a.1").questions.map(\.ticket)
        try #require(tickets.count == 2)
        return (device, tickets[0], tickets[1])
    }

    @Test("a channel that is refused with the page behind it is told once")
    func once() throws {
        var (device, subscribe, page) = try opening()
        let first = device.received(refused("too_many_channels"), to: subscribe)
        #expect(first.refusedChannels.map(\.0) == ["room"])

        let second = device.received(refused("no_subscription"), to: page)

        #expect(second.refusedChannels.isEmpty)
        device.checkInvariants()
    }

    @Test("it is asked for again by who wants to know now, and not by the hour")
    func again() throws {
        var (device, subscribe, page) = try opening()
        let reply = SubscribedChannel(
            channel: "room", mode: .current, cursor: Timetoken(rawValue: 9))
        _ = device.received(.success(.subscribed([reply])), to: subscribe)
        let refusal = device.received(refused("too_many_rows"), to: page)
        #expect(refusal.refusedChannels.map(\.0) == ["room"])

        #expect(device.verify("room", isWished: false).questions.isEmpty)
        #expect(device.verify("room").questions.count == 2)
        device.checkInvariants()
    }
}
