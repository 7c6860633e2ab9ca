// The daemon's JSON of docs/PROTOCOL.md as values.

import EventModel
import JSON

/// Reads what the daemon sends.
///
/// Members that it does not know are ignored: a newer daemon may send them. An event that it
/// cannot read costs that event and no other.
struct ServerFrameDecoder {
    /// The tenant of the session; frames name it only for PubNub's parsers.
    let keyset: String

    /// Reads one message.
    ///
    /// - Parameter kind: The command that an id belongs to; `nil` when nobody waits for it.
    func decode(
        _ bytes: [UInt8], kind: (CommandID) -> CommandKind?
    ) throws(FrameError) -> ServerFrame {
        var problems: [SyncEvent.Problem] = []
        return try decode(bytes, problems: &problems, kind: kind)
    }

    /// Reads one message, and says which of its events cannot be read.
    func decode(
        _ bytes: [UInt8], problems: inout [SyncEvent.Problem], kind: (CommandID) -> CommandKind?
    ) throws(FrameError) -> ServerFrame {
        var id: CommandID?
        do throws(JSONError) {
            let frame = try unsafe JSONValue(
                parsing: bytes.span.bytes, depthMax: ClientLimits.jsonDepthMax)
            guard frame.isObject else {
                throw .wrongType("(the frame)", expected: "an object")
            }
            if frame.member("t") != nil { return .push(try batch(frame, &problems)) }
            if frame.member("rules") != nil {
                return .rules(try RulesDecoder(frame).channels(frame))
            }
            if frame.member("absent") != nil { return try absent(frame.object("absent")) }
            if frame.member("live") != nil { return try live(frame) }
            if frame.member("read") != nil { return .read(try frame.readMarks()) }
            if frame.member("follows") != nil { return try follows(frame.object("follows")) }
            id = try frame.optionalInteger("id")
            return try reply(frame, to: id, kind: kind)
        } catch {
            throw FrameError(description: error.description, id: id)
        }
    }

    private func reply(
        _ frame: borrowing JSONValue, to id: CommandID?, kind: (CommandID) -> CommandKind?
    ) throws(JSONError) -> ServerFrame {
        if frame.member("error") != nil {
            let refusal = try refusal(frame)
            return id.map { .reply($0, .failure(refusal)) } ?? .complaint(refusal)
        }
        guard let id else { throw .missingField("id", expected: "an integer") }
        let result = try frame.object("ok")
        guard let kind = kind(id) else { return .lateReply(id) }
        return .reply(id, .success(try ReplyDecoder(keyset: keyset).reply(result, to: kind)))
    }

    private func refusal(_ frame: borrowing JSONValue) throws(JSONError) -> ProtocolError {
        let error = try frame.object("error")
        return ProtocolError(
            status: Int(try error.integer("status")), code: try error.string("code"),
            message: try error.string("message"),
            retryAfterSeconds: try error.optionalInteger("retryAfter").map { Int($0) })
    }

    /// A change that cannot be read ends the query: without it nobody knows what the list is.
    private func live(_ frame: borrowing JSONValue) throws(JSONError) -> ServerFrame {
        let id = try frame.integer("live")
        if let reason = try frame.optionalString("ended") { return .liveEnded(id, reason: reason) }
        do throws(JSONError) {
            let list = try frame.array("changes")
            var changes: [LiveChange] = []
            for index in 0..<list.count { changes.append(try change(list.element(at: index))) }
            return .live(id, changes)
        } catch {
            return .liveEnded(id, reason: error.description)
        }
    }

    private func change(_ json: borrowing JSONValue) throws(JSONError) -> LiveChange {
        if json.member("add") != nil {
            let action = try json.object("add")
            return .added(try action.action(by: action.string("uuid")))
        }
        if json.member("remove") != nil {
            let action = try json.object("remove")
            return .removed(try action.action(by: action.string("uuid")))
        }
        if json.member("clear") != nil {
            let clearing = try json.object("clear")
            return .cleared(try clearing.clearing(), at: try clearing.timetoken("t"))
        }
        let deletion = try json.object("delete")
        return .deleted(
            MessageDeletion(
                timetoken: try deletion.timetoken("t"), after: try deletion.timetoken("after"),
                through: try deletion.timetoken("through")))
    }

