// Between the device's decisions and the world: disk first, then the wire, then people.

import EventModel

extension SyncClient {
    /// Looks at what the device has, where it is.
    ///
    /// Whoever took a copy out of the actor would have the next change copy what it has of all
    /// channels.
    func look<Found: Sendable>(_ body: @Sendable (Device) -> Found) -> Found { body(device) }

    /// Hands something to the device and does what follows from it.
    func run(_ input: (inout Device) -> DeviceEffects) {
        let verified = Set(device.followedChannels.filter { isVerified($0) })
        let effects = input(&device)
        do throws(DeviceStoreError) {
            try store?.commit(effects.writes)
        } catch {
            // What is not kept must not be sent: a crash would send it again under other ids.
            emit(.disconnected(reason: "\(error)", retryIn: nil))
            connection?.close(code: 1000)
            retire(reason: "\(error)")
            return
        }
        for question in effects.questions {
            sendFirst(attending(question.command), owner: .device(question.ticket))
        }
        for (channel, changes) in effects.changes {
            tell(.changes(changes), of: channel)
        }
        for (channel, cursor) in effects.tailsBegun {
            emit(.began(channel: channel, after: cursor))
        }
        for (channel, envelopes) in effects.announced {
            emit(.announced(channel: channel, envelopes))
        }
        for (channel, summaries) in effects.summarized {
            emit(.summarized(channel: channel, summaries))
        }
        for (channel, rung, rows) in effects.healed {
            emit(.cacheRepaired(channel: channel, by: rung, rows: rows))
        }
        for (channel, outcome) in effects.older {
            finishOlder(of: Channel(channel), .success(outcome))
        }
        for (channel, rules) in effects.rules { emit(.rulesChanged(channel: channel, rules)) }
        for (channel, unread) in effects.unread { tell(unread, of: channel) }
        for channel in effects.resting { restLater(channel) }
        for (entry, error) in effects.refused { emit(.writeRefused(entry, error)) }
        for (channel, error) in effects.refusedChannels { emit(.channelRefused(channel, error)) }
        for channel in device.followedChannels
        where isVerified(channel) && !verified.contains(channel) {
            emit(.channelVerified(channel))
        }
        if effects.retriesLater { retryLater(notBefore: effects.retryAfterSeconds) }
    }

    private func isVerified(_ channel: String) -> Bool {
        device.channel(channel)?.isVerified == true
    }

    func retryLater(notBefore seconds: Int) {
        guard retryTask == nil, case .online = phase else { return }
        let delay = max(
            retryBackoff.nextDelay(random: configuration.random()), .seconds(seconds))
        let sleep = configuration.sleep
        retryTask = Task { [weak self] in
            do {
                try await sleep(delay)
            } catch {
                return
            }
            await self?.retry()
        }
    }

    private func retry() {
        retryTask = nil
        askForSelectionsAgain()
        run { $0.retry() }
        retryLiveLists()
    }

    // MARK: Lists

    func tell(_ update: ListUpdate, of channel: String) {
        listReaders[Channel(channel)]?.removeAll { $0.queue == nil }
        guard let readers = listReaders[Channel(channel)] else { return }
        if readers.isEmpty {
            listReaders[Channel(channel)] = nil
            device.endObservation(of: channel)
            return
        }
        let items = device.observe(channel)
        for reader in readers {
            reader.queue?.append(update, orInstead: { [.all(items)] })
        }
    }

    /// What a new reader of a followed channel's list has before it, all of it first.
    func updates(of channel: String) -> StreamQueue<ListUpdate> {
        let queue = StreamQueue<ListUpdate>(capacity: ClientLimits.listUpdatesWaitingMax)
        queue.append(.all(device.observe(channel)), orInstead: { [] })
        if case .closed = phase {
            queue.finish()
        } else {
            listReaders[Channel(channel), default: []].append(WeakReader(queue: queue))
        }
        return queue
    }
}
