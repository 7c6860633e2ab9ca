// Commands about users, channels, and who is in which.

import EventModel
import JSON

extension CommandDecoder {
    static func directory(
        _ operation: Command.Operation, _ json: borrowing JSONValue
    ) throws(ProtocolError) -> DirectoryQuery {
        var query: DirectoryQuery
        switch operation {
        case .users:
            query = DirectoryQuery(directory: .users, id: try json.userID())
        case .channels:
            let name = json.member("channel") == nil ? nil : try json.channelName("channel")
            query = DirectoryQuery(directory: .channels, id: name)
        case .members:
            let channel = try json.channelName("channel")
            query = DirectoryQuery(
                directory: .members(channel: channel), id: try json.userID())
        default:
            let name = json.member("channel") == nil ? nil : try json.channelName("channel")
            query = DirectoryQuery(directory: .memberships(user: try user(json)), id: name)
        }
        query.filter = try json.optionalText("filter", bytesMax: Limits.filterBytesMax)
        query.orders = try orders(json, of: query.directory)
        query.after = try json.optionalText("after", bytesMax: Limits.frameBytesMax)
        query.limit = try json.limit(max: Limits.directoryPageMax)
        query.counts = try json.read { (json) throws(JSONError) in try json.flag("count") }
        query.includesSubjects = try json.read { (json) throws(JSONError) in
            try json.flag("subjects")
        }
        return query
    }

    /// Such as `["name","-updated"]`; what is behind a dot is the subject's.
    private static func orders(
        _ json: borrowing JSONValue, of directory: Directory
    ) throws(ProtocolError) -> [DirectoryQuery.Order] {
        guard let member = json.member("sort") else { return [] }
        let expected =
            "a list of up to \(Limits.directoryOrdersMax) of id, name, status, type and updated, "
            + "with a - in front to turn it round, and subject. in front of that for what is known "
            + "of whom a membership is of"
        guard member.isArray, (1...Limits.directoryOrdersMax).contains(member.count) else {
            throw .invalidField("sort", expected)
        }
        var orders: [DirectoryQuery.Order] = []
        for index in 0..<member.count {
            guard let text = member.element(at: index).string,
                let order = DirectoryQuery.Order(text), !order.isOfSubject || directory.hasSubjects
            else { throw .invalidField("sort", expected) }
            orders.append(order)
        }
        return orders
    }

    static func directoryChange(
        _ operation: Command.Operation, _ json: borrowing JSONValue
    ) throws(ProtocolError) -> DirectoryRequest {
        let directory: Directory
        let changes: [EntryChange]
        switch operation {
        case .setUser:
            directory = .users
            changes = [EntryChange(id: try user(json), kind: .set(try fields(json, of: .user)))]
        case .removeUser:
            directory = .users
            changes = [EntryChange(id: try user(json), kind: .remove)]
        case .setChannel:
            directory = .channels
            changes = [
                EntryChange(
                    id: try json.channelName("channel"), kind: .set(try fields(json, of: .channel)))
            ]
        case .removeChannel:
            directory = .channels
            changes = [EntryChange(id: try json.channelName("channel"), kind: .remove)]
        case .setMembers:
            directory = .members(channel: try json.channelName("channel"))
            changes = try memberships(json, named: "userId", isValid: isValidUser)
        default:
            directory = .memberships(user: try user(json))
            changes = try memberships(
                json, named: "channel", isValid: isValidChannelName, else: .invalidChannel)
        }
        return DirectoryRequest(
            directory: directory, changes: changes,
            expected: try json.optionalTimetoken("expected"),
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax))
    }

    private static func user(_ json: borrowing JSONValue) throws(ProtocolError) -> String {
        try json.text("userId", bytesMax: Limits.identifierBytesMax)
    }

    private static func isValidUser(_ name: String) -> Bool {
        (1...Limits.identifierBytesMax).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    private static func fields(
        _ json: borrowing JSONValue, of kind: EntryFieldRule.Kind
    ) throws(ProtocolError) -> [EntryField] {
        guard let set = json.member("set"), set.isObject else {
            throw .invalidField("set", #"an object of what is to be known, such as {"name":"Ada"}"#)
        }
        return try fields(of: set, kind, besides: [])
    }

    private static func fields(
        of set: borrowing JSONValue, _ kind: EntryFieldRule.Kind, besides names: [String]
    ) throws(ProtocolError) -> [EntryField] {
        do throws(EntryFieldError) {
            return try EntryFieldRule.fields(of: set, kind, besides: names)
        } catch {
            throw .invalidField(error.name, error.expectation)
        }
    }

    /// What `set` and `remove` say together, each entry once.
    ///
    /// - Parameter fault: What is wrong with a name that is none; `nil`: the list.
    private static func memberships(
        _ json: borrowing JSONValue, named name: String, isValid: (String) -> Bool,
        else fault: ProtocolError? = nil
    ) throws(ProtocolError) -> [EntryChange] {
        var changes: [EntryChange] = []
        var seen: Set<ExactText> = []
        func take(_ id: String?, in list: String, _ kind: EntryChange.Kind) throws(ProtocolError) {
            if let fault, let id, !isValid(id) { throw fault }
            guard let id, isValid(id), seen.insert(ExactText(id)).inserted else {
                throw .invalidField(
                    list, "a list whose members name each \(name) once in set and remove together")
            }
            changes.append(EntryChange(id: id, kind: kind))
        }
        for list in ["set", "remove"] where json.member(list) != nil {
            guard let members = json.member(list), members.isArray,
                members.count <= Limits.entriesChangedMax
            else {
                throw .invalidField(list, "a list of at most \(Limits.entriesChangedMax)")
            }
            for index in 0..<members.count {
                let member = members.element(at: index)
                if list == "remove" {
                    try take(member.string, in: list, .remove)
                } else {
                    guard member.isObject else {
                        throw .invalidField(list, #"a list of objects with "\#(name)""#)
                    }
                    let fields = try fields(of: member, .membership, besides: [name])
                    try take(member.member(name)?.string, in: list, .set(fields))
                }
            }
        }
        guard (1...Limits.entriesChangedMax).contains(changes.count) else {
            throw .invalidField(
                "set", "a list, as remove is, of 1 to \(Limits.entriesChangedMax) in all")
        }
        return changes
    }
}

extension DirectoryQuery.Order {
    /// Reads `name`, `-name` or `subject.name`.
    fileprivate init?(_ text: String) {
        let isDescending = text.hasPrefix("-")
        var name = isDescending ? text.dropFirst() : text[...]
        let isOfSubject = name.hasPrefix("subject.")
        if isOfSubject { name = name.dropFirst("subject.".count) }
        guard let key = Key(rawValue: String(name)) else { return nil }
        self.init(key, isOfSubject: isOfSubject, isDescending: isDescending)
    }
}
