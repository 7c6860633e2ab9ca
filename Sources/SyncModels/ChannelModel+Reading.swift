// How a model begins, stays in step with its client, and ends.

import EventModel
public import SyncClient

extension ChannelModel {
    /// Follows the channel; what the device has of it is there at once, without a connection.
    ///
    /// Nothing happens where it was started already.
    public func start() async throws(SyncClientError) {
        guard reading == nil else { return }
        let reading = Reading()
        self.reading = reading
        // Before the channel is followed: nothing that happens in it is missed.
        let events = await client.events()
        let own = ExactText(name)
        reading.isOwner = await !client.followedChannels.contains { ExactText($0) == own }
        let channel: SyncedChannel
        do throws(SyncClientError) {
            channel = try await client.channel(
                name, isPresent: isPresent, window: window, countsUnread: true)
        } catch {
            if self.reading === reading { self.reading = nil }
            throw error
        }
        reading.channel = channel
        let queue = await channel.queuedUpdates
        let updates = queue.stream
        let unread = await channel.unreadUpdates
        let first = await Reading.first(of: updates)
        let rules = await channel.rules
        guard self.reading === reading else {
            // It was stopped meanwhile.
            if reading.isOwner { await channel.leave() }
            return
        }
        // From here on calls wait for the rows that they change: the tasks below bring these.
        reading.updates = queue
        take(rules)
        if let first { take(first) }
        reading[.events] = Task { [weak self] in
            for await event in events { await self?.take(event) }
            await self?.look()
        }
        reading[.list] = Task { [weak self] in
            for await update in updates {
                self?.take(update)
                await self?.look()
            }
        }
        reading[.unread] = Task { [weak self] in
            for await unread in unread { self?.unread = unread }
        }
        await look()
        if case .online = connection { askWhoIsHere() }
    }

    /// Ends reading, and leaves the channel if ``start()`` was what followed it.
    ///
    /// The rows stay as they are. Unsent writes still go out.
    public func stop() async {
        guard let reading else { return }
        self.reading = nil
        reading.cancel()
        typists.reset()
        showTyping()
        attendance.lose()
        showPresence()
        if reading.isOwner { await reading.channel?.leave() }
    }

    // MARK: What happens

    private func take(_ event: SyncEvent) async {
        // It was on its way when the model stopped.
        guard !Task.isCancelled else { return }
        if let problem = ModelProblem(event, of: name) { self.problem = problem }
        switch event {
        case .connected(let welcome):
            connection = .online(welcome)
            askWhoIsHere()
        case .disconnected:
            connection = await client.connectionState
            attendance.lose()
            showPresence()
        case .announced(let channel, let envelopes): take(envelopes, of: channel)
        case .rulesChanged(let channel, let rules) where ExactText(channel) == ExactText(name):
            take(rules)
        case .channelVerified(let channel) where ExactText(channel) == ExactText(name):
            await look()
        case .eventsMissed:
            await look()
            askWhoIsHere()
            if let rules = await reading?.channel?.rules { take(rules) }
        default: break
        }
    }

    /// Reads what no event tells.
    private func look() async {
        let connection = await client.connectionState
        if connection != self.connection { self.connection = connection }
        guard let channel = reading?.channel else { return }
        let (isVerified, hasOlder) = (await channel.isVerified, await channel.hasOlder)
        if isVerified != self.isVerified { self.isVerified = isVerified }
        if hasOlder != self.hasOlder { self.hasOlder = hasOlder }
    }

    private func take(_ envelopes: [Envelope], of channel: String) {
        let isOwn = ExactText(channel) == ExactText(name)
        let isPresence = ExactText(channel) == ExactText(Channel(name).presence.name)
        guard isOwn || isPresence else { return }
        var asks = false
        for envelope in envelopes {
            switch envelope.event {
            case .signal(let message) where isOwn: hear(message, of: envelope)
            case .presence(let notice) where isPresence:
                asks = attendance.hear(notice) || asks
            default: break
            }
        }
        if isPresence { showPresence() }
        if asks { askWhoIsHere() }
    }

    // MARK: Who types

    private func hear(_ message: Message, of envelope: Envelope) {
        guard ExactText(envelope.uuid) != ExactText(userID),
            let isTyping = TypingState.typing(in: message.payload)
        else { return }
        typists.hear(isTyping, of: envelope.uuid, at: envelope.timetoken, now: clock.now())
        showTyping()
        guard typists.next != nil, reading?[.typing] == nil else { return }
        let clock = clock
        reading?[.typing] = Task { [weak self] in
            while let rest = self?.expireTyping() {
                do { try await clock.sleep(rest) } catch { return }
            }
        }
    }

    /// - Returns: How long the next of them may still type; `nil`: nobody types.
    private func expireTyping() -> Duration? {
        let now = clock.now()
        typists.expire(at: now)
        showTyping()
        guard let next = typists.next else {
            reading?[.typing] = nil
            return nil
        }
        return next - now
    }

    func showTyping() {
        if typing != typists.users { typing = typists.users }
    }

    // MARK: Who is here

    private func askWhoIsHere() {
        guard isPresent, let reading else { return }
        let number = attendance.ask()
        let (client, name) = (client, name)
        reading[.presence] = Task { [weak self] in
            do throws(SyncClientError) {
                let page = try await client.hereNow(OccupancyQuery(channel: name))
                self?.attendance.answer(page, to: number)
                self?.showPresence()
            } catch {
                // Without a connection the next one asks again.
                guard case .refused(let refusal) = error else { return }
                self?.problem = ModelProblem(.channel, refusal)
            }
        }
    }

    private func showPresence() {
        if present != attendance.users { present = attendance.users }
        if occupancy != attendance.occupancy { occupancy = attendance.occupancy }
    }
}
