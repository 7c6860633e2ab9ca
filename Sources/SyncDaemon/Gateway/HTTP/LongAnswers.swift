// Long answers, a few of which a turn puts into words.

import Basis
import EventModel

/// What readers and presence found for requests, and lists that are to be made: what is short is
/// answered at once, of what is long a turn answers only so much.
struct LongAnswers {
    enum Answer {
        case reply(Reply)
        case presence(PresenceReply)
        /// Made when it is its turn.
        case list
    }

    private var waiting = Queue<(origin: Origin, answer: Answer, bytes: Int)>()
    private var waitingBytes = 0
    /// Of this turn.
    private var answeredBytes = 0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func beginTurn() { answeredBytes = 0 }

    /// Whether an answer may be made at once; else it is to be put in with ``wait(_:for:)``.
    mutating func admits(_ answer: Answer) -> Bool {
        let bytes = answer.roughBytes
        guard bytes > Limits.answeredShortBytesMax else { return true }
        guard waiting.isEmpty, answeredBytes < Limits.answeredBytesPerTurnMax else { return false }
        answeredBytes += bytes
        return true
    }

    /// Has an answer wait for its turn.
    ///
    /// - Parameter memoryMax: Bytes that the process may have; 0 for no bound.
    /// - Returns: `false` when too much waits already: then it was not taken.
    mutating func wait(_ answer: Answer, for origin: Origin, within memoryMax: Int) -> Bool {
        let bytes = answer.roughBytes
        let most = Limits.cacheBytes(Limits.answersWaitingBytesMax, within: memoryMax)
        // One alone may be more than that.
        guard waiting.isEmpty || waitingBytes + bytes <= most else { return false }
        waiting.append((origin, answer, bytes))
        waitingBytes += bytes
        return true
    }

    /// What is next; `nil` when nothing waits, or this turn made enough.
    mutating func next() -> (origin: Origin, answer: Answer)? {
        guard answeredBytes < Limits.answeredBytesPerTurnMax, let first = waiting.popFirst() else {
            return nil
        }
        waitingBytes -= first.bytes
        answeredBytes += first.bytes
        return (first.origin, first.answer)
    }
}

extension LongAnswers.Answer {
    /// Bytes of what clients wrote in it, roughly: what is longest in long answers.
    ///
    /// - Complexity: O(messages, or channels and users).
    fileprivate var roughBytes: Int {
        switch self {
        case .reply(.history(let page)): page.messages.reduce(0) { $0 + $1.roughBytes }
        case .reply(.histories(let channels)):
            channels.reduce(0) { $0 + $1.page.messages.reduce(0) { $0 + $1.roughBytes } }
        case .reply(.actions(let page)): page.actions.count * 100
        case .reply(.directory(let page)):
            page.rows.reduce(0) {
                $0 + $1.entry.content.utf8.count + ($1.subject?.content.utf8.count ?? 0) + 100
            }
        case .reply: 0
        case .presence(.occupancy(let channels)): channels.reduce(0) { $0 + $1.roughBytes }
        case .presence(.survey(let survey)): survey.channels.reduce(0) { $0 + $1.roughBytes }
        case .presence(.channels(let names)): names.count * 40
        case .presence: 0
        case .list: Limits.answeredListBytes
        }
    }
}

extension StoredMessage {
    fileprivate var roughBytes: Int {
        message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + actions.count * 100 + 50
    }
}

extension Occupancy {
    fileprivate var roughBytes: Int {
        users.reduce(channel.utf8.count + 30) { $0 + 40 + ($1.state?.utf8.count ?? 0) }
    }
}
