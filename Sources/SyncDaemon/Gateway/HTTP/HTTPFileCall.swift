// Requests whose work is done by the threads of files.

import EventModel

/// Whom a ticket lets in, and to which file: what both directions take of a request.
struct FileCaller {
    let ticket: FileTicket
    let keyset: Keyset
    let author: Author
    let files: FileService
    let origin: Origin
    let engine: any Engine
    let accounts: Accounts
    let audit: Audit
    let demand = Demand()

    /// - Parameter text: The ticket, as the address has it.
    /// - Returns: `nil` when it is not of this daemon, over, or of a tenant that is gone.
    init?(
        _ text: some StringProtocol, for purpose: FileTicket.Purpose, _ files: FileService,
        _ asking: HTTPAsking
    ) {
        guard
            let ticket = files.key.ticket(
                String(text), for: purpose, at: asking.hub.engine.seconds),
            let keyset = asking.tenants.keysets[ticket.channel.keyset]
        else { return nil }
        (self.ticket, self.keyset, self.files) = (ticket, keyset, files)
        author = Author(keyset: ticket.channel.keyset, userID: ticket.userID, deviceID: "")
        origin = asking.origin
        engine = asking.hub.engine
        accounts = asking.tenants.accounts
        audit = asking.tenants.audit
    }
}

/// A request that waits for files.
protocol HTTPFileCall: HTTPCall {
    var caller: FileCaller { get }
    /// Takes what a thread of files says; `nil`: it goes on.
    func hear(_ result: FileAnswer.Result) -> HTTPResponse?
    /// Nobody waits for its answer any more.
    func abandon()
}

/// A request whose body comes in parts.
protocol HTTPBodyCall: HTTPFileCall {
    /// Whether it has as much as it can hold.
    var isFull: Bool { get }
    /// - Returns: The answer, when it is over.
    func take(_ part: [UInt8], isLast: Bool) -> HTTPResponse?
}

extension HTTPFileCall {
    var ticket: FileTicket { caller.ticket }
    var files: FileService { caller.files }
    var keyset: Keyset { caller.keyset }
    var author: Author { caller.author }
    var origin: Origin { caller.origin }
    var engine: any Engine { caller.engine }
    var accounts: Accounts { caller.accounts }
    var audit: Audit { caller.audit }
    var demand: Demand { caller.demand }
    var publishKey: PublishKey { .unasked }
    /// What was asked of who got the ticket is not asked again.
    var credential: Credential { .unguarded }
    var token: String? { nil }
    var hasTenant: Bool { true }
    var isOfBackend: Bool { false }
    var isCarriedOutWhateverMemory: Bool { false }
    var isList: Bool { false }

    func ask(_ request: ReadRequest) -> Bool { engine.ask(request) }
    func check(in tenants: Tenants) throws(ProtocolError) {}

    func refusal(_ error: ProtocolError) -> HTTPResponse {
        .storage(error.status, "AccessDenied", error.message)
    }

    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        preconditionFailure("A file is no poll.")
    }
}

/// Where files are brought to and fetched from.
enum FilePath {
    static let upload = HTTPRequest.streamedPath + "{ticket}"
    static let download = "v1/files/download/{ticket}/{name}"

    /// What begins a path of the daemon's own.
    static let words: Set<[UInt8]> = [Array("upload".utf8), Array("download".utf8)]
}

extension HTTPResponse {
    /// An error as a store of objects says it, which SDKs show as it is.
    ///
    /// - Source: Amazon S3, "Error responses".
    static func storage(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
        let message = message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let text =
            #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<Error><Code>\(code)</Code>"
            + "<Message>\(message)</Message></Error>"
        var response = HTTPResponse(
            status: status, contentType: "application/xml", text: text, keepsConnection: false)
        response.isForPages = true
        return response
    }

    static let noSuchFile = storage(404, "NoSuchKey", "The specified key does not exist.")
    static let badTicket = storage(
        403, "AccessDenied", "The address is not of this server, or its time is over.")
    static let filesBusy = storage(
        503, "SlowDown", "Too many files are under way. Retry in a while.")
}

extension HTTPAsking {
    /// How the client reaches the daemon: as the tenant's owner says, else as it did.
    func address(in keyset: Keyset) -> String {
        if let address = keyset.filesAddress { return address }
        let scheme = request.entrance == .secure ? "https" : "http"
        return "\(scheme)://\(request.provenance.host ?? "localhost")"
    }
}
