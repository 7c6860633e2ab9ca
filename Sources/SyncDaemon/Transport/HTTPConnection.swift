// The order of things on one HTTP connection: a request, its response, the next request. No
// sockets.

import EventModel

/// What one peer has sent, and where its request stands.
///
/// Small while nothing is being read: a long poll waits for minutes.
struct HTTPConnection {
    enum Step {
        /// More bytes are to come.
        ///
        /// `hasBegun`: these were the first of another request than the connection's first.
        case wait(hasBegun: Bool)
        /// Send `100 Continue`.
        case sendContinue
        /// Answer it; until then nothing else is read.
        ///
        /// Its body may come behind it in parts.
        case request(HTTPRequest)
        /// Take that of the body of the request that waits.
        case part([UInt8], isLast: Bool)
        /// Make it a WebSocket, or refuse to, with ``refuse()``; ``takeRest()`` has what follows.
        case upgrade(UpgradeRequest)
        /// Answer that, and close.
        case refuse(HTTPRefusal, isHead: Bool)
        /// The peer sends too much while its request waits.
        case hangUp
    }

    private enum Phase {
        case reading
        /// A request waits for its response.
        case waiting(isHead: Bool, keepsConnection: Bool, isHTTP10: Bool, origin: String?)
        /// What becomes of a request for a WebSocket is being decided.
        case upgrading
        /// The socket has not taken all of the response yet.
        case writing(keepsConnection: Bool)
        /// The head of a response has left, whose body has no end yet.
        case streaming(isChunked: Bool)
        /// What comes now is of no interest.
        case ended
    }

    private var phase = Phase.reading
    private var isFirstRequest = true
    private var parser: HTTPRequestParser?
    /// What came before the last response had left.
    private var stash: [UInt8] = []
    /// Whether the body of the request that waits is still to come.
    private(set) var isReceiving = false

    /// Whether a request that is whole waits for its response.
    var isWaiting: Bool {
        if case .waiting = phase { !isReceiving } else { false }
    }

    /// Whether the client waits for `100 Continue` before it sends a body in parts; `true` once.
    mutating func takeContinue() -> Bool { isReceiving && parser?.takeContinue() == true }

    var isWriting: Bool {
        if case .writing = phase { true } else { false }
    }

    /// Whether parts of a response follow each other.
    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    /// Whether bytes of the next request are here already.
    var hasMore: Bool { !stash.isEmpty }

    /// Bytes of requests that are kept here.
    var heldBytes: Int { stash.count + (parser?.heldBytes ?? 0) }

    /// Whether ``readOn()`` has something to read.
    var canReadOn: Bool {
        if case .reading = phase { hasMore } else { false }
    }

    /// Takes bytes from the socket.
    mutating func receive(_ bytes: Span<UInt8>) -> Step {
        switch phase {
        case .reading where stash.isEmpty:
            return read(bytes)
        case .reading:
            append(bytes, from: 0)
            return readOn() ?? .wait(hasBegun: false)
        case .waiting where isReceiving && stash.isEmpty:
            return read(bytes)
        case .writing(keepsConnection: false):
            // The rest of a body that is not wanted, for example.
            return .wait(hasBegun: false)
        case .waiting, .writing, .streaming:
            guard stash.count + bytes.count <= Limits.requestHeaderBytesMax else {
                stash = []
                return .hangUp
            }
            append(bytes, from: 0)
            return .wait(hasBegun: false)
        case .upgrading, .ended:
            return .wait(hasBegun: false)
        }
    }

    /// What came behind a request for a WebSocket, whose connection no longer speaks HTTP.
    consuming func takeRest() -> [UInt8] { stash }

    /// Has its last response to send, and reads no more.
    mutating func refuse() {
        end()
        phase = .writing(keepsConnection: false)
    }

