// Steps of the order, as every daemon is told of them.

import EventModel

extension GroupMembership: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let group: ChannelGroup = try reader.value()
        self.init(group: group, channels: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(group)
        writer.put(channels)
    }
}

extension MovedMark: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let channel: Channel = try reader.value()
        let userID: String = try reader.value()
        self.init(channel: channel, userID: userID, through: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(channel)
        writer.put(userID)
        writer.put(through)
    }
}

extension StoreFloors: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let tombstones: Timetoken = try reader.value()
        self.init(tombstones: tombstones, deletions: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(tombstones)
        writer.put(deletions)
    }
}

/// Without answers, which go to one daemon each, and without what only the one with the store does
/// anything about: its log and its webhooks.
extension Commit: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self.init()
        last = try reader.value()
        durable = try reader.value()
        ceiling = try reader.value()
        events = try reader.value()
        for _ in 0..<(try reader.length()) {
            let channel: Channel = try reader.value()
            digests[channel] = try reader.value(Digest.self)
        }
        groups = try reader.value()
        revoked = try reader.value()
        forgottenRevoked = try reader.value()
        keyGrants = try reader.value()
        forgottenKeyGrants = try reader.value()
        readMarks = try reader.value()
        floors = try reader.value()
    }

    func write(to writer: inout LinkWriter) {
        writer.put(last)
        writer.put(durable)
        writer.put(ceiling)
        writer.put(events)
        writer.put(UInt64(digests.count))
        for (channel, digest) in digests {
            writer.put(channel)
            writer.put(digest)
        }
        writer.put(groups)
        writer.put(revoked)
        writer.put(forgottenRevoked)
        writer.put(keyGrants)
        writer.put(forgottenKeyGrants)
        writer.put(readMarks)
        writer.put(floors)
    }
}
