// What a device makes of read marks, one input at a time.

import EventModel
import Testing

@Suite("Read marks")
struct ReadMarkTests {
    private func at(_ ticks: UInt64) -> Timetoken { Timetoken(rawValue: ticks) }

    /// A base with messages of bob, but one of ada's at 30, after some message.
    private func base(after: UInt64 = 0, rest digest: Digest? = nil) -> ChannelBase {
        var messages: [Timetoken: DeviceCache.Entry] = [:]
        for ticks in stride(from: after + 10, through: 50, by: 10) {
            messages[at(ticks)] = DeviceCache.Entry(
                uuid: ticks == 30 ? "ada" : "bob", message: Message(payload: "\(ticks)"))
        }
        let rest = after > 0 ? ChannelRest(after: at(after), digest: digest) : .none
        return ChannelBase(
            messages: messages, actions: [],
            ChannelHeader(cursor: at(50), epoch: "e", key: nil, digest: .empty, rest: rest))
    }

    private func device(
        after: UInt64 = 0, rest: Digest? = nil, marks: [KeptMark] = [], isConnected: Bool = true
    ) -> Device {
        var device = Device(user: "ada", marks: marks)
        let window: ChannelWindow? = after > 0 ? .last(1) : nil
        _ = device.follow("room", base: base(after: after, rest: rest), window: window)
        _ = device.countUnread(of: "room")
        if isConnected { _ = device.connected(epoch: "e") }
        return device
    }

    private func answer(
        _ device: inout Device, _ through: UInt64?, knowing known: UInt64 = 0
    ) -> DeviceEffects {
        device.received(
            .success(
                .unread([
                    UnreadMessages(
                        channel: "room", through: through.map(at), count: 1, hasMore: false)
                ])), to: .unread(["room": at(known)]))
    }

    private func sent(_ effects: DeviceEffects) -> [Command] {
        effects.questions.map(\.command).filter {
            switch $0 {
            case .markRead, .unread: true
            default: false
            }
        }
    }

    private func marking(_ through: UInt64) -> [Command] {
        [.markRead(ReadMark(channel: "room", through: at(through)))]
    }

    private func accept(_ device: inout Device, _ through: UInt64) -> DeviceEffects {
        device.received(
            .success(.markedRead(through: at(through))), to: .markRead(channel: "room"))
    }

    @Test("it is asked with the subscription, and nothing is known before the answer")
    func asks() {
        var device = Device(user: "ada")
        _ = device.follow("room", base: base())
        _ = device.follow("den")
        #expect(device.countUnread(of: "room").questions.isEmpty)
        let effects = device.connected(epoch: "e")
        #expect(sent(effects) == [.unread(channels: ["room"])])
        #expect(effects.questions.count == 2)
        #expect(device.unread(of: "room") == nil)

        let told = answer(&device, 20)
        #expect(device.unread(of: "room") == Unread(count: 2, through: at(20)))
        #expect(told.unread.map(\.unread) == [Unread(count: 2, through: at(20))])
        #expect(told.writes == [.mark(KeptMark(channel: "room", confirmed: at(20)))])
        #expect(answer(&device, 20).unread.isEmpty)
        // A channel that nobody counts.
        #expect(device.unread(of: "den") == nil)
        #expect(device.received([ReadMark(channel: "den", through: at(9))]).writes.isEmpty)
    }

