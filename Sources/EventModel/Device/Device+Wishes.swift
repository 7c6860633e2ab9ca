// What a person wishes, and how it gets out and is settled.

extension Device {
    // MARK: From the outbox to effects

    /// Lets go of what the base shows.
    mutating func settle(
        _ channel: String, _ news: inout ChannelView.News, _ effects: inout DeviceEffects
    ) {
        let sync = channels[Channel(channel)]
        guard sync?.followsServer ?? true else { return }
        let settled = outbox.settle(
            channel, base: sync?.base, under: sync?.rules ?? ReactionRules(), unstored: unstored)
        for entry in settled {
            effects.writes.append(.outbox(.drop(mutation: entry.mutation)))
            if let key = entry.key {
                news.messages.insert(key.messageTimetoken)
            } else if let timetoken = entry.timetoken {
                news.settled[entry.mutation] = timetoken
                news.messages.insert(timetoken)
            }
        }
    }

    mutating func show(
        _ channel: String, _ news: ChannelView.News, _ effects: inout DeviceEffects
    ) {
        let key = Channel(channel)
        guard let sync = channels[key] else { return }
        let entries = outbox.entries(of: channel, under: sync.rules)
        guard let changes = views[key]?.update(sync.base, entries, under: sync.rules, news),
            !changes.isEmpty
        else { return }
        effects.changes.append((channel, changes))
    }

    /// Sends what may go out, and marks it.
    mutating func finish(_ effects: inout DeviceEffects) {
        passRepairTurn(&effects)
        finishMarks(&effects)
        if isPaused { effects.retriesLater = true }
        guard epoch != nil, !isPaused else { return }
        let channels = channels
        let (entries, changes) = outbox.takeForSending { entry in
            channels[Channel(entry.channel)]?.heardRules
        } isOutside: { entry in
            entry.key.map { key in
                channels[Channel(entry.channel)]?.base.rest.contains(key.messageTimetoken) ?? false
            } ?? false
        } heard: { entry in
            channels[Channel(entry.channel)]?.base.cursor
        } base: { entry in
            entry.key.flatMap {
                channels[Channel(entry.channel)]?.base.cache.action(of: $0)
            }
        }
        effects.writes += changes.map { .outbox($0) }
        effects.questions += entries.map {
            DeviceQuestion(ticket: .write(mutation: $0.mutation), command: $0.command)
        }
    }

    // MARK: Wishes

    /// Whether another wish may come: about one action also when a wish about it was not sent yet,
    /// and takes it up.
    public func hasRoom(for key: MessageAction.Key? = nil, in channel: String) -> Bool {
        let isTakenUp = key.map { heardRules(for: $0, in: channel) != nil } ?? false
        return outbox.hasRoom(for: isTakenUp ? key : nil, in: channel)
    }

    /// What holds for an action; `nil` while the server has not said it.
    private func heardRules(for key: MessageAction.Key, in channel: String) -> ReactionRules? {
        // What authors make of their messages no rules are about.
        let usual = MessageVersion.isType(key.type) ? ReactionRules() : nil
        return channels[Channel(channel)]?.heardRules ?? usual
    }

    /// Adds or removes a reaction of the user's own; seen at once, sent when there is a connection.
    ///
    /// - Parameters:
    ///   - score: What it is to count for; in a mode that counts, how much it adds; `nil`: as the
    ///     mode has it.
    ///   - mutation: A new id; it is not used when nothing is to be sent.
    public mutating func wish(
        _ value: String, type: String = "reaction", isPresent: Bool, score: Int? = nil,
        on message: Timetoken, in channel: String, mutation: String
    ) -> DeviceEffects {
        let sync = channels[Channel(channel)]
        let key = key(
            MessageAction.Key(messageTimetoken: message, type: type, value: value, uuid: user),
            in: channel)
        var effects = DeviceEffects()
        let changes = outbox.wish(
            key, isPresent: isPresent, score: score, in: channel,
            base: sync?.base.cache.action(of: key), under: heardRules(for: key, in: channel),
            isOutside: sync?.base.rest.contains(message) ?? false, mutation: mutation)
        effects.writes += changes.map { .outbox($0) }
        show(channel, ChannelView.News(messages: [message]), &effects)
        finish(&effects)
        return effects
    }

    /// Publishes a message; seen at once, sent when there is a connection.
    public mutating func publish(
        _ message: Message, in channel: String, mutation: String
    ) -> DeviceEffects {
        var effects = DeviceEffects()
        let changes = outbox.publish(message, in: channel, mutation: mutation)
        effects.writes += changes.map { .outbox($0) }
        show(channel, ChannelView.News(), &effects)
        finish(&effects)
        return effects
    }

    mutating func written(
        _ reply: Result<Reply, ProtocolError>, _ mutation: String, _ effects: inout DeviceEffects
    ) {
        guard let entry = outbox.entries.first(where: { $0.mutation == mutation }) else { return }
        var news = ChannelView.News()
        if let message = entry.key?.messageTimetoken { news.messages.insert(message) }
        if let likeness = entry.likeness { news.messages.insert(likeness) }
        switch reply {
        case .success(.published(let timetoken)):
            effects.writes += outbox.answered(mutation, timetoken).map { .outbox($0) }
        case .success(.actionAdded(let action, _)):
            let changes = outbox.answered(
                mutation, action.actionTimetoken, under: rules(of: entry.channel))
            effects.writes += changes.map { .outbox($0) }
        case .success(.actionRemoved(.stale)), .success(.actionRemoved(.notOwner)):
            // Another action stands than the one that was seen: the wish is about nothing. Its
            // timetoken does not tell which came first when the server was set back in between.
            effects.writes += outbox.refused(mutation).changes.map { .outbox($0) }
        case .success:
            effects.writes += outbox.answered(mutation, nil).map { .outbox($0) }
        case .failure(let error) where error.isWorthRetrying:
            outbox.postponed(mutation)
            isPaused = true
            effects.retryAfterSeconds = max(
                effects.retryAfterSeconds, error.retryAfterSeconds ?? 0)
            return
        case .failure(let error):
            let (refused, changes) = outbox.refused(mutation)
            effects.writes += changes.map { .outbox($0) }
            if let refused { effects.refused.append((refused, error)) }
        }
        settle(entry.channel, &news, &effects)
        show(entry.channel, news, &effects)
    }
}
