// Where a stream of server-sent events is: what their ids say.

import EventModel

/// The id of an event: `EPOCH-CURSOR`, or `EPOCH-DURABLE-CURSOR` where nothing was stored there.
///
/// A store that was put back, or another one, has not given it; that is seen by the epoch, and by
/// `durable`: a restarted daemon knows nothing of a cursor between two commits.
struct StreamPlace: Hashable, Sendable {
    /// `nil` for a timetoken alone, as earlier releases gave it, or somebody's clock.
    let epoch: String?
    /// A commit that the client has everything of; at or before the cursor.
    let durable: Timetoken
    let cursor: Timetoken

    /// As a query and a header have it.
    static let pattern = #"^([0-9a-z.]{1,64}-([0-9]{1,18}-)?)?[0-9]{1,18}$"#

    init(epoch: String, durable: Timetoken, cursor: Timetoken) {
        (self.epoch, self.durable, self.cursor) = (epoch, durable, cursor)
    }

    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count), let cursor = Timetoken(parts[parts.count - 1]),
            let durable = parts.count == 3 ? Timetoken(parts[1]) : cursor, durable <= cursor
        else { return nil }
        if parts.count > 1 {
            guard !parts[0].isEmpty,
                parts[0].utf8.allSatisfy({
                    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2E
                })
            else { return nil }
        }
        (self.durable, self.cursor) = (durable, cursor)
        epoch = parts.count > 1 ? parts[0] : nil
    }

    var text: String {
        var text = epoch.map { "\($0)-" } ?? ""
        if durable != cursor { text += "\(durable)-" }
        return text + "\(cursor)"
    }
}
