// What the author of a message made of it, as a person sees it.

/// The versions of one message.
struct ShownVersions {
    /// Of which the newest one is shown; 0: the message is as it was.
    var count = 0
    /// What the newest one says, as its action has it.
    var newest: String?
    /// Whether the author said that the message is as good as deleted.
    var isDeleted = false
}

extension ChannelView {
    /// - Complexity: O(n) for the n different values of all actions on the message, however many
    ///   people reacted.
    func versions(
        of message: Timetoken, by author: String, _ base: ChannelBase, _ pending: PendingWishes
    ) -> ShownVersions {
        let stored = base.cache.actionsByMessage[message] ?? MessageActions()
        let isOwn = ExactText(author) == ExactText(user)
        let wishes = isOwn ? pending.actions[message, default: []] : []
        let own = wishes.isEmpty ? [:] : ownActions(stored, on: message, after: wishes, pending)
        var versions = ShownVersions()
        var newest: (place: UInt64, wish: Int, name: ActionName)?
        for name in Set(stored.groups.keys).union(own.keys) where name.isVersion {
            let stored = stored.groups[name]?.mark(of: author).map { Standing.since($0.added) }
            let standing = own[name]?.standing ?? stored ?? .absent
            guard standing != .absent else { continue }
            guard name.type == ActionName.edited else {
                versions.isDeleted = true
                continue
            }
            versions.count += 1
            // What is on its way will be the newest, and of several the one that was wished last.
            var place = (place: UInt64.max, wish: 0, name: name)
            if case .since(let timetoken) = standing {
                place.place = timetoken.rawValue
            } else {
                place.wish = wishes.lastIndex { $0.key.map(ActionName.init) == name } ?? 0
            }
            if newest.map({ $0 < place }) ?? true { newest = place }
        }
        versions.newest = newest?.name.value.string
        return versions
    }

    /// A message as its author's newest version has it.
    func shown(_ message: Message, _ versions: ShownVersions) -> Message {
        guard let newest = versions.newest else { return message }
        return Message(
            payload: payload(newest), meta: message.meta, type: message.type,
            parent: message.parent)
    }
}

extension ActionName {
    fileprivate static let edited = ExactText(MessageVersion.editedType)
    private static let deleted = ExactText(MessageVersion.deletedType)

    fileprivate var isVersion: Bool { type == Self.edited || type == Self.deleted }
}

/// Why a message is not somebody's to edit, as far as a device knows.
public enum EditFault: Error, Hashable, Sendable {
    case noSuchMessage, notOwner
}

extension Device {
    /// The value of an action that gives a message another text; `nil` when it has it already.
    ///
    /// An earlier version of the same text stands already, and would stay where it is: so a blank
    /// behind it, which means nothing in JSON, makes this one another.
    ///
    /// - Parameter payload: Compact JSON text.
    public func value(
        editing message: Timetoken, to payload: String, in channel: String
    ) throws(EditFault) -> String? {
        guard let sync = channels[Channel(channel)],
            let entry = sync.base.cache.messages[message]
        else { throw .noSuchMessage }
        guard ExactText(entry.uuid) == ExactText(user) else { throw .notOwner }
        let view = ChannelView(ChannelBase(), [], user: user, payload: self.payload)
        let pending = PendingWishes(
            outbox.entries(of: channel, under: sync.rules), under: sync.rules)
        let versions = view.versions(of: message, by: entry.uuid, sync.base, pending)
        guard ExactText(view.shown(entry.message, versions).payload) != ExactText(payload) else {
            return nil
        }
        var value = payload
        while standing(
            of: MessageAction.Key(
                messageTimetoken: message, type: MessageVersion.editedType, value: value,
                uuid: user), in: channel) != .absent
        {
            value += " "
        }
        return value
    }
}
