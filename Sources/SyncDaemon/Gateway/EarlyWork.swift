// What clients ask who come from a daemon that is some milliseconds ahead of this one.

import EventModel

/// Work that begins at a position which this daemon has not reached yet: it waits in its
/// connection's order, until that is here, or this daemon knows that it is no position of today's.
///
/// Begun at once, it would be taken for a client of a store that was lost, or would bring events a
/// second time.
struct EarlyWork<Work> {
    private struct Client {
        var works: [Work]
        let position: Timetoken
        /// Asked for when it came.
        let mark: Int
        /// Milliseconds.
        let deadline: UInt64
    }

    /// What is to go on.
    struct Ready {
        let client: SessionID
        let works: [Work]
        let end: End
    }

    /// Why it does not wait any more.
    enum End {
        /// This daemon is there.
        case here
        /// It has all that there was when the work came, and is not: so no daemon gave the cursor.
        case nowhere
        /// Nobody can say: this daemon is behind.
        case behind
    }

    private var clients: [SessionID: Client] = [:]
    private var count = 0
    private let countMax: Int

    init(countMax: Int = Limits.aheadMax) { self.countMax = countMax }

    var isEmpty: Bool { clients.isEmpty }

    /// When to look again, in milliseconds, for not every step wakes a reactor; `nil` when nothing
    /// waits.
    func nextDue(after milliseconds: UInt64) -> UInt64? { isEmpty ? nil : milliseconds + 1 }

    /// Whether something of a connection waits: then what comes behind it has to, too.
    func holds(_ client: SessionID) -> Bool { clients[client] != nil }

    /// - Parameters:
    ///   - position: What it waits for, unless something of the connection waits already.
    ///   - mark: As ``Engine/catchUp()`` gives it; likewise.
    ///   - milliseconds: Now.
    /// - Returns: `false` when too much waits already: then it was not taken.
    mutating func wait(
        _ work: Work, for position: Timetoken, mark: @autoclosure () -> Int,
        of client: SessionID, at milliseconds: UInt64
    ) -> Bool {
        guard count < countMax else { return false }
        count += 1
        if clients[client] == nil {
            clients[client] = Client(
                works: [], position: position, mark: mark(),
                deadline: milliseconds + Limits.aheadMilliseconds)
        }
        clients[client]?.works.append(work)
        return true
    }

    /// Takes what need not wait any more.
    ///
    /// - Parameters:
    ///   - position: Where this daemon is.
    ///   - mark: How far it has caught up.
    mutating func take(at position: Timetoken, mark: Int, _ milliseconds: UInt64) -> [Ready] {
        guard !clients.isEmpty else { return [] }
        let ready = clients.compactMap { client, held -> Ready? in
            let end: End? =
                held.position <= position
                ? .here
                : held.mark <= mark ? .nowhere : held.deadline <= milliseconds ? .behind : nil
            return end.map { Ready(client: client, works: held.works, end: $0) }
        }
        for one in ready { forget(one.client) }
        return ready
    }

    /// Forgets what waits of a connection that is gone.
    mutating func forget(_ client: SessionID) {
        count -= clients.removeValue(forKey: client)?.works.count ?? 0
    }
}
