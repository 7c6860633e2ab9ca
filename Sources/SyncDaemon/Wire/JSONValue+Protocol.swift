// Reading a command's fields with the protocol's types, ranges and errors.

import EventModel
import JSON

extension JSONValue {
    /// Runs a reader of the JSON room and turns its errors into the protocol's.
    func read<Value>(
        _ body: (borrowing JSONValue) throws(JSONError) -> Value
    ) throws(ProtocolError) -> Value {
        do throws(JSONError) {
            return try body(self)
        } catch {
            throw ProtocolError(error)
        }
    }

    /// A string of 1 to `bytesMax` UTF-8 bytes that must be there.
    func text(_ name: String, bytesMax: Int) throws(ProtocolError) -> String {
        guard let text = try optionalText(name, bytesMax: bytesMax) else {
            throw ProtocolError(.missingField(name, expected: "a string"))
        }
        return text
    }

    /// A string of 1 to `bytesMax` UTF-8 bytes that may be absent.
    func optionalText(_ name: String, bytesMax: Int) throws(ProtocolError) -> String? {
        let text = try read { (json) throws(JSONError) in try json.optionalString(name) }
        guard let text else { return nil }
        guard (1...bytesMax).contains(text.utf8.count) else {
            throw .invalidField(name, "a string of 1 to \(bytesMax) bytes")
        }
        return text
    }

    /// One string of 1 to `bytesMax` UTF-8 bytes, or a list of them; none when it is absent.
    func texts(_ name: String, bytesMax: Int) throws(ProtocolError) -> [String] {
        guard let member = member(name), member.isArray else {
            return try optionalText(name, bytesMax: bytesMax).map { [$0] } ?? []
        }
        let expected = "a string of 1 to \(bytesMax) bytes, or 1 to \(Limits.actionFilterMax)"
        guard (1...Limits.actionFilterMax).contains(member.count) else {
            throw .invalidField(name, expected)
        }
        var texts: [String] = []
        for index in 0..<member.count {
            guard let text = member.element(at: index).string,
                (1...bytesMax).contains(text.utf8.count), !text.utf8.contains(0)
            else { throw .invalidField(name, expected) }
            texts.append(text)
        }
        return texts
    }

    /// What a message carries, as compact JSON text.
    func payload() throws(ProtocolError) -> String {
        // `null` is a payload like any other: only its absence is a mistake.
        guard has("payload") else {
            throw ProtocolError(.missingField("payload", expected: "any JSON value"))
        }
        return member("payload")?.compactText ?? "null"
    }

    func timetoken(_ name: String) throws(ProtocolError) -> Timetoken {
        guard let timetoken = try optionalTimetoken(name) else {
            throw ProtocolError(.missingField(name, expected: "a string of decimal digits"))
        }
        return timetoken
    }

    func optionalTimetoken(_ name: String) throws(ProtocolError) -> Timetoken? {
        guard let member = member(name) else { return nil }
        guard let text = member.string, let timetoken = Timetoken(text) else {
            throw .invalidField(name, "a string of 1 to 19 decimal digits, up to 2^63-1")
        }
        return timetoken
    }

    /// What `count` and `digest` say together; `nil` when both are absent.
    func base() throws(ProtocolError) -> Digest? {
        guard member("count") != nil || member("digest") != nil else { return nil }
        let count = try count("count", max: Int64(UInt32.max))
        guard let digest = Digest(try text("digest", bytesMax: 32), count: count) else {
            throw .invalidField("digest", "a string of 32 lower-case hexadecimal digits")
        }
        return digest
    }

    /// An integer from 0 to `max` that must be there.
    func count(_ name: String, max: Int64) throws(ProtocolError) -> Int64 {
        let count = try read { (json) throws(JSONError) in try json.integer(name) }
        guard (0...max).contains(count) else {
            throw .invalidField(name, "an integer from 0 to \(max)")
        }
        return count
    }

    /// An integer from 0 to `max` that may be absent.
    func optionalCount(_ name: String, max: Int) throws(ProtocolError) -> Int? {
        member(name) == nil ? nil : Int(try count(name, max: Int64(max)))
    }

    /// What an action is to count for, which may be absent.
    func score() throws(ProtocolError) -> Int? {
        let score = try read { (json) throws(JSONError) in try json.optionalInteger("score") }
        guard let score else { return nil }
        guard (1...Int64(Limits.actionScoreMax)).contains(score) else {
            throw .invalidField("score", "an integer from 1 to \(Limits.actionScoreMax)")
        }
        return Int(score)
    }

    func channelName(_ name: String) throws(ProtocolError) -> String {
        let channel = try read { (json) throws(JSONError) in try json.string(name) }
        guard isValidChannelName(channel) else { throw .invalidChannel }
        return channel
    }

    /// The array `channels`, with at least one entry and no more than allowed.
    func channelList() throws(ProtocolError) -> JSONValue {
        let list: JSONValue
        do throws(JSONError) { list = try array("channels") } catch { throw ProtocolError(error) }
        guard list.count > 0 else { throw .invalidField("channels", "a list of one or more") }
        guard list.count <= Limits.channelsPerCommandMax else {
            throw .tooManyChannels(Limits.channelsPerCommandMax, per: "command")
        }
        return list
    }

    /// A time, 0 when absent.
    func milliseconds(_ name: StaticString, max: Int) throws(ProtocolError) -> Int {
        let time = try read { (json) throws(JSONError) in try json.optionalInteger("\(name)") }
        guard let time else { return 0 }
        guard (0...Int64(max)).contains(time) else {
            throw .invalidField("\(name)", "milliseconds, from 0 to \(max)")
        }
        return Int(time)
    }

    /// How long something is kept; `nil` when absent.
    func hours(_ name: StaticString, max: Int) throws(ProtocolError) -> Int? {
        let hours = try read { (json) throws(JSONError) in try json.optionalInteger("\(name)") }
        guard let hours else { return nil }
        guard (0...Int64(max)).contains(hours) else {
            throw .invalidField("\(name)", "hours, from 0 to \(max)")
        }
        return Int(hours)
    }

    /// The page size, `max` when absent.
    func limit(max: Int) throws(ProtocolError) -> Int {
        let limit = try read { (json) throws(JSONError) in try json.optionalInteger("limit") }
        guard let limit else { return max }
        guard (1...Int64(max)).contains(limit) else {
            throw .invalidField("limit", "an integer from 1 to \(max)")
        }
        return Int(limit)
    }
}

/// Whether a channel may have this name, through whatever door it is written to or followed.
func isValidChannelName(_ name: String) -> Bool {
    Channel.fault(inName: name, ofOne: true) == nil
}

/// Whether channels, wildcards and groups may be called so.
func isValidName(_ name: String) -> Bool {
    Channel.fault(inName: name, ofOne: false) == nil
}
