// The question for summaries, read.

import EventModel
import JSON

extension CommandDecoder {
    static func summaries(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> SummariesQuery {
        let expected = "a list of 1 to \(Limits.summariesMax) timetokens, or objects with m and h"
        let list = try json.read { (json) throws(JSONError) in try json.array("messages") }
        guard (1...Limits.summariesMax).contains(list.count) else {
            throw .invalidField("messages", expected)
        }
        var messages: [SummariesQuery.Message] = []
        for index in 0..<list.count {
            let entry = list.element(at: index)
            if entry.isObject {
                messages.append(
                    SummariesQuery.Message(
                        try entry.timetoken("m"), state: try entry.summaryState()))
            } else if let timetoken = entry.string.flatMap({ Timetoken($0) }) {
                messages.append(SummariesQuery.Message(timetoken))
            } else {
                throw .invalidField("messages", expected)
            }
        }
        // Each costs what its message has.
        var seen: Set<Timetoken> = []
        return SummariesQuery(
            channel: try json.channelName("channel"),
            messages: messages.filter { seen.insert($0.timetoken).inserted })
    }
}

extension JSONValue {
    fileprivate func summaryState() throws(ProtocolError) -> SummaryState? {
        guard let text = try optionalText("h", bytesMax: 32) else { return nil }
        guard let state = SummaryState(text) else {
            throw .invalidField("h", "32 hexadecimal digits, as a summary has them")
        }
        return state
    }
}
