// Two devices of one user that mark a channel, offline and on, against a server that is a model.

import Basis
import EventModel
import Testing

/// A server of one channel and one user's mark.
private struct MarkServer {
    /// What goes to one session; what belongs to different lists may overtake one another.
    struct Session {
        /// The subscription's reply and its pushes, in order.
        var stream: [Result<(DeviceTicket, Reply), Pushed>] = []
        var replies: [(DeviceTicket, Result<Reply, ProtocolError>)] = []
        var frames: [ReadMark] = []
        var hasAsked = false
        var isSubscribed = false
        var isIdle: Bool { stream.isEmpty && replies.isEmpty && frames.isEmpty }
    }

    struct Pushed: Error { let batch: Batch }

    static let busy = ProtocolError(status: 503, code: "overloaded", message: "Later.")
    var events: [Envelope] = []
    var mark: Timetoken?
    var sessions: [Int: Session] = [:]
    private var last = Timetoken(rawValue: 10)

    mutating func happens(_ event: Event, by uuid: String) {
        last = Timetoken(rawValue: last.rawValue + 1)
        let envelope = Envelope(
            channel: Channel("room"), timetoken: last, uuid: uuid, event: event)
        events.append(envelope)
        for id in sessions.keys where sessions[id]?.isSubscribed == true {
            push([envelope], to: id)
        }
    }

    private mutating func push(_ envelopes: [Envelope], to id: Int) {
        let batch = Batch(channel: Channel("room"), cursor: last, envelopes: envelopes)
        sessions[id]?.stream.append(.failure(Pushed(batch: batch)))
    }

    mutating func handle(_ question: DeviceQuestion, from id: Int, isBusy: Bool) {
        switch question.command {
        case .subscribe(let requests):
            let cursor = requests[0].cursor ?? last
            let reply = SubscribedChannel(channel: "room", mode: .delta, cursor: cursor)
            sessions[id]?.stream.append(.success((question.ticket, .subscribed([reply]))))
            sessions[id]?.isSubscribed = true
            push(events.filter { $0.timetoken > cursor }, to: id)
        case .markRead where isBusy, .unread where isBusy:
            sessions[id]?.replies.append((question.ticket, .failure(Self.busy)))
        case .markRead(let wish):
            if min(wish.through, last) > mark ?? .zero {
                mark = min(wish.through, last)
                for (other, session) in sessions where session.hasAsked {
                    sessions[other]?.frames.append(ReadMark(channel: "room", through: mark!))
                }
            }
            sessions[id]?.replies.append((question.ticket, .success(.markedRead(through: mark!))))
        case .unread:
            sessions[id]?.hasAsked = true
            let unread = UnreadMessages(channel: "room", through: mark, count: 0, hasMore: false)
            sessions[id]?.replies.append((question.ticket, .success(.unread([unread]))))
        default: break
        }
    }
}

/// One device with its disk.
private struct MarkDevice {
    let id: Int
    var device = Device(user: "ada")
    var marks: [String: KeptMark] = [:]
    var disk = ModelDisk()
    var outgoing: [DeviceQuestion] = []
    var resting = 0
    /// How far it ever said that the user has read.
    var reached = Timetoken.zero
    var told: Unread?

    init(id: Int) {
        self.id = id
        start()
    }

    mutating func start() {
        device = Device(user: "ada", marks: Array(marks.values))
        (outgoing, resting, told) = ([], 0, nil)
        let base = disk.channels["room"]?.base ?? ChannelBase()
        run { $0.follow("room", base: base) }
        run { $0.countUnread(of: "room") }
    }

    mutating func run(_ input: (inout Device) -> DeviceEffects) {
        let effects = input(&device)
        disk.write(effects.writes)
        for case .mark(let mark) in effects.writes { marks[mark.channel] = mark }
        outgoing += effects.questions
        resting += effects.resting.count
        for (_, unread) in effects.unread { told = unread }
        device.checkInvariants()
        check()
    }

    /// What is said is what the list shows, never goes back, and is what was last told.
    private mutating func check() {
        let unread = device.unread(of: "room")
        #expect(unread == told)
        guard let unread else { return }
        let through = unread.through ?? .zero
        #expect(through >= reached)
        reached = through
        let others = device.list(of: "room").filter { item in
            item.uuid != "ada" && item.timetoken ?? .zero > through
        }
        #expect(unread.count == others.count)
        #expect(!unread.isAtLeast)
    }

