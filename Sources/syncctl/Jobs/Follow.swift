// Shows what happens in channels until someone stops it.

import EventModel
import SyncClient

extension JobRunner {
    /// Runs until `count` events were shown or the client is closed.
    func follow(_ following: Following) async throws {
        let events = await client.events()
        try await client.connect()
        var caches: [Channel: DeviceCache] = [:]
        // What is shown first is read when it is connected.
        for channel in following.channels where following.last == nil {
            try await client.follow(channel, after: following.since)
        }
        var format = human
        format.showsChannel = following.channels.count > 1
        var window: ShownWindow?
        var hasShown = false

        var left = following.count ?? .max
        for await event in events {
            switch event {
            case .announced(let channel, let envelopes):
                for envelope in envelopes {
                    if let message = window?.lacks(envelope) {
                        let standing = try await actions(
                            of: channel, on: message, before: envelope.timetoken)
                        caches[Channel(channel)]?.add(standing)
                    }
                    caches[Channel(channel), default: DeviceCache()].apply(envelope)
                    let cache = caches[Channel(channel), default: DeviceCache()]
                    write(
                        json: json.line(for: envelope, in: cache),
                        human: format.line(for: envelope, in: cache))
                    left -= 1
                    if left == 0 { return }
                }
            case .began(let channel, let cursor):
                if caches.isEmpty, let window, window.base.cursor == cursor {
                    caches[Channel(channel)] = window.base.cache
                    continue
                }
                window = nil
                if caches[Channel(channel)] != nil || cursor < following.since ?? .zero {
                    report("reset", "the store was replaced; \(printable(channel)) starts again")
                }
                caches[Channel(channel)] = try await cache(of: channel, upTo: cursor)
            case .channelRefused(_, let error):
                throw SyncClientError.refused(error)
            case .eventsMissed:
                report("missed", "too much happened at once; some of it is not shown")
                window = nil
                for channel in following.channels {
                    let cursor = await client.position(of: channel) ?? .zero
                    caches[Channel(channel)] = try await cache(of: channel, upTo: cursor)
                }
            case .connected:
                report("connected", nil)
                guard let last = following.last, !hasShown else { continue }
                hasShown = true
                window = try await showNewest(last, of: following.channels[0])
            case .problem(let problem):
                let complaint = json.line(for: problem)
                Terminal.complain(
                    options.writesJSON ? complaint : human.line(for: problem),
                    isWhole: options.writesJSON)
            case .channelVerified, .cacheRepaired, .writeRefused, .summarized, .selected,
                .selectionRefused, .rulesChanged:
                break  // Of channels that are kept, which this job has none of.
            case .disconnected(let reason, let retryIn):
                guard retryIn != nil else { throw JobError(closedBecause: reason) }
                report("disconnected", "\(printable(clause(of: reason))); reconnecting")
            }
        }
    }

    /// Some of the daemon's reasons are whole sentences.
    private func clause(of reason: String) -> String {
        reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }

    /// The actions that stood at `cursor`, so that counts begin right without the old messages.
    ///
    /// What was added after it comes as an event. What was removed after it is missing here, and
    /// its removal then changes nothing.
    private func cache(of channel: String, upTo cursor: Timetoken) async throws -> DeviceCache {
        var cache = DeviceCache()
        guard cursor > .zero else { return cache }
        var query = ActionsQuery(channel: channel)
        repeat {
            let page = try await client.actions(query)
            for action in page.actions where action.actionTimetoken <= cursor {
                cache.apply(
                    Envelope(
                        channel: Channel(channel),
                        timetoken: action.actionTimetoken, uuid: action.key.uuid,
                        event: .actionAdded(action)))
            }
            query.after = page.next
        } while query.after != nil
        return cache
    }

    /// For people on standard error, so that a file holds events only; nothing when all is well.
    func report(_ event: String, _ sentence: String?) {
        if options.writesJSON {
            Terminal.print(json.line(event: event, reason: sentence))
        } else if let sentence {
            Terminal.complain("\(sentence).")
        }
    }
}
