// Where collected reactions speak of which message, so that what takes them away finds them.

import EventModel

/// For each message the places that speak of it; bounded by whoever adds to it.
struct OutboxMentions<Place: Hashable> {
    private var places: [Channel: [Timetoken: Set<Place>]] = [:]
    /// Messages, each once for every place.
    private(set) var count = 0

    mutating func add(_ place: Place, of message: Timetoken, in channel: Channel) {
        let isNew = places[channel, default: [:]][message, default: []].insert(place).inserted
        count += isNew ? 1 : 0
    }

    /// Forgets all other places.
    mutating func keep(_ isKept: (Place) -> Bool) {
        places = places.mapValues { messages in
            messages.mapValues { $0.filter(isKept) }.filter { !$0.value.isEmpty }
        }.filter { !$0.value.isEmpty }
        count = places.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
    }

    /// The places that a clearing or a deletion may concern; none for any other event.
    ///
    /// - Complexity: O(1) for what is about one message, else O(messages of the channel).
    func places(concernedBy event: Event, in channel: Channel) -> Set<Place> {
        guard let messages = places[channel] else { return [] }
        switch event {
        case .actionsCleared(let clearing):
            if let type = clearing.type, ExactText(type) != ExactText(ReactionRules.type) {
                return []
            }
            if let message = clearing.messageTimetoken { return messages[message] ?? [] }
            return messages.values.reduce(into: []) { $0.formUnion($1) }
        case .messagesDeleted(let after, let through):
            let range = MessageRange(after: after, through: through)
            if through.rawValue == after.rawValue &+ 1 { return messages[through] ?? [] }
            return messages.reduce(into: []) { places, message in
                if range.contains(message.key) { places.formUnion(message.value) }
            }
        default: return []
        }
    }
}
