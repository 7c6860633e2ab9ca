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
            .map { MessageAction(key: $0.key, actionTimetoken: $0.value.added) }
    }

    func hasMessage(_ timetoken: Timetoken, in channel: Channel) -> Bool {
        working.messages[channel, default: []].contains { $0.timetoken == timetoken }
    }

    func actionCount(
        type: String, value: String, on message: Timetoken, in channel: Channel
    ) -> Int {
        standing(on: message, in: channel).keys.count {
            ExactText($0.type) == ExactText(type) && ExactText($0.value) == ExactText(value)
        }
    }

    func valueCount(on message: Timetoken, in channel: Channel) -> Int {
        Set(
            standing(on: message, in: channel).keys.map {
                [ExactText($0.type), ExactText($0.value)]
            }
        )
        .count
    }

    func actionCount(on message: Timetoken, in channel: Channel) -> Int {
        standing(on: message, in: channel).count
    }
}
