// When what happened to one write, on each thread that it goes through.

import Basis
import EventModel

/// A write that is looked at more closely; each thread notes its own moments, any may ask.
///
/// In microseconds of this machine's clock that never steps back.
final class Trace: Sendable {
    struct Moments: Sendable, Hashable {
        /// When it was submitted.
        let asked: UInt64
        /// When the ledger began the commit that it is in; 0: it has not.
        var taken: UInt64 = 0
        /// When that was durable; 0: it is not.
        var made: UInt64 = 0
        var isRefused = false
        /// When a reactor on which it is followed had sent what it changed.
        var departures: [Departure] = []
    }

    struct Departure: Sendable, Hashable {
        let reactor: Int
        let at: UInt64
    }

    /// The operation, in the protocol's word.
    let name: String
    let channel: Channel
    private let state: Locked<Moments>

    init(of name: String, in channel: Channel, asked: UInt64) {
        (self.name, self.channel) = (name, channel)
        state = Locked(Moments(asked: asked))
    }

    var moments: Moments { state.withLock { $0 } }

    func committed(from taken: UInt64, to made: UInt64, isRefused: Bool) {
        state.withLock { ($0.taken, $0.made, $0.isRefused) = (taken, made, isRefused) }
    }

    func left(reactor: Int, at moment: UInt64) {
        state.withLock { $0.departures.append(Departure(reactor: reactor, at: moment)) }
    }
}

extension Trace: Hashable {
    static func == (one: Trace, other: Trace) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
