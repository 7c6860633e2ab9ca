// Read marks of replies and frames, read.

import EventModel
import JSON

extension ReplyDecoder {
    func unread(_ result: borrowing JSONValue) throws(JSONError) -> [UnreadMessages] {
        let list = try result.array("channels")
        var channels: [UnreadMessages] = []
        for index in 0..<list.count {
            let channel = list.element(at: index)
            channels.append(
                UnreadMessages(
                    channel: try channel.string("name"),
                    through: try channel.optionalTimetoken("through"),
                    count: Int(try channel.integer("count")), hasMore: try channel.flag("more")))
        }
        return channels
    }
}

extension JSONValue {
    /// Where marks of the user are now, in the member `read`.
    func readMarks() throws(JSONError) -> [ReadMark] {
        let list = try array("read")
        var marks: [ReadMark] = []
        for index in 0..<list.count {
            let mark = list.element(at: index)
            marks.append(
                ReadMark(
                    channel: try mark.string("name"), through: try mark.timetoken("through")))
        }
        return marks
    }
}
