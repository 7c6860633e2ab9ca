// What is promised to one device, and whether it is kept.

import Basis
import EventModel

@testable import SyncDaemon

/// Looks at everything that reaches a device and at what it makes of it.
final class DeviceWitness {
    private let deviceID: String
    private unowned let world: World
    /// Channels whose difference from the server would be no fault of the protocol's: the cache was
    /// spoiled, or the store is another one than before.
    private var tainted: Set<String> = []
    /// The newest event that the present subscription to each channel brought.
    private var newest: [String: Timetoken] = [:]
    /// The cursor that the present subscription to each channel has.
    private var cursors: [String: Timetoken] = [:]
    /// For channels that were subscribed to with nothing: the commit up to which nobody need be
    /// told what was deleted.
    private var freshUpTo: [String: Timetoken] = [:]
    /// The messages that such a subscription brought.
    private var brought: [String: [Timetoken]] = [:]
    /// Channels that the daemon held for a repair, and that were not verified since.
    private var toldToRepair: Set<String> = []
    /// The cursor at which each channel was last found equal to the daemon's.
    private var verifiedAt: [String: Timetoken] = [:]
    /// Where a repair of the present subscription brought the actions to.
    private var repairedThrough: [String: Timetoken] = [:]
    /// What the person wished last of reactions that nobody else can change.
    private var wishes: [String: [MessageAction.Key: Bool]] = [:]
    /// The lists as an application keeps them, from the changes that it is told.
    private var lists: [String: [ListItem]] = [:]
    /// Repairs and snapshots since the faults ended.
    private var lateExchanges: [String: Int] = [:]
    /// How often what a channel missed was forgotten while it caught up.
    private var overtaken: [String: Int] = [:]
    /// How often the daemon cut it off since then: what it was about to get it asks for again.
    private var cutOffs = 0

    init(_ deviceID: String, in world: World) {
        self.deviceID = deviceID
        self.world = world
    }

    private func fail(_ invariant: String, _ text: String) {
        world.violation(invariant, "\(deviceID) \(text)")
    }

    // MARK: Its life

    /// A process began.
    func begin(_ core: inout Device, _ channels: [String]) {
        for channel in channels { lists[channel] = core.observe(channel) }
    }

    func connected() {
        newest = [:]
        cursors = [:]
        repairedThrough = [:]
        freshUpTo = [:]
        brought = [:]
    }

    /// The daemon closed its connection, because it reads too slowly.
    func cutOff() {
        if !world.isEventful { cutOffs += 1 }
    }

    func taint(_ channel: String) {
        tainted.insert(channel)
        wishes[channel] = nil
    }

    /// Its user has a channel compared, whether anything is wrong or not.
    func wishesRepair(of channel: String) { toldToRepair.insert(channel) }

    // MARK: The wire

    func asks(_ request: SubscribeRequest, of core: Device) {
        // A window begins anew in the place of a repair.
        let beginsAnew =
            request.window == .end
            && core.channel(request.channel).map { $0.incoming != nil && !$0.base.isUnopened }
                == true
        // The daemon itself may have said that a repair is needed, and had no room for it.
        guard request.asksForRepair || beginsAnew else { return asksAnew(request) }
        guard !toldToRepair.contains(request.channel) else {
            // The last repair was in vain: its pages came after the floor had passed it.
            if let through = repairedThrough[request.channel], world.floor > through {
                overtaken[request.channel, default: 0] += 1
            }
            return
        }
        world.tally.count("mismatch found")
        // What it missed was forgotten while it caught up: this is what digests are for.
        guard world.floor <= verifiedAt[request.channel] ?? .zero else {
            overtaken[request.channel, default: 0] += 1
            return world.tally.count("floor overtook a cursor")
        }
        if !tainted.contains(request.channel) {
            fail("I3", "found a mismatch in \(request.channel) that nothing explains")
        }
    }

    /// A snapshot in the place of a repair, or of another snapshot, whose pages came after the
    /// floor had passed what it was of.
    private func asksAnew(_ request: SubscribeRequest) {
        guard !world.isEventful, request.cursor == .zero, request.window == nil,
            let through = repairedThrough[request.channel] ?? freshUpTo[request.channel],
            world.floor > through
        else { return }
        overtaken[request.channel, default: 0] += 1
    }

