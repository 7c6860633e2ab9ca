// A base that holds a part of its channel: pages before it, and what it gives up.

extension ChannelBase {
    /// What the channel comes to, if that can be said: the rest and the rows.
    ///
    /// Before the cursor has come to where a page was read it cannot.
    public var state: Digest? {
        guard cursor >= rest.cursor, var state = rest.digest else { return nil }
        state.insert(digest)
        return state
    }

    /// A base that holds nothing, of a channel with anything.
    ///
    /// - Parameter epoch: What the server was called that told all that the device knows.
    public static func window(epoch: String? = nil) -> ChannelBase {
        var base = ChannelBase(cache: DeviceCache(), epoch: epoch)
        base.rest = .all
        return base
    }

    /// Whether it waits for its first page.
    public var isUnopened: Bool { rest.after == .end }

    /// Begins to note what happens before the window: a page is asked for.
    mutating func expectPage() { seen = [] }

    /// Whether one is on its way.
    var expectsPage: Bool { seen != nil }

    /// The page will not come, or is of no use.
    mutating func cancelPage() { seen = nil }

    /// Takes it that nothing happened until the last page was read, where the channel came to the
    /// same before.
    ///
    /// A page is of a commit of the store, and none about this channel need ever come after it.
    ///
    /// What happened and was taken back makes no difference, but for rows that a page brought
    /// between: what was taken back of those is still to be told.
    ///
    /// - Returns: Whether the cursor moved.
    mutating func settle(_ state: Digest, at cursor: Timetoken) -> Bool {
        guard cursor == self.cursor, cursor < rest.cursor, state == rest.whole,
            cursor >= otherwiseAt
        else { return false }
        cache.move(to: rest.cursor)
        return true
    }

    /// Puts a page in front of the rows, with what happened since it was read.
    ///
    /// One without messages that begins where the window does says what is before it.
    ///
    /// Each is read later than the one before: what a deletion took of that one's rows can be told
    /// no more when it comes again.
    ///
    /// - Returns: The rows that came, in order; `nil` when the page contradicts itself, or was not
    ///   asked for from here.
    mutating func grow(by page: WindowPage) -> [RowChange]? {
        guard let seen, let key, page.after <= rest.after, page.cursor >= rest.cursor,
            page.isOf(after: page.after, through: rest.after)
        else { return nil }
        var part = ChannelBase(cache: DeviceCache(cursor: page.cursor), epoch: epoch, key: key)
        part.rest = ChannelRest(
            after: page.after, digest: page.rest, cursor: page.cursor, whole: page.state)
        var rows: [RowChange] = []
        for message in page.messages {
            let entry = DeviceCache.Entry(uuid: message.uuid, message: message.message)
            part.cache.put(entry, at: message.timetoken, rows: &rows)
        }
        for action in page.actions { part.cache.put(action, rows: &rows) }
        part.count(rows)
        // Of what it holds already nothing is known as of then; of nothing it can be compared.
        guard !isUnopened || part.state == page.state else { return nil }
        for envelope in seen {
            // What is about messages of the window alone is in the window.
            let isOld: Bool =
                switch envelope.event {
                case .messagesDeleted, .actionsCleared: true
                default: rest.contains(envelope)
                }
            if isOld { _ = part.apply(envelope) }
        }
        self.seen = nil
        if isUnopened { cache.move(to: page.cursor) }
        if rest.whole != page.state { otherwiseAt = rest.cursor }
        rows = part.rows
        for row in rows { cache.put(row) }
        count(rows)
        rest = part.rest
        return rows
    }

    /// Gives up what is on messages up to a timetoken; nobody has to be told.
    ///
    /// - Returns: The rows that went; none before the cursor has come to where the last page was
    ///   read: until then rows and rest are of different moments.
    mutating func shrink(to after: Timetoken) -> [RowChange] {
        guard after > rest.after || rest.after == .zero, rest.after < .end,
            cursor >= rest.cursor
        else { return [] }
        var rows: [RowChange] = []
        cache.drop(through: after, rows: &rows)
        var lost = digest
        count(rows)
        lost.remove(digest)
        rest = rest.growing(to: after, with: lost)
        // A page that is on its way begins where the window began.
        seen = nil
        return rows
    }

    /// Gives up what a page brought since it subscribed, where a summary for the window as it was
    /// then goes on after that page: it left out what became of those rows.
    ///
    /// - Parameter cursor: The summary's.
    /// - Returns: The rows that went.
    mutating func forget(untoldBy window: BatchWindow, of cursor: Timetoken) -> [RowChange] {
        guard window.after > rest.after, cursor > max(self.cursor, rest.cursor) else { return [] }
        var rows: [RowChange] = []
        cache.drop(through: window.after, rows: &rows)
        count(rows)
        rest = ChannelRest(after: window.after, digest: nil)
        return rows
    }
}
