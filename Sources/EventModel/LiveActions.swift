// A question about actions that stays open: how it is asked, and what comes after its answer.

/// Names a live query within its session.
public typealias LiveID = Int64

/// How a query about actions is to stay open behind its page.
public enum LiveWish: Hashable, Sendable {
    /// From this page on.
    case begin
    /// It is open, and this page is its next one.
    case extend(LiveID)
}

/// The live query that a page is of.
public struct LivePage: Hashable, Sendable {
    public var id: LiveID
    /// The page has every change up to here, and none after it.
    public var position: Timetoken

    public init(id: LiveID, position: Timetoken) {
        self.id = id
        self.position = position
    }
}

/// What happened to the rows of a live query.
public enum LiveChange: Hashable, Sendable {
    case added(MessageAction)
    /// The row that stood until now.
    case removed(MessageAction)
    case cleared(ActionsClearing)
}

/// An event that took away every action of a kind, which may be none of a query's.
public struct ActionsClearing: Hashable, Sendable {
    /// Its own place: what was added later stands.
    public var timetoken: Timetoken
    /// Only actions on messages after it; ``Timetoken/zero``: on any.
    public var after: Timetoken
    /// Only actions on messages up to it; `nil`: on any.
    public var through: Timetoken?
    /// Only actions that say so; `nil`: whatever they say.
    public var type: String?
    public var value: String?
    public var userID: String?

    public init(
        timetoken: Timetoken, after: Timetoken = .zero, through: Timetoken? = nil,
        type: String? = nil, value: String? = nil, userID: String? = nil
    ) {
        self.timetoken = timetoken
        self.after = after
        self.through = through
        self.type = type
        self.value = value
        self.userID = userID
    }

    /// Whether an action went with it.
    public func takes(_ action: MessageAction) -> Bool {
        func isIn(_ wanted: String?, _ text: String) -> Bool {
            wanted.map { ExactText($0) == ExactText(text) } ?? true
        }
        let message = action.key.messageTimetoken
        return action.actionTimetoken < timetoken && message > after
            && through.map { message <= $0 } ?? true && isIn(type, action.key.type)
            && isIn(value, action.key.value) && isIn(userID, action.key.uuid)
    }
}

extension ActionsQuery {
    /// Where an action stands in the order.
    package func place(of action: MessageAction) -> ActionsPlace {
        switch order {
        case .time: .time(action.actionTimetoken)
        case .value:
            .value(type: action.key.type, value: action.key.value, userID: action.key.uuid)
        }
    }

    /// Whether one place of the order comes before another.
    package func precedes(_ place: ActionsPlace, _ other: ActionsPlace) -> Bool {
        isDescending ? other.isBelow(place) : place.isBelow(other)
    }
}

extension ActionsPlace {
    /// Whether it comes first when the order ascends.
    ///
    /// - Precondition: Both are of one order.
    fileprivate func isBelow(_ other: ActionsPlace) -> Bool {
        switch (self, other) {
        case (.time(let one), .time(let two)): return one < two
        case (.value(let type, let value, let user), .value(let type2, let value2, let user2)):
            let (one, two) = (
                (ExactText(type), ExactText(value), ExactText(user)),
                (ExactText(type2), ExactText(value2), ExactText(user2))
            )
            return one < two
        default: preconditionFailure("Places of two orders have no order.")
        }
    }
}
