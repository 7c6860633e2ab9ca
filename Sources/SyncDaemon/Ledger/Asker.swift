// Who asked the readers something, and so whom an answer is for.

import EventModel

/// Who waits for a reader's answer.
///
/// The numbers of commands, polls and pages are counted apart, and are equal now and then: an
/// answer says of which kind its own is.
enum Asker: Sendable, Hashable {
    /// A command of a session, or a request of an SDK.
    case client(Origin)
    /// A long poll.
    case poll(Origin)
    /// All subscriptions that need one page of changes.
    case page(PageNumber, reactor: Int)
    /// All who follow a channel and have not heard its state.
    case state(reactor: Int)
    /// All who follow a channel by its summaries, or some of them.
    case summaries(PageNumber, reactor: Int)
    /// A session that follows a wildcard.
    case selection(PageNumber, reactor: Int)

    /// Where the answer goes.
    var reactor: Int {
        switch self {
        case .client(let origin), .poll(let origin): origin.reactor
        case .page(_, let reactor), .state(let reactor), .summaries(_, let reactor),
            .selection(_, let reactor):
            reactor
        }
    }

    /// The one who asked, if it was one.
    var origin: Origin? {
        switch self {
        case .client(let origin), .poll(let origin): origin
        case .page, .state, .summaries, .selection: nil
        }
    }
}

/// Names a page that a reactor asked for.
typealias PageNumber = Int64
