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
                messages: entries, actions: messages.lazy.flatMap(\.allActions), cursor: .zero))
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

extension StoredMessage {
    /// Its actions, and what its author said last, which may be behind the oldest that it lists.
    fileprivate var allActions: [MessageAction] {
        var all = actions
        func add(_ type: String, _ value: String, at timetoken: Timetoken) {
            guard !actions.contains(where: { $0.actionTimetoken == timetoken }) else { return }
            let key = MessageAction.Key(
                messageTimetoken: self.timetoken, type: type, value: value, uuid: uuid)
            all.append(MessageAction(key: key, actionTimetoken: timetoken))
        }
        if let edited { add(MessageVersion.editedType, edited.payload, at: edited.timetoken) }
        if let deleted { add(MessageVersion.deletedType, "deleted", at: deleted) }
        return all
    }
}
