// Groups and wildcards: the daemon says which channels they have, and each is followed as ever.

public import EventModel

/// A group or wildcard that a client follows.
struct SelectionState: Sendable {
    /// From where to follow it when the connection is gone; zero: it has told nothing yet.
    var cursor = Timetoken.zero
    /// The store, and its run, that issued it.
    var epoch: String?
    /// Those that the daemon said are in it.
    var channels: Set<ExactText> = []
    /// The daemon had no room, and is asked again.
    var isWaiting = false
}

extension SyncClient {
    /// Follows every channel of a group or wildcard, also those that come into it later, until
    /// ``unfollow(_:)-(Selection)``.
    ///
    /// Each is followed as ``channel(_:isPresent:)`` does it: it has a list, and is kept. Whoever
    /// asks for one by name keeps it when the selection loses it; whoever leaves one does not get
    /// it again before asking for it, or for the selection once more.
    /// ``events()`` tells which they are: ``SyncEvent/selected(_:channels:ended:)``. The presence
    /// of a group or wildcard (`friends-pnpres`, `news.*-pnpres`) is told as
    /// ``SyncEvent/announced(channel:_:)``.
    ///
    /// - Throws: ``SyncClientError/invalidChannel(reason:)``.
    public func follow(_ selection: Selection) throws(SyncClientError) {
        try Command.check(selection)
        guard selections[selection] == nil else { return }
        selections[selection] = SelectionState()
        if case .online = phase { ask(for: selection) }
    }

    /// Ends what is followed by a group or wildcard; what is kept of its channels stays.
    public func unfollow(_ selection: Selection) {
        guard let state = selections.removeValue(forKey: selection) else { return }
        // Whoever follows it anew gets all of its channels.
        leftChannels = leftChannels.filter { isSelected($0) }
        if case .online = phase { sendFirst(.unfollow(selection), owner: .selection(selection)) }
        for name in state.channels { leave(name) }
    }

    /// Ends a channel that no selection has any more, unless the user asked for it by name.
    private func leave(_ name: ExactText) {
        guard broughtChannels.contains(name), !isSelected(name) else { return }
        broughtChannels.remove(name)
        end(name.string)
    }

    /// Whatever selections have it, the channel is followed by its name from now on.
    func isAsked(forByName name: String) {
        broughtChannels.remove(ExactText(name))
        leftChannels.remove(ExactText(name))
    }

    /// A selection that has the channel brings it no more.
    func isLeftByName(_ name: String) {
        broughtChannels.remove(ExactText(name))
        if isSelected(ExactText(name)) { leftChannels.insert(ExactText(name)) }
    }

    private func isSelected(_ name: ExactText) -> Bool {
        selections.contains { selection, state in
            // The daemon names a channel of a wildcard only when something happens in it.
            state.channels.contains(name)
                || selection.kind == .wildcard
                    && Channel(name.string).isUnder(wildcard: selection.name)
        }
    }

    /// Asks for all of them, before the device asks for their channels: then a right on a group
    /// is enough.
    func askForSelections() {
        for selection in selections.keys { ask(for: selection) }
    }

    /// Asks again for those that the daemon had no room for.
    func askForSelectionsAgain() {
        guard case .online = phase else { return }
        for (selection, state) in selections where state.isWaiting { ask(for: selection) }
    }

    private func ask(for selection: Selection) {
        guard let state = selections[selection] else { return }
        selections[selection]?.isWaiting = false
        // Each channel begins at the cursor that the device has of it. Presence has none, and its
        // first event is not to be missed.
        let isPresence = Channel(selection.name).isPresence
        sendFirst(
            .follow(
                FollowRequest(
                    selection, cursor: state.cursor, epoch: state.epoch, starts: isPresence)),
            owner: .selection(selection))
    }

    // MARK: Groups

    /// Puts channels into a group, takes some out of it, or deletes it.
    public func change(
        group: String, _ change: GroupChange
    ) async throws(SyncClientError) {
        guard case .groupChanged = try await perform(.changeGroup(GroupRequest(group, change)))
        else { throw Self.mismatch }
    }

    /// The channels of a group, ascending; none when there is no such group.
    public func channels(inGroup group: String) async throws(SyncClientError) -> [String] {
        guard case .group(let channels) = try await perform(.group(group)) else {
            throw Self.mismatch
        }
        return channels
    }

