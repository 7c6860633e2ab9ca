// A channel that is followed from somewhere on: told, and neither kept nor compared.

import Testing

@testable import EventModel

@Suite("Tails of channels")
struct TailTests {
    private func question(_ effects: DeviceEffects) throws -> (DeviceTicket, SubscribeRequest) {
        let question = try #require(effects.questions.first)
        guard case .subscribe(let requests) = question.command, let request = requests.first
        else {
            Issue.record("\(question)")
            throw CancellationError()
        }
        return (question.ticket, request)
    }

    private func answer(
        _ mode: SubscribedChannel.Mode, at cursor: UInt64
    ) -> Result<Reply, ProtocolError> {
        .success(
            .subscribed([
                SubscribedChannel(
                    channel: "room", mode: mode, cursor: Timetoken(rawValue: cursor),
                    key: DigestKey(String(repeating: "01", count: 16)),
                    state: .empty)
            ]))
    }

    private func push(_ places: UInt64...) -> Batch {
        Batch(
            channel: Channel("room"), cursor: Timetoken(rawValue: places.last ?? 0),
            envelopes: places.map {
                Envelope(
                    channel: Channel("room"), timetoken: Timetoken(rawValue: $0), uuid: "bob",
                    event: .message(Message(payload: "1")))
            })
    }

    private func told(_ effects: DeviceEffects) -> [UInt64] {
        effects.announced.flatMap(\.envelopes).map(\.timetoken.rawValue)
    }

    @Test("it begins now, goes on where it stopped, tells each event once, and keeps nothing")
    func goesOn() throws {
        var device = Device(user: "ada")
        _ = device.follow("room", after: nil)
        let (first, now) = try question(device.connected(epoch: "a.1"))
        #expect(now.cursor == nil)
        let begun = device.received(answer(.current, at: 5), to: first)
        #expect(begun.tailsBegun.map(\.cursor) == [Timetoken(rawValue: 5)])
        let news = device.received(push(6, 7))
        #expect(told(news) == [6, 7])
        #expect(news.writes.isEmpty)
        #expect(told(device.received(push(6, 7))).isEmpty)

        device.disconnected()
        let (again, rest) = try question(device.connected(epoch: "a.2"))
        #expect(rest.cursor == Timetoken(rawValue: 7))
        #expect(rest.epoch == "a.1")
        #expect(rest.base == nil)
        #expect(device.received(answer(.delta, at: 7), to: again).tailsBegun.isEmpty)
        #expect(told(device.received(push(7, 8))) == [8])
        device.checkInvariants()
    }

    @Test(
        "where the server cannot go on from there, it begins anew with all of the channel",
        arguments: [SubscribedChannel.Mode.snapshot, .repair])
    func beginsAnew(mode: SubscribedChannel.Mode) throws {
        var device = Device(user: "ada")
        _ = device.follow("room", after: Timetoken(rawValue: 5))
        let (first, _) = try question(device.connected(epoch: "a.1"))
        _ = device.received(answer(.delta, at: 5), to: first)
        #expect(told(device.received(push(6))) == [6])

        device.disconnected()
        let (again, _) = try question(device.connected(epoch: "b.1"))
        var effects = device.received(answer(mode, at: mode == .snapshot ? 0 : 6), to: again)
        if mode == .repair {
            #expect(effects.tailsBegun.isEmpty)
            let (anew, request) = try question(effects)
            #expect(request.cursor == .zero)
            effects = device.received(answer(.delta, at: 0), to: anew)
        }
        #expect(effects.tailsBegun.map(\.cursor) == [.zero])
        #expect(told(device.received(push(1, 2))) == [1, 2])
        device.checkInvariants()
    }
}
