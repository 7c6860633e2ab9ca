// Which requests become WebSockets, and what the others are told. Pure: headers in, a verdict out.

/// A request for a WebSocket that is right in all but, perhaps, who asks.
///
/// - Source: RFC 6455, sections 4.2 and 4.4.
struct UpgradeRequest: Hashable {
    static let path = "/v1/sync"
    /// The one subprotocol; who offers only others goes on without one.
    static let subprotocol = "sync.v1.json"

    let provenance: Provenance
    let key: String
    let offersSubprotocol: Bool
    /// The members of its URL's query, decoded; of a repeated name the first counts.
    let query: [String: String]

    /// Why it is none, in an answer.
    struct Refusal: Error, Hashable {
        let response: HTTPResponse

        init(_ status: Int, _ message: String, _ headers: [HTTPResponse.Header] = []) {
            var response = HTTPResponse.error(status, message)
            response.headers = headers
            self.response = response
        }
    }

    /// Takes a request whose head is well-formed, and which names an upgrade.
    ///
    /// - Parameter target: In origin form.
    init(_ fields: RequestFields, isGet: Bool, target: String) throws(Refusal) {
        let path = target.prefix { $0 != "?" }
        let protocols = fields.elements(of: .upgrade).map { $0.lowercased() }
        guard isGet, path == Self.path, protocols.contains("websocket") else {
            throw Refusal(
                426, "There is no such upgrade here. The WebSocket is at GET \(Self.path).",
                Self.invitation)
        }
        // Its bytes would be read as frames, or by a proxy as another request.
        guard fields[.transferEncoding] == nil, fields[.contentLength] ?? "0" == "0" else {
            throw Refusal(400, "A request that opens a WebSocket has no body.")
        }
        guard fields[.webSocketVersion] == "13" else {
            throw Refusal(
                426, "Speak version 13 of the WebSocket protocol.",
                Self.invitation + [.init(name: "Sec-WebSocket-Version", value: "13")])
        }
        let keys = fields.values(of: .webSocketKey)
        guard keys.count == 1, Self.isNonce(keys[0]) else {
            throw Refusal(400, "Send one Sec-WebSocket-Key: 16 bytes in base64.")
        }
        query = try Self.members(of: target)
        key = keys[0]
        provenance = fields.provenance
        offersSubprotocol = fields.elements(of: .webSocketProtocol).contains(Self.subprotocol)
    }

    /// What a 426 says the daemon would speak.
    ///
    /// - Source: RFC 9110, sections 7.8 and 15.5.22.
    static let invitation: [HTTPResponse.Header] = [
        .init(name: "Upgrade", value: "websocket"), .init(name: "Connection", value: "Upgrade"),
    ]

    /// The response that makes it a WebSocket.
    var acceptance: [UInt8] {
        var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
        text += "Connection: Upgrade\r\nSec-WebSocket-Accept: \(webSocketAccept(of: key))\r\n"
        if offersSubprotocol { text += "Sec-WebSocket-Protocol: \(Self.subprotocol)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Whether a text is base64 of 16 bytes.
    private static func isNonce(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 24 && bytes[22...] == [0x3D, 0x3D]
            && bytes[..<22].allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }

    /// The query as `URLSearchParams` writes it: a `+` is a space.
    ///
    /// A value that is not UTF-8 becomes an empty one, which no member of a query may be.
    private static func members(of target: String) throws(Refusal) -> [String: String] {
        var members: [String: String] = [:]
        let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try decoded(pair[..<end])
            let value = try decoded(pair[end...].dropFirst())
            guard let name = String(validating: name, as: UTF8.self), members[name] == nil else {
                continue
            }
            members[name] = String(validating: value, as: UTF8.self) ?? ""
        }
        return members
    }

    private static func decoded(_ text: Substring.UTF8View) throws(Refusal) -> [UInt8] {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentEscapes.decode(spaced[...]) else {
            throw Refusal(400, "There is a broken escape in the query of the URL: write % as %25.")
        }
        guard !bytes.contains(0) else {
            throw Refusal(400, "There is a %00 in the URL: no name holds U+0000.")
        }
        return bytes
    }
}
