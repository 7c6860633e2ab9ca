// The actions on one message, grouped by what they say, as they come and go.

/// What the actions of one message are grouped by.
struct ActionName: Hashable, Comparable, Sendable {
    let type: ExactText
    let value: ExactText

    init(type: String, value: String) {
        self.type = ExactText(type)
        self.value = ExactText(value)
    }

    init(_ key: MessageAction.Key) {
        self.init(type: key.type, value: key.value)
    }

    /// The key of a user's action with this name.
    func key(on message: Timetoken, by user: String) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: message, type: type.string, value: value.string, uuid: user)
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.type, left.value) < (right.type, right.value)
    }
}

/// The actions that stand on one message.
///
/// One more or less changes its own group alone, in O(log n): a reaction to a message with a
/// million costs what the first one did.
public struct MessageActions: Sendable {
    /// By what they say; none is empty.
    private(set) var groups: [ActionName: ActionGroup] = [:]
    public private(set) var count = 0

    public var isEmpty: Bool { count == 0 }

    /// When the action under a key was added.
    subscript(key: MessageAction.Key) -> Timetoken? {
        groups[ActionName(key)]?.added(by: key.uuid)
    }

    /// Whether somebody's action says this.
    package func hasGroup(type: String, value: String) -> Bool {
        groups[ActionName(type: type, value: value)] != nil
    }

    /// Puts an action in the place of the one under its key.
    ///
    /// - Returns: When that one was added.
    mutating func put(_ action: MessageAction) -> Timetoken? {
        let old = groups[ActionName(action.key), default: ActionGroup()].put(
            action.key.uuid, at: action.actionTimetoken)
        if old == nil { count += 1 }
        return old
    }

    /// - Returns: When the action that stood under the key was added.
    mutating func drop(_ key: MessageAction.Key) -> Timetoken? {
        let name = ActionName(key)
        guard let old = groups[name]?.drop(key.uuid) else { return nil }
        if groups[name]?.count == 0 { groups[name] = nil }
        count -= 1
        return old
    }

    /// Calls `body` with each action, in no order.
    ///
    /// - Parameter message: That they are on.
    func forEach(on message: Timetoken, _ body: (MessageAction) -> Void) {
        for (name, group) in groups {
            group.forEach { user, added in
                let key = name.key(on: message, by: user.string)
                body(MessageAction(key: key, actionTimetoken: added))
            }
        }
    }
}

extension MessageActions: Hashable {
    /// By the actions alone: in which order they came makes no difference.
    public static func == (left: Self, right: Self) -> Bool { left.groups == right.groups }

    public func hash(into hasher: inout Hasher) { hasher.combine(groups) }
}

/// The users who say the same of one message, and since when.
struct ActionGroup: Hashable, Sendable {
    /// Where an action stands among those of its group.
    private struct Place: Comparable {
        let added: Timetoken
        /// Tells apart what a server gave one timetoken.
        let user: ExactText

        static func < (left: Self, right: Self) -> Bool {
            (left.added, left.user) < (right.added, right.user)
        }
    }

    private var addedByUser: [ExactText: Timetoken] = [:]
    private var order = OrderedChunks<Place, Void>()

    var count: Int { addedByUser.count }
    /// When the first that stands was added.
    ///
    /// - Precondition: There is one.
    var first: Timetoken { order.keys.first!.added }

    func added(by user: String) -> Timetoken? { addedByUser[ExactText(user)] }

    mutating func put(_ user: String, at added: Timetoken) -> Timetoken? {
        let user = ExactText(user)
        let old = addedByUser.updateValue(added, forKey: user)
        guard old != added else { return old }
        if let old { order.remove(Place(added: old, user: user)) }
        order.insert((), as: Place(added: added, user: user))
        return old
    }

    mutating func drop(_ user: String) -> Timetoken? {
        let user = ExactText(user)
        guard let old = addedByUser.removeValue(forKey: user) else { return nil }
        order.remove(Place(added: old, user: user))
        return old
    }

    func forEach(_ body: (_ user: ExactText, _ added: Timetoken) -> Void) {
        for (user, added) in addedByUser { body(user, added) }
    }

    /// When the first and the last of the others than one user were added.
    func span(without user: ExactText) -> (first: Timetoken, last: Timetoken)? {
        guard let first = order.keys.first(where: { $0.user != user }),
            let last = order.keys.last(where: { $0.user != user })
        else { return nil }
        return (first.added, last.added)
    }

    /// The others than one user, newest first.
    func newest(_ limit: Int, without user: ExactText) -> [(user: String, added: Timetoken)] {
        order.keys.reversed().lazy.filter { $0.user != user }.prefix(limit)
            .map { ($0.user.string, $0.added) }
    }

    static func == (left: Self, right: Self) -> Bool { left.addedByUser == right.addedByUser }

    func hash(into hasher: inout Hasher) { hasher.combine(addedByUser) }
}
