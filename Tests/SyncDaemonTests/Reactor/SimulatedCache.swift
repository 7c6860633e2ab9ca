// What a simulated device holds of one channel, and how it makes that equal to the daemon's.

import EventModel

/// Rows and a cursor: as simple as can be, so that it can be believed.
struct SimulatedCache: Equatable {
    private(set) var messages: [Timetoken: DeviceCache.Entry] = [:]
    private(set) var actions: [MessageAction.Key: Timetoken] = [:]
    private(set) var cursor: Timetoken
    /// The secret of the channel's digests.
    var key: DigestKey?
    /// Whether the actions are all that stood at the cursor: only then they can be compared.
    var isWhole: Bool

    init(cursor: Timetoken = .zero, isWhole: Bool = true) {
        self.cursor = cursor
        self.isWhole = isWhole
    }

    mutating func apply(_ batch: Batch) {
        for envelope in batch.envelopes where envelope.isStored {
            switch envelope.event {
            case .message(let message):
                messages[envelope.timetoken] = DeviceCache.Entry(
                    uuid: envelope.uuid, message: message)
            case .actionAdded(let action): actions[action.key] = action.actionTimetoken
            case .actionRemoved(let action): actions[action.key] = nil
            case .messagesDeleted, .signal, .presence: break
            }
        }
        cursor = max(cursor, batch.cursor)
    }

    /// Rows as the digest sees them.
    var rows: [MessageAction] {
        actions.map { MessageAction(key: $0.key, actionTimetoken: $0.value) }
    }

    /// `nil` while nothing can be compared.
    var digest: Digest? {
        guard let key, isWhole else { return nil }
        var digest = Digest()
        for row in rows { digest.insert(row, key: key) }
        return digest
    }

    /// Whether it is something else than the daemon says.
    func differs(from state: Digest?) -> Bool {
        guard let state, let digest else { return false }
        return state != digest
    }

    // MARK: Repairs

    /// Its symbols at some indices, as they travel.
    func symbols(_ indices: Range<Int>) -> String {
        guard let key else { return "" }
        var encoder = RatelessEncoder(indices)
        for row in rows { encoder.insert(RepairItem(row, key: key)) }
        return encoder.run(indices).text
    }

    mutating func repair(_ difference: RepairDifference) {
        let dropped = Set(difference.dropped)
        actions = actions.filter { !dropped.contains($0.value) }
        for row in difference.rows { actions[row.key] = row.actionTimetoken }
        isWhole = true
    }

    // MARK: Damage

    /// Loses a row that a number picks.
    mutating func lose(_ number: Int) {
        let keys = actions.keys.sorted()
        guard !keys.isEmpty else { return }
        actions[keys[number % keys.count]] = nil
    }

    /// Shows a row that never was.
    mutating func invent(_ number: Int) {
        let key = MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 5), type: "reaction", value: "\(number)",
            uuid: "ghost")
        actions[key] = Timetoken(rawValue: UInt64(number) + 6)
    }
}
