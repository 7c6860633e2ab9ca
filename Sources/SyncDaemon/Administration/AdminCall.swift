// An operator's request that waits for its answer, and what a reactor carries out for one.

import Basis
import EventModel
import JSON

/// One request: everything may be done for who could open the socket, or has the key.
final class AdminCall: HTTPCall {
    let author: Author
    let keyset: Keyset
    let origin: Origin
    let accounts: Accounts
    let audit: Audit
    let demand = Demand()
    let endsWithDrain: Bool
    /// What it takes away, when a thread has counted it.
    let taken = Locked<AdminWrite.Taken?>(nil)
    private let hub: Hub
    private let begin: (AdminCall) -> HTTPResponse?

    /// - Parameters:
    ///   - endsWithDrain: As ``HTTPCall/endsWithDrain`` has it.
    ///   - begin: Carries it out; `nil`: the answer comes later.
    init(
        endsWithDrain: Bool, _ asking: HTTPAsking, in keyset: Keyset,
        begin: @escaping (AdminCall) -> HTTPResponse?
    ) {
        self.endsWithDrain = endsWithDrain
        self.keyset = keyset
        self.begin = begin
        author = Author(keyset: keyset.subscribeKey, userID: "operator", deviceID: "")
        (origin, hub) = (asking.origin, asking.hub)
        (accounts, audit) = (asking.tenants.accounts, asking.tenants.audit)
    }

    convenience init(
        _ operation: AdminOperation, _ asking: HTTPAsking, in keyset: Keyset,
        begin: @escaping (AdminCall) -> HTTPResponse?
    ) {
        self.init(
            endsWithDrain: operation.endsWithDrain, asking, in: keyset, begin: begin)
    }

    var engine: any Engine { hub.engine }
    var credential: Credential { .secretKey }
    var publishKey: PublishKey { .unasked }
    var token: String? { nil }
    var hasTenant: Bool { false }
    var isOfBackend: Bool { true }
    var isCarriedOutWhateverMemory: Bool { true }
    var isList: Bool { false }

    func ask(_ request: ReadRequest) -> Bool { engine.ask(request) }

    func start() -> HTTPResponse? { begin(self) }

    func refusal(_ error: ProtocolError) -> HTTPResponse {
        AdminError(error).response
    }

    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse? {
        switch found {
        case .reply(let reply): .admin(200, Self.json(of: reply, taken.withLock { $0 }))
        case .refused(let error): refusal(error)
        case .presence: preconditionFailure("No operator asks presence.")
        }
    }

    /// The protocol has no words for what only backends ask.
    ///
    /// - Parameter taken: What went.
    static func json(of reply: Reply, _ taken: AdminWrite.Taken? = nil) -> [UInt8] {
        switch reply {
        case .messagesDeleted(let timetoken):
            Administration.json { json in
                json.member("timetoken", quoted: timetoken.rawValue)
                json.member("messages", taken?.messages)
                json.member("files", taken?.files)
                if taken?.hasMoreFiles == true { json.member("moreFiles", true) }
            }
        case .tokenRevoked, .keysGranted: Administration.json { $0.member("revoked", true) }
        default: EncodedReply(reply).bytes
        }
    }

    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        preconditionFailure("No operator polls.")
    }
}

// MARK: - What reactors carry out

extension AdminCall {
    func revokeGrant(_ request: AdminRequest) throws(AdminError) -> OperationOutcome {
        let (level, name): (KeyGrantSubject.Level, String)
        switch (request["channel"], request["group"]) {
        case (let channel?, nil): (level, name) = (.channel, channel)
        case (nil, let group?): (level, name) = (.group, group)
        case (nil, nil): (level, name) = (.keyset, "")
        default: throw .invalid("group", "absent where a channel is named")
        }
        let subject = KeyGrantSubject(
            keyset: ExactText(keyset.subscribeKey), level: level, name: ExactText(name),
            authKey: request["authKey"].map(ExactText.init))
        guard engine.keyGrants.stands(subject) else {
            throw .notFound("Nothing is granted so; grants lists what is.")
        }
        return Operations.grant(
            [KeyGrant(subject: subject, bits: 0, expiry: 0)], minutes: 0, by: self)
    }

    func revokeToken(_ request: AdminRequest) throws(AdminError) -> OperationOutcome {
        let token = try request.text("token")
        do throws(AccessRefusal) {
            return try Operations.revoke(token, by: self)
        } catch {
            throw .refused(
                "This is no token of the keyset, or its time is over: nothing to take back."
            )
        }
    }
}
