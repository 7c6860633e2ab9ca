// What stands on one message, in the store in memory.

import EventModel

extension MemoryStore {
    private func standing(
        on message: Timetoken, in channel: Channel
    ) -> [MessageAction.Key: ActionRow] {
        working.actions[channel, default: [:]].filter {
            $0.key.messageTimetoken == message && $0.value.isLive
        }
    }

    func ownActions(
        of user: String, on message: Timetoken, in channel: Channel
    ) -> [MessageAction] {
        standing(on: message, in: channel)
            .filter { key, _ in ExactText(key.uuid) == ExactText(user) }
            .map { $0.value.action(under: $0.key) }
    }

    func hasMessage(_ timetoken: Timetoken, in channel: Channel) -> Bool {
        working.messages[channel, default: []].contains { $0.timetoken == timetoken }
    }

    func totals(
        type: String, value: String, on message: Timetoken, in channel: Channel
    ) -> ActionTotals {
        let rows = standing(on: message, in: channel).filter {
            ExactText($0.key.type) == ExactText(type) && ExactText($0.key.value) == ExactText(value)
        }
        return ActionTotals(count: rows.count, score: rows.values.reduce(0) { $0 + $1.score })
    }

    func values(on message: Timetoken, in channel: Channel) -> ActionValues {
        let values = Set(
            standing(on: message, in: channel).keys.map {
                [ExactText($0.type), ExactText($0.value)]
            })
        return ActionValues(
            count: values.count, bytes: values.joined().reduce(0) { $0 + $1.string.utf8.count })
    }

    func actionCount(on message: Timetoken, in channel: Channel) -> Int {
        standing(on: message, in: channel).count
    }
}
