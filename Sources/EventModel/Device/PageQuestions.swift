// What a device asks of the messages before those that it holds: one page at a time.

/// The page that a channel waits for, and the wishes for others.
struct PageQuestions: Sendable {
    /// Why a page is asked for.
    enum Reason: Hashable, Sendable {
        /// Nothing is held yet.
        case opening
        /// What is before the window is not known, or to be looked at again; it has no messages.
        case rest
        /// A person looks for older ones.
        case older
        /// The window has fewer messages than it is to show.
        case filling
    }

    /// The page that is on its way.
    var asked: (number: Int, reason: Reason)?
    /// How many older messages somebody waits for.
    var older: Int?
    /// What is before the window is to be compared, whatever is known of it.
    var comparesRest = false
    /// The server had no room: nothing more is asked before ``ChannelSync/retry()``.
    var isRefused = false
    /// It refused to fill the window: not again in this session.
    var isUnfillable = false
    private var last = 0

    mutating func connect() { (isRefused, isUnfillable) = (false, false) }

    /// Notes a question.
    mutating func next(_ reason: Reason) -> Int {
        last += 1
        asked = (last, reason)
        return last
    }
}
