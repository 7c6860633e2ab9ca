// The table of the HTTP API: one row for each operation. Its routes and its document are made of
// it.

import EventModel

/// An operation of the native protocol, and how HTTP asks for it.
struct APIOperation: Sendable {
    /// What a query, or a body, is called in the document.
    enum Kind: Sendable {
        /// `GET`, with the fields in the query.
        case query
        /// `POST`, with the fields in a JSON body.
        case write
    }

    let operation: Command.Operation
    let kind: Kind
    let summary: String
    let fields: [APIField]
    let reply: [APIField]
    /// Names of fields of which one has to be there.
    var needsOne: [String] = []
    /// Likewise, and no more than one.
    var needsJustOne: [APIField] = []

    /// What a body is.
    var body: APISchema {
        let fields = APISchema.object(fields + [API.author])
        if !needsOne.isEmpty { return .having(needsOne, in: fields) }
        return needsJustOne.isEmpty ? fields : .havingOne(of: needsJustOne, in: fields)
    }

    /// Whether it can be sent again under its name, and is carried out once.
    var isNamed: Bool { fields.contains { $0.name == "mutation" } }

    /// Whether it is carried out only where an entry is as who asks has seen it.
    var isConditional: Bool { fields.contains { $0.name == "expected" } }

    var path: String { "v1/\(operation.rawValue)" }
    /// Whether a batch may hold it.
    var isBatched: Bool { kind == .write && operation != .setState }

    static func query(
        _ operation: Command.Operation, _ summary: String, _ fields: [APIField],
        reply: [APIField]
    ) -> APIOperation {
        APIOperation(
            operation: operation, kind: .query, summary: summary, fields: fields, reply: reply)
    }

    static func write(
        _ operation: Command.Operation, _ summary: String, _ fields: [APIField],
        reply: [APIField], needsOne: [String] = [], needsJustOne: [APIField] = []
    ) -> APIOperation {
        APIOperation(
            operation: operation, kind: .write, summary: summary, fields: fields, reply: reply,
            needsOne: needsOne, needsJustOne: needsJustOne)
    }

    /// What is not here takes a session: what it follows, repairs and pages through.
    static let all = messages + reactions + reading + presence + groups + directories

    static let position: [APIField] = [.required("timetoken", .timetoken)]
    static let channel = APIField.required("channel", .writableChannel)
    static let anyChannel = APIField.required("channel", .channel)
    static let message = APIField.required("messageTimetoken", .position)
    static let mutation = APIField.optional(
        "mutation", .mutation, "Names the wish: sent again, it is carried out once.")

    static let messages: [APIOperation] = [
        .write(
            .publish, "Publishes a message.",
            [
                channel, .required("payload", .any, "Any JSON value."),
                .optional("meta", .any, "For filters and applications."),
                .optional("messageType", .text(1...Limits.messageTypeBytesMax)),
                .optional("parent", .position, "The message to whose thread it belongs."),
                .optional("store", .flag, "false: only who follows the channel now gets it."),
                .optional("ttl", .integer(0...Limits.hoursKeptMax), "Hours; 0 for ever."),
                mutation,
            ], reply: position),
        .write(
            .signal, "Sends a small message that is never stored.",
            [
                channel,
                .required("payload", .any, "JSON of \(Limits.signalBytesMax) bytes at most."),
                .optional("messageType", .text(1...Limits.messageTypeBytesMax)),
            ], reply: position),
        .write(
            .editMessage, "Changes an own message.",
            [channel, message, .required("payload", .any), mutation],
            reply: applied(Addition.self) + [.required("action", .component("Action"))]),
        .write(
            .deleteMessage, "Deletes an own message.", [channel, message, mutation],
            reply: applied(Removal.self) + [.optional("timetoken", .timetoken)]),
        .write(
            .deleteMessages, "Deletes a range of messages, with their reactions.",
            [
                channel, .optional("after", .timetoken), .required("through", .timetoken),
                mutation,
            ], reply: position),
    ]

