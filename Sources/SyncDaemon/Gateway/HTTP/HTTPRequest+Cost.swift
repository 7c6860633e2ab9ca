// What a request may cost, before it is read.

import EventModel

extension HTTPRequest {
    /// Names of channels that it may hold, by its length.
    private var nameCount: Int {
        guard bodyLength == nil, PubNubDialect.namesChannels(self) else { return 0 }
        return max(
            target.utf8.count / Limits.targetBytesPerName, PubNubDialect.groupedCount(of: self))
    }

    /// What it costs of a turn, in channels that are followed.
    var turnCost: Int {
        max(nameCount, PubNubDialect.groupedCount(of: self) * Limits.namesPerGroupedChannel)
    }

    /// Commands that it counts as, for the rate limit.
    var cost: Int { 1 + nameCount / Limits.channelsPerCommandCost }
}
