// Has the channels of a cache file compared with the daemon, and notes what differed.

import EventModel
import SyncClient

/// One run over some channels of a cache.
struct CacheComparison {
    /// What a channel's part was, and what became of it.
    private struct Part {
        let after: Timetoken
        /// What the file says of what is before it; `nil`: nothing.
        let rest: Digest?
        /// Whether the file had no rows of it: then nobody tells which of them come anew.
        let isEmpty: Bool
        var beganAnew = false
        var isRestEqual = true
        /// Whether the daemon told the rest of the part as it was, though that began anew.
        var isRestProven = false
    }

    let client: SyncClient
    private var events: AsyncStream<SyncEvent>.Iterator
    private var rows: [String: [RowChange]] = [:]
    /// Of those that the file does not hold whole.
    private var parts: [String: Part] = [:]

    /// Questions about what stands before a part, while the channel changes in between.
    private static let questionsMax = 20
    /// Messages of a part of which the file has lost all.
    private static let messagesAnew = 50

    /// - Parameter events: Of the client, from before it connects.
    init(client: SyncClient, events: AsyncStream<SyncEvent>) {
        self.client = client
        self.events = events.makeAsyncIterator()
    }

    /// - Throws: When the daemon refuses a channel, or the client is closed meanwhile.
    mutating func findings(of channels: [String]) async throws -> [CacheFinding] {
        for channel in channels {
            let kept = try await client.kept(of: channel).base
            guard kept.rest.after > .zero else {
                _ = try await client.channel(channel)
                continue
            }
            parts[channel] = Part(
                after: kept.rest.after, rest: kept.rest.digest, isEmpty: kept.isEmpty)
            // As it is: nothing more is fetched, and nothing goes. One that is lost gets a page.
            let held = kept.isEmpty ? Self.messagesAnew : kept.cache.messages.count
            _ = try await client.channel(
                channel, window: .last(held, keeping: max(held, Limits.windowMessagesKept)))
        }
        try await waitUntilVerified(channels)
        for channel in channels where parts[channel]?.isEmpty == true {
            guard try await client.channel(channel).rung == .snapshot else { continue }
            parts[channel]?.beganAnew = true
            rows[channel] = try await client.channel(channel).base.cache.allPut
        }
        // Who comes from another store, or from another run of it, is told everything anew.
        for (channel, part) in parts where part.beganAnew && !part.isEmpty {
            let page = try await client.rest(of: channel, before: part.after)
            parts[channel]?.isRestProven = page.rest == part.rest
        }
        var repaired: [String] = []
        for channel in channels where parts[channel]?.beganAnew == false {
            guard try await !isRestEqual(of: channel) else { continue }
            parts[channel]?.isRestEqual = false
            repaired.append(channel)
            try await client.channel(channel).repair()
        }
        try await waitUntilVerified(repaired)
        var findings: [CacheFinding] = []
        for channel in channels { findings.append(try await finding(of: channel)) }
        return findings
    }

    private func finding(of channel: String) async throws -> CacheFinding {
        let base = try await client.channel(channel).base
        var rows = rows[channel, default: []]
        var rest: CacheFinding.Rest?
        if let part = parts[channel] {
            // A part that began anew may begin elsewhere.
            let start = max(part.after, base.rest.after)
            rows.removeAll { $0.messageTimetoken <= start }
            // Where nothing in it differs, that is why it began anew.
            let isOther = part.beganAnew && rows.isEmpty && !part.isRestProven
            rest = CacheFinding.Rest(
                after: base.rest.after, isEqual: part.isRestEqual && !isOther)
        }
        return CacheFinding(
            channel: channel, messages: base.cache.messages.count,
            actions: base.cache.actions.count, cursor: base.cursor,
            segments: .init(of: rows, cutBefore: base.cache.messages.keys), rest: rest)
    }

    /// Reads on up to the word for each, also where it is verified by now: what was repaired is
    /// told before that.
    private mutating func waitUntilVerified(_ channels: [String]) async throws {
        var waiting = Set(channels)
        while !waiting.isEmpty, let event = await events.next(isolation: #isolation) {
            switch event {
            case .cacheRepaired(let channel, let rung, let changes):
                rows[channel, default: []] += changes
                if rung == .snapshot { parts[channel]?.beganAnew = true }
            case .channelVerified(let channel):
                if try await isVerified(channel) { waiting.remove(channel) }
            case .channelRefused(let channel, let error):
                throw JobError(
                    code: error.code, message: "\(printable(channel)): \(error.message)")
            case .disconnected(let reason, nil): throw JobError(closedBecause: reason)
            case .connected, .disconnected, .announced, .began, .problem, .writeRefused,
                .eventsMissed, .summarized, .selected, .selectionRefused, .rulesChanged:
                break
            }
        }
        guard waiting.isEmpty else {
            let names = waiting.sorted().map(printable).joined(separator: ", ")
            throw JobError(
                code: "timed_out", message: "The daemon did not agree within a minute: \(names).",
                advice: "Try again.")
        }
    }

    private func isVerified(_ channel: String) async throws -> Bool {
        try await client.channel(channel).isVerified
    }

    /// Whether what stands before a part comes to what the file says: pushes tell only what both
    /// come to together.
    private func isRestEqual(of channel: String) async throws -> Bool {
        let room = try await client.channel(channel)
        for _ in 0..<Self.questionsMax {
            let after = await room.base.rest.after
            guard after > .zero else { return true }
            let page = try await client.rest(of: channel, before: after)
            let base = await room.base
            if base.rest.after == after, base.state == page.state {
                return base.rest.digest == page.rest
            }
        }
        throw JobError(
            code: "timed_out", message: "Too much happens in \(printable(channel)) to compare it.",
            advice: "Try again.")
    }
}

extension DeviceCache {
    /// All rows, as if they just came.
    fileprivate var allPut: [RowChange] {
        messages.map { RowChange.messagePut($0.key, $0.value) }
            + actions.keys.compactMap { action(of: $0) }.map { RowChange.actionPut($0) }
    }
}