    /// The response to the request that waits, or a part of one, as bytes; `nil` when none does.
    mutating func answer(_ response: HTTPResponse) -> [UInt8]? {
        if case .streaming(let isChunked) = phase { return goOn(with: response, isChunked) }
        guard response.part == .whole || response.part == .head else { return nil }
        guard case .waiting(let isHead, let keepsConnection, let isHTTP10, let origin) = phase
        else { return nil }
        var response = response
        if isReceiving {
            // What comes of the body is of no interest any more.
            (isReceiving, parser, stash) = (false, nil, [])
            response.keepsConnection = false
        }
        if response.part == .head {
            let isChunked = !isHTTP10 && response.length == nil
            phase = .streaming(isChunked: isChunked)
            // It ends when the stream does.
            response.keepsConnection = false
            return response.encodedHead(isChunked: isChunked, for: origin)
        }
        response.keepsConnection = response.keepsConnection && keepsConnection
        // A client of HTTP/1.0 does not expect it otherwise.
        if isHTTP10, response.keepsConnection {
            response.headers.append(HTTPResponse.Header(name: "Connection", value: "keep-alive"))
        }
        phase = .writing(keepsConnection: response.keepsConnection)
        return response.encoded(omitsBody: isHead, for: origin)
    }

    /// Anything but a further part ends the body: its status can no longer be another.
    private mutating func goOn(with response: HTTPResponse, _ isChunked: Bool) -> [UInt8] {
        var response = response
        switch response.part {
        case .more: break
        case .whole, .head:
            (response.part, response.body) = (.last, [])
            fallthrough
        case .last: phase = .writing(keepsConnection: false)
        }
        return response.encodedPart(isChunked: isChunked)
    }

    /// Goes on after the socket has taken all of a response.
    ///
    /// - Returns: Whether the connection stays. ``readOn()`` then reads what is here of the next
    ///   request.
    mutating func responseHasLeft() -> Bool {
        guard case .writing(let keepsConnection) = phase else { return true }
        guard keepsConnection else {
            end()
            return false
        }
        phase = .reading
        return true
    }

    /// Reads what came before the last response had left; `nil` when there is nothing to read.
    mutating func readOn() -> Step? {
        guard !stash.isEmpty else { return nil }
        switch phase {
        case .reading: break
        case .waiting where isReceiving: break
        default: return nil
        }
        let bytes = stash
        stash = []
        return read(bytes.span)
    }

    private mutating func read(_ bytes: Span<UInt8>) -> Step {
        let hasBegun = parser == nil && !isFirstRequest
        let parser = parser ?? HTTPRequestParser()
        self.parser = parser
        let (count, progress) = parser.consume(bytes)
        switch progress {
        case .incomplete:
            return parser.takeContinue() ? .sendContinue : .wait(hasBegun: hasBegun)
        case .complete(let request, let keepsConnection, let isHTTP10):
            self.parser = nil
            isFirstRequest = false
            append(bytes, from: count)
            phase = .waiting(
                isHead: request.method == .head, keepsConnection: keepsConnection,
                isHTTP10: isHTTP10, origin: request.provenance.origin)
            return .request(request)
        case .begun(let request, let keepsConnection, let isHTTP10):
            isFirstRequest = false
            isReceiving = true
            append(bytes, from: count)
            phase = .waiting(
                isHead: false, keepsConnection: keepsConnection, isHTTP10: isHTTP10,
                origin: request.provenance.origin)
            return .request(request)
        case .part(let part, let isLast):
            if isLast {
                self.parser = nil
                isReceiving = false
            }
            append(bytes, from: count)
            return .part(part, isLast: isLast)
        case .upgrade(let request):
            self.parser = nil
            append(bytes, from: count)
            phase = .upgrading
            return .upgrade(request)
        case .refused(let refusal):
            let isHead = parser.isHead
            refuse()
            return .refuse(refusal, isHead: isHead)
        }
    }

    private mutating func append(_ bytes: Span<UInt8>, from start: Int) {
        stash.reserveCapacity(stash.count + bytes.count - start)
        for index in start..<bytes.count { stash.append(bytes[index]) }
    }

    private mutating func end() {
        phase = .ended
        parser = nil
        stash = []
    }
}
