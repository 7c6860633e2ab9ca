// Answers of a server's that were asked for together, and hold until something changes them.

import EventModel

/// What the open transaction knows of rows without a look at them.
///
/// It changes as triggers change the rows. Where that is not worth its lines, it forgets.
struct Foreseen {
    private struct Mutation: Hashable {
        let name: ExactText
        let author: Author
    }

    private struct Place: Hashable {
        let channel: Channel
        let key: MessageAction.Key
    }

    /// A row of `action_count`.
    private struct CountPlace: Hashable {
        let channel: Channel
        let message: Timetoken
        let name: ActionName
    }

    /// Of what there is nothing that is over.
    var nothingOld: Set<OldRows.Kind> = []
    /// Names that have no row.
    var newChannels: Set<Channel>
    var newDevices: Set<Author>
    private var mutations: [Mutation: MutationRecord?] = [:]
    private var actions: [Place: MessageAction?] = [:]
    private var totals: [CountPlace: ActionTotals] = [:]

    init(newChannels: Set<Channel> = [], newDevices: Set<Author> = []) {
        self.newChannels = newChannels
        self.newDevices = newDevices
    }

    // MARK: What it knows

    /// - Returns: `nil` when it does not know; otherwise what is there, if anything is.
    func record(of mutation: String, by author: Author) -> MutationRecord?? {
        mutations[Mutation(name: ExactText(mutation), author: author)]
    }

    /// Likewise.
    func action(under key: MessageAction.Key, in channel: Channel) -> MessageAction?? {
        actions[Place(channel: channel, key: key)]
    }

    func totals(
        of name: ActionName, on message: Timetoken, in channel: Channel
    ) -> ActionTotals? {
        totals[CountPlace(channel: channel, message: message, name: name)]
    }

    // MARK: What it learns

    mutating func learn(_ record: MutationRecord?, of mutation: String, by author: Author) {
        mutations[Mutation(name: ExactText(mutation), author: author)] = .some(record)
    }

    mutating func learn(
        _ action: MessageAction?, under key: MessageAction.Key, in channel: Channel
    ) {
        actions[Place(channel: channel, key: key)] = .some(action)
    }

    mutating func learn(
        _ found: ActionTotals, of name: ActionName, on message: Timetoken, in channel: Channel
    ) {
        totals[CountPlace(channel: channel, message: message, name: name)] = found
    }

    // MARK: What changes

    /// An action stands that did not, or did with another score.
    mutating func put(_ action: MessageAction, in channel: Channel) {
        let place = Place(channel: channel, key: action.key)
        guard case .some(let before) = actions[place] else {
            return forget(action.key, in: channel)
        }
        actions[place] = .some(action)
        if let before { count(before, by: -1, in: channel) }
        count(action, by: 1, in: channel)
    }

    /// None stands any more.
    mutating func drop(_ action: MessageAction, in channel: Channel) {
        actions[Place(channel: channel, key: action.key)] = .some(nil)
        count(action, by: -1, in: channel)
    }

    /// Any action may have gone.
    mutating func forgetActions() { (actions, totals) = ([:], [:]) }

    private mutating func count(_ action: MessageAction, by sign: Int, in channel: Channel) {
        let (key, name) = (action.key, ActionName(type: action.key.type, value: action.key.value))
        let place = CountPlace(channel: channel, message: key.messageTimetoken, name: name)
        let all = CountPlace(channel: channel, message: key.messageTimetoken, name: .all)
        guard var found = totals[place] else {
            // Whether it is the first of its name, or the last, is not known.
            totals[all] = nil
            return
        }
        let before = found.count
        found.count += sign
        found.score += sign * action.score
        totals[place] = found
        guard before == 0 || found.count == 0 else { return }
        totals[all]?.count += sign
        totals[all]?.score += sign * (key.type.utf8.count + key.value.utf8.count)
    }

    private mutating func forget(_ key: MessageAction.Key, in channel: Channel) {
        let name = ActionName(type: key.type, value: key.value)
        for name in [name, .all] {
            totals[CountPlace(channel: channel, message: key.messageTimetoken, name: name)] = nil
        }
    }
}

extension ActionName {
    /// Of the row that says how many names a message has, and how long these are.
    static let all = ActionName(type: "", value: "")
}
