// What daemons forward to the one that orders: writes and announcements.

import EventModel

extension Author: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let keyset: String = try reader.value()
        let userID: String = try reader.value()
        self.init(keyset: keyset, userID: userID, deviceID: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(keyset)
        writer.put(userID)
        writer.put(deviceID)
    }
}

extension SessionID: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        guard let slot = UInt32(exactly: try reader.number()),
            let generation = UInt32(exactly: try reader.number())
        else { throw LinkError() }
        self.init(slot: slot, generation: generation)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(UInt64(slot))
        writer.put(UInt64(generation))
    }
}

/// Of the daemon that the client is connected to.
extension Origin: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let reactor: Int = try reader.value()
        guard (0..<ReactorSet.countMax).contains(reactor) else { throw LinkError() }
        let session: SessionID = try reader.value()
        self.init(reactor: reactor, session: session, command: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(reactor)
        writer.put(session)
        writer.put(command)
    }
}

extension Write: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let origin: Origin = try reader.value()
        let author: Author = try reader.value()
        let channel: Channel = try reader.value()
        let operation: Operation = try reader.value()
        let mutation: String? = try reader.value()
        let hoursAsked: Int? = try reader.value()
        let isOfServer: Bool = try reader.value()
        let fingerprint = try reader.number()
        self.init(
            origin: origin, author: author, channel: channel, operation: operation,
            mutation: mutation, hoursAsked: hoursAsked, isOfServer: isOfServer,
            fingerprint: fingerprint)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(origin)
        writer.put(author)
        writer.put(channel)
        writer.put(operation)
        writer.put(mutation)
        writer.put(hoursAsked)
        writer.put(isOfServer)
        // Of what was asked, which an interceptor may have changed since.
        writer.put(fingerprint)
    }
}

extension Write.Operation: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .publish(try reader.value(), hoursKept: try reader.value())
        case 1:
            self = .add(try reader.value(), score: try reader.value(), under: try reader.value())
        case 2:
            self = .remove(
                try reader.value(), observed: try reader.value(), under: try reader.value())
        case 3:
            self = .removeAction(
                messageTimetoken: try reader.value(), actionTimetoken: try reader.value(),
                userID: try reader.value(), under: try reader.value())
        case 4: self = .edit(try reader.value(), under: try reader.value())
        case 5: self = .deleteMessage(try reader.value())
        case 6: self = .deleteMessages(after: try reader.value(), through: try reader.value())
        case 7: self = .clear(try reader.value(), under: try reader.value())
        case 8: self = .changeGroup(try reader.value(), try reader.value())
        case 9: self = .revoke(try reader.value())
        case 10: self = .grant(try reader.value())
        case 11: self = .markRead(through: try reader.value())
        case 12: self = .changeDirectory(try reader.value())
        case 13:
            self = .changeDevice(try reader.value(), try reader.value(), owner: try reader.value())
        case 14: self = .changeFile(try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .publish(let message, let hoursKept):
            writer.put(case: 0, message)
            writer.put(hoursKept)
        case .add(let key, let score, let rules):
            writer.put(case: 1, key)
            writer.put(score)
            writer.put(rules)
        case .remove(let key, let observed, let rules):
            writer.put(case: 2, key)
            writer.put(observed)
            writer.put(rules)
        case .removeAction(let message, let action, let userID, let rules):
            writer.put(case: 3, message)
            writer.put(action)
            writer.put(userID)
            writer.put(rules)
        case .edit(let key, let rules):
            writer.put(case: 4, key)
            writer.put(rules)
        case .deleteMessage(let message): writer.put(case: 5, message)
        case .deleteMessages(let start, let end):
            writer.put(case: 6, start)
            writer.put(end)
        case .clear(let clearing, let rules):
            writer.put(case: 7, clearing)
            writer.put(rules)
        case .changeGroup(let group, let change):
            writer.put(case: 8, group)
            writer.put(change)
        case .revoke(let token): writer.put(case: 9, token)
        case .grant(let grants): writer.put(case: 10, grants)
        case .markRead(let through): writer.put(case: 11, through)
        case .changeDirectory(let request): writer.put(case: 12, request)
        case .changeDevice(let device, let change, let owner):
            writer.put(case: 13, device)
            writer.put(change)
            writer.put(owner)
        case .changeFile(let change): writer.put(case: 14, change)
        }
    }
}

extension Announcement: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let channel: Channel = try reader.value()
        let uuid: String = try reader.value()
        let event: Event = try reader.value()
        let origin: Origin? = try reader.value()
        self.init(
            channel: channel, uuid: uuid, event: event, origin: origin,
            isOfServer: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(channel)
        writer.put(uuid)
        writer.put(event)
        writer.put(origin)
        writer.put(isOfServer)
    }
}
