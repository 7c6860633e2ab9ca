// The actions on one message, grouped by what they say, as they come and go.

/// What the actions of one message are grouped by.
package struct ActionName: Hashable, Comparable, Sendable {
    package let type: ExactText
    package let value: ExactText

    package init(type: String, value: String) {
        self.type = ExactText(type)
        self.value = ExactText(value)
    }

    package init(_ key: MessageAction.Key) {
        self.init(type: key.type, value: key.value)
    }

    /// The key of a user's action with this name.
    func key(on message: Timetoken, by user: String) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: message, type: type.string, value: value.string, uuid: user)
    }

    package static func < (left: Self, right: Self) -> Bool {
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

    /// The action under a key.
    subscript(key: MessageAction.Key) -> MessageAction? {
        groups[ActionName(key)]?.mark(of: key.uuid)?.action(under: key)
    }

    /// Whether somebody's action says this.
    package func hasGroup(type: String, value: String) -> Bool {
        groups[ActionName(type: type, value: value)] != nil
    }

    /// Puts an action in the place of the one under its key.
    ///
    /// - Returns: That one.
    mutating func put(_ action: MessageAction) -> MessageAction? {
        let old = groups[ActionName(action.key), default: ActionGroup()].put(
            action.key.uuid, ActionMark(action))
        if old == nil { count += 1 }
        return old?.action(under: action.key)
    }

    /// - Returns: The action that stood under the key.
    mutating func drop(_ key: MessageAction.Key) -> MessageAction? {
        let name = ActionName(key)
        guard let old = groups[name]?.drop(key.uuid) else { return nil }
        if groups[name]?.count == 0 { groups[name] = nil }
        count -= 1
        return old.action(under: key)
    }

    /// Those that a clearing covers, in no order.
    ///
    /// - Complexity: Those, and the groups: a user has one place in each.
    func covered(by clearing: Clearing, on message: Timetoken) -> [MessageAction] {
        var covered: [MessageAction] = []
        for (name, group) in groups
        where clearing.covers(type: name.type.string, value: name.value.string) {
            if let user = clearing.userID {
                let mark = group.mark(of: user)
                let key = name.key(on: message, by: user)
                if let mark { covered.append(mark.action(under: key)) }
            } else {
                group.forEach { user, mark in
                    covered.append(mark.action(under: name.key(on: message, by: user.string)))
                }
            }
        }
        return covered
    }

    /// Calls `body` with each action, in no order.
    ///
    /// - Parameter message: That they are on.
    func forEach(on message: Timetoken, _ body: (MessageAction) -> Void) {
        for (name, group) in groups {
            group.forEach { user, mark in
                body(mark.action(under: name.key(on: message, by: user.string)))
            }
        }
    }
}

extension MessageActions: Hashable {
    /// By the actions alone: in which order they came makes no difference.
    public static func == (left: Self, right: Self) -> Bool { left.groups == right.groups }

    public func hash(into hasher: inout Hasher) { hasher.combine(groups) }
}

/// What there is to say of an action besides its key.
package struct ActionMark: Hashable, Sendable {
    package let added: Timetoken
    package let score: Int

    package init(added: Timetoken, score: Int) {
        self.added = added
        self.score = score
    }

    package init(_ action: MessageAction) {
        self.init(added: action.actionTimetoken, score: action.score)
    }

    package func action(under key: MessageAction.Key) -> MessageAction {
        MessageAction(key: key, actionTimetoken: added, score: score)
    }
}

/// The users who say the same of one message, since when, and how much it counts.
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

    private var marks: [ExactText: ActionMark] = [:]
    private var order = OrderedChunks<Place, Void>()
    /// What all of them count for.
    ///
    /// Wraps where a server says more than it may: then the digests differ, and it is repaired.
    private(set) var score = 0

    var count: Int { marks.count }
    /// When the first that stands was added.
    ///
    /// - Precondition: There is one.
    var first: Timetoken { order.keys.first!.added }

    func mark(of user: String) -> ActionMark? { marks[ExactText(user)] }

    mutating func put(_ user: String, _ mark: ActionMark) -> ActionMark? {
        let user = ExactText(user)
        let old = marks.updateValue(mark, forKey: user)
        score &+= mark.score &- (old?.score ?? 0)
        guard old?.added != mark.added else { return old }
        if let old { order.remove(Place(added: old.added, user: user)) }
        order.insert((), as: Place(added: mark.added, user: user))
        return old
    }

    mutating func drop(_ user: String) -> ActionMark? {
        let user = ExactText(user)
        guard let old = marks.removeValue(forKey: user) else { return nil }
        score &-= old.score
        order.remove(Place(added: old.added, user: user))
        return old
    }

    func forEach(_ body: (_ user: ExactText, _ mark: ActionMark) -> Void) {
        for (user, mark) in marks { body(user, mark) }
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

    static func == (left: Self, right: Self) -> Bool { left.marks == right.marks }

    func hash(into hasher: inout Hasher) { hasher.combine(marks) }
}
