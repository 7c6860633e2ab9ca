// Messages outside of what a device holds, as its list would show them.

extension Device {
    /// Messages that a page of the history brought, with the actions on them.
    ///
    /// The user's wishes about them are included.
    public func items(of messages: [StoredMessage], in channel: String) -> [ListItem] {
        var entries: [Timetoken: DeviceCache.Entry] = [:]
        for message in messages {
            entries[message.timetoken] = DeviceCache.Entry(
                uuid: message.uuid, message: message.message)
        }
        let base = ChannelBase(
            cache: DeviceCache(
                messages: entries, actions: messages.lazy.flatMap(\.actions), cursor: .zero))
        let rules = rules(of: channel)
        let wishes = outbox.entries(of: channel, under: rules).filter { $0.key != nil }
        let threads = Dictionary(
            uniqueKeysWithValues: messages.map { ($0.timetoken, $0.threadCount) })
        return ChannelView(base, wishes, under: rules, user: user, payload: payload).items.map {
            var item = $0
            item.threadCount = item.timetoken.flatMap { threads[$0] } ?? 0
            return item
        }
    }
}
