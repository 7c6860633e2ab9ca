// What the tool is asked to do, as values.

import EventModel
import SyncDaemon

/// One reading of the command line.
enum Invocation: Hashable {
    case help(Subcommand?)
    case version
    case run(Job, Options)
    /// What comes after `sim`, for the simulator.
    case simulate([String])
}

/// The words that may come first.
enum Subcommand: String, CaseIterable {
    case chat, subscribe, publish, react, delete, history, actions, cache, token, export,
        `import`, admin, stats, top

    /// All that may come first; `sim`, a program of its own, where it can be run.
    static let list = (allCases.map(\.rawValue) + (Simulator.isThere ? ["sim"] : []))
        .joined(separator: ", ")
}

/// What every subcommand knows.
struct Options: Hashable {
    var url = "ws://127.0.0.1:8080"
    var user: String
    var device: String
    /// `nil`: whichever the daemon takes for its first.
    var keyset: String?
    /// What the keyset's owner asks of those who publish.
    var publishKey: String?
    /// What the tenant's backend gave the user.
    var token: String?
    /// The tenant's secret key, or the file that holds it.
    var secret: String?
    var secretFile: String?
    /// The authorities that may vouch for a `wss://` daemon; `nil`: those of the machine.
    var caFile: String?
    /// One JSON object per line instead of text for people.
    var writesJSON = false
}

/// What to do once there is a connection.
enum Job: Hashable {
    case chat(Chatting)
    case subscribe(Following)
    case publish(channel: String, Message)
    case react(Reacting)
    case delete(Deleting)
    case history(HistoryReading)
    case actions(ActionsReading)
    case cache(CacheChecking)
    case token(TokenWork)
    case export(ExportRequest)
    case `import`(ImportRequest)
    case admin(AdminWork)
    case stats(StatsWork)
    case top(StatsWork)
}

/// Where `chat` talks.
struct Chatting: Hashable {
    var channel: String
    /// The file that keeps the channel and unsent writes; `nil`: they end with the process.
    var cache: String?
}

/// What `subscribe` follows.
struct Following: Hashable {
    var channels: [String]
    /// Everything after it comes first; `nil`: only what happens from now on.
    var since: Timetoken?
    /// Ends after so many events.
    var count: Int?
    /// First so many of the newest messages of the one channel are shown.
    var last: Int?
}

/// Which message is meant.
enum MessageName: Hashable {
    case timetoken(Timetoken)
    /// The newest of the channel.
    case last
}

/// What `react` changes.
struct Reacting: Hashable {
    enum Change: String { case add, remove, toggle }

    var change: Change
    var channel: String
    var target: MessageName
    var type: String
    var value: String
}

/// What `delete` deletes: from one message to another, both included.
struct Deleting: Hashable {
    var channel: String
    var first: MessageName
    var last: MessageName
}

/// What `actions` reads.
struct ActionsReading: Hashable {
    var query: ActionsQuery
    /// Only those on one message.
    var message: MessageName?
    /// Over as many pages as it takes; `nil`: all.
    var limit: Int?
}

/// What `cache` looks at.
struct CacheChecking: Hashable {
    enum Verb: String { case verify, repair }

    var verb: Verb
    /// The cache file of a device.
    var file: String
    /// Empty: all that the file keeps.
    var channels: [String]
}

/// What `history` reads.
struct HistoryReading: Hashable {
    var channel: String
    /// Messages in all, over as many pages as it takes.
    var limit: Int
    var before: MessageName?
    var includesActions: Bool
}

/// A command line that makes no sense; exit code 2.
struct UsageError: Error, Hashable {
    let message: String
    /// Whose help to point at.
    var subcommand: Subcommand?
}
