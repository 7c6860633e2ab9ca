// A client that follows channels by long polls, on any reactor, and cancels some of them.

import EventModel

@testable import SyncDaemon

/// Carries one cursor from poll to poll, as PubNub's SDKs do.
final class SimulatedPoller {
    let channels: [Channel]
    /// Where it began; it knows nothing of what was before.
    let start: Timetoken
    private(set) var cursor: Timetoken
    private(set) var caches: [Channel: DeviceCache] = [:]
    /// The signals that it saw, in order.
    private(set) var signals: [Timetoken] = []
    private(set) var problems: [String] = []
    /// The poll that is open.
    private(set) var open: (reactor: Int, session: SessionID)?

    init(_ channels: [Channel], from cursor: Timetoken) {
        self.channels = channels
        self.cursor = cursor
        start = cursor
        for channel in channels { caches[channel] = DeviceCache(cursor: cursor) }
    }

    /// A poll from where the last answer ended.
    func poll(on reactor: Int, as session: SessionID) -> PollRequest {
        open = (reactor, session)
        return PollRequest(
            session: session, command: 1,
            interests: channels.map { PollRequest.Interest(channel: $0, subscription: nil) },
            groups: [], cursor: cursor, accepts: { _ in true })
    }

    /// Hangs up; whether an answer was under way it cannot know.
    func cancel() {
        open = nil
    }

    /// Takes an answer, unless it is for a poll that it gave up.
    func receive(_ answer: SimulatedReactor.PollAnswer) throws {
        guard let open, open.session == answer.session else { return }
        self.open = nil
        if answer.events.count > Limits.pollEventsMax { problems.append("too many in one answer") }
        for event in answer.events {
            let envelope = try ServerText.envelope(event.envelope.json)
            if envelope.timetoken <= cursor {
                problems.append("poller got \(envelope.timetoken) after \(cursor)")
            }
            cursor = envelope.timetoken
            if case .signal = envelope.event { signals.append(envelope.timetoken) }
            caches[envelope.channel]?.apply(envelope)
        }
        if answer.cursor != cursor { problems.append("cursor \(answer.cursor), not \(cursor)") }
    }

    /// What is wrong once everything has arrived.
    ///
    /// - Parameters:
    ///   - truth: What a device that reads everything shows of a channel.
    ///   - sent: All signals of a channel.
    func differences(
        truth: (Channel) throws -> DeviceCache, sent: (Channel) -> [Timetoken]
    ) rethrows -> [String] {
        var found = problems
        for channel in channels {
            let truth = try truth(channel)
            let cache = caches[channel] ?? DeviceCache()
            if cache.messages != truth.messages.filter({ $0.key > start }) {
                found.append("poller has other messages of \(channel.name)")
            }
            if cache.actions != truth.actions.filter({ $0.value > start }) {
                found.append("poller has other actions of \(channel.name)")
            }
        }
        let expected = channels.flatMap(sent).filter { $0 > start }.sorted()
        if signals != expected { found.append("poller saw \(signals), not \(expected)") }
        return found
    }
}
