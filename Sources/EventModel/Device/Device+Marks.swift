// Read marks: what a user has not read, and the wishes to have read more.

extension Device {
    // MARK: What is known

    /// What the user has not read of a channel's list; `nil`: nobody counts, or the server has not
    /// told the mark yet, or the list is not there yet.
    public func unread(of channel: String) -> Unread? {
        guard let state = marks[Channel(channel)], state.isCounted, state.confirmed != nil,
            let sync = channels[Channel(channel)], sync.hasList
        else { return nil }
        let through = state.through
        return Unread(
            count: state.messages.count, isAtLeast: sync.base.rest.mayHold(after: through ?? .zero),
            through: through)
    }

    /// What is kept of marks.
    public var keptMarks: [KeptMark] {
        marks.keys.sorted { ExactText($0.name) < ExactText($1.name) }.map(kept)
    }

    private func kept(_ channel: Channel) -> KeptMark {
        KeptMark(
            channel: channel.name, confirmed: marks[channel]?.confirmed,
            wished: marks[channel]?.wished)
    }

    // MARK: Wishes

    /// Counts from now on what the user has not read of a followed channel, until it is left.
    public mutating func countUnread(of channel: String) -> DeviceEffects {
        var effects = DeviceEffects()
        let key = Channel(channel)
        guard let sync = channels[key], !sync.isTail, marks[key]?.isCounted != true else {
            return effects
        }
        var state = marks[key] ?? ReadState()
        (state.isCounted, state.isForgotten) = (true, false)
        state.count(sync.base, of: user)
        marks[key] = state
        touchedMarks.insert(key)
        askForMarks([key], &effects)
        finish(&effects)
        return effects
    }

    /// Wishes to have read a channel up to a message, followed or not.
    ///
    /// One that is not later than what was read already changes nothing.
    ///
    /// - Parameter through: `nil`: the newest message of the list, if there is any.
    public mutating func markRead(
        _ channel: String, through: Timetoken? = nil
    ) -> DeviceEffects {
        var effects = DeviceEffects()
        let key = Channel(channel)
        if let through = through ?? channels[key]?.base.cache.messages.keys.max() {
            change(key, whichMayBeNew: true) { $0.wish(through) }
        }
        finish(&effects)
        return effects
    }

    /// The pause after a wish of this channel is over.
    public mutating func rested(_ channel: String) -> DeviceEffects {
        var effects = DeviceEffects()
        marks[Channel(channel)]?.isResting = false
        touchedMarks.insert(Channel(channel))
        finish(&effects)
        return effects
    }

    // MARK: What comes in

    /// The server says where marks of the user are.
    public mutating func received(_ marks: [ReadMark]) -> DeviceEffects {
        var effects = DeviceEffects()
        for mark in marks {
            change(Channel(mark.channel)) { state in
                state.hear(mark.through)
                return true
            }
        }
        finish(&effects)
        return effects
    }

    mutating func marked(
        _ reply: Result<Reply, ProtocolError>, _ channel: String, _ effects: inout DeviceEffects
    ) {
        switch reply {
        case .success(.markedRead(let through)):
            change(Channel(channel)) { state in
                state.accept(through)
                return true
            }
        case .success: break
        case .failure(let error):
            marks[Channel(channel)]?.refuse()
            if error.isWorthRetrying { postpone(error, &effects) }
        }
    }

    mutating func heardMarks(
        _ reply: Result<Reply, ProtocolError>, _ asked: [String: Timetoken],
        _ effects: inout DeviceEffects
    ) {
        switch reply {
        case .success(.unread(let channels)):
            for unread in channels {
                guard let known = asked[unread.channel] else { continue }
                change(Channel(unread.channel)) { state in
                    state.answer(unread.through, knowing: known)
                    return true
                }
            }
        case .success: break
        case .failure(let error) where error.isWorthRetrying:
            unaskedMarks.formUnion(asked.keys.map { Channel($0) })
            postpone(error, &effects)
        case .failure(let error) where error.code == "forbidden":
            unaskedMarks.formUnion(asked.keys.map { Channel($0) })
            // One of them is at fault: each is asked alone.
            guard asked.count > 1 else { return }
            for channel in asked.keys.sorted(by: { ExactText($0) < ExactText($1) }) {
                askForMarks([Channel(channel)], &effects)
            }
        case .failure: break
        }
    }

    private func postpone(_ error: ProtocolError, _ effects: inout DeviceEffects) {
        effects.retriesLater = true
        effects.wait(error.retryAfterSeconds)
    }