    func hear(_ batch: Batch) {
        let name = batch.channel.name
        var last = newest[name] ?? .zero
        for envelope in batch.envelopes {
            if envelope.timetoken <= last {
                fail("I1", "got \(envelope.timetoken) of \(name) after \(last)")
            }
            last = envelope.timetoken
            if case .message = envelope.event, freshUpTo[name] != nil {
                brought[name, default: []].append(envelope.timetoken)
            }
            if case .messagesDeleted(let start, let end) = envelope.event,
                envelope.timetoken <= freshUpTo[name] ?? .zero,
                // What a reactor still has in memory it may send as it happened.
                brought[name]?.contains(where: { start < $0 && $0 <= end }) != true
            {
                fail("I8", "has nothing, and is told of the deletion \(envelope.timetoken)")
            }
            if envelope.isStored, !world.truth.timetokens.contains(envelope.timetoken) {
                fail("I5", "was told of \(envelope.timetoken), which is not durable")
            }
        }
        if batch.cursor > world.truthEnd {
            fail("I5", "got the cursor \(batch.cursor), which is not durable")
        }
        if let cursor = cursors[name], batch.cursor < cursor {
            fail("I1", "was set back in \(name), from \(cursor) to \(batch.cursor)")
        }
        newest[name] = last
        cursors[name] = batch.cursor
    }

    func hear(
        _ result: Result<Reply, ProtocolError>, to question: SimulatedDevice.Sent, of core: Device
    ) {
        switch result {
        case .failure(let error):
            world.tally.count("refused \(error.code)")
            // Of a write that is refused its device is told, and judges it by its key.
            if case .write? = question.ticket { return }
            if error.status < 429 { fail("wire", "was refused: \(error)") }
        case .success(.subscribed(let channels)):
            for channel in channels {
                world.tally.count("rung \(channel.mode.rawValue)")
                guard
                    let request = question.subscribes.first(where: { $0.channel == channel.channel }
                    )
                else { return fail("wire", "was subscribed to \(channel.channel)") }
                check(channel, for: request, question.floor)
                newest[channel.channel] = nil
                cursors[channel.channel] = channel.cursor
                repairedThrough[channel.channel] = nil
                let isFresh = request.cursor == .zero && request.window == nil
                freshUpTo[channel.channel] = isFresh ? question.end : nil
                brought[channel.channel] = nil
            }
        case .success(.repair(.difference(let difference))):
            world.tally.count(difference.state == nil ? "repaired amid changes" : "repaired")
            if case .repair(let channel, _)? = question.ticket {
                repairedThrough[channel] = difference.cursor
                countExchange(channel)
            }
        case .success(.repair(.needsSymbols)): world.tally.count("more symbols")
        case .success(.repair(.segments)): world.tally.count("segments that differ")
        case .success(.repair(.missing)): world.tally.count("more than one row in a segment")
        case .success(.repair(.whole)): world.tally.count("all segments differ")
        case .success(.repair(.snapshot)): world.tally.count("repair gave up")
        case .success(let reply):
            if case .write(let mutation)? = question.ticket { check(reply, to: mutation, of: core) }
        }
    }

    private func check(
        _ channel: SubscribedChannel, for request: SubscribeRequest, _ floor: Timetoken
    ) {
        let cursor = request.cursor ?? .zero
        switch channel.mode {
        case .current, .delta:
            if cursor > .zero, cursor < floor {
                fail("I4", "got a \(channel.mode) from \(cursor), and the floor is \(floor)")
            }
        case .repair:
            toldToRepair.insert(channel.channel)
        case .window where request.window == nil:
            fail("I4", "is told to ask for pages, and asked for no part")
        case .window, .snapshot:
            toldToRepair.insert(channel.channel)
            countExchange(channel.channel)
        }
    }

    /// Once nothing goes wrong any more, one exchange has to do; it may end in a snapshot.
    private func countExchange(_ channel: String) {
        guard !world.isEventful else { return }
        lateExchanges[channel, default: 0] += 1
        let excused = overtaken[channel, default: 0] + cutOffs
        if lateExchanges[channel, default: 0] > 2 + excused {
            fail("I6", "needs more than one exchange for \(channel)")
        }
    }

    /// An acknowledged write is in the store, and stays there.
    private func check(_ reply: Reply, to mutation: String, of core: Device) {
        // Another action stands than the one that its user saw: that one stays.
        if reply == .actionRemoved(.stale) {
            wishes = wishes.mapValues { keys in keys.filter(\.value) }
        }
        let author = Author(userID: core.user, deviceID: deviceID)
        let name = Truth.MutationName(author: author, name: mutation)
        guard world.truth.mutations[name] != nil else {
            return fail("I9", "was told that \(mutation) is done, and it is not durable: \(reply)")
        }
    }

    // MARK: The cache

    /// Compares what the device calls verified with the truth.
    func check(_ core: Device, _ channel: String, _ choices: inout SeededGenerator) {
        guard let sync = core.channel(channel), sync.isVerified else { return }
        toldToRepair.remove(channel)
        // What it needs from here on has another cause, such as a floor that passed its cursor
        // while it was cut off again.
        lateExchanges[channel] = nil
        verifiedAt[channel] = sync.base.cursor
        guard choices.chance(20) || tainted.contains(channel) else { return }
        let cache = sync.base.cache
        if let problem = world.truth.difference(
            of: cache, in: channel, after: sync.base.rest.after,
            actionsAt: max(cache.cursor, repairedThrough[channel] ?? .zero))
        {
            return fail("I2", "believes that \(channel) is the server's, but \(problem)")
        }
        tainted.remove(channel)
    }

