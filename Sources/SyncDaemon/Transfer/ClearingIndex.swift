// What moderators took away in a channel, looked up by what it covers.

import EventModel

/// The clearings of one channel; the time for a row does not grow with them.
struct ClearingIndex {
    /// Which of its parts a clearing names: those of one shape are found with one look.
    private struct Shape: Hashable {
        let message: Bool
        let type: Bool
        let value: Bool
        let user: Bool

        init(of clearing: Clearing) {
            message = clearing.messageTimetoken != nil
            type = clearing.type != nil
            value = clearing.value != nil
            user = clearing.userID != nil
        }

        /// The only clearing of this shape that can cover a key.
        func clearing(of key: MessageAction.Key) -> Clearing {
            Clearing(
                messageTimetoken: message ? key.messageTimetoken : nil,
                type: type ? key.type : nil, value: value ? key.value : nil,
                userID: user ? key.uuid : nil)
        }
    }

    private var shapes: Set<Shape> = []
    /// When each was said last.
    private var newest: [Clearing: Timetoken] = [:]

    var count: Int { newest.count }

    mutating func insert(_ record: KeptClearing) {
        shapes.insert(Shape(of: record.clearing))
        newest[record.clearing] = max(newest[record.clearing] ?? .zero, record.timetoken)
    }

    /// When an action under a key was last taken away; `nil`: never.
    func newest(covering key: MessageAction.Key) -> Timetoken? {
        var found: Timetoken?
        for shape in shapes {
            let clearing = shape.clearing(of: key)
            // One that names no type leaves alone what authors make of their messages.
            guard clearing.covers(key), let timetoken = newest[clearing] else { continue }
            found = max(found ?? .zero, timetoken)
        }
        return found
    }
}
