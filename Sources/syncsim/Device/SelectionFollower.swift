// Somebody who names no channel, only groups and a wildcard: it must get everything in them.

import Basis
import EventModel
import JSON

@testable import SyncClient
@testable import SyncDaemon

/// A client that keeps the rows of whatever its selections bring.
final class SelectionFollower: LineOwner {
    private struct Kept {
        var cursor: Timetoken
        /// The store that issued it.
        var epoch: String?
        var key: DigestKey?
        var cache = DeviceCache()

        /// Whether the rows come to something else: removals may be forgotten that a slow reader
        /// was not told of.
        func differs(from state: Digest) -> Bool {
            key.map { cache.digest(under: $0) != state } ?? false
        }
    }

    private unowned let world: World
    private let line: Line
    private var decoder = ServerFrameDecoder(keyset: Channel.defaultKeyset)
    private var sent: [CommandID: Command] = [:]
    private var lastID: CommandID = 0
    /// From where to follow each again.
    private var selections: [Selection: (cursor: Timetoken, epoch: String?)]
    /// What each has brought, and not ended.
    private var brought: [Selection: Set<String>] = [:]
    private var channels: [String: Kept] = [:]
    /// Named with cursors of its own, and not answered yet: what comes of them is from others.
    private var asked: [String: CommandID] = [:]
    /// The store of the present connection.
    private var greeted: String?

    init(in world: World) {
        self.world = world
        selections = [.wildcard("news.*"): (.zero, nil)]
        for group in PollInterests.groups { selections[.group(group)] = (.zero, nil) }
        line = Line("g0", in: world)
        line.begin(for: self)
        line.stumble()
    }

    // MARK: The connection

    func opened() { send(line.hello()) }

    func lost() {
        sent = [:]
        brought = [:]
        asked = [:]
        greeted = nil
    }

    private func send(_ command: Command) {
        lastID += 1
        sent[lastID] = command
        line.send(command, id: lastID)
    }

    // MARK: What comes

