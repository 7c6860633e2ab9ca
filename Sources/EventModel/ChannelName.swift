// What a channel may be called: one rule for all doors of the daemon and for its clients.

/// Why nothing may be called so.
public enum ChannelNameFault: Hashable, Sendable {
    /// It has this many bytes: none, or over ``Limits/channelNameBytesMax``.
    case size(Int)
    /// It holds a comma or a control character.
    case character
    /// It stands for many channels.
    case wildcard
}

extension Channel {
    package static let wildcardSuffix = ".*"

    /// Whether it stands for all channels that begin like it.
    ///
    /// The presence of a wildcard ends with `.*-pnpres`.
    package var isWildcard: Bool {
        name.utf8.ends(with: Self.wildcardSuffix.utf8)
            || name.utf8.ends(with: (Self.wildcardSuffix + Channel.presenceSuffix).utf8)
    }

    /// What keeps channels, wildcards and groups from being called so.
    ///
    /// PubNub advises against more, and lets SDKs use it: `/` and `:` for example.
    ///
    /// - Parameters:
    ///   - name: As a client spells it.
    ///   - isOne: A wildcard is no name of one channel.
    public static func fault(inName name: String, ofOne isOne: Bool) -> ChannelNameFault? {
        // That of a directory is as long as what it is about may be, and the word in front of it.
        let bytes = name.utf8.count - Directory.prefixBytes(ofName: name)
        guard (1...Limits.channelNameBytesMax).contains(bytes) else {
            return .size(name.utf8.count)
        }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar != ","
        }
        guard isPlain else { return .character }
        return isOne && (name == "*" || Channel(name).isWildcard) ? .wildcard : nil
    }
}