    private func absent(_ frame: borrowing JSONValue) throws(JSONError) -> ServerFrame {
        .absent(channels: try names(frame, "channels"), try refusal(frame))
    }

    private func follows(_ frame: borrowing JSONValue) throws(JSONError) -> ServerFrame {
        let selection =
            if let name = try frame.optionalString("group") { Selection.group(name) } else {
                Selection.wildcard(try frame.string("wildcard"))
            }
        if frame.member("error") != nil { return .followsNoMore(selection, try refusal(frame)) }
        let list = try frame.array("channels")
        var known: [String] = []
        for index in 0..<list.count where list.element(at: index).member("mode") == nil {
            known.append(try list.element(at: index).string("name"))
        }
        return .follows(
            SelectionNews(
                selection, cursor: try frame.timetoken("cursor"),
                channels: try ReplyDecoder(keyset: keyset).subscribed(frame), known: known,
                ended: frame.member("ended") == nil ? [] : try names(frame, "ended")))
    }

    private func names(
        _ frame: borrowing JSONValue, _ member: String
    ) throws(JSONError) -> [String] {
        let list = try frame.array(member)
        var names: [String] = []
        for index in 0..<list.count {
            guard let name = list.element(at: index).string else {
                throw .wrongType(member, expected: "a list of strings")
            }
            names.append(name)
        }
        return names
    }

    // MARK: Pushes

    private func batch(
        _ frame: borrowing JSONValue, _ problems: inout [SyncEvent.Problem]
    ) throws(JSONError) -> Batch {
        let channel = Channel(try frame.string("c"), keyset: keyset)
        let cursor = try frame.object("t").timetoken("t")
        let events = try frame.array("m")
        let state = try frame.state()
        let decoder = EnvelopeDecoder(channel: channel)
        var envelopes: [Envelope] = []
        envelopes.reserveCapacity(events.count)
        for index in 0..<events.count {
            do throws(JSONError) {
                envelopes.append(try decoder.envelope(events.element(at: index)))
            } catch {
                problems.append(
                    SyncEvent.Problem(
                        channel: channel.name, reason: "An event cannot be read. \(error)"))
            }
        }
        let summaries =
            frame.member("g") == nil
            ? [] : try ReplyDecoder(keyset: keyset).summaries(frame, in: "g")
        return Batch(
            channel: channel, cursor: cursor, envelopes: envelopes, state: state,
            summaries: summaries, window: try frame.batchWindow())
    }
}

extension JSONValue {
    /// A member of any kind as compact text; `nil` when absent or `null`.
    func text(_ name: String) -> String? {
        guard let member = member(name) else { return nil }
        return member.compactText
    }

    func timetoken(_ name: String) throws(JSONError) -> Timetoken {
        guard let timetoken = try optionalTimetoken(name) else {
            throw .missingField(name, expected: "a timetoken")
        }
        return timetoken
    }

    func optionalTimetoken(_ name: String) throws(JSONError) -> Timetoken? {
        guard let text = try optionalString(name) else { return nil }
        guard let timetoken = Timetoken(text) else {
            throw .wrongType(name, expected: "a string of 1 to 19 digits")
        }
        return timetoken
    }

    /// What a channel's rows come to, in the member `s`; `nil` when absent.
    func state(_ name: String = "s") throws(JSONError) -> Digest? {
        guard member(name) != nil else { return nil }
        let state = try object(name)
        guard let digest = Digest(try state.string("d"), count: try state.integer("n")) else {
            throw .wrongType("d", expected: "a string of 32 hexadecimal digits")
        }
        return digest
    }

    func action(by uuid: String) throws(JSONError) -> MessageAction {
        let key = MessageAction.Key(
            messageTimetoken: try timetoken("messageTimetoken"), type: try string("type"),
            value: try string("value"), uuid: uuid)
        let score = try optionalInteger("score") ?? 1
        guard score >= 1, score <= Limits.actionScoreMax else {
            throw .wrongType("score", expected: "an integer from 1 to \(Limits.actionScoreMax)")
        }
        return MessageAction(
            key: key, actionTimetoken: try timetoken("actionTimetoken"), score: Int(score))
    }
}
