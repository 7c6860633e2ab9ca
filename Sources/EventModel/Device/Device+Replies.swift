// Batches and replies: into the channels and the outbox, and out as effects.

extension Device {
    // MARK: What comes in

    public mutating func received(_ batch: Batch) -> DeviceEffects {
        var effects = DeviceEffects()
        let channel = batch.channel.name
        let announced = channels[Channel(channel)]?.takeAnnounced(from: batch) ?? []
        if !announced.isEmpty { effects.announced.append((channel, announced)) }
        if !batch.summaries.isEmpty, channels[Channel(channel)]?.phase == .following {
            effects.summarized.append((channel, batch.summaries))
        }
        let step = channels[Channel(channel)]?.apply(batch)
        unstored = Set(batch.envelopes.filter { !$0.isStored }.map(\.timetoken))
        if let step { take(step, of: channel, &effects) }
        if !unstored.isEmpty {
            // No cursor will ever reach them: their authors have heard the last of them.
            var news = ChannelView.News(messages: [])
            settle(channel, &news, &effects)
            show(channel, news, &effects)
            unstored = []
        }
        finish(&effects)
        return effects
    }

    public mutating func received(
        _ reply: Result<Reply, ProtocolError>, to ticket: DeviceTicket
    ) -> DeviceEffects {
        var effects = DeviceEffects()
        switch ticket {
        case .subscribe(let attempts): subscribed(reply, attempts, &effects)
        case .repair(let channel, let attempt): repaired(reply, channel, attempt, &effects)
        case .older(let channel, let number): paged(reply, channel, number, &effects)
        case .write(let mutation): written(reply, mutation, &effects)
        case .markRead(let channel): marked(reply, channel, &effects)
        case .unread(let asked): heardMarks(reply, asked, &effects)
        case .unsubscribe: break
        }
        finish(&effects)
        return effects
    }

    /// The server says what reactions there are in channels from now on.
    public mutating func received(_ rules: [String: ReactionRules]) -> DeviceEffects {
        var effects = DeviceEffects()
        for (channel, rules) in rules.sorted(by: { ExactText($0.key) < ExactText($1.key) })
        where channels[Channel(channel)]?.heardRules != rules {
            channels[Channel(channel)]?.heardRules = rules
            if let sync = channels[Channel(channel)] {
                effects.rules.append((channel, rules))
                if !sync.isTail { effects.writes.append(.channel(channel, sync.header, [])) }
            }
            showWishes(in: channel, &effects)
        }
        finish(&effects)
        return effects
    }

    /// Only wishes look different under other rules.
    private mutating func showWishes(in channel: String, _ effects: inout DeviceEffects) {
        let messages = outbox.entries(of: channel).compactMap(\.key?.messageTimetoken)
        guard !messages.isEmpty else { return }
        show(channel, ChannelView.News(messages: Set(messages)), &effects)
    }

    private mutating func subscribed(
        _ reply: Result<Reply, ProtocolError>, _ attempts: [String: Int],
        _ effects: inout DeviceEffects
    ) {
        switch reply {
        case .success(.subscribed(let confirmed)):
            for channel in confirmed {
                let before = rules(of: channel.channel)
                guard let attempt = attempts[channel.channel],
                    let step = channels[Channel(channel.channel)]?.subscribed(
                        channel, attempt: attempt)
                else { continue }
                take(step, of: channel.channel, &effects)
                let after = rules(of: channel.channel)
                if after != before {
                    effects.rules.append((channel.channel, after))
                    showWishes(in: channel.channel, &effects)
                }
            }
        case .failure(let error) where attempts.count > 1 && !error.isWorthRetrying:
            // One of them is at fault: each is asked alone.
            for (channel, attempt) in attempts {
                guard let request = channels[Channel(channel)]?.request(attempt: attempt) else {
                    continue
                }
                effects.questions.append(
                    DeviceQuestion(
                        ticket: .subscribe([channel: attempt]), command: .subscribe([request])))
            }
        case .failure(let error):
            for (channel, attempt) in attempts {
                refused(error, channel, attempt, &effects)
            }
        case .success:
            break
        }
    }

    private mutating func repaired(
        _ reply: Result<Reply, ProtocolError>, _ channel: String, _ attempt: Int,
        _ effects: inout DeviceEffects
    ) {
        switch reply {
        case .success(.repair(let repair)):
            if let step = channels[Channel(channel)]?.repaired(repair, attempt: attempt) {
                take(step, of: channel, &effects)
            }
        case .failure(let error):
            refused(error, channel, attempt, &effects)
        case .success:
            break
        }
    }

