// A file on its way out: part after part, the next when the peer has taken the last.

import EventModel

/// One download.
final class FileDownload: HTTPFileCall, HTTPStreamCall {
    let caller: FileCaller
    private let isHead: Bool
    /// Whether the client has the file: what is under an id never changes.
    private let isKnown: Bool
    private let wanted: ByteRange?
    private var hasPlace = false
    private var hasBegun = false

    /// In place of a ticket: there is no such file.
    static let nothing = "none"

    static func answer(_ asking: HTTPAsking, _ files: FileService) -> HTTPAnswer {
        let parts = asking.request.path.split(separator: "/")
        if parts.count > 3, parts[3] == nothing {
            return .now(HTTPResponse.noSuchFile.forEveryPage)
        }
        guard parts.count > 3, let caller = FileCaller(parts[3], for: .download, files, asking)
        else { return .now(HTTPResponse.badTicket.forEveryPage) }
        return .call(FileDownload(caller, asking.request))
    }

    private init(_ caller: FileCaller, _ request: HTTPRequest) {
        self.caller = caller
        let (tag, fields) = (Self.tag(of: caller.ticket), request.fields)
        isHead = request.method == .head
        isKnown = fields.ifNoneMatch.map { EntityTag.isListed(tag, in: $0) } ?? false
        let isOfThis = fields.ifRange.map { $0 == tag } ?? true
        wanted = isOfThis ? fields.range.flatMap { ByteRange($0) } : nil
    }

    private static func tag(of ticket: FileTicket) -> String { "\"\(ticket.id.text)\"" }

    func start() -> HTTPResponse? {
        if let refusal = HTTPResponse(files.beginDownload(of: caller.peer)) {
            return refusal.forEveryPage
        }
        hasPlace = true
        let order: FileOrder =
            isHead || isKnown
            ? .measure(ticket.id, size: ticket.bytes)
            : .open(ticket.id, wanted, size: ticket.bytes)
        guard files.put(order, for: origin) else {
            leave(failed: true)
            return HTTPResponse.filesBusy.forEveryPage
        }
        return nil
    }

    func goOn(as command: CommandID) -> HTTPResponse? {
        files.put(.read, for: origin) ? nil : breakOff()
    }

    func hear(_ result: FileAnswer.Result) -> HTTPResponse? {
        switch result {
        case .part(let bytes, let file, let isLast):
            if isLast { leave(failed: false) }
            guard let file else { return part(isLast ? .last : .more, bytes) }
            hasBegun = true
            var response = part(isLast ? .whole : .head, bytes)
            response.length = file.range.count
            if wanted != nil {
                response.status = 206
                response.headers.append(
                    Self.contentRange(
                        "\(file.range.lowerBound)-\(file.range.upperBound - 1)", of: file.size))
            }
            return response
        case .measured(let size):
            leave(failed: false)
            var response = part(.whole, [])
            if isKnown { response.status = 304 } else { response.length = size }
            return response
        case .outside(let size):
            leave(failed: true)
            var response = HTTPResponse.storage(
                416, "InvalidRange", "The requested range is not satisfiable.")
            response.headers.append(Self.contentRange("*", of: size))
            return response.forEveryPage
        case .failed(.absent) where !hasBegun, .failed(.wrongSize) where !hasBegun:
            leave(failed: true)
            return HTTPResponse.noSuchFile.forEveryPage
        case .failed where !hasBegun:
            leave(failed: true)
            return HTTPResponse.storage(500, "InternalError", "The file could not be read.")
                .forEveryPage
        case .failed: return breakOff()
        case .taken, .stored, .badForm: preconditionFailure("A download writes no file.")
        }
    }

    private static func contentRange(_ range: String, of size: Int) -> HTTPResponse.Header {
        HTTPResponse.Header(name: "Content-Range", value: "bytes \(range)/\(size)")
    }

    /// - Source: RFC 6266 and RFC 8187: nothing of the name goes out as it is.
    private func part(_ part: HTTPResponse.Part, _ bytes: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200, contentType: FileName.mediaType(of: ticket.name), body: bytes,
            headers: [
                HTTPResponse.Header(
                    name: "Content-Disposition",
                    value: "attachment; filename*=UTF-8''" + percentEncoded(ticket.name)),
                HTTPResponse.Header(
                    name: "Content-Security-Policy", value: "default-src 'none'; sandbox"),
                HTTPResponse.Header(name: "Cache-Control", value: "private, max-age=3600"),
                HTTPResponse.Header(name: "ETag", value: Self.tag(of: ticket)),
                HTTPResponse.Header(name: "Accept-Ranges", value: "bytes"),
            ])
        response.part = part
        return response.forEveryPage
    }

    /// Ends a response that has begun: the peer sees by its length that something is missing.
    private func breakOff() -> HTTPResponse {
        leave(failed: true)
        return part(.last, [])
    }

    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse? {
        preconditionFailure("A download asks no store.")
    }

    func refusal(_ error: ProtocolError) -> HTTPResponse {
        hasBegun
            ? breakOff()
            : HTTPResponse.storage(error.status, "SlowDown", error.message).forEveryPage
    }

    /// Nothing is said between parts.
    var sign: HTTPResponse { part(.more, []) }

    private func leave(failed: Bool) {
        guard hasPlace else { return }
        hasPlace = false
        files.put(.end, for: origin)
        files.endDownload(of: caller.peer, failed: failed)
    }

    func abandon() { leave(failed: true) }
}

extension HTTPResponse {
    /// The same for pages of every origin: who has the address has the right, and no cookie counts.
    ///
    /// - Source: Fetch, "CORS protocol"; HTML, "Cross-Origin-Resource-Policy".
    fileprivate var forEveryPage: HTTPResponse {
        var response = self
        response.isForEveryPage = true
        response.headers += [
            Header(name: "Cross-Origin-Resource-Policy", value: "cross-origin"),
            Header(
                name: "Access-Control-Expose-Headers",
                value: "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag"),
        ]
        return response
    }

    /// The answer to a browser that asks before a request that is not simple.
    static let downloadPreflight: HTTPResponse = {
        var response = HTTPResponse(status: 204, contentType: "text/plain", body: []).forEveryPage
        response.headers += [
            Header(name: "Access-Control-Allow-Methods", value: "GET, HEAD"),
            Header(
                name: "Access-Control-Allow-Headers", value: "If-None-Match, If-Range, Range"),
            Header(name: "Access-Control-Max-Age", value: "86400"),
        ]
        return response
    }()
}
