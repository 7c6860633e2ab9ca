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
    let tenants: Tenants
    /// Whose place it takes.
    let peer: FilePeer
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
        tenants = asking.tenants
        peer = FilePeer(
            tenant: ExactText(keyset.subscribeKey),
            who: FilePeer.Who(
                ticket, at: asking.hub.outlet.peer(of: asking.origin.session)?.network))
    }

    /// Whether the tenant still lets whoever was given the ticket bring a file.
    var mayStillBring: Bool {
        guard let keyset = tenants.keysets[ticket.channel.keyset] else { return false }
        let settings = keyset.settings(of: ticket.channel).files
        return settings.isOn && settings.takes(ticket.name)
            && tenants.admits(ticket, to: keyset, at: engine.seconds)
    }
}

extension FilePeer.Who {
    /// - Parameter address: Who uses the ticket, where it does not say who was given it.
    fileprivate init(_ ticket: FileTicket, at address: PeerAddress?) {
        let reader = ticket.purpose == .download ? address : nil
        self =
            switch ticket.holder {
            case .backend: .backend
            case .token(_, _, namesUser: true):
                .user(ExactText(ticket.userID), at: reader)
            case .authKey(let key?): .key(key, at: reader)
            default: address.map { .address($0) } ?? .nobody
            }
    }
}

extension Tenants {
    /// Whether what was shown for a ticket is still good where it leads.
    ///
    /// - Parameter now: Unix seconds.
    fileprivate func admits(_ ticket: FileTicket, to keyset: Keyset, at now: Int64) -> Bool {
        guard keys(of: keyset) != nil else { return true }
        let tenant = ExactText(keyset.subscribeKey)
        switch ticket.holder {
        case .anybody: return false
        case .backend: return true
        case .token(let id, let expiry, _):
            return now < expiry && !revocations.contains(id, of: tenant)
        case .authKey(let key):
            let need = Need.having(.write, on: [ticket.channel.name])
            let bearer = AuthKeyBearer(tenant: tenant, key: key)
            return keyGrants.grant(to: bearer, for: need, at: now).grant
                .lacking(need, in: keyset.subscribeKey).isEmpty
        }
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
    var accounts: Accounts { caller.tenants.accounts }
    var audit: Audit { caller.tenants.audit }
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
    /// How the paths of downloads begin.
    static let downloads = "/v1/files/download/"

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
    private static let fileShare = storage(
        503, "SlowDown", "As many of your files are under way as may be. Retry after one of them.")

    /// What a file hears that finds no place; `nil`: it has one.
    init?(_ verdict: FilePlaces.Verdict) {
        switch verdict {
        case .letIn: return nil
        case .full: self = .filesBusy
        case .hasItsShare: self = .fileShare
        }
    }
}

extension HTTPAsking {
    /// How the client reaches the daemon: as the tenant's owner says, else as it did.
    func address(in keyset: Keyset) -> String {
        if let address = keyset.filesAddress { return address }
        let scheme = request.entrance == .secure ? "https" : "http"
        return "\(scheme)://\(request.provenance.host ?? "localhost")"
    }
}
