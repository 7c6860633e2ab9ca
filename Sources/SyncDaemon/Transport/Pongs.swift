// The answers to pings that have not left yet.

import EventModel

/// Pongs that one session is owed.
struct Pongs {
    private var payloads: [[UInt8]] = []

    /// Owes one more; of more than are kept only the newest is answered.
    ///
    /// - Source: RFC 6455, section 5.5.3: a pong for the newest ping is enough.
    mutating func answer(_ ping: [UInt8]) {
        if payloads.count == Limits.pongsOwedMax { payloads.removeLast() }
        payloads.append(ping)
    }

    /// All of them as frames, which are owed no more; `nil` when there are none.
    mutating func take() -> [UInt8]? {
        guard !payloads.isEmpty else { return nil }
        defer { payloads = [] }
        return payloads.flatMap(ControlFrame.pong)
    }
}
