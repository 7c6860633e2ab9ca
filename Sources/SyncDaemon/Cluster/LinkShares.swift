// What tenants have of daemons, and may have, on the link.

import EventModel

extension TenantUse: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self.init(subscribeKey: try reader.value())
        connections = try reader.amount()
        subscriptions = try reader.amount()
        asked = try reader.value()
    }

    func write(to writer: inout LinkWriter) {
        writer.put(subscribeKey)
        writer.put(connections)
        writer.put(subscriptions)
        writer.put(asked)
    }
}

extension TenantShare: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self.init(subscribeKey: try reader.value())
        connections = try reader.amount()
        subscriptions = try reader.amount()
        part = try reader.value()
        guard part <= Self.whole else { throw LinkError() }
    }

    func write(to writer: inout LinkWriter) {
        writer.put(subscribeKey)
        writer.put(connections)
        writer.put(subscriptions)
        writer.put(part)
    }
}

extension LinkReader {
    /// How many of something one daemon has, or several together.
    fileprivate mutating func amount() throws(LinkError) -> Int {
        let count: Int = try value()
        guard (0...Int(Int32.max)).contains(count) else { throw LinkError() }
        return count
    }
}
