// Reads one HTTP request from bytes as they come. The only file that uses http-parser.
//
// http-parser 2.9.4 as Debian builds it is lenient (spaces in header names, any four letters for
// "HTTP", folded lines). So it gets whole lines, which are checked here first.

import CHTTPParser
import EventModel

/// The request that a connection is receiving.
///
/// - Source: RFC 9112.
@safe final class HTTPRequestParser {
    enum Progress {
        /// More bytes are to come.
        case incomplete
        case complete(HTTPRequest, keepsConnection: Bool, isHTTP10: Bool)
        /// Its body comes in parts.
        case begun(HTTPRequest, keepsConnection: Bool, isHTTP10: Bool)
        case part([UInt8], isLast: Bool)
        /// It asks for a WebSocket, and is right; what follows are frames.
        case upgrade(UpgradeRequest)
        case refused(HTTPRefusal)
    }

    /// Owned; apart from `self`, because http-parser's callbacks read it while it is written.
    private let parser: UnsafeMutablePointer<http_parser>
    /// The start of a line whose end has not come.
    private var line: [UInt8] = []
    private var headByteCount = 0
    private var hasStartLine = false
    private var isHeadComplete = false
    private var isComplete = false
    private var refusal: HTTPRefusal?

    private var target: [UInt8] = []
    private var field: RequestFields.Name?
    private var fields = RequestFields()
    private var upgrade: UpgradeRequest?
    private var waitsForContinue = false
    private var body: [UInt8] = []
    /// Bytes of a body that is not kept here.
    private var streamedLength: Int?
    private var hasTold = false

    init() {
        unsafe parser = .allocate(capacity: 1)
        unsafe parser.initialize(to: http_parser())
        unsafe http_parser_init(parser, HTTP_REQUEST)
    }

    deinit {
        unsafe parser.deallocate()
    }

    /// Bytes of it that are kept here.
    var heldBytes: Int { headByteCount + body.count }

    /// Takes the bytes of the request, and leaves those of the next one.
    ///
    /// - Returns: How many bytes it took, and what they led to.
    func consume(_ bytes: Span<UInt8>) -> (count: Int, progress: Progress) {
        var index = 0
        while index < bytes.count, !isComplete, refusal == nil, !mustTell {
            if isHeadComplete {
                index += execute(bytes.extracting(index...))
            } else {
                index = consumeLine(bytes, from: index)
            }
        }
        if let refusal { return (index, .refused(refusal)) }
        if let progress = streamed() { return (index, progress) }
        return (index, isComplete ? completion : .incomplete)
    }

    /// Whether somebody is to hear of the request before its body is read.
    private var mustTell: Bool { isHeadComplete && streamedLength != nil && !hasTold }

    /// What a body that comes in parts led to.
    private func streamed() -> Progress? {
        guard let streamedLength, isHeadComplete else { return nil }
        guard hasTold else {
            hasTold = true
            var request = request
            request.bodyLength = streamedLength
            return .begun(request, keepsConnection: keepsConnection, isHTTP10: isHTTP10)
        }
        guard isComplete || !body.isEmpty else { return nil }
        defer { body = [] }
        return .part(body, isLast: isComplete)
    }

    /// Whether the client waits for `100 Continue` before it sends the body; `true` once.
    func takeContinue() -> Bool {
        guard isHeadComplete, !isComplete else { return false }
        defer { waitsForContinue = false }
        return waitsForContinue && body.isEmpty
    }

    /// Whether it is a HEAD, as far as it has come: no answer to it has a body.
    var isHead: Bool {
        hasStartLine
            ? unsafe parser.pointee.method == HTTP_HEAD.rawValue : line.starts(with: "HEAD ".utf8)
    }

    // MARK: Lines

