// A device with a disk and a line to the model server, both of which fail on demand.

import Basis
import EventModel
import Testing

/// What was written, as a device finds it when it starts again.
struct ModelDisk {
    struct Saved {
        var header: ChannelHeader
        var messages: [Timetoken: DeviceCache.Entry] = [:]
        var actions: [MessageAction.Key: Timetoken] = [:]

        var base: ChannelBase {
            ChannelBase(
                cache: DeviceCache(
                    messages: messages,
                    actions: actions.map { MessageAction(key: $0, actionTimetoken: $1) },
                    cursor: header.cursor),
                epoch: header.epoch, key: header.key)
        }
    }

    var channels: [String: Saved] = [:]
    var outbox: [OutboxEntry] = []

    mutating func write(_ writes: [DeviceWrite]) {
        for write in writes {
            switch write {
            case .channel(let name, let header, let rows):
                var saved = channels[name] ?? Saved(header: header)
                saved.header = header
                for row in rows { saved.apply(row) }
                channels[name] = saved
            case .forget(let name): channels[name] = nil
            case .outbox(let change): outbox.apply(change)
            case .mark: break
            }
        }
    }
}

extension ModelDisk.Saved {
    fileprivate mutating func apply(_ row: RowChange) {
        switch row {
        case .messagePut(let timetoken, let entry): messages[timetoken] = entry
        case .messageDropped(let timetoken, _): messages[timetoken] = nil
        case .actionPut(let action):
            // A row replaces nothing: what stood under its key was dropped before.
            #expect(actions[action.key] == nil)
            actions[action.key] = action.actionTimetoken
        case .actionDropped(let action):
            #expect(actions.removeValue(forKey: action.key) == action.actionTimetoken)
        }
    }
}

/// One device of one user.
struct ModelDevice {
    static let channels = ["room", "den"]

    let id: Int
    let user: String
    var device: Device
    var disk = ModelDisk()
    /// The lists as an application has them: it knows the changes only.
    var lists: [String: [ListItem]] = [:]
    /// Commands on their way to the server.
    var outgoing: [DeviceQuestion] = []
    var isConnected = false
    private var mutations = 0

    init(id: Int, user: String) {
        self.id = id
        self.user = user
        device = Device(user: user)
        start()
    }

    private mutating func start() {
        for name in Self.channels {
            lists[name] = []
            let base = disk.channels[name]?.base ?? ChannelBase()
            run { $0.follow(name, base: base) }
            lists[name] = device.observe(name)
        }
    }

    /// Everything in memory is lost.
    mutating func crash() {
        outgoing = []
        isConnected = false
        device = Device(user: user, outbox: disk.outbox)
        start()
    }

    mutating func connect(to server: inout ModelServer) {
        server.sessions[id] = ModelServer.Session(user: user)
        isConnected = true
        let epoch = server.epoch
        run { $0.connected(epoch: epoch) }
    }

    mutating func disconnect(from server: inout ModelServer) {
        server.sessions[id] = nil
        outgoing = []
        isConnected = false
        device.disconnected()
    }

    mutating func retry() {
        run { $0.retry() }
    }

    mutating func react(_ value: String, _ isPresent: Bool, on message: Timetoken, in name: String)
    {
        mutations += 1
        let mutation = "\(id)-\(mutations)"
        run {
            $0.wish(value, isPresent: isPresent, on: message, in: name, mutation: mutation)
        }
    }

    mutating func publish(_ payload: String, in name: String) {
        mutations += 1
        let mutation = "\(id)-\(mutations)"
        run { $0.publish(Message(payload: payload), in: name, mutation: mutation) }
    }

    /// Sends one command, or takes one piece of news.
    mutating func exchange(
        with server: inout ModelServer, at clock: UInt64, _ generator: inout SeededGenerator
    ) {
        if generator.chance(50), !outgoing.isEmpty {
            server.handle(outgoing.removeFirst(), from: id, at: clock)
        } else if server.sessions[id]?.news.isEmpty == false,
            let news = server.sessions[id]?.news.removeFirst()
        {
            switch news {
            case .push(let batch): run { $0.received(batch) }
            case .reply(let ticket, let reply): run { $0.received(reply, to: ticket) }
            }
        } else if !outgoing.isEmpty {
            server.handle(outgoing.removeFirst(), from: id, at: clock)
        }
    }

    func isIdle(at server: ModelServer) -> Bool {
        outgoing.isEmpty && server.sessions[id]?.news.isEmpty ?? true
    }

    private mutating func run(_ input: (inout Device) -> DeviceEffects) {
        let effects = input(&device)
        disk.write(effects.writes)
        outgoing += effects.questions
        for (name, changes) in effects.changes {
            for change in changes { lists[name]?.apply(change) }
        }
    }
}
