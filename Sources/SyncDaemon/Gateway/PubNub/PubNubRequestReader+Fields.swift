// The parts that several endpoints have: names, lists, numbers, positions, JSON.

import EventModel
import JSON

// MARK: Names

extension PubNubRequestReader {
    /// A part of the path, decoded.
    func text(_ name: String) throws(PubNubError) -> String {
        guard let index = route.path.index(of: name) else {
            preconditionFailure("The route of \(route.kind) has no {\(name)}.")
        }
        do throws(RequestTargetError) {
            return try target.segment(index)
        } catch {
            throw .couldNotParse(family)
        }
    }

    /// The one channel of the path.
    func channel() throws(PubNubError) -> String {
        let name = try text("channel")
        guard isValidName(name) else { throw .invalidChannel(family) }
        return name
    }

    /// A channel that clients may write to.
    func writableChannel() throws(PubNubError) -> String {
        let name = try channel()
        // A presence event of a client's making could not be told from a real one.
        guard !name.hasSuffix(Channel.presenceSuffix), isValidChannelName(name) else {
            throw .invalid(
                "Nothing can be written to a wildcard or to a channel that ends in -pnpres.",
                family)
        }
        return name
    }

    /// The list of channels in the path, with repeats.
    func channelList() throws(PubNubError) -> [String] {
        guard let index = route.path.index(of: "channels") else { return [] }
        let names: [String]
        do throws(RequestTargetError) {
            names = try target.list(index)
        } catch {
            throw .couldNotParse(family)
        }
        guard names.allSatisfy(isValidName) else { throw .invalidChannel(family) }
        return names
    }

    /// The channels of the path, each once.
    func channels() throws(PubNubError) -> [String] {
        let names = try channelList().withoutRepeats()
        try checkCount(names.count)
        return names
    }

    /// The groups of the query, each once.
    func groups() throws(PubNubError) -> [String] {
        let names = query.list("channel-group").withoutRepeats()
        guard names.allSatisfy(isValidName) else {
            throw .invalidGroup(family)
        }
        try checkCount(names.count)
        return names
    }

    func checkCount(_ count: Int) throws(PubNubError) {
        guard count <= Limits.channelsPerRequestMax else {
            throw .tooManyChannels(Limits.channelsPerRequestMax, family)
        }
    }

    /// The user in the path.
    func user() throws(PubNubError) -> String {
        let name = try text("user")
        guard (1...Limits.identifierBytesMax).contains(name.utf8.count) else { throw invalidUser }
        return name
    }

    var invalidUser: PubNubError {
        .invalid("A uuid has 1 to \(Limits.identifierBytesMax) bytes.", family)
    }
}

extension [String] {
    /// Without the names of presence channels: nobody is a member of those.
    func withoutPresence() -> [String] {
        filter { !$0.hasSuffix(Channel.presenceSuffix) }
    }
}

// MARK: Values

extension PubNubRequestReader {
    /// A number of the query, brought into a range; `nil` when absent or empty.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(PubNubError) -> Int? {
        guard let text = query[name], !text.isEmpty else { return nil }
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else {
            throw wrong(name, "an integer")
        }
        // Longer than any number here is beyond the range, too.
        guard digits.utf8.count <= 18, let number = Int(text) else {
            return isNegative ? range.lowerBound : range.upperBound
        }
        return min(max(number, range.lowerBound), range.upperBound)
    }

    /// `1` or `true`, `0` or `false`; `nil` when absent or empty.
    func optionalFlag(_ name: String) throws(PubNubError) -> Bool? {
        switch query[name]?.lowercased() {
        case nil, "": nil
        case "1", "true": true
        case "0", "false": false
        default: throw wrong(name, "true or false")
        }
    }

    func flag(_ name: String) throws(PubNubError) -> Bool {
        try optionalFlag(name) ?? false
    }

    /// An end of a range; `nil` when absent or empty.
    ///
    /// What is above every position that can be issued means the same as the highest of them.
    func bound(_ name: String) throws(PubNubError) -> Timetoken? {
        guard let text = query[name], !text.isEmpty else { return nil }
        guard let bound = Timetoken(bound: text) else { throw wrongTimetoken(name, in: "query") }
        return bound
    }

    func wrongTimetoken(_ name: String, in place: String) -> PubNubError {
        wrong(name, "a timetoken of 1 to 20 digits", in: place)
    }

    func wrong(
        _ name: String, _ expectation: String, in place: String = "query"
    ) -> PubNubError {
        switch family {
        case .actions: .invalidAction("Must be \(expectation).", name, in: place)
        case .objects: .invalidObject("Must be \(expectation).", name, in: place)
        default: .invalid("Invalid Arguments: \(name) must be \(expectation).", family)
        }
    }

    /// Compact JSON text of what a client wrote.
    func json(_ text: String) throws(PubNubError) -> String {
        do throws(JSONError) {
            return try JSONValue(parsing: text, depthMax: Limits.jsonDepthMax).compactText
        } catch {
            throw .json(error, family)
        }
    }

    /// The JSON object that a client wrote.
    func object(_ text: String) throws(PubNubError) -> JSONValue {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text, depthMax: Limits.jsonDepthMax)
        } catch {
            throw .json(error, family)
        }
        guard value.isObject else { throw .invalidJSON(family) }
        return value
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

extension Timetoken {
    /// Reads 1 to 20 digits; leading zeros count as digits only.
    ///
    /// - Returns: `nil` also for a value above `Int64.max`.
    init?(pubNub text: String) {
        guard (1...20).contains(text.utf8.count) else { return nil }
        let digits = text.drop { $0 == "0" }
        self.init(digits.isEmpty ? "0" : String(digits))
    }

    /// Reads 1 to 20 digits; a value above `Int64.max` is taken for that.
    init?(bound text: String) {
        guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        self = Timetoken(pubNub: text) ?? Timetoken(rawValue: UInt64(Int64.max))
    }
}
