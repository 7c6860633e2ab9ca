// What waits for an interceptor's answer: a write, or an event that is not stored.

import Basis
import EventModel
import JSON

/// Something that a client wants to happen, before it has a place in the order.
enum Intercepted: Sendable {
    case write(Write)
    case announcement(Announcement, origin: Origin)
}

/// What an interceptor says to it.
enum InterceptorVerdict: Hashable, Sendable {
    /// It may happen; with another payload or metadata, as compact JSON, where that is not `nil`.
    ///
    /// `null` is a payload, and no metadata.
    case allowed(payload: String? = nil, meta: String? = nil)
    /// - Parameter reason: For the client.
    case refused(reason: String)
    /// It may happen, as something that nobody may write.
    ///
    /// - Parameter reason: For the operator.
    case unusable(reason: String)
    /// There was no answer.
    ///
    /// - Parameter reason: Likewise.
    case failed(reason: String)
    /// There was one that cannot be understood.
    ///
    /// - Parameter reason: Likewise.
    case unclear(reason: String)
    /// So much waits that it was not asked in time: no fault of the interceptor's.
    case unasked
}

extension Intercepted {
    /// Whether and as what interceptors are asked about it.
    var kind: Interceptor.Kind? {
        switch self {
        case .write(let write):
            switch write.operation {
            case .publish: .publish
            case .edit: .edit
            case .add(let key, _, _): key.isVersion ? .edit : .addAction
            default: nil
            }
        case .announcement(let announcement, _):
            switch announcement.event {
            case .message: .publish
            case .signal: .signal
            default: nil
            }
        }
    }

    var channel: Channel {
        switch self {
        case .write(let write): write.channel
        case .announcement(let announcement, _): announcement.channel
        }
    }

    var userID: String {
        switch self {
        case .write(let write): write.author.userID
        case .announcement(let announcement, _): announcement.uuid
        }
    }

    var isOfServer: Bool {
        switch self {
        case .write(let write): write.isOfServer
        case .announcement(let announcement, _): announcement.isOfServer
        }
    }

    var origin: Origin {
        switch self {
        case .write(let write): write.origin
        case .announcement(_, let origin): origin
        }
    }

    /// It, if it may have been carried out before.
    var named: Write? {
        if case .write(let write) = self, write.mutation != nil { write } else { nil }
    }

    /// Bytes that it takes while it waits.
    var size: Int {
        switch self {
        case .write(let write): write.size
        case .announcement(let announcement, _): announcement.size
        }
    }

    /// The same, saying something else.
    ///
    /// An action stays as it is: who made it could not take back what others see instead.
    func saying(payload: String?, meta: String?) -> Intercepted {
        switch self {
        case .write(let write): .write(write.saying(payload: payload, meta: meta))
        case .announcement(let announcement, let origin):
            .announcement(announcement.saying(payload: payload, meta: meta), origin: origin)
        }
    }
}

extension Message {
    fileprivate func saying(payload: String?, meta: String?) -> Message {
        Message(
            payload: payload ?? self.payload, meta: meta == "null" ? nil : meta ?? self.meta,
            type: type, parent: parent)
    }
}

extension Write {
    fileprivate func saying(payload: String?, meta: String?) -> Write {
        switch operation {
        case .publish(let message, let hoursKept):
            changed(
                to: .publish(message.saying(payload: payload, meta: meta), hoursKept: hoursKept))
        case .edit(let key, let rules):
            changed(to: .edit(key.saying(payload ?? key.value), under: rules))
        case .add(let key, let score, let rules):
            changed(
                to: .add(
                    key.saying(payload.map(MessageAction.Key.value) ?? key.value), score: score,
                    under: rules))
        default: self
        }
    }
}

extension MessageAction.Key {
    fileprivate func saying(_ value: String) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: messageTimetoken, type: type, value: value, uuid: uuid)
    }

    /// A payload as SDKs write it into an action: a text is itself, where that means the same.
    fileprivate static func value(_ payload: String) -> String {
        let text = (try? JSONValue(parsing: payload, depthMax: Limits.jsonDepthMax))?.string
        return text.flatMap { JSONValue.payload(saying: $0) == payload ? $0 : nil } ?? payload
    }
}

extension Announcement {
    fileprivate func saying(payload: String?, meta: String?) -> Announcement {
        let event: Event =
            switch event {
            case .message(let message): .message(message.saying(payload: payload, meta: meta))
            case .signal(let message): .signal(message.saying(payload: payload, meta: meta))
            default: event
            }
        return Announcement(
            channel: channel, uuid: uuid, event: event, origin: origin, isOfServer: isOfServer)
    }
}
