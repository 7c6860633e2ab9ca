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
    var caches: [String: SimulatedCache] = [:]
    /// Where a device started that wanted no past.
    var starts: [String: Timetoken] = [:]
    var mutations: [Mutation] = []
    private(set) var problems: [String] = []
    /// Whether what the daemon says may differ from what is here: rows were damaged, or removals
    /// are forgotten.
    var mayDiffer = false
    /// Commands that it wants to send by itself.
    var outgoing: [String] = []
    /// How often its caches were compared, and how often they were repaired.
    private(set) var counts = (compared: 0, repaired: 0, snapshots: 0)
    /// Channels that are being repaired, each with the number of symbols that were sent.
    private(set) var repairing: [String: Int] = [:]
    private var repairCommands: [CommandID: (name: String, attempt: Int)] = [:]
    /// The last subscription to each channel: what an earlier one is answered says nothing.
    private var subscribing: [String: CommandID] = [:]
    /// Each repair of a channel has a number: answers to an earlier one say nothing.
    private var attempts: [String: Int] = [:]
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
            guard let cache = caches[name] else { return #"{"name":"\#(name)"}"# }
            let base = cache.digest.map { #","count":\#($0.count),"digest":"\#($0.text)""# } ?? ""
            return #"{"name":"\#(name)","cursor":"\#(cache.cursor)","epoch":"\#(epoch)"\#(base)}"#
        }
        let text = command(#""op":"subscribe","channels":[\#(entries.joined(separator: ","))]"#)
        for name in channels { subscribing[name] = lastID }
        return text
    }

    /// Loses its connection, and with it every answer that was under way.
    func disconnect() {
        connection = nil
        pending = [:]
        newest = [:]
        outgoing = []
        repairing = [:]
        repairCommands = [:]
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
        if repairing[name] != nil, repairing[name] != Self.askedFor {
            problems.append("\(deviceID) got a push of \(name) before its repair")
        }
        cache.apply(batch)
        caches[name] = cache
        compare(name, with: batch.state)
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
            if channel.mode == .snapshot {
                problems.append("a snapshot for a cursor of this store")
            }
            newest[name] = channel.cursor
            guard subscribing[name] == id else { continue }
            repairing[name] = nil
            if channel.cursor == .zero, channel.mode != .repair {
                // Everything comes anew, but not what was removed meanwhile.
                caches[name] = SimulatedCache()
                starts[name] = nil
            } else if caches[name] == nil {
                caches[name] = SimulatedCache(cursor: channel.cursor, isWhole: false)
                starts[name] = channel.cursor
            }
            caches[name]?.key = channel.key
            if channel.mode == .repair {
                repairing[name] = 0
                attempts[name, default: 0] += 1
                sendSymbols(of: name, upTo: Self.firstSymbols)
            }
            compare(name, with: channel.state)
        }
        if let (name, attempt) = repairCommands.removeValue(forKey: id) {
            if attempt == attempts[name] { receive(reply, forRepairOf: name) }
            return
        }
        if let code = reply.code, code != "overloaded" { problems.append("\(id): \(code)") }
        guard let mutation, let answer = reply.ok else { return }
        if let first = mutations[mutation].answer, first != answer {
            problems.append("\(mutations[mutation].fields) was answered \(first), then \(answer)")
        }
        mutations[mutation].answer = answer
    }

    // MARK: Repairs

    private static let firstSymbols = 8
    private static let symbolsPerCommand = 20
    /// In place of a number of symbols: the daemon has not said yet that it is ready.
    private static let askedFor = -1

    /// Compares a cache with what the daemon says, and has it repaired when it is another.
    private func compare(_ name: String, with state: Digest?) {
        guard repairing[name] == nil, let cache = caches[name] else { return }
        if state != nil, cache.isWhole { counts.compared += 1 }
        guard cache.differs(from: state) else { return }
        if !mayDiffer { problems.append("\(deviceID) shows another \(name) at \(cache.cursor)") }
        repairing[name] = Self.askedFor
        outgoing.append(
            command(
                #""op":"subscribe","channels":[{"name":"\#(name)","cursor":"\#(cache.cursor)","#
                    + #""repair":true}]"#))
        subscribing[name] = lastID
    }

    private func sendSymbols(of name: String, upTo count: Int) {
        guard let cache = caches[name], let sent = repairing[name] else { return }
        for first in stride(from: sent, to: count, by: Self.symbolsPerCommand) {
            let indices = first..<min(count, first + Self.symbolsPerCommand)
            outgoing.append(
                command(
                    #""op":"repair","channel":"\#(name)","from":\#(first),"#
                        + #""count":\#(cache.actions.count),"#
                        + #""symbols":"\#(cache.symbols(indices))""#))
            repairCommands[lastID] = (name, attempts[name] ?? 0)
        }
        repairing[name] = count
    }

    private func receive(_ reply: ServerText.Reply, forRepairOf name: String) {
        // A later subscription may have ended it; and without room it begins anew.
        if let code = reply.code {
            if code != "no_repair", code != "overloaded" { problems.append("repair: \(code)") }
            if code == "overloaded", let cursor = caches[name]?.cursor {
                repairing[name] = Self.askedFor
                outgoing.append(
                    command(
                        #""op":"subscribe","channels":[{"name":"\#(name)","cursor":"\#(cursor)","#
                            + #""repair":true}]"#))
                subscribing[name] = lastID
            }
            return
        }
        guard let sent = repairing[name], sent > 0 else { return }
        switch reply.step {
        case .needsSymbols(let count):
            if count > sent { sendSymbols(of: name, upTo: count) }
        case .difference(let difference):
            repairing[name] = nil
            caches[name]?.repair(difference)
            counts.repaired += 1
            if caches[name]?.differs(from: difference.state) ?? true {
                problems.append("\(deviceID) was repaired to another \(name)")
            }
        case .snapshot:
            counts.snapshots += 1
            repairing[name] = Self.askedFor
            outgoing.append(
                command(#""op":"subscribe","channels":[{"name":"\#(name)","cursor":"0"}]"#))
            subscribing[name] = lastID
        case nil: problems.append("\(deviceID) got \(reply) to a repair")
        }
    }
}
