// One device of the simulation: what it wants, what it was told, and the promises made to it.

import EventModel

@testable import SyncDaemon

/// A device with a cache per channel; the network comes and goes.
final class SimulatedDevice {
    struct Connection {
        let reactor: Int
        let session: SessionID
    }

    /// A write that may be sent again.
    struct Mutation {
        /// The command without its id.
        let fields: String
        /// The first answer, when there was one.
        var answer: String?
    }

    let userID: String
    let deviceID: String
    var connection: Connection?
    /// Channels that it follows whenever it is connected.
    var followed: Set<String> = []
    var caches: [String: DeviceCache] = [:]
    /// Where a device started that wanted no past.
    var starts: [String: Timetoken] = [:]
    var mutations: [Mutation] = []
    private(set) var problems: [String] = []
    /// Commands without a reply, each with the mutation it carries.
    private(set) var pending: [CommandID: Int?] = [:]
    private var lastID: CommandID = 0
    private var repliedTo: Set<CommandID> = []
    /// The newest event that its present subscription to each channel has brought.
    private var newest: [String: Timetoken] = [:]

    init(userID: String, deviceID: String) {
        self.userID = userID
        self.deviceID = deviceID
    }

    /// A command with a number of its own.
    func command(_ fields: String, mutation: Int? = nil) -> String {
        lastID += 1
        pending[lastID] = .some(mutation)
        return #"{"id":\#(lastID),\#(fields)}"#
    }

    /// A wish to follow channels from where their caches stand.
    func subscription(to channels: [String], epoch: String) -> String {
        let entries = channels.map { name in
            guard let cursor = caches[name]?.cursor else { return #"{"name":"\#(name)"}"# }
            return #"{"name":"\#(name)","cursor":"\#(cursor)","epoch":"\#(epoch)"}"#
        }
        return command(#""op":"subscribe","channels":[\#(entries.joined(separator: ","))]"#)
    }

    /// Loses its connection, and with it every answer that was under way.
    func disconnect() {
        connection = nil
        pending = [:]
        newest = [:]
    }

    func receive(_ text: ServerText) {
        switch text {
        case .push(let batch): receive(batch)
        case .reply(let reply): receive(reply)
        }
    }

    private func receive(_ batch: Batch) {
        let name = batch.channel.name
        guard var last = newest[name], var cache = caches[name] else {
            problems.append("\(deviceID) got a push of \(name), which it does not follow")
            return
        }
        for envelope in batch.envelopes {
            if envelope.timetoken <= last {
                problems.append("\(deviceID) got \(name) \(envelope.timetoken) after \(last)")
            }
            last = envelope.timetoken
        }
        // What is not stored moves no cursor: a restarted daemon would not know it.
        let stored = batch.envelopes.last(where: \.isStored)?.timetoken ?? .zero
        if batch.cursor < stored {
            problems.append("\(name): cursor \(batch.cursor) before \(stored)")
        }
        if batch.cursor > max(cache.cursor, stored),
            batch.envelopes.contains(where: { !$0.isStored }),
            batch.envelopes.last.map({ batch.cursor >= $0.timetoken && !$0.isStored }) ?? false
        {
            problems.append("\(name): a signal moved the cursor to \(batch.cursor)")
        }
        newest[name] = last
        cache.apply(batch)
        caches[name] = cache
    }

    private func receive(_ reply: ServerText.Reply) {
        guard let id = reply.id else { return problems.append("a reply without id: \(reply)") }
        if id == 0 {
            if reply.ok == nil { problems.append("hello was refused: \(reply)") }
            return
        }
        guard let mutation = pending.removeValue(forKey: id), repliedTo.insert(id).inserted else {
            return problems.append("\(deviceID) got an unexpected reply to \(id)")
        }
        for (name, channel) in reply.channels {
            if channel.mode == "snapshot" {
                problems.append("a snapshot for a cursor of this store")
            }
            newest[name] = channel.cursor
            if channel.cursor == .zero {
                // Everything comes anew, but not what was removed meanwhile.
                caches[name] = DeviceCache()
            } else if caches[name] == nil {
                caches[name] = DeviceCache(cursor: channel.cursor)
                starts[name] = channel.cursor
            }
        }
        if let code = reply.code, code != "overloaded" { problems.append("\(id): \(code)") }
        guard let mutation, let answer = reply.ok else { return }
        if let first = mutations[mutation].answer, first != answer {
            problems.append("\(mutations[mutation].fields) was answered \(first), then \(answer)")
        }
        mutations[mutation].answer = answer
    }
}
