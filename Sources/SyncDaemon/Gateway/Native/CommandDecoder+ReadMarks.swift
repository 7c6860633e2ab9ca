// Commands about what a user has read.

import EventModel
import JSON

extension CommandDecoder {
    static func readMark(_ json: borrowing JSONValue) throws(ProtocolError) -> ReadMark {
        ReadMark(
            channel: try json.channelName("channel"), through: try json.timetoken("through"))
    }

    static func unreadChannels(_ json: borrowing JSONValue) throws(ProtocolError) -> [String] {
        let names = try channelNames(json)
        guard names.count <= Limits.unreadChannelsMax else {
            throw .tooManyChannels(
                Limits.unreadChannelsMax, per: "unread", or: "ask for the others in another one")
        }
        return names
    }
}