    private mutating func paged(
        _ reply: Result<Reply, ProtocolError>, _ channel: String, _ number: Int,
        _ effects: inout DeviceEffects
    ) {
        let key = Channel(channel)
        switch reply {
        case .success(.older(let page)):
            if let step = channels[key]?.paged(page, number: number) {
                take(step, of: channel, &effects)
            }
        case .failure(let error):
            let wasRefused = channels[key]?.isRefused ?? false
            guard let step = channels[key]?.pageRefused(error, number: number) else { return }
            if error.isWorthRetrying { effects.wait(error.retryAfterSeconds) }
            take(step, of: channel, &effects)
            // What waited for the page waits no longer.
            var news = ChannelView.News()
            settle(channel, &news, &effects)
            show(channel, news, &effects)
            // Not once more with the page behind a subscription that was refused.
            if !wasRefused, case .refused(let error)? = channels[key]?.phase {
                effects.refusedChannels.append((channel, error))
            }
        case .success:
            break
        }
    }

    private mutating func refused(
        _ error: ProtocolError, _ channel: String, _ attempt: Int, _ effects: inout DeviceEffects
    ) {
        guard let step = channels[Channel(channel)]?.refused(error, attempt: attempt) else {
            return
        }
        if error.isWorthRetrying { effects.wait(error.retryAfterSeconds) }
        take(step, of: channel, &effects)
        if case .refused(let error)? = channels[Channel(channel)]?.phase {
            effects.refusedChannels.append((channel, error))
        }
    }

    // MARK: From a channel's step to effects

    mutating func take(
        _ step: ChannelSync.Step, of channel: String, _ effects: inout DeviceEffects
    ) {
        for question in step.questions {
            switch question {
            case .subscribe(let request, let attempt):
                add(request, attempt, &effects)
            case .repair(let request, let attempt):
                let question = DeviceQuestion(
                    ticket: .repair(channel: channel, attempt: attempt), command: .repair(request))
                if repairTurn ?? Channel(channel) == Channel(channel) {
                    repairTurn = Channel(channel)
                    effects.questions.append(question)
                } else {
                    waitingRepairs.append((Channel(channel), question))
                }
            case .older(let query, let number):
                effects.questions.append(
                    DeviceQuestion(
                        ticket: .older(channel: channel, number: number), command: .older(query)))
            }
        }
        countMark(Channel(channel), step.rows)
        guard let sync = channels[Channel(channel)] else { return }
        if sync.phase == .waiting || sync.pages.isRefused || sync.isDoubted {
            effects.retriesLater = true
        }
        if let outcome = step.older { effects.older.append((channel, outcome)) }
        if let cursor = step.tailBegan { effects.tailsBegun.append((channel, cursor)) }
        if let rung = step.healedBy { effects.healed.append((channel, rung, step.rows)) }
        let reopened = step.hasLostServer ? outbox.reopen(channel) : []
        effects.writes += reopened.map { .outbox($0) }
        guard step.hasMoved || step.hasLostServer || !step.rows.isEmpty else { return }
        if !sync.isTail {
            effects.writes.append(.channel(channel, sync.header, step.rows))
        }

        var news = ChannelView.News(messages: Set(step.rows.map(\.messageTimetoken)))
        for change in reopened {
            if let key = change.entry?.key { news.messages.insert(key.messageTimetoken) }
        }
        for case .messagePut(let timetoken, let entry) in step.rows where !step.isOlder {
            effects.writes += recognise(entry, at: timetoken, in: channel).map { .outbox($0) }
        }
        settle(channel, &news, &effects)
        show(channel, news, &effects)
    }

    /// Lets the next channel repair once the one before it is done.
    mutating func passRepairTurn(_ effects: inout DeviceEffects) {
        guard let turn = repairTurn, channels[turn]?.phase != .repairing else { return }
        repairTurn = nil
        while repairTurn == nil, !waitingRepairs.isEmpty {
            let next = waitingRepairs.removeFirst()
            guard case .repair(_, let attempt) = next.question.ticket,
                channels[next.channel]?.isRepairing(attempt) == true
            else { continue }
            repairTurn = next.channel
            effects.questions.append(next.question)
        }
    }

    /// Subscriptions that start together go out together.
    private func add(_ request: SubscribeRequest, _ attempt: Int, _ effects: inout DeviceEffects) {
        // Pages of other channels may have been asked for since.
        let index = effects.questions.lastIndex {
            if case .subscribe = $0.ticket { true } else { false }
        }
        if let index, case .subscribe(var attempts) = effects.questions[index].ticket,
            case .subscribe(let requests) = effects.questions[index].command,
            requests.count < Self.channelsPerSubscribe, attempts[request.channel] == nil
        {
            attempts[request.channel] = attempt
            effects.questions[index] = DeviceQuestion(
                ticket: .subscribe(attempts), command: .subscribe(requests + [request]))
        } else {
            effects.questions.append(
                DeviceQuestion(
                    ticket: .subscribe([request.channel: attempt]), command: .subscribe([request])))
        }
    }

    mutating func recognise(
        _ entry: DeviceCache.Entry, at timetoken: Timetoken, in channel: String
    ) -> [Outbox.Change] {
        guard ExactText(entry.uuid) == ExactText(user) else { return [] }
        return outbox.recognise(entry, at: timetoken, in: channel)
    }
}
