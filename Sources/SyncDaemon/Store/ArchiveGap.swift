// What an archive does not know, in words.

import EventModel

/// A time of which an archive has nothing.
struct ArchiveGap: Hashable, Sendable {
    let start: Timetoken
    /// `nil`: it does not go on.
    let end: Timetoken?
}

extension ArchiveGap: CustomStringConvertible {
    var description: String {
        guard let end else {
            return "of what was written behind \(start.dateText) it has no copy of the database"
        }
        return "of what was written between \(start.dateText) and \(end.dateText) nothing is known"
    }
}
