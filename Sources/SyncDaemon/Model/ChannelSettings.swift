// What an owner decides about a tenant's channels: for all of them, or in a namespace for some.

import EventModel

/// What holds for one channel.
///
/// A new setting is a field here and a row in `ChannelSettings.keys`: keysets and namespaces have
/// it then.
struct ChannelSettings: Hashable, Sendable {
    /// Whether published messages are stored unless a publisher says otherwise.
    var keepsMessages = true
    /// Hours after which messages are deleted; 0 keeps them.
    var hoursKept = 0
    /// Milliseconds that events wait for more before they leave, if that is longer than what holds
    /// for the whole daemon.
    var batchWindow = 0
    /// Whether clients may delete messages.
    var allowsDeleting = true
    /// What reactions there are.
    var reactions = ReactionRules()
    /// Whether who is in the channel is known.
    var hasPresence = true
    /// Seconds that a user is in the channel after a heartbeat or a poll that does not say how
    /// long.
    var presenceSeconds = Limits.presenceSecondsDefault
    /// The shortest time that a heartbeat or a poll may ask for, in seconds; less is taken for it.
    var presenceSecondsMin = Limits.presenceSecondsMin
    /// Users in the channel above which single joins and leaves are no longer announced.
    var announceMax = 20
    /// Seconds between two announcements above that; 10 or more.
    var intervalSeconds = 10
    /// Whether those say who came and left.
    var sendsDeltas = false
    var files = FileRules()
}

/// What files a channel may have.
struct FileRules: Hashable, Sendable {
    var isOn = false
    /// Bytes of one.
    var bytesMax = 5 * 1024 * 1024
    /// Empty: all.
    var types: [MediaRange] = []

    /// Whether a file may be called so, for what that says of its contents.
    func takes(_ name: String) -> Bool {
        types.isEmpty || types.contains { $0.fits(FileName.mediaType(of: name)) }
    }
}

extension ChannelSettings {
    /// The same for a directory: it stays, whatever holds for messages, and nobody is in it.
    var ofDirectory: ChannelSettings {
        var settings = self
        (settings.keepsMessages, settings.hoursKept) = (true, 0)
        settings.hasPresence = false
        settings.files.isOn = false
        return settings
    }
}

/// The name of a channel, or how the names of many begin: then it ends with a star.
struct ChannelPattern: Hashable, Sendable {
    let text: String
    /// Without the star.
    fileprivate let name: ExactText
    fileprivate let isBeginning: Bool

    /// `nil` for what fits nothing: no name, a star elsewhere, the presence of a channel.
    init?(_ text: String) {
        self.text = text
        isBeginning = text.utf8.last == UInt8(ascii: "*")
        name = ExactText(String(decoding: text.utf8.dropLast(isBeginning ? 1 : 0), as: UTF8.self))
        let isAll = isBeginning && name.string.isEmpty
        guard isAll || Channel.fault(inName: name.string, ofOne: true) == nil,
            !name.string.utf8.contains(UInt8(ascii: "*")),
            isBeginning || !Channel(name.string).isPresence
        else { return nil }
    }

    /// Whether a channel is one of those that it stands for.
    func fits(_ channel: Channel) -> Bool {
        isBeginning
            ? channel.name.utf8.starts(with: name.string.utf8) : ExactText(channel.name) == name
    }
}

/// The settings of those channels of a tenant that have some of their own.
struct Namespaces: Hashable, Sendable {
    private struct Beginning: Hashable {
        let bytes: [UInt8]
        let settings: ChannelSettings
    }

    private var named: [ExactText: ChannelSettings] = [:]
    /// The longest first.
    private var beginnings: [Beginning] = []

    var isEmpty: Bool { named.isEmpty && beginnings.isEmpty }

    /// Whatever they say, in no order.
    var all: [ChannelSettings] { Array(named.values) + beginnings.map(\.settings) }

    /// - Precondition: The pattern has no settings yet.
    mutating func set(_ settings: ChannelSettings, for pattern: ChannelPattern) {
        guard pattern.isBeginning else { return named[pattern.name] = settings }
        let beginning = Beginning(bytes: Array(pattern.name.string.utf8), settings: settings)
        let place = beginnings.firstIndex { $0.bytes.count < beginning.bytes.count }
        beginnings.insert(beginning, at: place ?? beginnings.endIndex)
    }

    /// What the longest pattern says that fits a channel; a whole name is longer than any.
    ///
    /// The presence of a channel is where the channel is; a wildcard is in no namespace.
    ///
    /// - Complexity: O(beginnings), of which there are `Limits.namespacePatternsMax` at most.
    func settings(of channel: Channel) -> ChannelSettings? {
        guard !isEmpty, !channel.isWildcard else { return nil }
        var name = channel.name
        if channel.isPresence {
            let length = name.utf8.count - Channel.presenceSuffix.utf8.count
            name = String(decoding: name.utf8.prefix(length), as: UTF8.self)
        }
        if let settings = named[ExactText(name)] { return settings }
        return name.withUTF8 { bytes in
            beginnings.first { unsafe bytes.starts(with: $0.bytes) }?.settings
        }
    }
}
