// What one device still has to tell the server: in order, absolute, each at most once.

/// The wishes of a device that the server has not confirmed, or that its base does not show yet.
///
/// They are absolute ("this reaction is to be there"), so that opposite ones cancel while nothing
/// was sent, once the channel's rules are known: until then each may count. What was perhaps sent
/// stays, and is sent again under its mutation id.
public struct Outbox: Hashable, Sendable {
    /// A change to keep on disk.
    public enum Change: Hashable, Sendable {
        /// At the end, or in the place of the one with the same mutation id.
        case put(OutboxEntry)
        /// In the place of the one with another mutation id.
        case replace(mutation: String, by: OutboxEntry)
        case drop(mutation: String)

        /// The entry as it is from now on.
        var entry: OutboxEntry? {
            switch self {
            case .put(let entry), .replace(_, let entry): entry
            case .drop: nil
            }
        }
    }

    public internal(set) var entries: [OutboxEntry] = []
    private(set) var inFlight: Set<String> = []
    /// Entries that went out and have no answer, at most.
    static let inFlightMax = 16

    public init(_ entries: [OutboxEntry] = []) {
        self.entries = entries
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// The entries about one channel, in order.
    public func entries(of channel: String) -> [OutboxEntry] {
        entries.filter { Channel($0.channel) == Channel(channel) }
    }

    /// The same, as the channel's rules have them.
    func entries(of channel: String, under rules: ReactionRules) -> [OutboxEntry] {
        entries(of: channel).map { $0.canonical(under: rules) }
    }

    // MARK: Wishes

    /// Whether another wish may come: about one action also when a wish about it was not sent yet.
    func hasRoom(for key: MessageAction.Key? = nil, in channel: String) -> Bool {
        guard entries.count >= Limits.outboxEntriesMax else { return true }
        let last = entries.last { $0.key == key && Channel($0.channel) == Channel(channel) }
        return key != nil && last?.progress == .unsent
    }

    /// How an action stands once all wishes are fulfilled.
    func own(
        _ key: MessageAction.Key, in channel: String, base: MessageAction?,
        under rules: ReactionRules
    ) -> OwnAction {
        entries(of: channel, under: rules).own(key, base: base, under: rules)
    }

    mutating func publish(_ message: Message, in channel: String, mutation: String) -> [Change] {
        let entry = OutboxEntry(mutation: mutation, channel: channel, wish: .publish(message))
        entries.append(entry)
        return [.put(entry)]
    }

    // MARK: Sending

    /// The connection ended: what has no answer is sent again in the next session.
    mutating func disconnect() {
        inFlight = []
    }

    /// Takes what may go out now, in order, and marks it.
    ///
    /// The marks have to be on disk before the first of them is on the wire.
    ///
    /// - Parameters:
    ///   - rules: What holds in an entry's channel; `nil`: nobody knows.
    ///   - isOutside: Whether an entry is about a message of which the device holds nothing.
    ///   - heard: How far the device has heard of an entry's channel.
    ///   - base: The action under a key in the base.
    mutating func takeForSending(
        under rules: (OutboxEntry) -> ReactionRules? = { _ in ReactionRules() },
        isOutside: (OutboxEntry) -> Bool = { _ in false },
        heard: (OutboxEntry) -> Timetoken? = { _ in nil },
        base: (OutboxEntry) -> MessageAction?
    ) -> (entries: [OutboxEntry], changes: [Change]) {
        var taken: [OutboxEntry] = []
        var changes: [Change] = []
        var index = 0
        while index < entries.count, inFlight.count < Self.inFlightMax {
            defer { index += 1 }
            let entry = entries[index]
            guard !entry.isAnswered, !inFlight.contains(entry.mutation) else { continue }
            // Whatever comes later waits too: the order is kept.
            let heardRules = rules(entry)
            let rules = heardRules ?? ReactionRules()
            let earlier = entries[..<index].filter { Channel($0.channel) == Channel(entry.channel) }
                .map { $0.canonical(under: rules) }
            let asked = entry.canonical(under: rules)
            if earlier.contains(where: { asked.waits(for: $0, under: heardRules) }) { break }
            if case .remove(let key, nil) = entry.wish, let canonical = asked.key {
                let before = earlier.own(canonical, base: base(asked), under: rules)
                if before.standing == .pending { break }
                if entry.sentAfter != nil {
                    // It may have been applied before: it goes out as it did.
                } else if case .since(let seen) = before.standing {
                    entries[index].wish = .remove(key, seen: seen)
                } else if isOutside(entry) {
                    entries[index].sentAfter = heard(entry) ?? .zero
                } else {
                    // The add before it was refused: there is nothing to remove.
                    entries.remove(at: index)
                    changes.append(.drop(mutation: entry.mutation))
                    index -= 1
                    continue
                }
            }
            entries[index].progress = .perhapsSent
            if entries[index] != entry { changes.append(.put(entries[index])) }
            inFlight.insert(entry.mutation)
            taken.append(entries[index])
        }
        return (taken, changes)
    }

    // MARK: Answers

    /// The server applied an entry, now or earlier.
    ///
    /// - Parameters:
    ///   - timetoken: Of the message or of the action that stands; `nil` for a removal.
    ///   - rules: What holds in the entry's channel.
    mutating func answered(
        _ mutation: String, _ timetoken: Timetoken?,
        under rules: ReactionRules = ReactionRules()
    ) -> [Change] {
        inFlight.remove(mutation)
        guard let index = entries.firstIndex(where: { $0.mutation == mutation }) else { return [] }
        entries[index].progress = .answered(timetoken)
        entries[index].likeness = nil
        entries[index].earlierAnswer = nil
        var changes = [Change.put(entries[index])]
        // Where no base shows the action, removals behind it learn only here what they are about.
        guard case .add = entries[index].wish, let timetoken else { return changes }
        let channel = Channel(entries[index].channel)
        let key = entries[index].canonical(under: rules).key
        // By whatever name: the next add makes it another action.
        for behind in entries.indices[(index + 1)...]
        where Channel(entries[behind].channel) == channel
            && entries[behind].canonical(under: rules).key == key
        {
            guard case .remove(let asked, let seen) = entries[behind].wish else { break }
            guard seen == nil, entries[behind].sentAfter == nil else { continue }
            entries[behind].wish = .remove(asked, seen: timetoken)
            changes.append(.put(entries[behind]))
        }
        return changes
    }

    /// The server had no room for an entry: it goes out again later.
    mutating func postponed(_ mutation: String) {
        inFlight.remove(mutation)
    }

    /// The server will never apply an entry.
    mutating func refused(_ mutation: String) -> (entry: OutboxEntry?, changes: [Change]) {
        inFlight.remove(mutation)
        guard let index = entries.firstIndex(where: { $0.mutation == mutation }) else {
            return (nil, [])
        }
        return (entries.remove(at: index), [.drop(mutation: mutation)])
    }

    // MARK: The base moves

    /// Finds the pending message that a new message of the base probably is.
    ///
    /// The push may come before the answer, or the answer be lost. Without this the message would
    /// be shown twice for a moment; the answer corrects a wrong guess.
    mutating func recognise(_ entry: DeviceCache.Entry, at timetoken: Timetoken, in channel: String)
        -> [Change]
    {
        let isKnown = entries.contains {
            $0.key == nil && [$0.timetoken, $0.likeness].contains(timetoken)
                && Channel($0.channel) == Channel(channel)
        }
        let index = entries.firstIndex { pending in
            pending.progress == .perhapsSent && pending.likeness == nil
                && Channel(pending.channel) == Channel(channel) && pending.says(entry.message)
        }
        guard let index, !isKnown else { return [] }
        entries[index].likeness = timetoken
        return [.put(entries[index])]
    }

    /// The server lost what it had answered: it is asked again, under the same ids.
    mutating func reopen(_ channel: String) -> [Change] {
        var changes: [Change] = []
        var added: Set<MessageAction.Key> = []
        for index in entries.indices where Channel(entries[index].channel) == Channel(channel) {
            let entry = entries[index]
            if case .remove(let key, _?) = entry.wish, added.contains(key) {
                // The add before it may get another timetoken: whatever becomes of this removal is
                // about the lost action. It is another wish now, about whatever that add adds.
                inFlight.remove(entry.mutation)
                entries[index] = OutboxEntry(
                    mutation: Self.successor(of: entry.mutation), channel: entry.channel,
                    wish: .remove(key, seen: nil), progress: .perhapsSent)
                changes.append(.replace(mutation: entry.mutation, by: entries[index]))
            } else if entry.isAnswered {
                if case .add(let key, _) = entry.wish { added.insert(key) }
                // If the base has the message already, it is still the same.
                if entry.key == nil { entries[index].likeness = entry.timetoken }
                entries[index].earlierAnswer = entry.progress
                if entries[index].sentAfter != nil { entries[index].sentAfter = .zero }
                entries[index].progress = .perhapsSent
                changes.append(.put(entries[index]))
            }
        }
        return changes
    }

    /// The id of the wish that takes the place of another one: "m7~1" after "m7", then "m7~2".
    private static func successor(of mutation: String) -> String {
        guard let tilde = mutation.lastIndex(of: "~"),
            let number = UInt64(mutation[mutation.index(after: tilde)...])
        else { return mutation + "~1" }
        return "\(mutation[...tilde])\(number + 1)"
    }

    /// Drops the answered entries of a channel that its base shows.
    ///
    /// - Parameters:
    ///   - base: `nil` when the device does not follow the channel.
    ///   - rules: What holds in the channel.
    ///   - unstored: Messages that no base will ever show.
    mutating func settle(
        _ channel: String, base: ChannelBase?, under rules: ReactionRules = ReactionRules(),
        unstored: Set<Timetoken> = []
    ) -> [OutboxEntry] {
        var settled: [OutboxEntry] = []
        // A base that does not show an add yet would take its removal for done.
        var open: Set<MessageAction.Key> = []
        let own = entries(of: channel, under: rules)
        let past = base.map { Self.past(own, in: $0) } ?? [:]
        for (index, entry) in own.enumerated() {
            let isGone = entry.key == nil && entry.timetoken.map(unstored.contains) ?? false
            let isPast = entry.key.flatMap { past[$0] }.map { index <= $0 } ?? false
            if entry.isAnswered, isGone || isPast || base?.shows(entry) ?? true,
                entry.key.map({ !open.contains($0) }) ?? true
            {
                settled.append(entry)
            } else if let key = entry.key {
                open.insert(key)
            }
        }
        let names = Set(settled.map(\.mutation))
        if !names.isEmpty { entries.removeAll { names.contains($0.mutation) } }
        return settled
    }

    /// The last wish about each action whose outcome a base has: what was wished before is past,
    /// whatever it named, also an action of a store that was set back since.
    private static func past(
        _ own: [OutboxEntry], in base: ChannelBase
    ) -> [MessageAction.Key: Int] {
        var past: [MessageAction.Key: Int] = [:]
        for (index, entry) in own.enumerated() {
            guard case .add(let key, _) = entry.wish, let added = entry.timetoken,
                base.cache.actionTimetoken(of: key) == added
            else { continue }
            past[key] = index
        }
        return past
    }
}

extension OutboxEntry {
    /// Byte for byte.
    fileprivate func says(_ other: Message) -> Bool {
        guard case .publish(let message) = wish else { return false }
        return ExactText(message.payload) == ExactText(other.payload)
            && message.meta.map(ExactText.init) == other.meta.map(ExactText.init)
            && message.type.map(ExactText.init) == other.type.map(ExactText.init)
            && message.parent == other.parent
    }
}

extension ChannelBase {
    /// Whether an answered wish can be seen here, or what came after it.
    fileprivate func shows(_ entry: OutboxEntry) -> Bool {
        switch entry.wish {
        case .publish:
            return entry.timetoken.map { cursor >= $0 } ?? true
        case .add(let key, _):
            guard let added = entry.timetoken else { return true }
            return cursor >= added || cache.actionTimetoken(of: key).map { $0 >= added } ?? false
        case .remove(let key, let seen):
            guard let added = cache.actionTimetoken(of: key) else {
                // A page on its way may be of before the removal, and bring the action.
                return !expectsPage || !rest.contains(key.messageTimetoken)
            }
            return (seen ?? entry.sentAfter).map { added > $0 } ?? true
        }
    }
}
