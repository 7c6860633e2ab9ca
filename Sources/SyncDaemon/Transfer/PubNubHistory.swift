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
    private(set) var refusal: String?
    private(set) var lack: String?
    private var noted = Unmapped()
    /// Where answers say that there is more before them, by channel, and the oldest message there.
    private var pages: [ExactText: (oldest: Timetoken, isCut: Bool)] = [:]
    /// Of the message that was read last: "more" stands behind them.
    private var lastChannel: ExactText?

    init(channel: String?) {
        self.channel = channel
    }

    /// Who wrote what nobody is named of.
    private static let nobody = "unknown"

    private static let lacksChannel =
        "nothing in it says of which channel it is. Name that with --channel."

    var unmapped: Unmapped {
        let cut = pages.values.count { $0.isCut }
        var all = noted
        if cut > 0 {
            all.note("channels with more before their oldest message: ask PubNub with start", cut)
        }
        return all
    }

    func enters(_ path: [JSONSplitter.Step]) -> Bool {
        switch path.count {
        case 0: true
        case 1: path == [.member("channels")] || path == [.member("data")] || path == [.element]
        case 2:
            if case .member = path[1] { path[0] == .member("channels") } else { false }
        default: false
        }
    }

    /// Stream has an array there.
    func belies(_ path: [JSONSplitter.Step]) -> Bool { path == [.member("channels"), .element] }

    mutating func rows(of value: JSONValue, at path: [JSONSplitter.Step]) -> [ForeignRow] {
        if path.count == 1, case .member(let name)? = path.first { take(name, value) }
        guard path.last == .element else { return [] }
        switch (path.first, path.count) {
        case (.member("channels"), 3):
            guard case .member(let name) = path[1] else { return [] }
            return messageRows(of: value, in: name)
        case (.member("data"), 2): return actionRow(of: value)
        case (.element, 2):
            guard let channel else {
                lack = Self.lacksChannel
                noted.note("messages that do not say of which channel they are: --channel does")
                return []
            }
            return messageRows(of: value, in: channel)
        default: return []
        }
    }

    /// What an answer says of itself.
    private mutating func take(_ name: String, _ value: JSONValue) {
        switch name {
        case "status":
            guard let status = value.integer, status >= 400 else { return }
            refuse("with the status \(status)")
        case "error" where value.isObject || value.bool == true: refuse("which says so itself")
        case "more":
            guard let channel = lastChannel, let oldest = pages[channel]?.oldest else { return }
            // The page before it may have been read already.
            guard value.pubNubTimetoken("start").map({ oldest >= $0 }) ?? true else { return }
            pages[channel]?.isCut = true
        default: break
        }
    }

    /// An answer with users, channels or members has `data`, too.
    private mutating func refuseObjects() {
        guard refusal == nil else { return }
        refusal =
            "it is an answer of App Context, with users, channels or members, and no messages."
            + " Write these with setUser, setChannel and setMembers (docs/MIGRATING.md)."
    }

    private mutating func refuse(_ reason: String) {
        guard refusal == nil else { return }
        refusal =
            "it is an error of PubNub's, \(reason), and no messages. Ask PubNub once more, and put"
            + " that answer in its place."
    }

    /// Whatever is before the oldest message so far is the page that was missing.
    private mutating func note(_ timetoken: Timetoken, in channel: ExactText) {
        lastChannel = channel
        guard pages[channel].map({ timetoken < $0.oldest }) ?? true else { return }
        pages[channel] = (timetoken, false)
    }

    private mutating func messageRows(of value: JSONValue, in name: String) -> [ForeignRow] {
        guard noted.takes(channel: name) else { return [] }
        guard let timetoken = value.pubNubTimetoken("timetoken"), value.has("message") else {
            lack = lack ?? "no message in it has a timetoken. Ask PubNub with include_token=true."
            noted.note("messages without a timetoken of 17 digits")
            return []
        }
        note(timetoken, in: ExactText(name))
        var user = value.member("uuid")?.string ?? ""
        if user.isEmpty || user.utf8.count > Limits.identifierBytesMax {
            noted.note("messages without a uuid: they are by \"\(Self.nobody)\"")
            user = Self.nobody
        }
        if value.member("message_type")?.integer == 4 {
            noted.note("files: the message is kept, the file is not")
        }
        // Without metadata PubNub says "".
        let meta = value.member("meta").flatMap { $0.string == "" ? nil : $0.compactText }
        let message = Message(
            payload: value.text(of: "message"), meta: meta,
            type: noted.messageType(value.member("custom_message_type")?.string))
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
                        noted.note("actions without a user or a timetoken")
                        continue
                    }
                    guard noted.takes(type: type, value: said, by: uuid) else { continue }
                    let key = MessageAction.Key(
                        messageTimetoken: message, type: type, value: said, uuid: uuid)
                    rows.append(ForeignRow(channel: name, key, added: added))
                }
            }
        }
        return rows
    }

    private mutating func actionRow(of value: JSONValue) -> [ForeignRow] {
        guard !value.has("eTag") else {
            refuseObjects()
            return []
        }
        guard let channel else {
            lack = Self.lacksChannel
            noted.note("actions that do not say of which channel they are: --channel does")
            return []
        }
        guard let message = value.pubNubTimetoken("messageTimetoken"),
            let added = value.pubNubTimetoken("actionTimetoken"),
            let type = value.member("type")?.string, let said = value.member("value")?.string,
            let uuid = value.member("uuid")?.string
        else {
            noted.note("actions without a user or a timetoken")
            return []
        }
        guard noted.takes(type: type, value: said, by: uuid) else { return [] }
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
