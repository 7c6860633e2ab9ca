// A receiver of events over HTTP, as its owner configured it.

import Basis
import EventModel

/// Whom the daemon tells of what happens, and of what.
struct Webhook: Hashable, Sendable {
    /// What may happen; the raw values stand in configurations.
    enum Kind: String, Sendable, CaseIterable {
        case message
        /// Another text of a message, or one that was taken back.
        case edited
        case actionAdded = "action_added"
        case actionRemoved = "action_removed"
        case messagesDeleted = "messages_deleted"
        case actionsCleared = "actions_cleared"
        /// Whatever happens to users, channels and members.
        case entry

        /// Without a word: what happens in channels.
        static let standard = allCases.filter { $0 != .entry }
    }

    /// What becomes of single events on their way.
    enum Collecting: String, Sendable, CaseIterable {
        /// Each is delivered.
        case nothing = "no"
        /// Reactions to messages of one author become one event.
        case author
    }

    /// Whether events come with the devices that hear of their channel by push.
    enum Devices: String, Sendable, CaseIterable {
        case no
        case yes
        /// And those of channels without any do not come.
        case only
    }

    let name: String
    var url = ""
    /// Whose channels they are, by subscribe key; `nil`: those of all tenants.
    var keyset: String?
    /// Of these channels; empty: of all.
    var patterns: [ChannelPattern] = []
    var kinds: [Kind] = Kind.standard
    /// What signs requests: the present secret, and the one before.
    var secrets: [String] = []
    var eventsMax = 100
    /// Milliseconds that an event waits for others.
    var windowMilliseconds = 50
    /// Seconds in which a receiver has to answer.
    var timeoutSeconds = 10
    var collecting = Collecting.nothing
    /// Seconds for which reactions are collected.
    var collectSeconds = 30
    var devices = Devices.no

    init(name: String) { self.name = name }

    /// Whether an event is for it.
    func wants(_ envelope: Envelope) -> Bool {
        // What is not stored is nowhere, once the process has ended.
        guard envelope.isStored, let kind = Kind(envelope), kinds.contains(kind) else {
            return false
        }
        let channel = envelope.channel
        if let keyset, ExactText(keyset) != ExactText(channel.keyset) { return false }
        return patterns.isEmpty || patterns.contains { $0.fits(channel) }
    }

    /// Ticks that the first event of a request waits for others.
    ///
    /// - Parameter isBehind: Whether more waits than one request holds.
    func window(isBehind: Bool) -> UInt64 {
        guard collecting == .nothing else { return UInt64(collectSeconds) * 10_000_000 }
        let least = isBehind ? Limits.webhookBacklogMilliseconds : 0
        return UInt64(max(windowMilliseconds, least)) * 10_000
    }
}

extension Webhook.Kind {
    /// - Returns: `nil` for what is never stored.
    init?(_ envelope: Envelope) {
        if Directory(channelName: envelope.channel.name) != nil {
            self = .entry
            return
        }
        switch envelope.event {
        case .message: self = .message
        case .actionAdded(let action):
            self = action.key.isVersion ? .edited : .actionAdded
        case .actionRemoved(let action):
            self = action.key.isVersion ? .edited : .actionRemoved
        case .messagesDeleted: self = .messagesDeleted
        case .actionsCleared: self = .actionsCleared
        case .signal, .presence, .directory: return nil
        }
    }
}

extension MessageAction.Key {
    /// Whether it says what a message is to say from now on.
    var isVersion: Bool { ExactText(type) == ExactText(MessageVersion.editedType) }
}

/// One lane of one webhook.
struct LaneID: Hashable, Sendable {
    let webhook: String
    let number: Int
}

/// Where an event waits for its receiver: events of one channel, or about one author, in one lane.
enum WebhookLane {
    /// The same in every process: FNV-1a, of 64 bits.
    ///
    /// - Source: Fowler, Noll, Vo; draft-eastlake-fnv.
    static func number(of texts: String...) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in texts {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01b3
        }
        // Mixed, because names that count up differ in few of its bits.
        return Int(SeededGenerator.mixed(hash) % UInt64(Limits.webhookLanes))
    }
}
