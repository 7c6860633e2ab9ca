// Stream Chat's export of channels.
//
// Version 1 is one JSON text, in the words of the regular API: a channel is {"channel":{"cid":
// "messaging:room",…},"messages":[…],"members":[…]}; there may be one, an array of them, or one
// array under "channels". A message has "id", "text", "user":{"id":…}, "created_at", "parent_id",
// "attachments" and "latest_reactions" (the newest ten: {"type","score","user_id","created_at"}),
// and "reaction_counts" says how many there are. Version 2 has one entity on each line; as Stream
// does not publish its fields, what is read is {"type":"message","item":{…}}, the entities of its
// import files.
//
// - Source: getstream.io/chat/docs, "Exporting Data" and "Importing Data"; a published export.

import EventModel
import JSON

/// Rows of Stream's export; a channel `TYPE:ID` is `TYPE.ID` here.
///
/// Timetokens are made of `created_at`. Stream's have microseconds: the tenth of one in which
/// something is follows from its name, and the next free one is taken. So the same file always
/// gives the same timetokens.
struct StreamExport: ForeignReader {
    static let words = "a channel, a message or a reaction of an export of Stream's"

    private(set) var unmapped = Unmapped()
    var refusal: String? { nil }
    var lack: String? { nil }
    /// The channel that messages are of which do not say it.
    private var channel: String?
    private var taken: Set<UInt64> = []
    /// Users with a name or a picture that were counted.
    private var named: Set<ExactText> = []
    /// Where messages are that replies and reactions of other lines may be to, by their names.
    private var placed: [UInt64: Place] = [:]
    /// Those that messages are in, by when they came.
    private var channels: [String] = []
    private var indices: [ExactText: UInt32] = [:]

    /// 16 bytes for each message of the file.
    private struct Place {
        let timetoken: Timetoken
        /// Of its channel.
        let index: UInt32
    }

    private typealias Step = JSONSplitter.Step

    private static let reaction = "reaction"

    func enters(_ path: [JSONSplitter.Step]) -> Bool {
        switch path.last {
        case nil: true
        case .element: path == [.element] || path == [.member("channels"), .element]
        case .member(let name):
            switch path.dropLast() {
            case []: ["channels", "messages", "members"].contains(name)
            case [.element], [.member("channels"), .element]:
                ["messages", "members"].contains(name)
            default: false
            }
        }
    }

    /// PubNub has an object there, and says how it went.
    func belies(_ path: [JSONSplitter.Step]) -> Bool {
        if path.count == 2, case .member = path[1] { return path[0] == .member("channels") }
        return path == [.member("status")]
    }

    mutating func rows(of value: JSONValue, at path: [JSONSplitter.Step]) -> [ForeignRow] {
        guard case .member(let name)? = path.last(where: { $0 != .element }) else { return [] }
        switch (name, path.last) {
        case ("channel", .member):
            channel = value.streamChannel
            noteChannel(value)
            return []
        case ("messages", .element): return messageRows(of: value)
        case ("members", .element):
            unmapped.note(Self.members)
            return []
        case ("item", .member): return itemRows(of: value)
        default: return []
        }
    }

    /// What is known of a channel has a place here, which nothing of Stream's is put into.
    private mutating func noteChannel(_ value: JSONValue) {
        if value.has("name") || value.has("image") {
            unmapped.note("names and pictures of channels: setChannel")
        }
        if let members = value.member("members"), members.isArray, members.count > 0 {
            unmapped.note(Self.members, members.count)
        }
    }

    private mutating func noteUser(_ user: JSONValue?, _ id: String) {
        guard let user, user.has("name") || user.has("image") else { return }
        if named.insert(ExactText(id)).inserted {
            unmapped.note("names and pictures of users: setUser")
        }
    }

    private static let members = "members of channels: setMembers"

    /// A line of version 2.
    private mutating func itemRows(of item: JSONValue) -> [ForeignRow] {
        if item.has("message_id") { return reactionRow(of: item) }
        if item.has("id"), item.has("created_at"), item.has("user") || item.has("user_id") {
            return messageRows(of: item)
        }
        if item.has("cid") || item.has("id") { channel = item.streamChannel ?? channel }
        unmapped.note("entities that are no messages and no reactions")
        return []
    }

    private mutating func messageRows(of value: JSONValue) -> [ForeignRow] {
        guard let name = value.streamChannel ?? channel else {
            unmapped.note("messages that do not say of which channel they are")
            return []
        }
        guard unmapped.takes(channel: name) else { return [] }
        guard let id = value.member("id")?.string, let user = value.streamUser,
            user.utf8.count <= Limits.identifierBytesMax,
            let created = value.member("created_at")?.string.flatMap(Timetoken.init(date:))
        else {
            unmapped.note("messages without an id, a user or a time")
            return []
        }
        let kind = value.member("type")?.string ?? "regular"
        guard !value.isDeleted, !["deleted", "ephemeral", "error"].contains(kind) else {
            unmapped.note("messages that were deleted, or shown to one user only")
            return []
        }
        noteUser(value.member("user"), user)
        let timetoken = place(of: id, at: created)
        placed[Self.hash(of: id)] = Place(timetoken: timetoken, index: index(of: name))
        if value.member("message_text_updated_at")?.string != nil {
            unmapped.note("edited messages: only their last text is there")
        }
        let message = Message(
            payload: value.streamPayload, meta: value.streamMeta(id),
            type: kind == "regular" || kind == "reply" ? nil : unmapped.messageType(kind),
            parent: parent(of: value))
        let record = KeptMessage(timetoken: timetoken, uuid: user, message: message)
        return [ForeignRow(channel: name, record: .message(record))]
            + reactions(of: value, id, on: timetoken, in: name)
    }

