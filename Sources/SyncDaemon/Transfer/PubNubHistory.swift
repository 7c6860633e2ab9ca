// PubNub's stored messages, as its REST API and its SDKs answer them.
//
// One file may hold any number of answers, behind each other or one per line:
//
// - `/v3/history` and `/v3/history-with-actions`: {"channels":{"room":[{"message":…,
//   "timetoken":"…","uuid":…,"meta":…,"message_type":…,"custom_message_type":…,
//   "actions":{TYPE:{VALUE:[{"uuid":…,"actionTimetoken":"…"}]}}}]}}
// - `/v1/message-actions`: {"data":[{"type":…,"value":…,"uuid":…,"actionTimetoken":"…",
//   "messageTimetoken":"…"}]}, which does not say of which channel it is
// - `/v2/history` with `include_token`: [[{"message":…,"timetoken":…}],…], likewise
//
// - Source: PubNub's REST API reference ("Get message history with actions", "Get message
//   actions", "History v2"); the Python and JavaScript SDKs read the same.

import EventModel
import JSON

/// Rows of PubNub's answers; timetokens stay as they are.
struct PubNubHistory: ForeignReader {
    static let words = "an answer of PubNub's history or of its message actions"

    /// Of answers that do not say it; `nil`: those have no counterpart.
    let channel: String?
    private(set) var unmapped = Unmapped()

    init(channel: String?) {
        self.channel = channel
    }

    /// Who wrote what nobody is named of.
    private static let nobody = "unknown"

    func enters(_ path: [JSONSplitter.Step]) -> Bool {
        switch path.count {
        case 0: true
        case 1: path == [.member("channels")] || path == [.member("data")] || path == [.element]
        case 2:
            if case .member = path[1] { path[0] == .member("channels") } else { false }
        default: false
        }
    }

    mutating func rows(of value: JSONValue, at path: [JSONSplitter.Step]) -> [ForeignRow] {
        guard path.last == .element else { return [] }
        switch (path.first, path.count) {
        case (.member("channels"), 3):
            guard case .member(let name) = path[1] else { return [] }
            return messageRows(of: value, in: name)
        case (.member("data"), 2): return actionRow(of: value)
        case (.element, 2):
            guard let channel else {
                unmapped.note("messages that do not say of which channel they are: --channel does")
                return []
            }
            return messageRows(of: value, in: channel)
        default: return []
        }
    }

    private mutating func messageRows(of value: JSONValue, in name: String) -> [ForeignRow] {
        guard unmapped.takes(channel: name) else { return [] }
        guard let timetoken = value.pubNubTimetoken("timetoken"), value.has("message") else {
            unmapped.note("messages without a timetoken of 17 digits")
            return []
        }
        var user = value.member("uuid")?.string ?? ""
        if user.isEmpty || user.utf8.count > Limits.identifierBytesMax {
            unmapped.note("messages without a uuid: they are by \"\(Self.nobody)\"")
            user = Self.nobody
        }
        if value.member("message_type")?.integer == 4 {
            unmapped.note("files: the message is kept, the file is not")
        }
        // Without metadata PubNub says "".
        let meta = value.member("meta").flatMap { $0.string == "" ? nil : $0.compactText }
        let message = Message(
            payload: value.text(of: "message"), meta: meta,
            type: unmapped.messageType(value.member("custom_message_type")?.string))
        let record = KeptMessage(timetoken: timetoken, uuid: user, message: message)
        return [ForeignRow(channel: name, record: .message(record))]
            + actions(of: value, on: timetoken, in: name)
    }

    private mutating func actions(
        of value: JSONValue, on message: Timetoken, in name: String
    ) -> [ForeignRow] {
        var rows: [ForeignRow] = []
        for (type, values) in value.member("actions")?.members ?? [] {
            for (said, users) in values.members where users.isArray {
                for index in 0..<users.count {
                    let user = users.element(at: index)
                    guard let uuid = user.member("uuid")?.string,
                        let added = user.pubNubTimetoken("actionTimetoken")
                    else {
                        unmapped.note("actions without a user or a timetoken")
                        continue
                    }
                    guard unmapped.takes(type: type, value: said, by: uuid) else { continue }
                    let key = MessageAction.Key(
                        messageTimetoken: message, type: type, value: said, uuid: uuid)
                    rows.append(ForeignRow(channel: name, key, added: added))
                }
            }
        }
        return rows
    }

    private mutating func actionRow(of value: JSONValue) -> [ForeignRow] {
        guard let channel else {
            unmapped.note("actions that do not say of which channel they are: --channel does")
            return []
        }
        guard let message = value.pubNubTimetoken("messageTimetoken"),
            let added = value.pubNubTimetoken("actionTimetoken"),
            let type = value.member("type")?.string, let said = value.member("value")?.string,
            let uuid = value.member("uuid")?.string
        else {
            unmapped.note("actions without a user or a timetoken")
            return []
        }
        guard unmapped.takes(type: type, value: said, by: uuid) else { return [] }
        let key = MessageAction.Key(
            messageTimetoken: message, type: type, value: said, uuid: uuid)
        return [ForeignRow(channel: channel, key, added: added)]
    }
}

extension ForeignRow {
    init(channel: String, _ key: MessageAction.Key, added: Timetoken, score: Int = 1) {
        let action = MessageAction(key: key, actionTimetoken: added, score: score)
        self.init(channel: channel, record: .action(KeptAction(action: action)))
    }
}

extension JSONValue {
    /// A member's JSON text, `null` included; `null` when it is absent.
    func text(of name: String) -> String {
        members.first { $0.name == name }?.value.compactText ?? "null"
    }

    /// A timetoken of 17 digits, as a string or as a number.
    fileprivate func pubNubTimetoken(_ name: String) -> Timetoken? {
        let member = member(name)
        let text = member?.string ?? (member?.integer).map { String($0) }
        guard let text, text.utf8.count == 17 else { return nil }
        return Timetoken(text)
    }
}
