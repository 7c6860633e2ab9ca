// What a followed channel makes of one input.

extension ChannelSync {
    /// What to send.
    enum Question: Hashable, Sendable {
        case subscribe(SubscribeRequest, attempt: Int)
        case repair(RepairRequest, attempt: Int)
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
    }
}