    // MARK: The view

    func wished(_ wish: Person.Wish, on core: Device) {
        // Another device of the user may take it back.
        guard world.isOnlyDevice(of: wish.key.uuid) else { return }
        // What it sees may be of a store that is gone, and then the wish was fulfilled there.
        guard !tainted.contains(wish.channel) else { return }
        // One more and one less are about whatever stands, not about what is seen.
        guard world.setting.rules.mode != .total else { return }
        // The same by whatever name; another reaction takes the place of this user's former ones.
        let rules = world.setting.rules
        let wished = rules.canonical(wish.key)
        let isKnown = core.rules(of: wish.channel) == rules
        if !isKnown || rules.mode == .unique && wish.isPresent {
            wishes[wish.channel] = wishes[wish.channel]?.filter { key, _ in
                key.messageTimetoken != wished.messageTimetoken
            }
        }
        // Who has not heard yet what holds wishes something else.
        if isKnown { wishes[wish.channel, default: [:]][wished] = wish.isPresent }
    }

    /// Follows the list of an application, and looks whether a wish flickers.
    func see(_ effects: DeviceEffects, _ core: Device) {
        for (channel, changes) in effects.changes {
            for change in changes { lists[channel, default: []].apply(change) }
        }
        for (entry, error) in effects.refused where !mayRefuse(entry, error) {
            fail("I7", "lost its wish \(entry): \(error)")
        }
        guard !wishes.isEmpty, world.choices.chance(10) else { return }
        // It hears what holds when it connects.
        for (channel, keys) in wishes where core.rules(of: channel) == world.setting.rules {
            for (key, isPresent) in keys
            where (core.standing(of: key, in: channel) != .absent) != isPresent {
                wishes[channel]?[key] = nil
                // What is before a window is not seen.
                let start = core.channel(channel)?.base.rest.after ?? .zero
                if start > .zero, key.messageTimetoken <= start { continue }
                if world.truth.wasDeleted(key.messageTimetoken, in: channel) { continue }
                if world.truth.wasCleared(key, in: channel) { continue }
                let entries = core.outbox.entries.filter {
                    $0.channel == channel && $0.key?.messageTimetoken == key.messageTimetoken
                }
                fail(
                    "I7",
                    "shows \(key) in \(channel) otherwise than its user wished: \(entries)")
            }
        }
    }

    private func mayRefuse(_ entry: OutboxEntry, _ error: ProtocolError) -> Bool {
        // People count up until there is no more room.
        if error.code == "score_too_large" { return true }
        // It saw a message of a store that is gone, later than what the present one has come to.
        guard error.code == "no_such_message", let key = entry.key,
            !world.truth.timetokens.contains(key.messageTimetoken)
        else { return false }
        wishes[entry.channel]?[world.setting.rules.canonical(key)] = nil
        return true
    }

    /// What is wrong with a device that has come to rest.
    func differences(_ core: inout Device, _ channels: [String]) -> [String] {
        var found: [String] = []
        for channel in channels {
            guard let base = core.channel(channel)?.base else { continue }
            found += world.truth.differences(
                of: base.cache, in: channel, after: base.rest.after
            ).map {
                "\(deviceID) \(channel): \($0)"
            }
            let fresh = ChannelView(base, [], user: core.user).items
            if lists[channel]?.map(\.asMadeAnew) != fresh.map(\.asMadeAnew) {
                found.append("\(deviceID) shows another list of \(channel) than its rows say")
            }
            found += versions(of: fresh, in: channel)
            let reactions = fresh.reduce(0) { $0 + $1.reactions.reduce(0) { $0 + $1.count } }
            let rows = base.cache.actionsByMessage.filter { base.cache.messages[$0.key] != nil }
                .reduce(0) { $0 + $1.value.count }
            if reactions != rows { found.append("\(deviceID) counts \(reactions) of \(rows)") }
        }
        return found
    }

    /// Where messages do not say what their authors said last.
    private func versions(of items: [ListItem], in channel: String) -> [String] {
        let rows = world.truth.rows(of: channel)
        return items.compactMap { item in
            guard let message = item.timetoken, let entry = rows.messages[message] else {
                return nil
            }
            let versions = rows.versions(of: message)
            let payload = versions.last?.payload ?? entry.message.payload
            guard item.message.payload != payload || item.versions != versions.count else {
                return nil
            }
            return "\(deviceID) shows \(item.message.payload) as version \(item.versions) of "
                + "\(message) in \(channel), and not \(payload) as \(versions.count)"
        }
    }
}
