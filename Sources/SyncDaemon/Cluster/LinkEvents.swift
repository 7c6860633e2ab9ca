// Events on the link.

import EventModel

extension Timetoken: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self.init(rawValue: try reader.number())
    }

    func write(to writer: inout LinkWriter) { writer.put(rawValue) }
}

extension Channel: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let keyset: String = try reader.value()
        self.init(try reader.value(), keyset: keyset)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(keyset)
        writer.put(name)
    }
}

extension Digest: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let count: Int64 = try reader.value()
        self.init(count: count, words: (try reader.number(), try reader.number()))
    }

    func write(to writer: inout LinkWriter) {
        writer.put(count)
        writer.put(words.0)
        writer.put(words.1)
    }
}

extension Message: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let payload: String = try reader.value()
        let meta: String? = try reader.value()
        let type: String? = try reader.value()
        self.init(payload: payload, meta: meta, type: type, parent: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(payload)
        writer.put(meta)
        writer.put(type)
        writer.put(parent)
    }
}

extension MessageAction.Key: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let message: Timetoken = try reader.value()
        let type: String = try reader.value()
        let value: String = try reader.value()
        self.init(messageTimetoken: message, type: type, value: value, uuid: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(messageTimetoken)
        writer.put(type)
        writer.put(value)
        writer.put(uuid)
    }
}

extension MessageAction: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let key: Key = try reader.value()
        let timetoken: Timetoken = try reader.value()
        self.init(key: key, actionTimetoken: timetoken, score: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(key)
        writer.put(actionTimetoken)
        writer.put(score)
    }
}

extension Clearing: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let message: Timetoken? = try reader.value()
        let type: String? = try reader.value()
        let value: String? = try reader.value()
        self.init(messageTimetoken: message, type: type, value: value, userID: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(messageTimetoken)
        writer.put(type)
        writer.put(value)
        writer.put(userID)
    }
}

extension PresenceNotice: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        guard let action = Action(rawValue: try reader.value()) else { throw LinkError() }
        let userID: String? = try reader.value()
        let occupancy: Int = try reader.value()
        let seconds = try reader.number()
        self.init(
            action: action, userID: userID, occupancy: occupancy, seconds: seconds,
            state: try reader.value())
        joined = try reader.value()
        left = try reader.value()
        timedOut = try reader.value()
        needsRefresh = try reader.value()
    }

    func write(to writer: inout LinkWriter) {
        writer.put(action.rawValue)
        writer.put(userID)
        writer.put(occupancy)
        writer.put(seconds)
        writer.put(state)
        writer.put(joined)
        writer.put(left)
        writer.put(timedOut)
        writer.put(needsRefresh)
    }
}

extension DirectoryEntry: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let id: String = try reader.value()
        let content: String = try reader.value()
        self.init(id: id, content: content, timetoken: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(id)
        writer.put(content)
        writer.put(timetoken)
    }
}

extension DirectoryNotice: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let kind: Kind =
            switch try reader.byte() {
            case 0: .user
            case 1: .channel
            case 2: .membership(channel: try reader.value())
            default: throw LinkError()
            }
        let id: String = try reader.value()
        self.init(kind: kind, id: id, entry: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        switch kind {
        case .user: writer.put(byte: 0)
        case .channel: writer.put(byte: 1)
        case .membership(let channel):
            writer.put(byte: 2)
            writer.put(channel)
        }
        writer.put(id)
        writer.put(entry)
    }
}

extension Event: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .message(try reader.value())
        case 1: self = .actionAdded(try reader.value())
        case 2: self = .actionRemoved(try reader.value())
        case 3: self = .messagesDeleted(after: try reader.value(), through: try reader.value())
        case 4: self = .actionsCleared(try reader.value())
        case 5: self = .signal(try reader.value())
        case 6: self = .presence(try reader.value())
        case 7: self = .directory(try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .message(let message): writer.put(case: 0, message)
        case .actionAdded(let action): writer.put(case: 1, action)
        case .actionRemoved(let action): writer.put(case: 2, action)
        case .messagesDeleted(let start, let end):
            writer.put(case: 3, start)
            writer.put(end)
        case .actionsCleared(let clearing): writer.put(case: 4, clearing)
        case .signal(let message): writer.put(case: 5, message)
        case .presence(let notice): writer.put(case: 6, notice)
        case .directory(let notice): writer.put(case: 7, notice)
        }
    }
}

extension Envelope: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let channel: Channel = try reader.value()
        let timetoken: Timetoken = try reader.value()
        let uuid: String = try reader.value()
        let event: Event = try reader.value()
        let isStored: Bool = try reader.value()
        self.init(
            channel: channel, timetoken: timetoken, uuid: uuid, event: event, isStored: isStored,
            gone: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(channel)
        writer.put(timetoken)
        writer.put(uuid)
        writer.put(event)
        writer.put(isStored)
        writer.put(gone)
    }
}