    @Test("without a mark nothing is read, and a window that begins later has it at least")
    func atLeast() {
        var whole = device()
        _ = answer(&whole, nil)
        #expect(whole.unread(of: "room") == Unread(count: 4))
        var window = device(after: 20)
        _ = answer(&window, nil)
        #expect(window.unread(of: "room") == Unread(count: 2, isAtLeast: true))
        _ = window.received([ReadMark(channel: "room", through: at(10))])
        #expect(
            window.unread(of: "room") == Unread(count: 2, isAtLeast: true, through: at(10)))
        _ = window.received([ReadMark(channel: "room", through: at(20))])
        #expect(window.unread(of: "room") == Unread(count: 2, through: at(20)))
        // Nothing is before it any more.
        var bare = self.device(after: 20, rest: .empty)
        _ = answer(&bare, nil)
        #expect(bare.unread(of: "room") == Unread(count: 2))
    }

    @Test("a wish counts at once, is kept, and goes out: the first now, then the last of several")
    func pace() {
        var device = device()
        _ = answer(&device, 10)
        let first = device.markRead("room", through: at(20))
        #expect(sent(first) == marking(20))
        #expect(first.resting == ["room"])
        #expect(
            first.writes
                == [.mark(KeptMark(channel: "room", confirmed: at(10), wished: at(20)))])
        #expect(first.unread.map(\.unread) == [Unread(count: 2, through: at(20))])

        #expect(sent(device.markRead("room", through: at(40))).isEmpty)
        #expect(sent(accept(&device, 20)).isEmpty)
        let last = device.markRead("room")
        #expect(sent(last).isEmpty)
        #expect(device.unread(of: "room") == Unread(count: 0, through: at(50)))
        #expect(device.markRead("room", through: at(30)).writes.isEmpty)
        #expect(sent(device.rested("room")) == marking(50))
        let confirmed = accept(&device, 50)
        #expect(confirmed.writes == [.mark(KeptMark(channel: "room", confirmed: at(50)))])
        #expect(confirmed.unread.isEmpty)
        #expect(sent(device.rested("room")).isEmpty)
        #expect(sent(device.connected(epoch: "e")) == [.unread(channels: ["room"])])
    }

    @Test("offline it waits, survives the process, and goes out until it is confirmed")
    func offline() {
        var device = device(
            marks: [KeptMark(channel: "room", confirmed: at(10))], isConnected: false)
        #expect(device.unread(of: "room") == Unread(count: 3, through: at(10)))
        let wish = device.markRead("room")
        #expect(wish.questions.isEmpty)
        #expect(wish.writes.count == 1)
        let kept = device.keptMarks
        #expect(kept == [KeptMark(channel: "room", confirmed: at(10), wished: at(50))])

        // Also where nobody follows the channel any more.
        device = Device(user: "ada", marks: kept)
        #expect(sent(device.connected(epoch: "e")) == marking(50))
        device.disconnected()
        _ = device.rested("room")
        #expect(sent(device.connected(epoch: "e")) == marking(50))
        #expect(accept(&device, 60).writes == [.mark(KeptMark(channel: "room", confirmed: at(60)))])
    }

    @Test("what another device read counts, and what is older changes nothing")
    func others() {
        var device = device()
        _ = device.received([ReadMark(channel: "room", through: at(40))])
        #expect(device.unread(of: "room") == Unread(count: 1, through: at(40)))
        #expect(sent(answer(&device, 20)).isEmpty)
        #expect(device.unread(of: "room")?.through == at(40))
        #expect(device.markRead("room", through: at(40)).writes.isEmpty)
        // The frame is there before the reply.
        #expect(sent(device.markRead("room", through: at(50))) == marking(50))
        _ = device.received([ReadMark(channel: "room", through: at(50))])
        #expect(device.keptMarks == [KeptMark(channel: "room", confirmed: at(50))])
        _ = device.rested("room")
        _ = accept(&device, 50)
        #expect(sent(device.markRead("room", through: at(51))) == marking(51))
    }

    @Test("a daemon that was put back is told the mark again")
    func backup() {
        var device = device(marks: [KeptMark(channel: "room", confirmed: at(40))])
        #expect(sent(answer(&device, 20, knowing: 40)) == marking(40))
        #expect(device.unread(of: "room") == Unread(count: 1, through: at(40)))
        // Its newest event is an earlier one: that is all that it can take.
        #expect(sent(accept(&device, 30)).isEmpty)
        #expect(sent(device.rested("room")).isEmpty)
    }

    @Test("an error leaves it unknown; one that passes is asked again")
    func errors() {
        var device = device()
        let old = ProtocolError(status: 400, code: "unknown_op", message: "No.")
        #expect(
            device.received(.failure(old), to: .unread(["room": .zero])).questions.isEmpty)
        #expect(device.unread(of: "room") == nil)
        #expect(sent(device.retry()).isEmpty)

        let busy = ProtocolError(status: 503, code: "overloaded", message: "Later.")
        let effects = device.received(.failure(busy), to: .unread(["room": .zero]))
        #expect(effects.retriesLater)
        #expect(sent(device.retry()) == [.unread(channels: ["room"])])
        _ = answer(&device, 10)
        _ = device.markRead("room")
        #expect(
            device.received(.failure(busy), to: .markRead(channel: "room")).retriesLater)
        #expect(sent(device.rested("room")).isEmpty)
        #expect(sent(device.retry()) == marking(50))
        _ = device.received(.failure(old), to: .markRead(channel: "room"))
        #expect(device.unread(of: "room") == Unread(count: 0, through: at(50)))

        // One channel of several is not allowed.
        let forbidden = ProtocolError(status: 403, code: "forbidden", message: "No.")
        let alone = device.received(
            .failure(forbidden), to: .unread(["room": at(10), "den": .zero]))
        #expect(
            sent(alone) == [.unread(channels: ["den"]), .unread(channels: ["room"])])
    }

    @Test("who leaves a channel still sends the wish; who forgets it keeps nothing beyond that")
    func leaves() {
        var device = device()
        _ = answer(&device, 10)
        _ = device.markRead("room", through: at(20))
        _ = device.markRead("room")
        _ = device.forget("room")
        #expect(device.unread(of: "room") == nil)
        #expect(device.keptMarks == [KeptMark(channel: "room", wished: at(50))])
        _ = accept(&device, 20)
        #expect(sent(device.rested("room")) == marking(50))
        #expect(accept(&device, 50).writes == [.mark(KeptMark(channel: "room"))])
        #expect(device.received([ReadMark(channel: "room", through: at(60))]).writes.isEmpty)
    }
}