    static let reactions: [APIOperation] = [
        .write(
            .addAction, "Adds a reaction.",
            reaction + [.optional("score", .integer(1...Limits.actionScoreMax)), mutation],
            reply: applied(Addition.self) + [.required("action", .component("Action"))]),
        .write(
            .removeAction, "Takes an own reaction back.",
            reaction + [.optional("actionTimetoken", .timetoken), mutation],
            reply: applied(Removal.self)),
        .write(
            .removeActions, "Removes reactions, whosoever they are.",
            [
                channel,
                .optional("messageTimetoken", .position, "Or a value, or a userId."),
                .optional("type", .text(1...Limits.actionTypeBytesMax)),
                .optional("value", .text(1...Limits.actionValueBytesMax)),
                .optional("userId", .user), mutation,
            ],
            reply: applied(Removal.self) + [
                .optional("count", .integer(0...Int(UInt32.max))),
                .optional("timetoken", .timetoken),
            ], needsOne: ["messageTimetoken", "value", "userId"]),
        .query(
            .actions, "Lists reactions.",
            [
                anyChannel, .optional("messageTimetoken", .position),
                .optional("type", texts(Limits.actionTypeBytesMax)),
                .optional("value", texts(Limits.actionValueBytesMax)),
                .optional("userId", texts(Limits.identifierBytesMax)),
                .optional(
                    "sort", .constant(["time", "value", "score"]),
                    "By value and score only those of one message."),
                .optional("descending", .flag), place,
                .optional("limit", .integer(1...Limits.actionsPageMax)),
            ],
            reply: [.required("actions", list(of: "Action")), next]),
        .query(
            .summaries, "Counts the reactions of some messages.",
            [
                anyChannel,
                .required("messages", .list(of: .timetoken, 1...Limits.summariesMax)),
            ],
            reply: [
                .required("summaries", list(of: "Summary")),
                .optional("rest", .list(of: .timetoken, 0...Limits.summariesMax)),
            ]),
    ]

    static let reaction: [APIField] = [
        channel, message, .optional("type", .text(1...Limits.actionTypeBytesMax)),
        .required("value", .text(1...Limits.actionValueBytesMax)),
    ]

    static let reading: [APIOperation] = [
        .query(
            .history, "Reads messages.",
            [
                anyChannel, .optional("before", .timetoken), .optional("after", .timetoken),
                .optional("limit", .integer(1...Limits.historyPageMax)),
                .optional("parent", .position, "Only the thread of this message."),
                .optional("actions", .flag, "With their reactions."),
            ], reply: [.required("messages", list(of: "Message")), next]),
        .query(
            .unread, "Counts what a user has not read.",
            [
                .required("channels", .list(of: .channel, 1...Limits.unreadChannelsMax))
            ], reply: [.required("channels", list(of: "Unread"))]),
        .write(
            .markRead, "Notes up to where a user has read.",
            [anyChannel, .required("through", .timetoken)],
            reply: [.required("through", .timetoken)]),
        .query(
            .ping, "Tells the time.", [], reply: [.required("time", .timetoken)]),
    ]

    static let presence: [APIOperation] = [
        .query(
            .hereNow, "Lists who is in a channel.",
            [
                anyChannel, .optional("states", .flag),
                .optional("limit", .integer(0...Limits.presencePageMax)),
                .optional("offset", .integer(0...Int(Int32.max))),
            ],
            reply: [
                .required("occupancy", .integer(0...Int(UInt32.max))),
                .required("users", list(of: "Present")),
                .optional("next", .integer(0...Int(UInt32.max))),
            ]),
        .query(
            .whereNow, "Lists the channels where a user is.", [.optional("userId", .user)],
            reply: [.required("channels", .list(of: .string, 0...Int(Int32.max)))]),
        .query(
            .getState, "Reads what a user says of themselves in a channel.",
            [anyChannel, .optional("userId", .user)],
            reply: [.required("state", .object([]))]),
        .write(
            .setState, "Says it.", [channel, .required("state", .object([]))],
            reply: [.required("state", .object([]))]),
    ]

    static let groups: [APIOperation] = [
        .query(
            .group, "Lists the channels of a group.", [.required("group", .component("Group"))],
            reply: [.required("channels", .list(of: .string, 0...Int(Int32.max)))]),
        .write(
            .changeGroup, "Adds channels to a group, removes some, or deletes the group.",
            [.required("group", .component("Group"))] + groupChanges, reply: [],
            needsJustOne: groupChanges),
    ]

    static let groupChanges: [APIField] = [
        .optional("add", members, "This, or remove, or delete."), .optional("remove", members),
        .optional("delete", .flag),
    ]

    static let members = APISchema.list(
        of: .name(pattern: #"^(?!.*\.\*$)(?!.*-pnpres$)(?!\*$)[^,\u0000-\u001f\u007f-\u009f]+$"#),
        1...Limits.channelsPerGroupChangeMax)

    static let next = APIField.optional("next", .string, "Where the next page begins.")
    static let place = APIField.optional(
        "after", .text(1...Limits.frameBytesMax), "What the page before said as next.")

    static func texts(_ bytesMax: Int) -> APISchema {
        .list(of: .text(1...bytesMax), 1...Limits.actionFilterMax)
    }

    static func list(of component: String) -> APISchema {
        .list(of: .component(component), 0...Int(Int32.max))
    }

    static func applied<Word: RawRepresentable<String> & CaseIterable>(
        _ words: Word.Type
    ) -> [APIField] {
        [.required("applied", .constant(words.allCases.map(\.rawValue)))]
    }
}
