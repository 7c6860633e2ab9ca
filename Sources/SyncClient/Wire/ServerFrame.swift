// What the daemon sends, as values, and the kinds of commands that its replies belong to.

import EventModel

/// The `op` of a command: it says how to read the reply.
enum CommandKind: String, Hashable, Sendable, CaseIterable {
    case hello, subscribe, unsubscribe, follow, unfollow, repair, publish, signal, addAction,
        removeAction, editMessage, deleteMessage, deleteMessages, removeActions, history, older,
        actions, endLive, summaries, markRead, unread, hereNow, whereNow, setState, getState,
        changeGroup, group, ping, token, users, channels, members, memberships, setUser,
        removeUser, setChannel, removeChannel, setMembers, setMemberships

    /// Whether it does no harm when it is sent twice, and is worth it.
    ///
    /// A write carries its mutation id.
    var canBeSentAgain: Bool {
        switch self {
        case .publish, .addAction, .removeAction, .editMessage, .deleteMessage, .deleteMessages,
            .removeActions, .setUser, .removeUser, .setChannel, .removeChannel, .setMembers,
            .setMemberships:
            true
        default: false
        }
    }
}

extension Command {
    var kind: CommandKind {
        switch self {
        case .hello: .hello
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .follow: .follow
        case .unfollow: .unfollow
        case .repair: .repair
        case .publish: .publish
        case .signal: .signal
        case .addAction: .addAction
        case .removeAction: .removeAction
        case .editMessage: .editMessage
        case .deleteMessage: .deleteMessage
        case .deleteMessages: .deleteMessages
        case .removeActions: .removeActions
        case .history: .history
        case .older: .older
        case .actions: .actions
        case .endLive: .endLive
        case .summaries: .summaries
        case .markRead: .markRead
        case .unread: .unread
        case .hereNow: .hereNow
        case .whereNow: .whereNow
        case .setState: .setState
        case .getState: .getState
        case .changeGroup: .changeGroup
        case .group: .group
        case .ping: .ping
        case .token: .token
        case .directory(let query):
            switch query.directory {
            case .users: .users
            case .channels: .channels
            case .members: .members
            case .memberships: .memberships
            }
        case .changeDirectory(let request):
            switch (request.directory, request.changes.first?.kind) {
            case (.users, .remove): .removeUser
            case (.users, _): .setUser
            case (.channels, .remove): .removeChannel
            case (.channels, _): .setChannel
            case (.members, _): .setMembers
            case (.memberships, _): .setMemberships
            }
        }
    }
}

/// One message of the daemon.
enum ServerFrame: Hashable, Sendable {
    case reply(CommandID, Result<Reply, ProtocolError>)
    case push(Batch)
    /// What reactions there are in channels from now on.
    case rules([String: ReactionRules])
    /// What happened to the rows of a live query.
    case live(LiveID, [LiveChange])
    /// Nothing more comes of a live query.
    case liveEnded(LiveID, reason: String)
    /// Where marks of the user are now.
    case read([ReadMark])
    /// The user is not in all of these channels, though they are followed.
    case absent(channels: [String], ProtocolError)
    /// Which channels of a group or wildcard are followed from now on.
    case follows(SelectionNews)
    /// No further channels of a group or wildcard come.
    case followsNoMore(Selection, ProtocolError)
    /// A success for a command that nobody waits for any more.
    case lateReply(CommandID)
    /// An error that belongs to no command: the daemon could not read an id.
    case complaint(ProtocolError)
}

/// A message that the protocol does not allow.
struct FrameError: Error, Hashable, CustomStringConvertible {
    let description: String
    /// The command that it answers, if that much could be read.
    var id: CommandID?
}
