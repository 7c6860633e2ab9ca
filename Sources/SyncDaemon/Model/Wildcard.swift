// Names that stand for many channels.

import EventModel

extension Channel {
    /// The wildcards that this channel falls under: `a.*` and `a.b.*` for `a.b.c`.
    ///
    /// - Source: PubNub allows wildcards of two levels.
    var wildcards: [Channel] {
        let suffix = isPresence ? Channel.presenceSuffix : ""
        let base = name.utf8.dropLast(suffix.utf8.count)
        var wildcards: [Channel] = []
        for index in base.indices where base[index] == UInt8(ascii: ".") {
            guard wildcards.count < Limits.wildcardLevelsMax else { break }
            wildcards.append(
                Channel(
                    String(name[..<index]) + Self.wildcardSuffix + suffix, keyset: keyset))
        }
        return wildcards
    }

    /// Whether events of another channel concern whoever follows this one.
    func covers(_ other: Channel) -> Bool {
        self == other || (isWildcard && other.wildcards.contains(self))
    }
}
