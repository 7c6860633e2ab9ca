// History of old and of today, counts, deletions; and channel groups.

import EventModel

extension PubNubRequestReader {
    func history() throws(PubNubError) -> PubNubRequest.HistoryRequest {
        let countMax = Limits.pubNubPageMax
        return PubNubRequest.HistoryRequest(
            channel: try channel(), count: try integer("count", in: 1...countMax) ?? countMax,
            start: try bound("start"), end: try bound("end"), isReversed: try flag("reverse"),
            includesTimetokens: try flag("include_token"), includesMeta: try flag("include_meta"),
            quotesTimetokens: try flag("string_message_token"))
    }

    func fetch(withActions: Bool) throws(PubNubError) -> PubNubRequest.FetchRequest {
        let channels = try channels()
        guard !channels.isEmpty else { throw .invalidHistoryArguments }
        guard !withActions || channels.count == 1 else {
            throw .invalid("History with actions is of one channel at a time.", family)
        }
        let limitMax =
            withActions || channels.count > 1
            ? Limits.pubNubSmallPageMax : Limits.pubNubPageMax
        return PubNubRequest.FetchRequest(
            channels: channels, start: try bound("start"), end: try bound("end"),
            limit: try integer("max", in: 1...limitMax) ?? limitMax,
            includesMeta: try flag("include_meta"), includesUser: try flag("include_uuid"),
            includesMessageType: try flag("include_message_type"),
            includesCustomType: try flag("include_custom_message_type"),
            includesActions: withActions)
    }

    /// One cursor for all channels, or one for each.
    func messageCounts() throws(PubNubError) -> [PubNubRequest.ChannelCursor] {
        // With repeats, so that each channel meets its own cursor.
        let channels = try channelList()
        let texts = query["timetoken"].map { [$0] } ?? query.list("channelsTimetoken")
        guard (1...Limits.countedChannelsMax).contains(channels.count),
            texts.count == 1 || texts.count == channels.count
        else { throw .invalidHistoryArguments }
        var cursors: [Timetoken] = []
        for text in texts {
            guard let cursor = Timetoken(bound: text) else { throw .invalidHistoryArguments }
            cursors.append(cursor)
        }
        var seen: Set<ExactText> = []
        return channels.indices.compactMap { index in
            guard seen.insert(ExactText(channels[index])).inserted else { return nil }
            return PubNubRequest.ChannelCursor(
                channel: channels[index], cursor: cursors.count == 1 ? cursors[0] : cursors[index])
        }
    }

    func deleteMessages() throws(PubNubError) -> PubNubRequest.Endpoint {
        .deleteMessages(
            channel: try channel(), start: try bound("start"), end: try bound("end"))
    }

    func group() throws(PubNubError) -> String {
        let name = try text("group")
        guard (1...Limits.channelNameBytesMax).contains(name.utf8.count) else {
            throw .invalidGroup(family)
        }
        // A group that ends so could not be told from the presence of another.
        guard
            !name.utf8.contains(UInt8(ascii: ",")), !name.utf8.contains(UInt8(ascii: ":")),
            !name.hasSuffix(Channel.presenceSuffix)
        else { throw .reservedCharacter }
        return name
    }

    func groupRequest() throws(PubNubError) -> PubNubRequest.GroupRequest {
        let group = try group()
        if query["add"] != nil {
            return .add(group: group, channels: try changedChannels("add"))
        }
        if query["remove"] != nil {
            return .remove(group: group, channels: try changedChannels("remove"))
        }
        return .list(group: group)
    }

    private func changedChannels(_ name: String) throws(PubNubError) -> [String] {
        let channels = query.list(name).withoutRepeats()
        guard channels.allSatisfy(isValidName) else { throw .invalidChannel(family) }
        guard channels.count <= Limits.channelsPerGroupChangeMax else {
            throw .tooManyGroupChannels
        }
        return channels
    }
}
