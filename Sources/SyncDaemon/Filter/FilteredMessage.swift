// A message as filters see it, read from its JSON once for all of them.

import EventModel
import JSON

/// What was published, and what was published beside it.
final class FilteredMessage {
    /// ``FilterValue/undefined`` when nothing was published beside it.
    let meta: FilterValue
    private(set) lazy var payload = loadPayload()
    /// Steps that it takes to look at all of it, and that it took to read it.
    let cost: Int
    private let loadPayload: () -> FilterValue

    /// - Parameters:
    ///   - bytes: The length of its JSON.
    ///   - payload: Asked for at most once, and only by filters that name it.
    init(bytes: Int, meta: FilterValue, payload: @escaping () -> FilterValue) {
        cost = 1 + bytes / FilterCost.bytesPerStep
        self.meta = meta
        loadPayload = payload
    }

    /// Reads an event as it is sent.
    ///
    /// - Parameter envelope: With its text.
    /// - Returns: `nil` for what passes every filter. Only messages, signals and files are
    ///   filtered: presence, actions and deletions carry no `meta`, and a device that lost one
    ///   would show what is not so. An envelope that gave up its text passes.
    convenience init?(_ envelope: EncodedEnvelope) {
        // The envelope is one level around what the client sent.
        let depthMax = Limits.jsonDepthMax + 1
        let json = unsafe envelope.json.span.bytes
        guard let event = try? JSONValue(parsing: json, depthMax: depthMax), event.isFiltered
        else { return nil }
        self.init(bytes: envelope.json.count, meta: event.filterMember("u")) {
            event.filterMember("d")
        }
    }
}

extension FilteredMessage {
    /// Reads an entry of a directory: its fields are what names mean by themselves.
    ///
    /// - Parameter subject: What is known of whom a membership is of, by each of these names.
    convenience init(_ entry: DirectoryEntry, subject: DirectoryEntry?, named names: [String]) {
        var members = Self.members(of: entry)
        // Who is a member need not be known otherwise.
        let ofSubject = subject.map(Self.members) ?? [("id", .string(entry.id))]
        let value = FilterValue.object(FilterObject(ofSubject))
        members += names.map { ($0, value) }
        let bytes = entry.content.utf8.count + (subject?.content.utf8.count ?? 0)
        self.init(bytes: bytes, meta: .object(FilterObject(members))) { .undefined }
    }

    private static func members(of entry: DirectoryEntry) -> [(name: String, value: FilterValue)] {
        let content = try? JSONValue(parsing: entry.content, depthMax: Limits.jsonDepthMax)
        return (content?.members ?? []).map { ($0.name, $0.value.filterValue) }
            + [("updated", .string(entry.timetoken.dateText))]
    }
}

extension JSONValue {
    /// Whether the value is the envelope of a message, a signal or a file.
    ///
    /// - Source: PubNub's numbers for what an envelope holds; none is a message.
    fileprivate var isFiltered: Bool {
        let kind = member("e")?.integer ?? 0
        let channel = member("c")?.string ?? ""
        return [0, 1, 4].contains(kind) && !Channel(channel).isPresence
    }

    fileprivate func filterMember(_ name: String) -> FilterValue {
        guard has(name) else { return .undefined }
        return member(name)?.filterValue ?? .null
    }

    fileprivate var filterValue: FilterValue {
        if let text = string { return .string(text) }
        if let number { return number.isFinite ? .number(number) : .undefined }
        if let bool { return .bool(bool) }
        if isArray { return .list((0..<count).map { element(at: $0).filterValue }) }
        guard isObject else { return .null }
        return .object(FilterObject(members.map { ($0.name, $0.value.filterValue) }))
    }
}
