// What somebody with an SDK subscribes to: channels, wildcards, groups, and who is in them.

import Basis
import EventModel

@testable import SyncDaemon

/// Names as an SDK spells them.
struct PollInterests {
    let channels: [String]
    let groups: [String]

    /// Groups that there may be.
    static let groups = ["friends", "club"]
    /// Channels of SDKs alone, one wildcard away.
    static let wildChannels = ["news.a", "news.b"]

    init(_ choices: inout SeededGenerator, channels known: [String]) {
        var channels: [String] = []
        for channel in known where choices.chance(50) {
            channels.append(channel)
            if choices.chance(30) { channels.append(channel + Channel.presenceSuffix) }
        }
        if choices.chance(40) { channels.append("news.*") }
        if choices.chance(20) { channels.append("news.a") }
        if choices.chance(15) { channels.append("news.*" + Channel.presenceSuffix) }
        if channels.isEmpty { channels.append(known[0]) }
        var groups: [String] = []
        for group in Self.groups where choices.chance(25) {
            groups.append(group)
            if choices.chance(30) { groups.append(group + Channel.presenceSuffix) }
        }
        self.channels = channels
        self.groups = groups
    }

    /// The channels and wildcards that they stand for now.
    func resolved(_ groups: ChannelGroups) -> [Channel] {
        channels.map { Channel($0) }
            + self.groups.flatMap { spelling -> [Channel] in
                let isPresence = spelling.hasSuffix(Channel.presenceSuffix)
                let name =
                    isPresence
                    ? String(spelling.dropLast(Channel.presenceSuffix.count)) : spelling
                return groups.channels(of: ChannelGroup(name, keyset: Channel.defaultKeyset))
                    .map { isPresence ? Channel($0).presence : Channel($0) }
            }
    }

    /// Part of the path of a request.
    var path: String { channels.joined(separator: ",") }

    /// Part of its query; empty without groups.
    var query: String {
        groups.isEmpty ? "" : "&channel-group=\(groups.joined(separator: ","))"
    }
}
