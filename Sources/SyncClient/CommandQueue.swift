// The commands that have no reply yet, and what becomes of them when the connection breaks. Pure.

import Basis
import EventModel

/// Commands in the order in which they were given, sent or not.
///
/// - Invariant: at most ``ClientLimits/commandsInFlightMax`` are sent and unanswered.
struct CommandQueue<Owner> {
    /// A command on its way.
    struct Item {
        let id: CommandID
        let kind: CommandKind
        let frame: [UInt8]
        let deadline: ContinuousClock.Instant
        let owner: Owner
        /// Whether it waits for the next session when the connection breaks before its reply.
        let outlivesConnection: Bool
    }

    private var unsent = Queue<Item>()
    private var inFlight: [CommandID: Item] = [:]
    /// The daemon stops, or the session's token is over: nothing more goes out before the next
    /// session or token.
    private var isHeldBack = false

    var count: Int { unsent.count + inFlight.count }

    mutating func add(_ item: Item) throws(SyncClientError) {
        guard count < ClientLimits.commandsWaitingMax else {
            throw .tooManyWaiting(max: ClientLimits.commandsWaitingMax)
        }
        unsent.append(item)
    }

    /// Takes up a command that goes out before all others, whatever waits.
    mutating func addSent(_ item: Item) {
        inFlight[item.id] = item
    }

    /// The next frame to send, if the daemon may have one more command.
    mutating func nextToSend() -> [UInt8]? {
        guard !isHeldBack, inFlight.count < ClientLimits.commandsInFlightMax,
            let item = unsent.popFirst()
        else { return nil }
        inFlight[item.id] = item
        return item.frame
    }

    func kindInFlight(_ id: CommandID) -> CommandKind? {
        inFlight[id]?.kind
    }

    /// Takes out the command that a reply belongs to.
    mutating func answer(_ id: CommandID) -> Item? {
        inFlight.removeValue(forKey: id)
    }

    /// Takes out a command that nobody waits for any more.
    mutating func cancel(_ id: CommandID) -> Item? {
        inFlight.removeValue(forKey: id) ?? unsent.removeAll { $0.id == id }.first
    }

    /// Puts an unanswered command back, for the next session or token.
    mutating func holdBack(_ item: Item) {
        isHeldBack = true
        unsent.prepend(item)
    }

    /// The session has another token: what was put back goes out, in its order.
    mutating func goOn() {
        guard isHeldBack else { return }
        isHeldBack = false
        let all = unsent.removeAll { _ in true }
        unsent.prepend(contentsOf: all.sorted { $0.id < $1.id })
    }

    /// The connection broke.
    ///
    /// - Returns: What does not outlive it, in order; the rest will be sent again.
    mutating func connectionBroke() -> [Item] {
        isHeldBack = false
        let all = (inFlight.values + unsent.removeAll { _ in true }).sorted { $0.id < $1.id }
        inFlight = [:]
        unsent.prepend(contentsOf: all)
        return unsent.removeAll { !$0.outlivesConnection }
    }

    /// Takes out what is overdue.
    mutating func expire(at now: ContinuousClock.Instant) -> [Item] {
        let sent = inFlight.values.filter { $0.deadline <= now }.sorted { $0.id < $1.id }
        for item in sent { inFlight[item.id] = nil }
        return sent + unsent.removeAll { $0.deadline <= now }
    }

    /// When the next command is overdue.
    var nextDeadline: ContinuousClock.Instant? {
        let sent = inFlight.values.lazy.map(\.deadline).min()
        guard let waiting = unsent.first?.deadline else { return sent }
        return sent.map { min($0, waiting) } ?? waiting
    }

    mutating func removeAll() -> [Item] {
        let all = inFlight.values.sorted { $0.id < $1.id } + unsent.removeAll { _ in true }
        inFlight = [:]
        return all
    }
}