    mutating func take(from server: inout MarkServer, _ choices: inout SeededGenerator) {
        guard let session = server.sessions[id] else { return }
        switch choices.below(4) {
        case 0 where !outgoing.isEmpty:
            server.handle(outgoing.removeFirst(), from: id, isBusy: choices.chance(10))
        case 1 where !session.stream.isEmpty:
            switch session.stream[0] {
            case .success((let ticket, let reply)): run { $0.received(.success(reply), to: ticket) }
            case .failure(let pushed): run { $0.received(pushed.batch) }
            }
            server.sessions[id]?.stream.removeFirst()
        case 2 where !session.replies.isEmpty:
            let index = choices.below(session.replies.count)
            server.sessions[id]?.replies.remove(at: index)
            run { $0.received(session.replies[index].1, to: session.replies[index].0) }
        case 3 where !session.frames.isEmpty:
            server.sessions[id]?.frames.removeFirst()
            run { $0.received([session.frames[0]]) }
        default: break
        }
    }

    mutating func rest() {
        guard resting > 0 else { return }
        resting -= 1
        run { $0.rested("room") }
    }
}

@Suite("Read marks, at random")
struct ReadMarkConvergenceTests {
    private func disturb(
        _ device: inout MarkDevice, _ server: inout MarkServer, _ choices: inout SeededGenerator
    ) {
        guard server.sessions[device.id] != nil else {
            server.sessions[device.id] = MarkServer.Session()
            return device.run { $0.connected(epoch: "e") }
        }
        server.sessions[device.id] = nil
        device.outgoing = []
        device.device.disconnected()
        if choices.chance(40) { device.start() }
    }

    @Test("all devices of a user end with the latest mark, and none ever goes back")
    func random() {
        for seed in 1...80 as ClosedRange<UInt64> {
            var choices = SeededGenerator(seed: seed)
            var server = MarkServer()
            var devices = [MarkDevice(id: 0), MarkDevice(id: 1)]
            var furthest = Timetoken.zero
            for _ in 0..<300 {
                let index = choices.below(2)
                switch choices.below(20) {
                case 0..<3:
                    server.happens(
                        .message(Message(payload: "1")), by: choices.pick(["ada", "bob", "cy"]))
                case 3 where !server.events.isEmpty:
                    let gone = choices.pick(server.events).timetoken
                    server.happens(
                        .messagesDeleted(
                            after: Timetoken(rawValue: gone.rawValue - 1), through: gone), by: "")
                case 4..<6:
                    let list = devices[index].device.list(of: "room").compactMap(\.timetoken)
                    guard let newest = list.last else { continue }
                    let through = choices.chance(40) ? nil : choices.pick(list)
                    furthest = max(furthest, through ?? newest)
                    devices[index].run { $0.markRead("room", through: through) }
                case 6: disturb(&devices[index], &server, &choices)
                case 7: devices[index].rest()
                case 8: devices[index].run { $0.retry() }
                default: devices[index].take(from: &server, &choices)
                }
            }
            settle(&devices, &server, &choices)
            #expect(server.mark ?? .zero == furthest, "seed \(seed)")
            let expected = KeptMark(channel: "room", confirmed: furthest)
            for device in devices {
                #expect(device.device.keptMarks == [expected], "seed \(seed)")
                #expect(device.marks["room"] == expected, "seed \(seed)")
                #expect(device.device.unread(of: "room") != nil || server.events.isEmpty)
            }
            #expect(
                devices[0].device.unread(of: "room") == devices[1].device.unread(of: "room"))
        }
    }

    private func settle(
        _ devices: inout [MarkDevice], _ server: inout MarkServer,
        _ choices: inout SeededGenerator
    ) {
        for index in devices.indices where server.sessions[devices[index].id] == nil {
            disturb(&devices[index], &server, &choices)
        }
        for _ in 0..<10_000 {
            let isIdle = devices.allSatisfy {
                $0.outgoing.isEmpty && $0.resting == 0 && server.sessions[$0.id]?.isIdle == true
                    && $0.device.keptMarks.allSatisfy { $0.wished == nil && $0.confirmed != nil }
            }
            if isIdle {
                // What the server had no room for.
                for index in devices.indices { devices[index].run { $0.retry() } }
                if devices.allSatisfy(\.outgoing.isEmpty) { return }
            }
            let index = choices.below(2)
            devices[index].take(from: &server, &choices)
            devices[index].rest()
            if choices.chance(10) { devices[index].run { $0.retry() } }
        }
        Issue.record("It does not come to rest.")
    }
}
