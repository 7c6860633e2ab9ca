// Where a followed channel stands, and what it makes of one input.

extension ChannelSync {
    /// Where the exchange with the server stands.
    public enum Phase: Hashable, Sendable {
        case offline
        /// Batches are ignored until the reply: the server starts again from the named cursor.
        case subscribing
        /// Batches are applied.
        case following
        /// The server was asked which actions differ; it pushes nothing meanwhile.
        case repairing
        /// Nothing goes on before ``Device/retry()``: the server had no room, or keeps disagreeing.
        case waiting
        /// The server does not let this user follow the channel.
        case refused(ProtocolError)
    }

    /// What the server was last asked to do.
    public enum Rung: Hashable, Sendable, CaseIterable {
        case current, delta, repair, snapshot
    }

    /// What to send.
    enum Question: Hashable, Sendable {
        case subscribe(SubscribeRequest, attempt: Int)
        case repair(RepairRequest, attempt: Int)
        case older(OlderQuery, number: Int)
    }

    /// What came of one input.
    struct Step {
        var questions: [Question] = []
        /// What changed in ``ChannelSync/base``, in order.
        var rows: [RowChange] = []
        /// Whether anything is to be kept, be it only the cursor.
        var hasMoved = false
        /// Whether the server is another one, or was set back: it may have lost what it answered.
        var hasLostServer = false
        /// How the rows came to be different from the base's, when not by what happened.
        var healedBy: Rung?
        /// Where a tail began, at first or anew.
        var tailBegan: Timetoken?
        /// Whether the rows are older than what was there, and so of no wish that waits.
        var isOlder = false
        /// What became of the wish for older messages.
        var older: OlderOutcome?
    }
}