    // MARK: What the daemon says

    /// Takes the reply to a follow.
    func followed(_ selection: Selection, _ result: Result<Reply, ProtocolError>) {
        guard selections[selection] != nil else { return }
        if case .success(.followed(let cursor)) = result, case .online(let welcome) = phase {
            // From now on its cursors are of this store.
            selections[selection]?.cursor = cursor
            selections[selection]?.epoch = welcome.epoch
            askWhatIsLeft(of: selection)
        }
        if case .success(.group(let channels)) = result { keep(channels, of: selection) }
        guard case .failure(let error) = result else { return }
        guard error.isWorthRetrying else { return refused(selection, error) }
        selections[selection]?.isWaiting = true
        retryLater(notBefore: error.retryAfterSeconds ?? 0)
    }

    /// What was taken out of a group while there was no connection nobody tells.
    private func askWhatIsLeft(of selection: Selection) {
        guard selection.kind == .group, selections[selection]?.channels.isEmpty == false else {
            return
        }
        let suffix = Channel(selection.name).isPresence ? Channel.presenceSuffix.count : 0
        sendFirst(
            .group(String(selection.name.dropLast(suffix))), owner: .selection(selection))
    }

    private func keep(_ channels: [String], of selection: Selection) {
        guard let state = selections[selection] else { return }
        let suffix = Channel(selection.name).isPresence ? Channel.presenceSuffix : ""
        let gone = state.channels.subtracting(channels.map { ExactText($0 + suffix) }).sorted()
        guard !gone.isEmpty else { return }
        selections[selection]?.channels.subtract(gone)
        for name in gone { leave(name) }
        emit(.selected(selection, channels: [], ended: gone.map(\.string)))
    }

    /// The daemon brings no further channels: those that it brought go on.
    func refused(_ selection: Selection, _ error: ProtocolError) {
        guard selections.removeValue(forKey: selection) != nil else { return }
        emit(.selectionRefused(selection, error))
    }

    /// Takes which channels are followed from now on, and which no longer.
    func received(_ news: SelectionNews) {
        guard selections[news.selection] != nil else { return }
        selections[news.selection]?.cursor = news.cursor
        let names = news.channels.map(\.channel) + news.known
        for name in names { begin(name, of: news.selection) }
        for name in news.ended {
            selections[news.selection]?.channels.remove(ExactText(name))
            leave(ExactText(name))
        }
        guard !names.isEmpty || !news.ended.isEmpty else { return }
        emit(.selected(news.selection, channels: names, ended: news.ended))
    }

    private func begin(_ name: String, of selection: Selection) {
        selections[selection]?.channels.insert(ExactText(name))
        guard device.channel(name) == nil, !leftChannels.contains(ExactText(name)) else { return }
        broughtChannels.insert(ExactText(name))
        // Nothing of presence is kept, or missed.
        guard !Channel(name).isPresence else { return run { $0.follow(name, after: nil) } }
        do throws(SyncClientError) {
            let kept = try kept(of: name)
            run { $0.follow(name, base: kept.base, rules: kept.rules) }
        } catch {
            report(SyncEvent.Problem(channel: name, reason: "Its cache cannot be read. \(error)"))
        }
    }
}

extension Channel {
    /// Whether it is one of those that a wildcard stands for, or their presence.
    fileprivate func isUnder(wildcard: String) -> Bool {
        let (suffix, pattern) = (Channel.presenceSuffix, Channel(wildcard))
        let prefix = wildcard.dropLast(pattern.isPresence ? suffix.count + 1 : 1)
        return isPresence == pattern.isPresence && name.utf8.starts(with: prefix.utf8)
    }
}

extension Command {
    /// Finds names that the daemon does not take.
    static func check(_ selection: Selection) throws(SyncClientError) {
        switch Channel.fault(inName: selection.name, ofOne: false) {
        case nil where selection.kind == .group: return
        case nil where Channel(selection.name).isWildcard: return
        default:
            throw .invalidChannel(
                reason: "\(selection.name) is no \(selection.kind.rawValue): a group has a name "
                    + "such as friends, a wildcard one such as news.*")
        }
    }
}
