// Collecting a page of actions, without looking at more rows than a page is worth.

import EventModel

/// A page that rows are put into one after the other, in the order of the query.
struct ActionScan {
    let query: ActionsQuery
    private var actions: [MessageAction] = []
    private var bytes = 0
    private var examined = 0
    private var position: ActionsPlace?
    /// Where the scan gave up though rows were left.
    private var end: ActionsPlace?

    init(for query: ActionsQuery) {
        self.query = query
    }

    /// Looks at a row, and says whether to go on to the next one.
    ///
    /// - Parameters:
    ///   - place: The row's own in the order.
    ///   - match: What the row holds; `nil` when it is not wanted.
    mutating func look(at place: ActionsPlace, match: MessageAction?) -> Bool {
        guard examined < Limits.actionsExaminedMax else {
            end = position
            return false
        }
        examined += 1
        position = place
        guard let action = match else { return true }
        actions.append(action)
        bytes += action.size
        // One more than the page holds tells that there is a next one.
        return actions.count <= query.limit
            && (bytes <= Limits.pageBytesMax || actions.count == 1)
    }

    var page: ActionsPage {
        var actions = actions
        let isCut = cut(&actions, to: query.limit, size: \.size)
        return ActionsPage(actions: actions, next: isCut ? actions.last.map(query.place) : end)
    }
}

extension ActionsQuery {
    /// Whether an action that stands passes the filter; its position is not looked at.
    func matches(_ key: MessageAction.Key) -> Bool {
        messageTimetoken ?? key.messageTimetoken == key.messageTimetoken
            && wants(type: key.type, value: key.value)
            && Self.isOne(of: userIDs, key.uuid)
    }

    /// Whether actions that say this are wanted, of some user.
    func wants(type: String, value: String) -> Bool {
        Self.isOne(of: types, type) && Self.isOne(of: values, value) && sorts(value: value)
    }

    /// Whether such a value has a place in the order.
    func sorts(value: String) -> Bool {
        order != .value || value.utf8.count <= Limits.canonicalValueBytesMax
    }

    private static func isOne(of wanted: [String], _ text: String) -> Bool {
        wanted.isEmpty || wanted.contains { ExactText($0) == ExactText(text) }
    }

    /// Both exclusive: between what an action was added, in the order of time.
    var bounds: (lower: Timetoken, upper: Timetoken) {
        var after: Timetoken?
        if case .time(let timetoken) = self.after { after = timetoken }
        return isDescending
            ? (until ?? .zero, after ?? .end) : (after ?? .zero, until ?? .end)
    }
}
