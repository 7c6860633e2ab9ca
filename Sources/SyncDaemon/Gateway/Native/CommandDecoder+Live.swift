// Commands about live queries.

import EventModel
import JSON

extension CommandDecoder {
    /// How an `actions` is to stay open.
    static func live(_ json: borrowing JSONValue) throws(ProtocolError) -> LiveWish? {
        guard let member = json.member("live") else { return nil }
        if let begins = member.bool { return begins ? .begin : nil }
        guard let id = member.integer, id >= 0 else {
            throw .invalidField("live", "true, or the number of a live query")
        }
        guard json.member("after") != nil else {
            throw ProtocolError(
                .missingField("after", expected: "what the page before said as \"next\""))
        }
        return .extend(id)
    }
}