    /// Takes what is there of a line, and reads the line if that was its end.
    private func consumeLine(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != lineFeed { end += 1 }
        let hasEnd = end < bytes.count
        if hasEnd { end += 1 }
        headByteCount += end - start
        guard headByteCount <= Limits.requestHeaderBytesMax else {
            let count = Limits.rememberedTargetBytes
            for index in start..<min(end, start + count) where line.count < count {
                line.append(bytes[index])
            }
            if hasStartLine {
                refuse(431, "Make the request shorter.")
            } else {
                let beginning = String(decoding: line.prefix(count), as: UTF8.self)
                refusal = refusal ?? .targetTooLong(beginning: beginning)
            }
            return end
        }
        let isFirst = line.isEmpty
        if isFirst, !RequestRules.mayStartLine(with: bytes[start], isFirst: !hasStartLine) {
            refuse(400, "This is no HTTP/1.1 request.")
        } else if isFirst, hasEnd {
            read(bytes.extracting(start..<end))
        } else {
            for index in start..<end { line.append(bytes[index]) }
            if hasEnd {
                let whole = line
                line = []
                read(whole.span)
            }
        }
        return end
    }

    private func read(_ line: Span<UInt8>) {
        guard RequestRules.isEnded(line) else {
            return refuse(400, "End each line of the head with CR LF.")
        }
        let isBlank = line.count == 2
        // RFC 9112, section 2.2: blank lines before a request are passed over.
        if !hasStartLine, isBlank { return }
        let isStart = !hasStartLine
        hasStartLine = true
        guard !RequestRules.hasControl(line) else {
            return refuse(400, "There is a control character in the head of the request.")
        }
        _ = execute(line)
        if isStart, refusal == nil { checkStartLine(line) }
    }

