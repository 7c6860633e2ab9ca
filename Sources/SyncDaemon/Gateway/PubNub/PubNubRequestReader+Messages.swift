// Publish, signal and subscribe.

import EventModel
import JSON

extension PubNubRequestReader {
    func publication() throws(PubNubError) -> PubNubRequest.Publication {
        let channel = try writableChannel()
        let text = try payloadText()
        guard text.utf8.count <= Limits.frameBytesMax else { throw .messageTooLarge(at: now) }
        var publication = PubNubRequest.Publication(
            channel: channel,
            message: Message(
                payload: try json(text), meta: try meta(), type: try customMessageType()))
        publication.isStored = try optionalFlag("store")
        publication.hoursKept = try hoursKept()
        // A fire: for functions in PubNub's cloud, not for subscribers.
        publication.isReplicated = try !(flag("norep") && publication.isStored == false)
        return publication
    }

    /// Below zero is not brought into the range: there 0 means for ever.
    private func hoursKept() throws(PubNubError) -> Int? {
        guard query["ttl"]?.hasPrefix("-") != true else {
            throw wrong("ttl", "hours, 0 or more")
        }
        return try integer("ttl", in: 0...Limits.hoursKeptMax)
    }

    func signal() throws(PubNubError) -> PubNubRequest.Endpoint {
        let channel = try writableChannel()
        let text = try text("payload")
        guard text.utf8.count <= Limits.signalBytesMax else { throw .signalTooLarge(at: now) }
        return .signal(
            channel: channel, Message(payload: try json(text), type: try customMessageType()))
    }

    /// The message as JSON text: from the path, or from the body when the path has none.
    private func payloadText() throws(PubNubError) -> String {
        guard route.path.index(of: "payload") == nil else { return try text("payload") }
        switch RequestBody.inflated(body, limit: Limits.frameBytesMax) {
        case .failure(.tooLarge): throw .messageTooLarge(at: now)
        case .failure(.malformed): throw .invalidJSON(family)
        case .success(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .invalidJSON(family)
            }
            return text
        }
    }

    /// What goes out as `u`; `null` is as good as none.
    private func meta() throws(PubNubError) -> String? {
        guard let text = query["meta"], !text.isEmpty else { return nil }
        let meta = try json(text)
        return meta == "null" ? nil : meta
    }

    private func customMessageType() throws(PubNubError) -> String? {
        guard let type = query["custom_message_type"], !type.isEmpty else { return nil }
        guard (3...50).contains(type.utf8.count), type.utf8.allSatisfy(isTypeCharacter),
            !type.hasPrefix("-"), !type.hasPrefix("_"), !type.hasPrefix("pn_"),
            !type.hasPrefix("pn-")
        else {
            throw wrong(
                "custom_message_type",
                "3 to 50 letters, digits, - or _, and not begin with -, _, pn_ or pn-")
        }
        return type
    }

    func poll() throws(PubNubError) -> PubNubRequest.Poll {
        let channels = try channels()
        let groups = try groups()
        guard !channels.isEmpty || !groups.isEmpty else {
            throw .invalid("Name a channel or a channel group to subscribe to.", family)
        }
        let isOld = route.path.index(of: "timetoken") != nil
        return PubNubRequest.Poll(
            form: isOld ? .payloads : .envelopes, channels: channels, groups: groups,
            cursor: try isOld ? oldCursor() : bound("tt") ?? .zero,
            // The subscribe of old knows no region; its cursors come from a daemon.
            hasRegion: isOld || query["tr"].map { !$0.isEmpty && $0 != "0" } ?? false,
            filter: try filter(), beat: try beat())
    }

    /// The subscribe of old has its cursor in the path.
    private func oldCursor() throws(PubNubError) -> Timetoken {
        guard let cursor = Timetoken(bound: try text("timetoken")) else {
            throw wrongTimetoken("timetoken", in: "path")
        }
        return cursor
    }

    private func filter() throws(PubNubError) -> MessageFilter? {
        guard let text = query["filter-expr"], !text.utf8.allSatisfy({ $0 == 0x20 }) else {
            return nil
        }
        do throws(MessageFilterError) {
            return try MessageFilter(text)
        } catch {
            throw .malformedFilter(error.description)
        }
    }
}

private func isTypeCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}
