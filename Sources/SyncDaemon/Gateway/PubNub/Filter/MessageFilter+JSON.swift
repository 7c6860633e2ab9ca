// Filter expressions on events as they are sent: JSON in, a decision out.

import EventModel
import JSON

extension MessageFilter {
    /// Whether a subscriber with this filter gets an event.
    ///
    /// Only messages, signals and files are filtered. Presence, actions and deletions always pass:
    /// they carry no `meta`, and a device that lost one would show what is not so.
    ///
    /// - Parameter envelope: With its text; one that gave it up passes.
    func matches(_ envelope: EncodedEnvelope) -> Bool {
        // The envelope is one level around what the client sent.
        let depthMax = Limits.jsonDepthMax + 1
        let json = unsafe envelope.json.span.bytes
        guard let event = try? JSONValue(parsing: json, depthMax: depthMax), event.isFiltered
        else { return true }
        return matches(meta: event.filterMember("u")) { event.filterMember("d") }
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

    private var filterValue: FilterValue {
        if let text = string { return .string(text) }
        if let number { return number.isFinite ? .number(number) : .undefined }
        if let bool { return .bool(bool) }
        if isArray { return .list((0..<count).map { element(at: $0).filterValue }) }
        guard isObject else { return .null }
        return .object(FilterObject(members.map { ($0.name, $0.value.filterValue) }))
    }
}