    func heard(_ message: [UInt8]) {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try decoder.decode(message) { sent[$0]?.kind }
        } catch {
            return world.violation("wire", "who follows groups cannot read a frame: \(error)")
        }
        switch frame {
        case .push(let batch): take(batch)
        case .follows(let news): take(news)
        case .reply(let id, .success(let reply)):
            asked = asked.filter { $0.value != id }
            answered(reply, to: sent.removeValue(forKey: id))
        // The daemon stops, or has too much to do.
        case .reply(_, .failure), .complaint, .followsNoMore: line.cut()
        case .absent, .rules, .read, .lateReply, .live, .liveEnded: break
        }
    }

    private func answered(_ reply: Reply, to command: Command?) {
        switch reply {
        case .hello(let welcome): greet(welcome)
        case .followed(let cursor):
            guard case .follow(let request)? = command else { return }
            selections[request.selection] = (cursor, greeted)
        case .subscribed(let begun): for channel in begun { begin(channel) }
        default: break
        }
    }

    /// The selections first, and then what it has of their channels, each from its own cursor.
    private func greet(_ welcome: Welcome) {
        greeted = welcome.epoch
        let known = channels.sorted { $0.key < $1.key }.map { name, kept in
            SubscribeRequest(channel: name, cursor: kept.cursor, epoch: kept.epoch)
        }
        for (selection, from) in selections.sorted(by: { $0.key.name < $1.key.name }) {
            // Who has nothing may as well have them begin by themselves.
            let starts = channels.isEmpty
            send(
                .follow(
                    FollowRequest(
                        selection, cursor: from.cursor, epoch: from.epoch, starts: starts)))
        }
        if !known.isEmpty { subscribe(known) }
    }

    private func take(_ news: SelectionNews) {
        world.trace(
            "g0 ← \(news.selection.name): \(news.channels.map(\.channel)) \(news.known) "
                + "-\(news.ended) through \(Trace.tail(news.cursor))")
        world.tally.count("selection", news.channels.count)
        selections[news.selection] = (news.cursor, greeted)
        for channel in news.channels {
            brought[news.selection, default: []].insert(channel.channel)
            guard channels[channel.channel] == nil else {
                // It was named with a cursor of its own, and that is answered later.
                continue
            }
            // What came before it was in the group, the group does not bring.
            let isLate = news.selection.kind == .group && channel.cursor > .zero
            if isLate { subscribe(channel.channel) } else { begin(channel) }
        }
        for name in news.known {
            brought[news.selection, default: []].insert(name)
            if channels[name] == nil { subscribe(name) }
        }
        for name in news.ended {
            brought[news.selection]?.remove(name)
            // The wildcard names a channel only when something happens in it.
            let isWild = name.utf8.starts(with: "news.".utf8)
            guard !isWild, !brought.values.contains(where: { $0.contains(name) }) else { continue }
            channels[name] = nil
            send(.unsubscribe(channels: [name]))
        }
    }

    private func subscribe(_ name: String) {
        channels[name] = Kept(cursor: .zero)
        subscribe([SubscribeRequest(channel: name, cursor: .zero, epoch: greeted)])
    }

    private func subscribe(_ requests: [SubscribeRequest]) {
        send(.subscribe(requests))
        for request in requests { asked[request.channel] = lastID }
    }

    private func begin(_ channel: SubscribedChannel) {
        switch channel.mode {
        // It cannot compare: it begins anew.
        case .repair, .window: subscribe(channel.channel)
        case .snapshot:
            channels[channel.channel] = Kept(
                cursor: channel.cursor, epoch: greeted, key: channel.key)
        case .current, .delta:
            if channel.cursor == .zero { channels[channel.channel] = nil }
            if channels[channel.channel] == nil {
                channels[channel.channel] = Kept(cursor: channel.cursor)
            }
            channels[channel.channel]?.epoch = greeted
            if let key = channel.key { channels[channel.channel]?.key = key }
        }
    }

    private func take(_ batch: Batch) {
        world.trace("g0 ← \(Trace.text(batch))")
        let name = batch.channel.name
        guard asked[name] == nil, var kept = channels[name] else { return }
        for envelope in batch.envelopes { kept.cache.apply(envelope) }
        kept.cursor = max(kept.cursor, batch.cursor)
        channels[name] = kept
        if let state = batch.state, kept.differs(from: state) { subscribe(name) }
    }

    // MARK: At the end

    /// Nothing keeps it from the daemon any more.
    func heal() {
        line.wake()
        line.cut()
    }

    /// Whether it has what there is.
    var isAtRest: Bool { greeted != nil && difference == nil }

    /// What it has otherwise than the rows say.
    var difference: String? {
        var owed = Set(PollInterests.wildChannels)
        for group in PollInterests.groups {
            owed.formUnion(world.truth.groups[ChannelGroup(group, keyset: "default")] ?? [])
        }
        for name in owed {
            let rows = world.truth.rows(of: name)
            guard let kept = channels[name] else {
                if rows.messages.isEmpty, rows.actions.isEmpty { continue }
                return "it does not know \(name)"
            }
            let messages = Set(kept.cache.messages.keys)
                .symmetricDifference(rows.messages.keys)
            if let first = messages.min() {
                let word = rows.messages[first] == nil ? "has" : "lacks"
                return "it \(word) \(first) and \(messages.count - 1) others in \(name)"
            }
            let marks = kept.cache.marks
            let other = Set(marks.keys).union(rows.actions.keys).sorted().first {
                marks[$0] != rows.actions[$0]
            }
            if let other {
                return "\(marks[other] == nil ? "it lacks" : "it has") \(other) in \(name)"
            }
        }
        return nil
    }

    /// For a report.
    var state: String { "g0 has \(difference ?? "all")" }
}
