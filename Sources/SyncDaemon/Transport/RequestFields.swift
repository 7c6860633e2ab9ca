// The headers of a request that decide how it is read, and whether it becomes a WebSocket.

/// Those headers of one request that matter to the transport.
struct RequestFields {
    enum Name: String {
        case authorization
        case connection
        case contentLength = "content-length"
        case contentType = "content-type"
        case expect
        case fetchSite = "sec-fetch-site"
        case host
        case idempotencyKey = "idempotency-key"
        case ifMatch = "if-match"
        case ifNoneMatch = "if-none-match"
        case ifRange = "if-range"
        case lastEventID = "last-event-id"
        case origin
        case range
        case transferEncoding = "transfer-encoding"
        case upgrade
        case webSocketKey = "sec-websocket-key"
        case webSocketProtocol = "sec-websocket-protocol"
        case webSocketVersion = "sec-websocket-version"

        private static let bytesMax = 22

        /// - Parameter bytes: A header's name as it was sent.
        init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count <= Self.bytesMax else { return nil }
            self.init(rawValue: String(decoding: bytes, as: UTF8.self).lowercased())
        }
    }

    private var all: [(name: Name, value: String)] = []

    /// Whom a target in absolute form is for.
    var authority: String?

    mutating func add(_ value: String, to name: Name) {
        all.append((name, value))
    }

    /// The values of a header, one for each time that it was sent.
    func values(of name: Name) -> [String] {
        all.filter { $0.name == name }.map(\.value)
    }

    /// The value of a header, its repetitions joined; `nil` when it is absent.
    subscript(name: Name) -> String? {
        var joined: String?
        for field in all where field.name == name {
            joined = joined.map { "\($0),\(field.value)" } ?? field.value
        }
        return joined
    }

    /// Who asks, and for whom.
    var provenance: Provenance {
        Provenance(
            host: authority ?? self[.host], origin: self[.origin], site: self[.fetchSite])
    }

    /// What dialects ask for.
    var forDialects: HTTPRequest.Fields {
        HTTPRequest.Fields(
            authorization: self[.authorization], ifMatch: self[.ifMatch],
            idempotencyKey: self[.idempotencyKey], lastEventID: self[.lastEventID],
            contentType: self[.contentType], range: self[.range], ifRange: self[.ifRange],
            ifNoneMatch: self[.ifNoneMatch])
    }

    /// The elements of a header that is a list.
    ///
    /// - Source: RFC 9110, section 5.6.1.
    func elements(of name: Name) -> [String] {
        values(of: name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { element in
                let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == 0x09 }
                let start = element.drop(while: isBlank)
                let end = start.lastIndex { !isBlank($0) }.map { start.index(after: $0) }
                return String(decoding: start[..<(end ?? start.startIndex)], as: UTF8.self)
            }
        }
    }
}
