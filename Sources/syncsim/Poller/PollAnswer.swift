// What a long poll was answered, read as an SDK reads it.

import EventModel
import JSON

/// The cursor and the events of an answer.
struct PollAnswer {
    struct Event {
        let timetoken: Timetoken
        let channel: Channel
        /// Compact JSON text.
        let payload: String?
    }

    let cursor: Timetoken
    let events: [Event]

    /// - Returns: `nil` for what is no answer to a poll.
    init?(_ body: [UInt8]) {
        do throws(JSONError) {
            let json = try unsafe JSONValue(parsing: body.span.bytes)
            guard let cursor = Timetoken(try json.object("t").string("t")) else { return nil }
            self.cursor = cursor
            let list = try json.array("m")
            var events: [Event] = []
            for index in 0..<list.count {
                let event = list.element(at: index)
                guard let timetoken = Timetoken(try event.object("p").string("t")) else {
                    return nil
                }
                events.append(
                    Event(
                        timetoken: timetoken, channel: Channel(try event.string("c")),
                        payload: event.member("d")?.compactText))
            }
            self.events = events
        } catch {
            return nil
        }
    }
}