    /// METHOD SP TARGET SP HTTP/1.N, and nothing looser.
    private func checkStartLine(_ line: Span<UInt8>) {
        let length = method.utf8.count + 1 + target.count + 1
        guard RequestRules.isStartLine(line, versionAt: length) else {
            return refuse(400, "The request line is not well-formed.")
        }
        guard unsafe parser.pointee.http_major == 1 else { return refuse(505, "Speak HTTP/1.1.") }
        let isText = target.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7F }
        guard isText else { return refuse(400, "Percent-encode the target.") }
    }

    // MARK: http-parser

    private func execute(_ bytes: Span<UInt8>) -> Int {
        var settings = http_parser_settings()
        unsafe http_parser_settings_init(&settings)
        unsafe settings.on_url = { unsafe owner($0)?.take(target: buffer($1, $2)) ?? -1 }
        unsafe settings.on_header_field = { unsafe owner($0)?.take(name: buffer($1, $2)) ?? -1 }
        unsafe settings.on_header_value = { unsafe owner($0)?.take(value: buffer($1, $2)) ?? -1 }
        unsafe settings.on_headers_complete = { unsafe owner($0)?.headIsComplete() ?? -1 }
        unsafe settings.on_body = { unsafe owner($0)?.take(body: buffer($1, $2)) ?? -1 }
        unsafe settings.on_message_complete = { parser in
            unsafe owner(parser)?.isComplete = true
            // The next request is not this parser's.
            unsafe http_parser_pause(parser, 1)
            return 0
        }
        unsafe parser.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let count = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                unsafe http_parser_execute(
                    parser, &settings, characters.baseAddress, characters.count)
            }
        }
        unsafe parser.pointee.data = nil
        let status = unsafe parser.pointee.http_errno
        guard status != HPE_OK.rawValue, status != HPE_PAUSED.rawValue, refusal == nil
        else { return count }
        if status == HPE_INVALID_METHOD.rawValue, RequestRules.hasMethod(bytes) {
            refusal = .broken(
                .methodNotAllowed(
                    "Nothing here has this method.",
                    allowing: ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]))
            return bytes.count
        }
        refusal = .broken(
            framingRefusal ?? .error(400, "The request is not well-formed: \(text(of: status))."))
        return bytes.count
    }

    private func take(target bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        target = unsafe Array(bytes)
        return 0
    }

    private func take(name bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        // A space before the colon hides a header from whoever reads more strictly.
        if unsafe bytes.contains(UInt8(ascii: " ")) {
            refuse(400, "There is a space in the name of a header.")
            return -1
        }
        field = unsafe RequestFields.Name(bytes)
        return 0
    }

    private func take(value bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard let field else { return 0 }
        var value = unsafe String(decoding: bytes, as: UTF8.self)
        while value.utf8.last == UInt8(ascii: " ") || value.utf8.last == UInt8(ascii: "\t") {
            value.removeLast()
        }
        if field == .expect { waitsForContinue = value.lowercased() == "100-continue" }
        fields.add(value, to: field)
        return 0
    }

    private func take(body bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        unsafe body.append(contentsOf: bytes)
        return 0
    }

    /// Checks the head; -1 makes http-parser stop.
    private func headIsComplete() -> Int32 {
        isHeadComplete = true
        if let refusal = refusal ?? headRefusal { self.refusal = refusal }
        return refusal == nil ? 0 : -1
    }

    private var headRefusal: HTTPRefusal? {
        let hosts = fields.values(of: .host)
        if hosts.count > 1 || (hosts.isEmpty && !isHTTP10) {
            return .broken(.error(400, "Send one Host header."))
        }
        if let host = hosts.first, !RequestRules.isHost(host) {
            return .broken(.error(400, "Host is no name with a port."))
        }
        fields.authority = RequestRules.authority(of: String(decoding: target, as: UTF8.self))
        if let authority = fields.authority, authority.isEmpty || !RequestRules.isHost(authority) {
            return .broken(.error(400, "The target's host is no name with a port."))
        }
        guard fields.values(of: .origin).count <= 1 else {
            return .broken(.error(400, "Send one Origin."))
        }
        for name in [RequestFields.Name.authorization, .idempotencyKey, .lastEventID]
        where fields.values(of: name).count > 1 {
            return .broken(.error(400, "Send one \(name.rawValue)."))
        }
        if unsafe parser.pointee.method == HTTP_CONNECT.rawValue {
            return .broken(.methodNotAllowed("This is no proxy.", allowing: ["GET", "HEAD"]))
        }
        // RFC 9110, section 7.8: HTTP/1.0 knows no upgrades.
        if isHTTP10 { unsafe parser.pointee.upgrade = 0 }
        if unsafe parser.pointee.upgrade != 0 { return readUpgrade() }
        if let framingRefusal { return .broken(framingRefusal) }
        let length = fields[.contentLength].map { Int($0) ?? Int.max } ?? 0
        let request = request
        let isStreamed =
            request.method == .post && request.target.hasPrefix("/" + HTTPRequest.streamedPath)
        if isStreamed, length > 0 { streamedLength = length }
        let limit =
            isStreamed ? Limits.fileBytesMax + Limits.formBytesMax : Limits.requestBodyBytesMax
        return length > limit ? .bodyTooLong(request) : nil
    }

    private var framingRefusal: HTTPResponse? {
        RequestRules.refusal(
            contentLength: fields[.contentLength], transferEncoding: fields[.transferEncoding])
    }

    private func readUpgrade() -> HTTPRefusal? {
        do throws(UpgradeRequest.Refusal) {
            upgrade = try UpgradeRequest(
                fields, isGet: unsafe parser.pointee.method == HTTP_GET.rawValue,
                target: request.target)
            return nil
        } catch {
            return .broken(error.response)
        }
    }

    private func refuse(_ status: Int, _ message: String) {
        refusal = refusal ?? .broken(.error(status, message))
    }

    // MARK: The result

    private var completion: Progress {
        upgrade.map { .upgrade($0) }
            ?? .complete(request, keepsConnection: keepsConnection, isHTTP10: isHTTP10)
    }

    private var isHTTP10: Bool { unsafe parser.pointee.http_minor == 0 }

    private var keepsConnection: Bool { unsafe http_should_keep_alive(parser) != 0 }

    private var method: String {
        unsafe http_method_str(http_method(rawValue: parser.pointee.method))
            .map { unsafe String(cString: $0) } ?? ""
    }

    private var request: HTTPRequest {
        HTTPRequest(
            method: HTTPRequest.Method(rawValue: method) ?? .other,
            target: RequestRules.originForm(of: String(decoding: target, as: UTF8.self)),
            body: body, fields: fields.forDialects, provenance: fields.provenance)
    }
}

private let lineFeed = UInt8(ascii: "\n")

/// The parser that lent itself to http-parser for one call.
private func owner(_ parser: UnsafeMutablePointer<http_parser>?) -> HTTPRequestParser? {
    guard let data = unsafe parser?.pointee.data else { return nil }
    return unsafe Unmanaged<HTTPRequestParser>.fromOpaque(data).takeUnretainedValue()
}

private func buffer(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(
        start: UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self), count: count)
}

private func text(of status: UInt32) -> String {
    unsafe http_errno_description(http_errno(rawValue: status))
        .map { unsafe String(cString: $0) } ?? "unknown"
}
