// How each server is spoken to: the upgrade, how to subscribe, and how to publish.

/// What goes over the wire to one kind of server.
struct Dialect {
    let kind: ServerKind
    let port: UInt16

    /// A connection that follows channels.
    func subscriber(_ index: Int, channels: Range<Int>) -> Plan {
        var plan = Plan(request: request(user: "s\(index)", channel: channels.lowerBound))
        let names = channels.map(FrameTemplate.channelName)
        switch kind {
        case .syncdaemon, .guarded:
            plan.greeting =
                hello(device: "s\(index)")
                + Self.subscribe(to: names.map { "{\"name\":\"\($0)\"}" })
            // Only the answer to subscribe has a mode.
            plan.readyWord = "\"mode\":"
            plan.readyCount = names.count
        case .floor, .uwebsockets:
            plan.greeting = names.map { ClientFrame.text("sub \($0)") }
            plan.readyWord = "ok"
            plan.readyCount = names.count
        case .nats:
            let subscriptions = names.enumerated().map { "SUB \($1) \($0 + 1)\r\n" }.joined()
            let hello = #"CONNECT {"verbose":false,"pedantic":false,"protocol":1,"echo":false}"#
            plan.greeting = [ClientFrame.binary("\(hello)\r\n\(subscriptions)PING\r\n")]
            plan.readyWord = "PONG"
            plan.readyCount = 1
        case .nchan: break
        }
        return plan
    }

    /// A connection that publishes.
    func writer(_ index: Int, channel: Int = 0) -> Plan {
        // The user's name is part of an event; one letter keeps the sizes equal.
        var plan = Plan(role: .writer, request: request(user: "w", device: index, channel: channel))
        switch kind {
        case .syncdaemon, .guarded:
            plan.greeting = hello(device: "w\(index)")
            plan.readyWord = "\"session\""
            plan.readyCount = 1
        case .nats:
            let hello = #"CONNECT {"verbose":false,"pedantic":false,"protocol":1}"#
            plan.greeting = [ClientFrame.binary("\(hello)\r\nPING\r\n")]
            plan.readyWord = "PONG"
            plan.readyCount = 1
        case .floor, .uwebsockets, .nchan: break
        }
        return plan
    }

    /// A frame that publishes one event.
    ///
    /// - Parameter bytes: Size of the event as subscribers get it, without what a server puts
    ///   around a frame's events. The daemon's events name their author and position, so that
    ///   less of it is payload.
    func event(bytes: Int) -> FrameTemplate {
        let channel = FrameTemplate.channelName(0)
        switch kind {
        case .syncdaemon, .guarded:
            let text = Self.filled("\"\(Marker.text)", "\"", to: bytes - Self.envelopeBytes)
            return FrameTemplate(
                #"{"id":1,"op":"publish","channel":"\#(channel)","payload":\#(text)}"#)
        case .floor, .uwebsockets:
            return FrameTemplate("pub \(channel) \(Self.plainEvent(bytes))")
        case .nats:
            let event = Self.plainEvent(bytes)
            return FrameTemplate("PUB \(channel) \(event.utf8.count)\r\n\(event)\r\n", .binary)
        case .nchan: return FrameTemplate(Self.plainEvent(bytes))
        }
    }

    /// A frame that adds a reaction with a value of its own, which carries the mark.
    ///
    /// - Parameter isRetryable: Whether it has a mutation id.
    func add(isRetryable: Bool) -> FrameTemplate {
        let mutation = isRetryable ? #","mutation":"\#(FrameTemplate.sequence)""# : ""
        return FrameTemplate(
            #"{"id":1,"op":"addAction","channel":"\#(FrameTemplate.channelName(0))","#
                + #""messageTimetoken":"\#(FrameTemplate.sequence)","value":"\#(Marker.text)""#
                + "\(mutation)}")
    }

    /// `subscribe` commands with at most as many channels as one may have.
    ///
    /// - Parameter channels: JSON objects with a name and perhaps a cursor.
    static func subscribe(to channels: [String]) -> [[UInt8]] {
        stride(from: 0, to: channels.count, by: 300).map { first in
            let list = channels[first...].prefix(300).joined(separator: ",")
            return ClientFrame.text(#"{"id":2,"op":"subscribe","channels":[\#(list)]}"#)
        }
    }

    /// What docs/PROTOCOL.md puts around a message's payload.
    private static let envelopeBytes =
        (#"{"a":"1","f":0,"i":"w","p":{"t":"17952187953729999","r":1},"#
        + #""k":"default","c":"c000000","d":}"#).utf8.count

    /// An event with the same facts as an application would have to write them.
    private static func plainEvent(_ bytes: Int) -> String {
        filled(#"{"c":"room","e":3,"i":"w","t":"\#(Marker.text)","d":""#, "\"}", to: bytes)
    }

    /// Puts as many letters between two texts as make them so long.
    private static func filled(_ start: String, _ end: String, to bytes: Int) -> String {
        let missing = max(0, bytes - start.utf8.count - end.utf8.count)
        return start + String(repeating: "x", count: missing) + end
    }

    /// Shows the token; who needs none says in the request who it is.
    private func hello(device: String) -> [[UInt8]] {
        guard kind == .guarded else { return [] }
        return [
            ClientFrame.text(
                #"{"id":1,"op":"hello","userId":"w","deviceId":"\#(device)","token":""#
                    + #"\#(Guard.token)"}"#)
        ]
    }

    /// RFC 6455, section 4.1; the key is the one of its example, which the floor expects.
    func request(user: String, device: Int = 0, channel: Int = 0) -> [UInt8] {
        let path =
            switch kind {
            case .guarded: "/v1/sync"
            case .syncdaemon: "/v1/sync?userId=\(user)&deviceId=d\(device)"
            case .nchan: "/channel?name=\(FrameTemplate.channelName(channel))"
            case .floor, .nats, .uwebsockets: "/"
            }
        let subprotocol =
            kind.isDaemon ? "Sec-WebSocket-Protocol: sync.v1.json\r\n" : ""
        let text =
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Version: 13\r\n\(subprotocol)\r\n"
        return Array(text.utf8)
    }
}
