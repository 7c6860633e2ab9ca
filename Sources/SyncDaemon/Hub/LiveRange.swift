// Which part of a live query's order its pages brought, and as of when. Pure.

import EventModel

/// From where a query began to where its last page ended, page by page: each is as of a commit of
/// its own, and what happened in it later has to be told.
struct LiveRange {
    private struct Part {
        /// Included; `nil`: the end of the order.
        let end: ActionsPlace?
        let position: Timetoken
    }

    /// For its order, and for where the range begins.
    private let query: ActionsQuery
    /// In order.
    private var parts: [Part] = []

    /// - Parameter query: Its `after` is where the range begins.
    init(of query: ActionsQuery) {
        self.query = query
    }

    /// Where the next page begins; `nil`: the range has the end of the order.
    var end: ActionsPlace? { parts.isEmpty ? query.after : parts[parts.count - 1].end }
    var hasPage: Bool { !parts.isEmpty }

    /// Takes the page that begins where the one before ended.
    ///
    /// - Parameters:
    ///   - end: Where the page ends; `nil`: at the end of the order.
    ///   - position: The commit that it is of.
    ///   - heard: Every change up to here was looked at.
    mutating func extend(to end: ActionsPlace?, at position: Timetoken, heard: Timetoken) {
        // What both have is all that can still come: they are one.
        while let last = parts.last, max(last.position, position) <= heard { parts.removeLast() }
        parts.append(Part(end: end, position: position))
    }

    /// Whether a place is in the page that comes next and ends there.
    func isNew(_ place: ActionsPlace, to pageEnd: ActionsPlace?) -> Bool {
        (end.map { query.precedes($0, place) } ?? true)
            && (pageEnd.map { !query.precedes($0, place) } ?? true)
    }

    /// The commit of which the part is that has a place; `nil`: no page has come so far.
    ///
    /// - Complexity: O(parts), of which there are few.
    func position(at place: ActionsPlace) -> Timetoken? {
        guard query.reaches(place) else { return nil }
        return parts.first { part in part.end.map { !query.precedes($0, place) } ?? true }?.position
    }

    /// Whether some part does not know of a change.
    func lacks(_ change: Timetoken) -> Bool { parts.contains { $0.position < change } }
}
