// A file on its way out: part after part, the next when the peer has taken the last.

import EventModel

/// One download.
final class FileDownload: HTTPFileCall, HTTPStreamCall {
    let caller: FileCaller
    private var hasPlace = false
    private var hasBegun = false

    static func answer(_ asking: HTTPAsking, _ files: FileService) -> HTTPAnswer {
        let parts = asking.request.path.split(separator: "/")
        guard parts.count > 3, let caller = FileCaller(parts[3], for: .download, files, asking)
        else { return .now(.badTicket) }
        guard asking.request.method == .get else {
            return .now(.methodNotAllowed("Use GET.", allowing: ["GET"]))
        }
        return .call(FileDownload(caller))
    }

    private init(_ caller: FileCaller) { self.caller = caller }

    func start() -> HTTPResponse? {
        if let refusal = HTTPResponse(files.beginDownload(of: caller.peer)) { return refusal }
        hasPlace = true
        guard files.put(.open(ticket.id), for: origin) else {
            leave(failed: true)
            return .filesBusy
        }
        return nil
    }

    func goOn(as command: CommandID) -> HTTPResponse? {
        files.put(.read, for: origin) ? nil : breakOff()
    }

    func hear(_ result: FileAnswer.Result) -> HTTPResponse? {
        switch result {
        case .part(let bytes, let size, let isLast):
            if isLast { leave(failed: false) }
            guard let size else { return part(isLast ? .last : .more, bytes) }
            hasBegun = true
            var response = part(isLast ? .whole : .head, bytes)
            response.length = size
            return response
        case .failed(.absent) where !hasBegun:
            leave(failed: true)
            return .noSuchFile
        case .failed where !hasBegun:
            leave(failed: true)
            return .storage(500, "InternalError", "The file could not be read.")
        case .failed: return breakOff()
        case .taken, .stored, .badForm: preconditionFailure("A download writes no file.")
        }
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
            ])
        response.part = part
        response.isForPages = true
        return response
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
        hasBegun ? breakOff() : .storage(error.status, "SlowDown", error.message)
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
