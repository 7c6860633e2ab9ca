// A push to somebody who follows a channel by summaries, read.

import EventModel
import JSON

@testable import SyncClient

/// What it brings.
struct SummaryPush {
    let channel: String
    let cursor: Timetoken
    let events: [Envelope]
    let summaries: [MessageSummary]

    init(_ json: borrowing JSONValue) throws(JSONError) {
        channel = try json.string("c")
        cursor = try json.object("t").timetoken("t")
        let list = try json.array("m")
        let decoder = EnvelopeDecoder(channel: Channel(channel))
        var events: [Envelope] = []
        for index in 0..<list.count {
            events.append(try decoder.envelope(list.element(at: index)))
        }
        self.events = events
        summaries =
            json.member("g") == nil
            ? [] : try ReplyDecoder(keyset: Channel.defaultKeyset).summaries(json, in: "g")
    }
}
