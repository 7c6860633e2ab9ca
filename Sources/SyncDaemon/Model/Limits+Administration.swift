// The bounds of what operators ask of a running daemon.

import EventModel

extension Limits {
    /// Requests of operators that wait for their turn, of the long ones (`compact`, `backup`) and
    /// of the others each; over it: `busy`.
    static let adminRequestsMax = 32
    /// Requests for metrics that wait for their turn; over it: 503.
    static let metricsRequestsMax = 32
    /// Seconds in which all reactors have to answer an operator; over it: what the others say, and
    /// which did not.
    static let adminSeconds = 5
    /// Seconds in which the ledger has to have copied its log; over it: `too_slow`.
    static let checkpointSeconds = 30
    /// Seconds in which it has to have given space back; over it: `too_slow`, and it goes on.
    static let compactSeconds = 600
    /// Seconds that `syncctl admin` waits for an answer; over it: `no_answer`, or, where an answer
    /// may take long, it asks whether the daemon still answers.
    static let adminPatienceSeconds = 45
    /// Connections that one turn of a reactor looks at for an operator; over it: the next turn goes
    /// on.
    static let sessionsExaminedPerTurnMax = 2000
    /// Connections that one turn looks at to end some; likewise.
    static let sessionsEndedPerTurnMax = 200
    /// Connections of one list; over it: `next`.
    static let sessionsListedMax = 1000
    /// Channels, or tokens, of one list; likewise.
    static let channelsListedMax = 100
    /// Characters of the key of `admin_key_file`; over or under it: the daemon does not start.
    static let adminKeyBytesMin = 32
    static let adminKeyBytesMax = 256
}
