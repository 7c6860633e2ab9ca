// The numbers that a measurement takes, with their ranges and what they are by default.

/// A number on the command line.
enum Setting: String, CaseIterable {
    case subscribers
    case stuck
    case channels
    case writers
    case depth
    case window
    case burst
    case bytes
    case rate
    case events
    case parallel
    case queueBytes = "queue-bytes"
    case seconds
    case rounds
    case reactors
    case tolerance
    case reactions
    case messages
    case follows
    case changes
    case linger
    case last
    case mutations
    case failover

    var flag: String { "--\(rawValue)" }

    var range: ClosedRange<Int> {
        switch self {
        case .subscribers, .channels, .parallel: 1...1_000_000
        case .writers: 1...10_000
        case .depth: 1...1000
        case .window, .burst: 1...10_000
        case .bytes: 32...16_000
        case .rate: 1...1_000_000
        case .events: 1...10_000
        case .stuck: 1...100_000
        case .queueBytes: 65_536...1_073_741_824
        case .seconds: 1...3600
        case .rounds: 1...100
        case .reactors: 0...256
        case .tolerance: 1...1000
        case .reactions: 10...1_000_000
        case .messages: 1...1_000_000
        case .follows: 1...300
        case .changes: 1...1_000_000
        case .linger: 0...3600
        case .last: 0...1000
        case .mutations, .failover: 0...1
        }
    }

    var summary: String {
        switch self {
        case .subscribers: "connections that subscribe"
        case .stuck: "how many of them stop reading"
        case .channels: "channels that they follow, spread evenly"
        case .writers: "connections that write"
        case .depth: "writes of one connection that wait for their acknowledgement"
        case .window: "events published and not yet delivered to everybody"
        case .burst: "events published at once; at most --window"
        case .bytes: "size of an event on the wire, without the frame around it"
        case .rate: "events published per second"
        case .events: "events per channel that the devices miss"
        case .parallel: "connections being opened at a time"
        case .queueBytes: "the daemon's budget for one slow connection"
        case .seconds: "how long to measure, each time"
        case .rounds: "how often; the median counts"
        case .reactors: "threads of the daemon that serve connections; 0: one per core"
        case .tolerance: "percent by which a value may be worse"
        case .reactions: "reactions that stand in a channel"
        case .messages: "messages that the reactions are on, of one channel"
        case .follows: "channels that each device follows"
        case .changes: "adds and removes, over all channels, while the devices are away"
        case .linger: "seconds to wait while they are away; 0: restart the daemon instead"
        case .last: "newest messages that each device holds of a channel; 0: everything"
        case .mutations: "1: each write has a mutation id, which is kept with it"
        case .failover: "1: kill the daemon, and come back to the others of its cluster"
        }
    }
}

/// The settings of one run.
struct Settings: Hashable {
    private var values: [Setting: Int]

    init(_ values: [Setting: Int]) {
        self.values = values
    }

    /// Zero for what the subcommand does not take.
    subscript(setting: Setting) -> Int {
        get { values[setting, default: 0] }
        set { values[setting] = newValue }
    }
}
