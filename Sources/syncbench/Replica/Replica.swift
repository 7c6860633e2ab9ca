// The rows of one channel as a device keeps them, with the digest that proves them.

import EventModel

/// A device's rows of one channel.
struct Replica {
    let key: DigestKey
    private(set) var rows: [MessageAction.Key: Timetoken] = [:]
    private(set) var messages: [Timetoken: MessageRow] = [:]
    /// What the rows come to.
    private(set) var digest = Digest.empty
    private(set) var cursor: Timetoken
    /// What stands before the rows; `nil`: they are all.
    private(set) var rest: WindowRest?

    init(key: DigestKey, cursor: Timetoken = .zero) {
        self.key = key
        self.cursor = cursor
    }

    /// A window of what one page brought.
    init(key: DigestKey, window page: OlderPage) {
        self.init(key: key, cursor: page.cursor)
        rest = page.rest
        for message in page.messages { put(message) }
        for action in page.actions { put(action) }
    }

    /// What the whole channel comes to.
    var state: Digest {
        var state = digest
        if let rest { state.insert(rest.digest) }
        return state
    }

    /// Applies a push in the order of its events.
    ///
    /// - Returns: Whether the rows come to what the push says; `nil` when it says nothing.
    @discardableResult
    mutating func apply(_ push: Push) -> Bool? {
        for change in push.changes {
            switch change {
            case .added(let action) where isBefore(action):
                if !push.isOfWindow { rest?.digest.insert(action, key: key) }
            case .removed(let action) where isBefore(action):
                if !push.isOfWindow { rest?.digest.remove(action, key: key) }
            case .added(let action): put(action)
            case .removed(let action): remove(action.key)
            case .published(let message): put(message)
            }
        }
        if let said = push.rest, said.after == rest?.after { rest = said }
        cursor = push.cursor
        return push.state.map { $0 == state }
    }

    /// Whether both hold the same, and have the same before it.
    func isEqual(to other: Replica) -> Bool {
        digest == other.digest && rest?.after == other.rest?.after
            && rest?.digest == other.rest?.digest
    }

    private func isBefore(_ action: MessageAction) -> Bool {
        rest.map { action.key.messageTimetoken <= $0.after } ?? false
    }

    /// Applies the answer to a repair.
    ///
    /// - Returns: Whether the rows come to what the answer says.
    mutating func apply(_ difference: Difference) -> Bool {
        let dropped = Set(difference.dropped)
        for (key, added) in rows where dropped.contains(added) { remove(key) }
        for timetoken in difference.dropped {
            guard let message = messages.removeValue(forKey: timetoken) else { continue }
            digest.remove(message, key: key)
        }
        for action in difference.rows { put(action) }
        for message in difference.messages { put(message) }
        cursor = difference.cursor
        return difference.state == digest
    }

    mutating func put(_ action: MessageAction) {
        remove(action.key)
        rows[action.key] = action.actionTimetoken
        digest.insert(action, key: key)
    }

    mutating func put(_ message: MessageRow) {
        if let old = messages.updateValue(message, forKey: message.timetoken) {
            digest.remove(old, key: key)
        }
        digest.insert(message, key: key)
    }

    private mutating func remove(_ key: MessageAction.Key) {
        guard let added = rows.removeValue(forKey: key) else { return }
        digest.remove(MessageAction(key: key, actionTimetoken: added), key: self.key)
    }

    /// What a repair compares: of all rows, or of those on some messages.
    func items(in ranges: [MessageRange]? = nil) -> [RepairItem] {
        func isWanted(_ message: Timetoken) -> Bool { ranges?.contain(message) ?? true }
        return rows.filter { isWanted($0.key.messageTimetoken) }.map { key, added in
            RepairItem(MessageAction(key: key, actionTimetoken: added), key: self.key)
        } + messages.values.filter { isWanted($0.timetoken) }.map { RepairItem($0, key: key) }
    }

    /// What it has in some stretches.
    func rows(in ranges: [MessageRange]) -> [StretchRow] {
        var found: [StretchRow] = []
        for (key, added) in rows {
            guard let stretch = ranges.index(holding: key.messageTimetoken) else { continue }
            let hash = RowHash(MessageAction(key: key, actionTimetoken: added), key: self.key)
            found.append(StretchRow(in: stretch, hash, at: added))
        }
        for message in messages.values {
            guard let stretch = ranges.index(holding: message.timetoken) else { continue }
            found.append(
                StretchRow(in: stretch, RowHash(message, key: key), at: message.timetoken))
        }
        return found
    }

    /// What a repair compares first: the states of segments.
    func segmentItems(ofMessages mean: Int) -> [RepairItem] {
        var states = SegmentStates(cutBefore: messages.keys, ofMessages: mean)
        for (key, added) in rows {
            let action = MessageAction(key: key, actionTimetoken: added)
            states.insert(RowHash(action, key: self.key), on: key.messageTimetoken)
        }
        for message in messages.values {
            states.insert(RowHash(message, key: key), on: message.timetoken)
        }
        var items: [RepairItem] = []
        states.forEach { items.append(RepairItem(segmentAfter: $0, $1, key: key)) }
        return items
    }

    /// The object of a `subscribe` command that says where this device stands.
    func request(_ name: String, epoch: String) -> String {
        let window = rest.map { #","window":{"after":"\#($0.after)"}"# } ?? ""
        return #"{"name":"\#(name)","cursor":"\#(cursor)","epoch":"\#(epoch)","#
            + #""count":\#(state.count),"digest":"\#(state.text)"\#(window)}"#
    }
}