    /// Changes a mark; what follows from it comes with ``finishMarks(_:)``.
    ///
    /// - Parameter isWish: Whether there may be none yet.
    private mutating func change(
        _ channel: Channel, whichMayBeNew isWish: Bool = false,
        _ change: (inout ReadState) -> Bool
    ) {
        guard var state = marks[channel] ?? (isWish ? ReadState() : nil),
            isWish || state.isCounted || state.wished != nil || state.sent != nil
        else { return }
        let before = state.through
        guard change(&state) else { return }
        if state.through != before, let sync = channels[channel], !sync.isTail {
            state.count(sync.base, of: user)
        }
        marks[channel] = state
        touchedMarks.insert(channel)
    }

    // MARK: Questions and effects

    /// Asks where marks are.
    private mutating func askForMarks(_ keys: [Channel], _ effects: inout DeviceEffects) {
        guard epoch != nil else { return }
        unaskedMarks.subtract(keys)
        for start in stride(from: 0, to: keys.count, by: Self.channelsPerUnread) {
            let part = keys[start..<min(start + Self.channelsPerUnread, keys.count)]
            var asked: [String: Timetoken] = [:]
            for key in part { asked[key.name] = marks[key]?.confirmed ?? .zero }
            effects.questions.append(
                DeviceQuestion(
                    ticket: .unread(asked), command: .unread(channels: part.map(\.name))))
        }
    }

    /// A session began: every mark is asked for, and every wish is due.
    mutating func connectMarks(_ effects: inout DeviceEffects) {
        touchedMarks.formUnion(marks.keys)
        askForMarks(countedMarks { _ in true }, &effects)
    }

    mutating func disconnectMarks() {
        for channel in marks.keys { marks[channel]?.disconnect() }
        unaskedMarks = []
    }

    /// What the server refused is asked once more.
    mutating func retryMarks(_ effects: inout DeviceEffects) {
        for channel in marks.keys { marks[channel]?.isHeldBack = false }
        touchedMarks.formUnion(marks.keys)
        let unasked = unaskedMarks
        askForMarks(countedMarks { unasked.contains($0) }, &effects)
    }

    private func countedMarks(_ isMeant: (Channel) -> Bool) -> [Channel] {
        marks.filter { $0.value.isCounted && isMeant($0.key) }.keys
            .sorted { ExactText($0.name) < ExactText($1.name) }
    }

    /// Nobody looks at a channel any more; a wish still goes out.
    mutating func leaveMark(_ channel: Channel, forgetting: Bool, _ effects: inout DeviceEffects) {
        guard var state = marks[channel] else { return }
        (state.isCounted, state.told) = (false, nil)
        state.count(ChannelBase(), of: user)
        if forgetting {
            state.forget()
            state.kept = nil
        }
        marks[channel] = state
        touchedMarks.insert(channel)
        finishMarks(&effects)
    }

    /// Takes up what came into a list and went out of it.
    mutating func countMark(_ channel: Channel, _ rows: [RowChange]) {
        guard marks[channel]?.isCounted == true else { return }
        marks[channel]?.count(rows, of: user)
        touchedMarks.insert(channel)
    }

    /// Keeps, sends and tells what became of the marks that were touched.
    mutating func finishMarks(_ effects: inout DeviceEffects) {
        guard !touchedMarks.isEmpty else { return }
        for channel in touchedMarks.sorted(by: { ExactText($0.name) < ExactText($1.name) }) {
            guard var state = marks[channel] else { continue }
            if state.isForgotten { state.forget() }
            if epoch != nil, !isPaused, let through = state.due {
                state.send(through)
                effects.questions.append(
                    DeviceQuestion(
                        ticket: .markRead(channel: channel.name),
                        command: .markRead(ReadMark(channel: channel.name, through: through))))
                effects.resting.append(channel.name)
            }
            marks[channel] = state
            let kept = kept(channel)
            if kept != state.kept ?? KeptMark(channel: channel.name) {
                effects.writes.append(.mark(kept))
                marks[channel]?.kept = kept
            }
            let unread = unread(of: channel.name)
            if unread != state.told {
                effects.unread.append((channel.name, unread))
                marks[channel]?.told = unread
            }
        }
        touchedMarks = []
    }

    /// Whether what is counted is what the lists have, for ``checkInvariants()``.
    var countsMarksRight: Bool {
        marks.allSatisfy { channel, state in
            var anew = state
            anew.count(channels[channel]?.base ?? ChannelBase(), of: user)
            return anew.messages == state.messages
                && (state.wished ?? .end) > state.confirmed ?? .zero
        }
    }
}

extension ChannelSync {
    /// Whether there is anything to count: not before the first of it came.
    fileprivate var hasList: Bool {
        !base.isUnopened && (isVerified || base.cursor > .zero || !base.isEmpty)
    }
}