    private mutating func parent(of value: JSONValue) -> Timetoken? {
        guard let parent = value.member("parent_id")?.string, !parent.isEmpty else { return nil }
        if let place = placed[Self.hash(of: parent)] { return place.timetoken }
        unmapped.note("replies to messages that are not before them: they are in no thread")
        return nil
    }

    private mutating func reactions(
        of value: JSONValue, _ id: String, on message: Timetoken, in name: String
    ) -> [ForeignRow] {
        var rows: [ForeignRow] = []
        let list = value.member("reactions") ?? value.member("latest_reactions")
        for index in 0..<(list?.isArray == true ? list?.count ?? 0 : 0) {
            guard let reaction = list?.element(at: index) else { continue }
            rows += reactionRow(of: reaction, to: id, on: message, in: name)
        }
        let counted = (value.member("reaction_counts")?.members ?? []).reduce(0) {
            $0 + Int($1.value.integer ?? 0)
        }
        if counted > rows.count {
            unmapped.note("reactions beyond the newest ten of a message", counted - rows.count)
        }
        return rows
    }

    /// A reaction on a line of its own, which need not say of which channel its message is.
    private mutating func reactionRow(of item: JSONValue) -> [ForeignRow] {
        guard let id = item.member("message_id")?.string, let place = placed[Self.hash(of: id)]
        else {
            unmapped.note("reactions to messages that are not before them")
            return []
        }
        return reactionRow(
            of: item, to: id, on: place.timetoken, in: channels[Int(place.index)])
    }

    private mutating func index(of channel: String) -> UInt32 {
        if let index = indices[ExactText(channel)] { return index }
        let index = UInt32(channels.count)
        channels.append(channel)
        indices[ExactText(channel)] = index
        return index
    }

    private mutating func reactionRow(
        of reaction: JSONValue, to id: String, on message: Timetoken, in name: String
    ) -> [ForeignRow] {
        guard let value = reaction.member("type")?.string, let user = reaction.streamUser,
            let created = reaction.member("created_at")?.string.flatMap(Timetoken.init(date:))
        else {
            unmapped.note("reactions without a type, a user or a time")
            return []
        }
        guard unmapped.takes(type: Self.reaction, value: value, by: user) else { return [] }
        let score = reaction.member("score")?.integer ?? 1
        if !(1...Int64(Limits.actionScoreMax)).contains(score) {
            unmapped.note("scores below 1 or too large: they are taken for the nearest one")
        }
        let key = MessageAction.Key(
            messageTimetoken: message, type: Self.reaction, value: value, uuid: user)
        return [
            ForeignRow(
                channel: name, key, added: place(of: "\(id)\n\(value)\n\(user)", at: created),
                score: Int(min(max(score, 1), Int64(Limits.actionScoreMax))))
        ]
    }

    /// The timetoken of what happened at a time, which is its own.
    private mutating func place(of name: String, at time: Timetoken) -> Timetoken {
        var ticks = time.rawValue / 10 * 10 + Self.hash(of: name) % 10
        while !taken.insert(ticks).inserted { ticks += 1 }
        return Timetoken(rawValue: ticks)
    }

    /// - Source: FNV-1a, which is the same in every run and on every machine.
    private static func hash(of name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension JSONValue {
    /// `TYPE.ID` of whatever names a channel: `cid`, or type and id.
    fileprivate var streamChannel: String? {
        if let cid = member("cid")?.string, let colon = cid.firstIndex(of: ":") {
            return cid[..<colon] + "." + cid[cid.index(after: colon)...]
        }
        if let type = member("channel_type")?.string, let id = member("channel_id")?.string {
            return "\(type).\(id)"
        }
        return nil
    }

    fileprivate var streamUser: String? {
        let user = member("user")
        let id = user?.string ?? user?.member("id")?.string ?? member("user_id")?.string
        return id?.isEmpty == false ? id : nil
    }

    fileprivate var isDeleted: Bool { member("deleted_at")?.string != nil }

    /// The text, and what belongs to it.
    fileprivate var streamPayload: String {
        var json = JSONWriter()
        json.beginObject()
        json.member("text", member("text")?.string ?? "")
        for name in ["attachments", "mentioned_users"] as [StaticString] {
            guard let list = member("\(name)"), list.isArray, list.count > 0 else { continue }
            json.member(name, raw: list.compactText)
        }
        json.member("quoted_message_id", member("quoted_message_id")?.string)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// What Stream calls the message, so that it can be found again.
    fileprivate func streamMeta(_ id: String) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.beginObject("stream")
        json.member("id", id)
        json.endObject()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
