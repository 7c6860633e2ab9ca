// The rows of users, channels and members.

import EventModel

extension APIOperation {
    static let directories: [APIOperation] = [
        .query(
            .users, "Lists users, or reads one.", [.optional("userId", .user)] + paging,
            reply: page),
        .query(
            .channels, "Lists channels, or reads one.", [.optional("channel", .channel)] + paging,
            reply: page),
        .query(
            .members, "Lists who is a member of a channel.",
            [anyChannel, .optional("userId", .user)] + membershipPaging, reply: page),
        .query(
            .memberships, "Lists the channels of which a user is a member.",
            [.required("userId", .user), .optional("channel", .channel)] + membershipPaging,
            reply: page),
        .write(
            .setUser, "Says what is known of a user.",
            [.required("userId", .user), set(.user), expected, mutation], reply: position),
        .write(
            .removeUser, "Forgets a user, and their memberships.",
            [.required("userId", .user), expected, mutation], reply: position),
        .write(
            .setChannel, "Says what is known of a channel.",
            [anyChannel, set(.channel), expected, mutation], reply: position),
        .write(
            .removeChannel, "Forgets what is known of a channel, and its members.",
            [anyChannel, expected, mutation], reply: position),
        .write(
            .setMembers, "Changes who is a member of a channel.",
            [anyChannel] + changes(of: "userId", .user) + [expected, mutation], reply: position,
            needsOne: ["set", "remove"]),
        .write(
            .setMemberships, "Changes of which channels a user is a member.",
            [.required("userId", .user)] + changes(of: "channel", .channel)
                + [expected, mutation], reply: position, needsOne: ["set", "remove"]),
    ]

    private static let paging = paging(by: keys)
    private static let membershipPaging =
        paging(by: keys + keys.map { "subject." + $0 }) + [
            .optional(
                "subjects", .flag, "With what is known of the users, or channels, themselves.")
        ]
    private static let keys = DirectoryQuery.Order.Key.allCases.map(\.rawValue)

    private static func paging(by keys: [String]) -> [APIField] {
        [
            .optional("filter", .text(1...Limits.filterBytesMax), #"Such as name like "A*"."#),
            .optional(
                "sort",
                .list(
                    of: .constant(keys.flatMap { [$0, "-" + $0] }), 1...Limits.directoryOrdersMax),
                "With a - in front the other way round."),
            place, .optional("limit", .integer(1...Limits.directoryPageMax)),
            .optional("count", .flag, "With how many there are."),
        ]
    }
    private static let page: [APIField] = [
        .required("entries", list(of: "Entry")), next,
        .optional("count", .integer(0...Int(UInt32.max))),
    ]
    private static let expected = APIField.optional(
        "expected", .timetoken,
        "Refused with 412 when an entry has another by now; 0: when there is one.")

    /// What any entry may have, as clients read it.
    static let entry: [APIField] =
        [
            .required("id", .string), .required("timetoken", .timetoken),
            .optional("subject", .component("Entry"), "Whom, or what, a membership is of."),
        ]
        + EntryFieldRule.all.map { rule in
            .optional(rule.name, rule.content == .text ? .string : .object([]))
        }

    private static func set(_ kind: EntryFieldRule.Kind) -> APIField {
        .required("set", .object(fields(of: kind), hasOthers: false))
    }

    private static func fields(of kind: EntryFieldRule.Kind) -> [APIField] {
        EntryFieldRule.all(of: kind).map { rule in
            let schema: APISchema =
                switch rule.content {
                case .text: .text(0...Limits.entryTextBytesMax)
                case .object: .object([])
                }
            return .optional(rule.name, .nullable(schema))
        }
    }

    private static func changes(of name: String, _ schema: APISchema) -> [APIField] {
        let entry = APISchema.object(
            [.required(name, schema)] + fields(of: .membership), hasOthers: false)
        return [
            .optional("set", .list(of: entry, 1...Limits.entriesChangedMax), "This, or remove."),
            .optional("remove", .list(of: schema, 1...Limits.entriesChangedMax)),
        ]
    }
}
