// App Context: what is known of users, channels and memberships.

import EventModel
import JSON

extension PubNubRequestReader {
    func objects() throws(PubNubError) -> PubNubRequest.Endpoint {
        let form = form
        var query = try listed()
        query.filter = self.query["filter"].flatMap { $0.isEmpty ? nil : $0 }
        query.orders = try orders(of: query.directory)
        query.after = self.query["start"].flatMap { $0.isEmpty ? nil : $0 }
        // Both are only of use one at a time.
        if query.after == nil { query.before = self.query["end"].flatMap { $0.isEmpty ? nil : $0 } }
        query.limit =
            try integer("limit", in: 0...Limits.directoryPageMax)
            ?? Limits.directoryPageMax
        query.counts = try flag("count") || form.included.contains("totalCount")
        query.includesSubjects = form.includesSubjects
        return .objects(query, form)
    }

    func changedObjects() throws(PubNubError) -> PubNubRequest.Endpoint {
        let body = try fields()
        let query = try listed()
        let changes: [EntryChange]
        switch query.directory {
        case .users: changes = [try change(of: try user(), body, .user)]
        case .channels: changes = [try change(of: try writableChannel(), body, .channel)]
        case .members: changes = try memberships(body, named: "uuid")
        case .memberships: changes = try memberships(body, named: "channel")
        }
        guard case .objects(var then, let form) = try objects() else {
            preconditionFailure("What is changed is read as it is asked for.")
        }
        if query.id == nil {
            then.id = nil
        }
        return .changeObjects(
            DirectoryRequest(
                directory: query.directory, changes: changes, expected: try expected()),
            then: then, form)
    }

    func removedObject(
        _ directory: Directory, _ id: String
    ) throws(PubNubError) -> PubNubRequest.Endpoint {
        let change = EntryChange(id: id, kind: .remove)
        return .changeObjects(
            DirectoryRequest(directory: directory, changes: [change], expected: try expected()),
            then: nil, PubNubRequest.ObjectsForm(isOne: true))
    }

    /// What the path is about.
    private func listed() throws(PubNubError) -> DirectoryQuery {
        switch route.kind {
        case .user, .setUser: DirectoryQuery(directory: .users, id: try user())
        case .channel, .setChannel: DirectoryQuery(directory: .channels, id: try channel())
        case .members, .setMembers: DirectoryQuery(directory: .members(channel: try channel()))
        case .memberships, .setMemberships:
            DirectoryQuery(directory: .memberships(user: try user()))
        case .channelList: DirectoryQuery(directory: .channels)
        default: DirectoryQuery(directory: .users)
        }
    }

    private var form: PubNubRequest.ObjectsForm {
        let included = Set(query.list("include"))
        let isOne =
            switch route.kind {
            case .user, .setUser, .channel, .setChannel: true
            default: false
            }
        return PubNubRequest.ObjectsForm(included: included, isOne: isOne)
    }

    /// The tag that what is changed must have; what is none of ours, it cannot have.
    private func expected() throws(PubNubError) -> Timetoken? {
        guard let tag = ifMatch, tag != "*", !tag.isEmpty else { return nil }
        let text = tag.filter { $0 != "\"" }
        return Timetoken(text) ?? .end
    }

    /// Such as `name:asc,updated:desc`, or `channel.name`.
    private func orders(of directory: Directory) throws(PubNubError) -> [DirectoryQuery.Order] {
        let words = query.list("sort").filter { !$0.isEmpty }
        guard words.count <= Limits.directoryOrdersMax else {
            throw wrong("sort", "at most \(Limits.directoryOrdersMax) keys")
        }
        var orders: [DirectoryQuery.Order] = []
        for word in words {
            let parts = word.split(separator: ":", maxSplits: 1)
            let direction = parts.count == 2 ? parts[1].lowercased() : "asc"
            guard let name = parts.first, ["asc", "desc"].contains(direction),
                let order = DirectoryQuery.Order(
                    pubNub: String(name), of: directory, isDescending: direction == "desc")
            else {
                throw wrong(
                    "sort",
                    "keys such as id, name, updated, status or type, each with "
                        + ":asc or :desc")
            }
            orders.append(order)
        }
        return orders
    }

    // MARK: Bodies

    private func fields() throws(PubNubError) -> JSONValue {
        let bytes: [UInt8]
        switch RequestBody.inflated(body, limit: Limits.requestBodyBytesMax) {
        case .failure(.tooLarge):
            throw PubNubError(
                family: .objects, status: 413, message: "Request payload is too large.")
        case .failure(.malformed): throw .invalidJSON(family)
        case .success(let inflated): bytes = inflated
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, depthMax: Limits.jsonDepthMax)
        } catch {
            throw .json(error, family)
        }
        guard value.isObject else {
            throw .invalidObject("Must be an object.", "body", in: "body")
        }
        return value
    }

    private func change(
        of id: String, _ body: JSONValue, _ kind: EntryFieldRule.Kind, besides names: [String] = []
    ) throws(PubNubError) -> EntryChange {
        do throws(EntryFieldError) {
            let fields = try EntryFieldRule.fields(of: body, kind, besides: names + ["id"])
            return EntryChange(id: id, kind: .set(fields))
        } catch {
            throw .invalidObject("Must be \(error.expectation).", error.name, in: "body")
        }
    }

    /// What `set` and `delete` say; of what is named twice the last holds.
    private func memberships(
        _ body: JSONValue, named name: String
    ) throws(PubNubError) -> [EntryChange] {
        var changes: [ExactText: EntryChange] = [:]
        var order: [ExactText] = []
        for list in ["set", "delete"] {
            guard let members = body.member(list) else { continue }
            guard members.isArray, members.count <= Limits.entriesChangedMax else {
                throw wrong(list, "a list of at most \(Limits.entriesChangedMax)", in: "body")
            }
            for index in 0..<members.count {
                let member = members.element(at: index)
                guard let id = member.member(name)?.member("id")?.string, isValid(id, name) else {
                    throw wrong(
                        "\(list)[\(index)].\(name).id", "the name of a \(name)", in: "body")
                }
                let key = ExactText(id)
                if changes[key] == nil { order.append(key) }
                changes[key] =
                    list == "delete"
                    ? EntryChange(id: id, kind: .remove)
                    : try change(of: id, member, .membership, besides: [name])
            }
        }
        guard order.count <= Limits.entriesChangedMax else {
            throw wrong("set", "at most \(Limits.entriesChangedMax) with delete", in: "body")
        }
        return order.compactMap { changes[$0] }
    }

    private func isValid(_ id: String, _ name: String) -> Bool {
        guard name == "uuid" else { return isValidChannelName(id) }
        return (1...Limits.identifierBytesMax).contains(id.utf8.count) && !id.utf8.contains(0)
    }
}

extension PubNubRequest.ObjectsForm {
    /// Whether what is known of a membership's user or channel is wanted.
    fileprivate var includesSubjects: Bool {
        included.contains { $0.hasPrefix("uuid") || $0.hasPrefix("channel") }
    }
}

extension DirectoryQuery.Order {
    /// - Parameter text: Such as `name`, `uuid.name`, or `channel.id`.
    fileprivate init?(pubNub text: String, of directory: Directory, isDescending: Bool) {
        var name = text[...]
        var isOfSubject = false
        for subject in ["uuid.", "channel."]
        where directory.hasSubjects && text.hasPrefix(subject) {
            name = text.dropFirst(subject.count)
            isOfSubject = true
        }
        guard let key = Key(rawValue: String(name)) else { return nil }
        self.init(key, isOfSubject: isOfSubject, isDescending: isDescending)
    }
}
