// A message as the chat shows it: values alone, so that the layout can be tested without a client.

import EventModel
import SyncClient
import SyncModels

/// A reaction below a message.
struct ChatBubble: Hashable, Sendable {
    var value: String
    /// `99+` for more than 99.
    var count: String
    var isOwn: Bool
    var isPending: Bool
    /// The newest of those who reacted, by name, newest first.
    var authors: [String]
    /// How many there are besides.
    var others: Int

    init(_ reaction: ListItem.Reaction, name: (String) -> String = { $0 }) {
        value = reaction.value
        count = reaction.countText()
        isOwn = reaction.isMine
        isPending = reaction.isPending
        authors = reaction.authors.map(name)
        others = max(reaction.count - reaction.authors.count, 0)
    }
}

/// A message.
struct ChatRow: Hashable, Sendable {
    let id: ListItem.ID
    /// `nil` while it is on its way.
    var timetoken: Timetoken?
    /// By name.
    var author: String
    var text: String
    /// Whether its payload is text that can be edited here.
    var isText = true
    /// Of the day, for example `10:32`; empty while it is on its way.
    var time = ""
    /// For example `Fri 27 Nov 2026`; `nil` while it is on its way: that of the row before.
    var day: String?
    var bubbles: [ChatBubble] = []
    var isOwn = false
    var isPending = false
    var isEdited = false
    var isDeleted = false
    var isReply = false
    var replies = 0

    init(id: ListItem.ID, timetoken: Timetoken?, author: String, text: String) {
        self.id = id
        self.timetoken = timetoken
        self.author = author
        self.text = text
    }

    init(
        _ item: ChannelItem<ChatPayload>, name: (String) -> String,
        moment: (Timetoken) -> LocalTime
    ) {
        self.init(
            id: item.id, timetoken: item.timetoken, author: name(item.author),
            text: item.payload?.text ?? item.raw)
        isText = item.payload?.isText ?? false
        if let moment = item.timetoken.map(moment) {
            time = moment.time
            day = moment.day
        }
        bubbles = item.bubbles.map { ChatBubble($0.reaction, name: name) }
        isOwn = item.isOwn
        isPending = item.isPending
        isEdited = item.isEdited
        isDeleted = item.isDeleted
        isReply = item.parent != nil
        replies = item.threadCount
    }
}

/// All that a screen shows besides what the user does there.
struct ChatScene: Hashable, Sendable {
    enum Connection: Hashable, Sendable {
        case online, connecting
        /// The client tries again by itself.
        case offline(reason: String)
        case closed(reason: String)
    }

    var channel = ""
    /// Oldest first.
    var rows: [ChatRow] = []
    var connection = Connection.connecting
    /// How many users are here; 0 where nobody knows.
    var occupancy = 0
    /// Those who type, by name.
    var typing: [String] = []
    var unread: Unread?
    var hasOlder = false
    var isLoadingOlder = false
    /// The values that the channel's rules offer; none: there are no reactions.
    var values: [String] = ListItem.Reaction.usualValues
    /// Whether others than those may be added.
    var takesAnyValue = true
    /// Whether a cache file keeps what is not sent.
    var keepsUnsent = false

    /// Rows with something that the daemon has not confirmed.
    var unsent: Int {
        rows.count { row in row.isPending || row.bubbles.contains(where: \.isPending) }
    }

    /// The values that a channel with these rules offers.
    static func values(under rules: ReactionRules) -> (values: [String], takesAny: Bool) {
        guard rules.isOn else { return ([], false) }
        switch (rules.mode, rules.values) {
        case (.flag, _): return ([ReactionRules.flag], false)
        case (.total, _): return ([ReactionRules.total], false)
        case (_, .list(let values)): return (values, false)
        case (_, .any), (_, .emoji): return (ListItem.Reaction.usualValues, true)
        }
    }
}
