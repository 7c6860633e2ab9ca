// Answers about message actions and stored messages.

import EventModel
import JSON

// MARK: Message actions

extension PubNubReplyEncoder {
    static func actionAdded(_ action: MessageAction) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.member("status", 200)
            json.name("data")
            json.pubNub(action)
            json.endObject()
        }
    }

    /// Swift needs the status, whatever `data` has.
    static let actionRemoved = response { json in
        json.beginObject()
        json.member("status", 200)
        json.beginObject("data")
        json.endObject()
        json.endObject()
    }

    /// A page of a channel's actions.
    ///
    /// - Parameter page: Descending; ``ActionsPage/next`` says where older ones remain.
    static func actions(
        _ page: ActionsPage, for request: PubNubRequest.ActionsPageRequest, subscribeKey: String
    ) -> HTTPResponse {
        response(reserving: 4096) { json in
            json.beginObject()
            json.member("status", 200)
            json.beginArray("data")
            for action in page.actions.reversed() { json.pubNub(action) }
            json.endArray()
            if case .time(let oldest)? = page.next {
                json.beginObject("more")
                json.name("url")
                json.string(
                    "/v1/message-actions/\(percentEncoded(subscribeKey))/channel/"
                        + "\(percentEncoded(request.channel))?start=\(oldest)"
                        + (request.end.map { "&end=\($0)" } ?? "") + "&limit=\(request.limit)")
                json.member("start", quoted: oldest.rawValue)
                json.member("end", quoted: request.end?.rawValue)
                json.member("limit", request.limit)
                json.endObject()
            }
            json.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func pubNub(_ action: MessageAction) {
        beginObject()
        member("type", action.key.type)
        member("value", action.key.value)
        member("actionTimetoken", quoted: action.actionTimetoken.rawValue)
        member("messageTimetoken", quoted: action.key.messageTimetoken.rawValue)
        member("uuid", action.key.uuid)
        endObject()
    }
}

// MARK: Messages

extension PubNubReplyEncoder {
    /// The history of old: an array, with the ends of the page as numbers.
    static func history(
        _ page: HistoryPage, for request: PubNubRequest.HistoryRequest
    ) -> HTTPResponse {
        response(reserving: 4096) { json in
            json.beginArray()
            json.beginArray()
            for stored in page.messages { json.old(stored, for: request) }
            json.endArray()
            json.integer(page.messages.first?.timetoken.rawValue ?? 0)
            json.integer(page.messages.last?.timetoken.rawValue ?? 0)
            json.endArray()
        }
    }

    /// The history of today, with or without actions.
    ///
    /// - Parameter pages: By channel; those without messages are left out.
    static func fetched(
        _ pages: [(channel: String, page: HistoryPage)], for request: PubNubRequest.FetchRequest,
        subscribeKey: String
    ) -> HTTPResponse {
        response(reserving: 4096) { json in
            json.beginHistory()
            json.beginObject("channels")
            for (channel, page) in pages where !page.messages.isEmpty {
                json.name(escaping: channel)
                json.beginArray()
                for stored in page.messages { json.fetched(stored, for: request) }
                json.endArray()
            }
            json.endObject()
            if request.includesActions, let (channel, page) = pages.first,
                let next = page.truncatedAt
            {
                json.beginObject("more")
                json.name("url")
                json.string(
                    "/v3/history-with-actions/sub-key/\(percentEncoded(subscribeKey))/channel/"
                        + "\(percentEncoded(channel))?start=\(next)"
                        + (request.end.map { "&end=\($0)" } ?? ""))
                json.member("start", quoted: next.rawValue)
                json.member("max", request.limit)
                json.endObject()
            }
            json.endObject()
        }
    }

    /// - Parameter counts: Of every channel that was asked for, zeros included.
    static func counted(_ counts: [(channel: String, count: Int)]) -> HTTPResponse {
        response { json in
            json.beginHistory()
            json.beginObject("channels")
            for (channel, count) in counts {
                json.name(escaping: channel)
                json.integer(count)
            }
            json.endObject()
            json.endObject()
        }
    }

    static let messagesDeleted = response { json in
        json.beginHistory()
        json.endObject()
    }
}

extension HistoryPage {
    /// Where a client goes on that wants what is not on this page; `nil` when nothing is left out.
    ///
    /// A message whose actions are not all here counts, too: it is on this page, and its other
    /// actions are read as actions.
    fileprivate var truncatedAt: Timetoken? {
        let isCut = messages.contains { $0.moreActions != nil }
        return next ?? (isCut ? messages.first?.timetoken : nil)
    }
}

extension JSONWriter {
    fileprivate mutating func beginHistory() {
        beginObject()
        member("status", 200)
        member("error", false)
        member("error_message", "")
    }

    fileprivate mutating func old(
        _ stored: StoredMessage, for request: PubNubRequest.HistoryRequest
    ) {
        guard request.includesTimetokens || request.includesMeta else {
            return raw(stored.message.payload)
        }
        beginObject()
        member("message", raw: stored.message.payload)
        if request.includesTimetokens {
            name("timetoken")
            if request.quotesTimetokens {
                quoted(stored.timetoken.rawValue)
            } else {
                integer(stored.timetoken.rawValue)
            }
        }
        if request.includesMeta {
            member("meta", raw: stored.message.meta ?? #""""#)
        }
        endObject()
    }

    fileprivate mutating func fetched(
        _ stored: StoredMessage, for request: PubNubRequest.FetchRequest
    ) {
        beginObject()
        member("message", raw: stored.message.payload)
        member("timetoken", quoted: stored.timetoken.rawValue)
        if request.includesUser {
            member("uuid", stored.uuid)
        }
        if request.includesMessageType {
            name("message_type")
            if FileMessage.isType(stored.message.type) { integer(4) } else { null() }
        }
        if request.includesCustomType,
            let type = stored.message.type.flatMap(FileMessage.customOrSame)
        {
            member("custom_message_type", type)
        }
        if request.includesMeta {
            member("meta", raw: stored.message.meta ?? #""""#)
        }
        if request.includesActions, !stored.actions.isEmpty {
            name("actions")
            actions(stored.actions)
        }
        endObject()
    }

    /// Type by type and value by value, each in the order in which it first came.
    private mutating func actions(_ actions: [MessageAction]) {
        beginObject()
        for ofType in grouped(actions, by: \.key.type) {
            name(escaping: ofType.name)
            beginObject()
            for ofValue in grouped(ofType.actions, by: \.key.value) {
                name(escaping: ofValue.name)
                beginArray()
                for action in ofValue.actions {
                    beginObject()
                    member("uuid", action.key.uuid)
                    member("actionTimetoken", quoted: action.actionTimetoken.rawValue)
                    endObject()
                }
                endArray()
            }
            endObject()
        }
        endObject()
    }
}

/// Actions by a text of theirs, byte for byte, in order of appearance.
private func grouped(
    _ actions: [MessageAction], by text: (MessageAction) -> String
) -> [(name: String, actions: [MessageAction])] {
    var indexes: [ExactText: Int] = [:]
    var groups: [(name: String, actions: [MessageAction])] = []
    for action in actions {
        let name = text(action)
        if let index = indexes[ExactText(name)] {
            groups[index].actions.append(action)
        } else {
            indexes[ExactText(name)] = groups.count
            groups.append((name, [action]))
        }
    }
    return groups
}
