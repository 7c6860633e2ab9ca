// A hub with many followers and no sockets, one turn after the other.

import EventModel

@testable import SyncDaemon

/// Takes every write, and only counts.
final class CountingTransport: Transport {
    var settings = TransportSettings()
    private(set) var writes = 0
    private(set) var bytes = 0

    func adopt(_ socket: consuming AcceptedSocket) {}

    func readOn() {}

    func write(_ frames: Span<UInt8>, to session: SessionID) -> Bool {
        writes += 1
        bytes += frames.count
        return true
    }

    func close(_ session: SessionID, _ reason: CloseReason) {
        preconditionFailure("the hub closed a session: \(reason)")
    }

    func respond(_ response: HTTPResponse, to connection: SessionID) {}

    func shed() {}
    func hold(_ connection: SessionID, _ isHeld: Bool) {}
    func mayTakeLong(_ connection: SessionID) {}
    func peer(of connection: SessionID) -> PeerAddress? { nil }
    var hasUnsentResponses: Bool { false }
    func hangUp(_ connection: SessionID) {}

    func connections(
        from slot: UInt32, atMost count: Int
    ) -> (found: [ConnectionFacts], next: UInt32?) { ([], nil) }
}

/// Sessions that follow the same channels, live.
final class HubLoad {
    private let hub: Hub
    private let transport = CountingTransport()
    private let counters = Counters()
    private let followed: [Channel]
    private let followers: Int
    private var timetoken = Samples.firstTimetoken

    init(followers: Int, channels: Int = 1) {
        self.followers = followers
        followed = (0..<channels).map { Channel("chat.room.\($0)") }
        hub = Hub(engine: IdleEngine(), counters: counters)
        hub.outlet.attach(transport)
        for number in 0..<followers {
            let session = Session(
                id: SessionID(slot: UInt32(number), generation: 1),
                bucket: TokenBucket(ratePerSecond: 1, at: 0))
            hub.open(session)
            for channel in followed { hub.subscribe(session, to: channel, from: nil) }
        }
    }

    /// Turns of so many events each, spread over the channels; ``run(_:)`` uses them up.
    ///
    /// - Parameter isFollowed: `false`: in a channel that nobody follows.
    func commits(_ count: Int, events: Int, isFollowed: Bool = true) -> [Commit] {
        let channels = isFollowed ? followed : [Channel("chat.room.none")]
        let samples = channels.map { Samples.message(bytes: 200, in: $0, at: timetoken) }
        return (0..<count).map { _ in
            let envelopes = (0..<events).map { number in
                timetoken += 1
                let sample = samples[number % samples.count]
                return Envelope(
                    channel: sample.channel, timetoken: Timetoken(rawValue: timetoken),
                    uuid: sample.uuid, event: sample.event)
            }
            let last = Timetoken(rawValue: timetoken)
            var commit = Commit(events: envelopes, last: last, durable: last)
            for channel in channels { commit.digests[channel] = Samples.state }
            return commit
        }
    }

    /// Takes one turn per commit.
    ///
    /// - Returns: Deliveries that they made.
    func run(_ commits: [Commit]) -> Int {
        let before = counters.deliveries.value
        for commit in commits {
            hub.accept(commit)
            hub.endTurn()
        }
        return counters.deliveries.value - before
    }

    /// Goes on until what a topic remembers is full: before that its memory grows now and then.
    func warmUp(events: Int) {
        let bytes = followed.count * Limits.recentBytesPerChannelMax * 2
        _ = run(commits(bytes / 200 / events + 1, events: events))
    }

    /// What a turn costs once nothing grows any more.
    ///
    /// - Parameter events: In each turn.
    func turn(_ watch: Stopwatch, turns: Int, events: Int) -> Cost {
        warmUp(events: events)
        return watch.measure(count: turns) {
            commits($0, events: events)
        } _: { commits in
            let deliveries = run(commits)
            precondition(
                deliveries == commits.count * events * followers, "a follower missed an event")
            return deliveries
        }
    }

    /// What a turn costs whose event concerns nobody.
    func unheardTurn(_ watch: Stopwatch, turns: Int) -> Cost {
        watch.measure(count: turns) {
            commits($0, events: 1, isFollowed: false)
        } _: { commits in
            precondition(run(commits) == 0, "an event was delivered that nobody follows")
            return commits.count
        }
    }
}
