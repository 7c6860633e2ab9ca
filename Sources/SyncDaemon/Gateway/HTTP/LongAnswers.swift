// Long answers, a few of which a turn puts into words.

import Basis
import EventModel

/// What readers found for requests: what is short is answered at once, of what is long a turn
/// answers only so much.
struct LongAnswers {
    private var waiting = Queue<(origin: Origin, reply: Reply, bytes: Int)>()
    private var waitingBytes = 0
    /// Of this turn.
    private var answeredBytes = 0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func beginTurn() { answeredBytes = 0 }

    /// Whether an answer may be made at once; else it is to be put in with ``wait(_:for:)``.
    mutating func admits(_ reply: Reply) -> Bool {
        let bytes = reply.roughBytes
        guard bytes > Limits.unsentRestBytesMin else { return true }
        guard waiting.isEmpty, answeredBytes < Limits.answeredBytesPerTurnMax else { return false }
        answeredBytes += bytes
        return true
    }

    /// Has an answer wait for its turn.
    ///
    /// - Returns: `false` when too much waits already: then it was not taken.
    mutating func wait(_ reply: Reply, for origin: Origin) -> Bool {
        let bytes = reply.roughBytes
        guard waitingBytes + bytes <= Limits.answersWaitingBytesMax else { return false }
        waiting.append((origin, reply, bytes))
        waitingBytes += bytes
        return true
    }

    /// What is next; `nil` when nothing waits, or this turn made enough.
    mutating func next() -> (origin: Origin, reply: Reply)? {
        guard answeredBytes < Limits.answeredBytesPerTurnMax, let first = waiting.popFirst() else {
            return nil
        }
        waitingBytes -= first.bytes
        answeredBytes += first.bytes
        return (first.origin, first.reply)
    }
}

extension Reply {
    /// Bytes of what clients wrote in it, roughly: what is longest in long answers.
    ///
    /// - Complexity: O(messages).
    fileprivate var roughBytes: Int {
        switch self {
        case .history(let page): page.messages.reduce(0) { $0 + $1.roughBytes }
        case .histories(let channels):
            channels.reduce(0) { $0 + $1.page.messages.reduce(0) { $0 + $1.roughBytes } }
        case .actions(let page): page.actions.count * 100
        default: 0
        }
    }
}

extension StoredMessage {
    fileprivate var roughBytes: Int {
        message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + actions.count * 100 + 50
    }
}
