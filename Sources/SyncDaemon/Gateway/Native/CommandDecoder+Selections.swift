// Commands about groups and wildcards.

import EventModel
import JSON

extension CommandDecoder {
    static func follow(_ json: borrowing JSONValue) throws(ProtocolError) -> FollowRequest {
        FollowRequest(
            try selection(json), cursor: try json.optionalTimetoken("cursor"),
            epoch: try json.optionalText("epoch", bytesMax: 64),
            batchMilliseconds: try json.milliseconds("batch", max: Limits.batchWindowMax),
            coalesces: try json.read { (json) throws(JSONError) in try json.flag("coalesce") },
            actions: try detail(json), starts: try starts(json))
    }

    private static func starts(_ json: borrowing JSONValue) throws(ProtocolError) -> Bool {
        guard json.member("start") != nil else { return true }
        return try json.read { (json) throws(JSONError) in try json.flag("start") }
    }

    static func selection(_ json: borrowing JSONValue) throws(ProtocolError) -> Selection {
        switch (json.member("group") == nil, json.member("wildcard") == nil) {
        case (true, true):
            throw ProtocolError(
                .missingField("wildcard", expected: #"a string, where there is no "group""#))
        case (false, false): throw .invalidField("group", #"absent beside a "wildcard""#)
        default: break
        }
        if let name = try json.optionalText("group", bytesMax: Limits.channelNameBytesMax) {
            guard isValidName(name) else { throw .invalidChannel }
            return .group(name)
        }
        let name = try json.text("wildcard", bytesMax: Limits.channelNameBytesMax)
        guard isValidName(name), Channel(name).isFollowedWildcard else {
            throw .invalidField("wildcard", #"a name such as "news.*", of one or two levels"#)
        }
        return .wildcard(name)
    }

    static func groupName(_ json: borrowing JSONValue) throws(ProtocolError) -> String {
        let name = try json.text("group", bytesMax: Limits.channelNameBytesMax)
        guard isValidName(name), !name.hasSuffix(Channel.presenceSuffix) else {
            throw .invalidChannel
        }
        return name
    }

    static func groupChange(_ json: borrowing JSONValue) throws(ProtocolError) -> GroupRequest {
        let name = try groupName(json)
        let added = try json.members("add")
        let removed = try json.members("remove")
        let isDeleted = try json.read { (json) throws(JSONError) in try json.flag("delete") }
        switch (added, removed, isDeleted) {
        case (let channels?, nil, false): return GroupRequest(name, .add(channels))
        case (nil, let channels?, false): return GroupRequest(name, .remove(channels))
        case (nil, nil, true): return GroupRequest(name, .delete)
        case (nil, nil, false):
            throw ProtocolError(
                .missingField(
                    "add", expected: #"a list, where there is no "remove" and no "delete""#))
        default: throw .invalidField("add", #"absent beside "remove" or "delete""#)
        }
    }
}

extension JSONValue {
    /// Channels that a group is to have, or not to have; `nil` when the member is absent.
    fileprivate func members(_ name: String) throws(ProtocolError) -> [String]? {
        guard member(name) != nil else { return nil }
        let list: JSONValue
        do throws(JSONError) { list = try array(name) } catch { throw ProtocolError(error) }
        guard (1...Limits.channelsPerGroupChangeMax).contains(list.count) else {
            throw .invalidField(
                name, "a list of 1 to \(Limits.channelsPerGroupChangeMax) channels")
        }
        var channels: [String] = []
        for index in 0..<list.count {
            guard let channel = list.element(at: index).string, isValidChannelName(channel),
                !channel.hasSuffix(Channel.presenceSuffix)
            else { throw .invalidChannel }
            channels.append(channel)
        }
        return channels
    }
}

extension Channel {
    /// Whether it can have events: a wildcard of too many levels, or `*`, has none.
    var canBeFollowed: Bool {
        name != "*" && name != "*" + Channel.presenceSuffix && (!isWildcard || isFollowedWildcard)
    }

    /// Whether any channel can fall under it.
    fileprivate var isFollowedWildcard: Bool {
        isWildcard && name.utf8.first != UInt8(ascii: "*")
            && name.utf8.count { $0 == UInt8(ascii: ".") } <= Limits.wildcardLevelsMax
    }
}
