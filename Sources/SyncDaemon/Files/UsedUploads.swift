// Which addresses of uploads were used, so that a file that was deleted does not come back. Pure.

import Basis
import EventModel

/// The ids of uploads that came to a file, for as long as their addresses are good.
struct UsedUploads: Sendable {
    private struct Use: Comparable, Sendable {
        let expires: Int64
        let id: FileID

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.expires < rhs.expires }
    }

    private var ids: Set<FileID> = []
    private var ends = Heap<Use>()
    /// Addresses that are good until then, or less, are used: it is not known any more which were.
    private var floor = Int64.min
    private let max: Int

    init(max: Int = Limits.usedUploadsMax) { self.max = max }

    func contains(_ ticket: FileTicket) -> Bool {
        ticket.expires <= floor || ids.contains(ticket.id)
    }

    /// Notes that an address was used.
    ///
    /// - Parameter now: Unix seconds.
    /// - Returns: Whether it was not before.
    mutating func insert(_ ticket: FileTicket, at now: Int64) -> Bool {
        while let first = ends.first, first.expires <= now { forgetFirst() }
        guard !contains(ticket) else { return false }
        if ids.count >= max, let first = ends.first {
            floor = first.expires
            while let next = ends.first, next.expires <= floor { forgetFirst() }
        }
        ids.insert(ticket.id)
        ends.insert(Use(expires: ticket.expires, id: ticket.id))
        return true
    }

    private mutating func forgetFirst() {
        if let use = ends.popFirst() { ids.remove(use.id) }
    }
}
