// What became of writes, on their way back to the daemon that forwarded them.

import EventModel

extension ProtocolError: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let status: Int = try reader.value()
        let code: String = try reader.value()
        let message: String = try reader.value()
        self.init(
            status: status, code: code, message: message, retryAfterSeconds: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(status)
        writer.put(code)
        writer.put(message)
        writer.put(retryAfterSeconds)
    }
}

extension Answer: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let origin: Origin = try reader.value()
        self.init(
            origin: origin,
            result: try reader.value(Bool.self)
                ? .success(try reader.value()) : .failure(try reader.value()))
    }

    func write(to writer: inout LinkWriter) {
        writer.put(origin)
        switch result {
        case .success(let reply):
            writer.put(true)
            writer.put(reply)
        case .failure(let error):
            writer.put(false)
            writer.put(error)
        }
    }
}

/// Those that the order and its ledger give; what readers find never takes this way.
extension Reply: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .published(try reader.value())
        case 1:
            let action: MessageAction = try reader.value()
            guard let addition = Addition(rawValue: try reader.value()) else { throw LinkError() }
            self = .actionAdded(action, addition)
        case 2:
            guard let removal = Removal(rawValue: try reader.value()) else { throw LinkError() }
            self = .actionRemoved(removal)
        case 3: self = .markedRead(through: try reader.value())
        case 4: self = .pong(try reader.value())
        case 5: self = .messagesDeleted(try reader.value())
        case 6: self = .messageDeleted(try reader.value())
        case 7: self = .actionsCleared(try reader.value(), count: try reader.value())
        case 8: self = .groupChanged
        case 9: self = .deviceChanged
        case 10: self = .fileAdded
        case 11: self = .fileRemoved(id: try reader.value())
        case 12: self = .tokenRevoked
        case 13: self = .keysGranted
        case 14: self = .directoryChanged(try reader.value(), entry: try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .published(let timetoken): writer.put(case: 0, timetoken)
        case .actionAdded(let action, let addition):
            writer.put(case: 1, action)
            writer.put(addition.rawValue)
        case .actionRemoved(let removal): writer.put(case: 2, removal.rawValue)
        case .markedRead(let through): writer.put(case: 3, through)
        case .pong(let timetoken): writer.put(case: 4, timetoken)
        case .messagesDeleted(let timetoken): writer.put(case: 5, timetoken)
        case .messageDeleted(let timetoken): writer.put(case: 6, timetoken)
        case .actionsCleared(let timetoken, let count):
            writer.put(case: 7, timetoken)
            writer.put(count)
        case .groupChanged: writer.put(byte: 8)
        case .deviceChanged: writer.put(byte: 9)
        case .fileAdded: writer.put(byte: 10)
        case .fileRemoved(let id): writer.put(case: 11, id)
        case .tokenRevoked: writer.put(byte: 12)
        case .keysGranted: writer.put(byte: 13)
        case .directoryChanged(let timetoken, let entry):
            writer.put(case: 14, timetoken)
            writer.put(entry)
        case .hello, .subscribed, .unsubscribed, .followed, .unfollowed, .repair, .history, .older,
            .actions, .summaries, .liveEnded, .unread, .hereNow, .whereNow, .state, .tokenShown,
            .deviceChannels, .files, .group, .directory, .histories, .messageCounts:
            preconditionFailure("The order gave an answer of a reader's.")
        }
    }
}
