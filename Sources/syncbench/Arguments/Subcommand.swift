// What the tool can do, and which settings each of these takes.

/// The first word of the command line.
enum Subcommand: String, CaseIterable {
    case fanout, idle, connect, adds, slow, curve, storm, table, compare
    case repair, `return`

    var summary: String {
        switch self {
        case .fanout: "events of one channel to all its subscribers"
        case .idle: "memory and CPU of connections that wait"
        case .connect: "connections opened and subscribed per second"
        case .adds: "durable reactions, each to one subscriber"
        case .slow: "some subscribers stop reading; do the others feel it?"
        case .curve: "cost per delivery as subscribers and channels grow"
        case .storm: "all devices reconnect at once with their cursors"
        case .repair: "a cache too old for a delta is made equal, beside PubNub's pages"
        case .return: "all devices reconnect with their caches; is each equal?"
        case .table: "all of the above, beside every server that is installed"
        case .compare: "two files of --json: has anything become worse?"
        }
    }

    /// The settings it takes, with their defaults.
    var defaults: [Setting: Int] {
        switch self {
        case .fanout:
            [
                .subscribers: 1000, .window: 50, .burst: 1, .bytes: 200, .seconds: 2,
                .rounds: 3, .parallel: 64, .reactors: 0,
            ]
        case .idle: [.subscribers: 10_000, .seconds: 3, .parallel: 64, .reactors: 0]
        case .connect: [.subscribers: 10_000, .parallel: 64, .reactors: 0]
        case .adds:
            [
                .writers: 64, .depth: 32, .channels: 2000, .seconds: 5, .parallel: 64,
                .reactors: 0, .mutations: 0,
            ]
        case .slow:
            [
                .subscribers: 10_000, .stuck: 1000, .rate: 8, .bytes: 4096, .seconds: 12,
                .queueBytes: 65_536, .parallel: 64, .reactors: 0,
            ]
        case .curve: [.bytes: 200, .seconds: 1, .parallel: 64, .reactors: 0]
        case .storm:
            [
                .subscribers: 10_000, .channels: 1000, .events: 20, .bytes: 200,
                .parallel: 10_000, .reactors: 0,
            ]
        case .repair:
            [
                .reactions: 100_000, .messages: 1000, .writers: 2000, .rounds: 20, .reactors: 0,
            ]
        case .return:
            [
                .subscribers: 10_000, .channels: 2000, .follows: 20, .messages: 5,
                .reactions: 50, .last: 0, .changes: 5000, .linger: 0, .failover: 0,
                .parallel: 10_000, .reactors: 0,
            ]
        case .table: [.seconds: 2, .rounds: 3, .reactors: 0]
        case .compare: [.tolerance: 25]
        }
    }

    /// Whether it can load other servers than the daemon.
    var takesServers: Bool {
        switch self {
        case .fanout, .idle, .connect, .curve, .table: true
        case .adds, .slow, .storm, .repair, .return, .compare: false
        }
    }
}
