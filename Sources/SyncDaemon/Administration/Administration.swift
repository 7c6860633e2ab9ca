// What operators ask of a running daemon, carried out on threads of its own, where waiting for
// reactors or for the disk holds up nobody else.

import Basis
import EventModel
import JSON

/// Knows all that there is to ask; any thread may ask.
final class Administration: Sendable {
    /// What it asks and changes.
    struct Surroundings: Sendable {
        let health: Health
        let accounts: Accounts
        let ledger: LedgerDoor
        let webhooks: WebhookThread
        let interceptors: InterceptorThread
        let reactors: ReactorSwitch
        let orders: ServiceOrders
        let log: Log
        /// Where the data is; `nil`: in memory.
        let place: DatabasePlace?
        let makeReader: @Sendable () throws(StoreError) -> any StoreReader
        /// Daemons that follow this one; `nil`: none can.
        let links: LinkServer?

        /// Of the database; `nil`: it is no file of this machine's.
        var path: String? { if case .file(let path, _)? = place { path } else { nil } }
    }

    let around: Surroundings
    let started = Clock.wallTime().seconds
    /// What has to be shown at `admin_listen`; `nil`: nothing is to be had there.
    private let key: Locked<TokenID?>
    private let short = WorkQueue<@Sendable () -> Void>(capacity: Limits.adminRequestsMax)
    private let long = WorkQueue<@Sendable () -> Void>(capacity: Limits.adminRequestsMax)

    /// Starts its threads, which live as long as the process.
    init(_ surroundings: Surroundings, key: String? = nil) {
        around = surroundings
        self.key = Locked(key.map(Self.id(of:)))
        for (name, queue) in [("admin", short), ("admin-long", long)] {
            _ = OSThread(name: name) {
                while let work = queue.take(atMost: 1).first { work() }
            }
        }
    }

    var webhooks: WebhookThread { around.webhooks }
    var log: Log { around.log }

    /// Carries nothing out from now on.
    func stop() {
        short.close()
        long.close()
    }

    // MARK: Who

    /// Changes what has to be shown at `admin_listen`.
    func setKey(_ text: String?) { key.withLock { $0 = text.map(Self.id(of:)) } }

    /// - Throws: That nothing is here, or that who asks has to show the key.
    func admit(_ request: HTTPRequest) throws(AdminError) {
        guard request.entrance != .local else { return }
        guard let key = key.withLock({ $0 }) else {
            throw .notFound(
                "Nothing is here: set [server] admin_key_file, or ask at [server] admin_socket.")
        }
        let scheme = "bearer "
        guard let header = request.fields.authorization,
            header.lowercased().hasPrefix(scheme),
            Self.id(of: String(header.dropFirst(scheme.count).drop { $0 == " " })) == key
        else { throw .badKey }
    }

    /// Why a request for operators is not answered; `nil` when it is.
    ///
    /// As long as there is no key, what only tells of the daemon is open to who gets to
    /// `admin_listen`, and nothing can be changed there.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard request.entrance == .admin else { return nil }
        let isChange = request.method != .get && request.method != .head
        guard isChange || key.withLock({ $0 }) != nil else { return nil }
        do throws(AdminError) {
            try admit(request)
            return nil
        } catch {
            return error.response
        }
    }

    /// A hash, so that no comparison takes longer the more of a guess is right.
    private static func id(of text: String) -> TokenID { TokenID(of: Array(text.utf8)) }

    // MARK: Where

    /// - Parameter isLong: Whether it may take minutes.
    /// - Returns: `false` when too many wait.
    func run(isLong: Bool, _ work: @escaping @Sendable () -> Void) -> Bool {
        (isLong ? long : short).put(work)
    }

    /// Brings an answer to the reactor where it is waited for.
    func answer(_ origin: Origin, _ result: Result<[UInt8], AdminError>) {
        let response: HTTPResponse
        switch result {
        case .success(let json): response = .admin(200, json)
        case .failure(let error): response = error.response
        }
        around.reactors.post(.answered(origin, response), to: origin.reactor)
    }

    /// Has the ledger carry a write out, and answer it at its origin.
    func submit(_ write: AdminWrite, for origin: Origin) throws(AdminError) {
        // Their contents go when that reactor hears that they went; nobody else waits for it.
        let nobody = Origin(reactor: origin.reactor, session: origin.session, command: 0)
        for file in write.files {
            try put(.changeFile(.remove(file.id, name: file.name)), in: write.channel, for: nobody)
        }
        try put(write.operation, in: write.channel, for: origin)
    }

    private func put(
        _ operation: Write.Operation, in channel: Channel, for origin: Origin
    ) throws(AdminError) {
        let author = Author(keyset: channel.keyset, userID: "operator", deviceID: "")
        let isTaken = around.ledger.requests.put(
            .write(
                Write(
                    origin: origin, author: author, channel: channel, operation: operation,
                    mutation: nil)))
        guard isTaken else { throw AdminError(.overloaded) }
    }

    // MARK: The log

    /// One line for each change, or try at one.
    func note(
        _ operation: AdminOperation, _ request: AdminRequest, _ result: Result<[UInt8], AdminError>
    ) {
        switch result {
        case .success: note(operation, request, outcome: "done")
        case .failure(let error): note(operation, request, outcome: error.code)
        }
    }

    func note(
        _ operation: AdminOperation, _ request: AdminRequest, _ outcome: OperationOutcome
    ) {
        switch outcome {
        case .done: note(operation, request, outcome: "done")
        case .later: note(operation, request, outcome: "taken")
        case .refused(let error): note(operation, request, outcome: error.code)
        }
    }

    private func note(
        _ operation: AdminOperation, _ request: AdminRequest, outcome: String
    ) {
        guard operation.isChange else { return }
        log.notice(
            "An operator changes something.",
            [
                "operation": operation.name, "by": request.peer,
                "with": request.description(of: operation), "outcome": outcome,
            ])
    }

    /// Makes the JSON of an answer.
    static func json(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(reserving: 1024)
        json.beginObject()
        write(&json)
        json.endObject()
        return json.bytes
    }
}
