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
    case deleted(MessageDeletion)
    /// Removed all at once, those that stood at this position.
    case cleared(Clearing, at: Timetoken)
}

/// Messages that were deleted, with the actions on them.
public struct MessageDeletion: Hashable, Sendable {
    /// Its own place: what was added later stands.
    public var timetoken: Timetoken
    /// Exclusive.
    public var after: Timetoken
    /// Inclusive.
    public var through: Timetoken

    public init(timetoken: Timetoken, after: Timetoken, through: Timetoken) {
        self.timetoken = timetoken
        self.after = after
        self.through = through
    }

    /// Whether an action went with it.
    public func takes(_ action: MessageAction) -> Bool {
        action.actionTimetoken < timetoken && takes(messageAt: action.key.messageTimetoken)
    }

    /// Whether a message is in the range.
    public func takes(messageAt timetoken: Timetoken) -> Bool {
        timetoken > after && timetoken <= through
    }
}

extension ActionsQuery {
    /// Where an action stands in the order.
    public func place(of action: MessageAction) -> ActionsPlace {
        switch order {
        case .time: .time(action.actionTimetoken)
        case .value:
            .value(type: action.key.type, value: action.key.value, userID: action.key.uuid)
        case .score: .score(action.score, action.actionTimetoken)
        }
    }

    /// Whether one place of the order comes before another.
    public func precedes(_ place: ActionsPlace, _ other: ActionsPlace) -> Bool {
        isDescending ? other.isBelow(place) : place.isBelow(other)
    }

    /// Whether a place comes behind the query's own.
    package func reaches(_ place: ActionsPlace) -> Bool {
        after.map { precedes($0, place) } ?? true
    }
}

extension ActionsPlace {
    /// Whether it comes first when the order ascends.
    ///
    /// - Precondition: Both are of one order.
    fileprivate func isBelow(_ other: ActionsPlace) -> Bool {
        switch (self, other) {
        case (.time(let one), .time(let two)): return one < two
        case (.score(let score, let one), .score(let score2, let two)):
            return (score, one) < (score2, two)
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
