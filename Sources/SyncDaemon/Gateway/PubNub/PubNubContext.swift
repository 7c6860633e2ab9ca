// What an SDK's request may touch, and how its answer gets back.

import EventModel

/// One request of an SDK, being carried out on its connection's reactor.
struct PubNubContext: HTTPCall {
    let request: PubNubRequest
    let keyset: Keyset
    let origin: Origin
    let hub: Hub
    let credential: Credential
    let accounts: Accounts
    let audit: Audit
    /// Where files are; `nil`: nowhere.
    var files: FileService?
    /// How the client reaches the daemon, without a slash at its end.
    var address = ""
    let demand = Demand()

    var engine: any Engine { hub.engine }

    /// Names and the members of groups, each once.
    func resolved(_ channels: [String], _ groups: [String]) -> [String] {
        guard !groups.isEmpty else { return channels }
        var seen: Set<ExactText> = []
        return (channels + groups.flatMap { self.channels(of: $0) }).filter {
            seen.insert(ExactText($0)).inserted
        }
    }

    /// Who asks; SDKs have no device.
    var author: Author {
        Author(keyset: keyset.subscribeKey, userID: request.userID, deviceID: "")
    }

    /// The URLs of publish and signal name it, and no others do.
    var publishKey: PublishKey { request.publishKey.map { .named($0) } ?? .unasked }

    func ask(_ request: ReadRequest) -> Bool {
        var request = request
        request.demand = demand
        return engine.ask(request)
    }

    var token: String? { request.token }

    var hasTenant: Bool { request.endpoint.hasTenant }

    var isOfBackend: Bool { credential == .secretKey && request.endpoint.isSigned }

    var isCarriedOutWhateverMemory: Bool {
        switch request.endpoint {
        case .leave, .deleteMessages, .removeAction, .group(.remove), .group(.delete),
            .push(_, .remove, _), .push(_, .removeAll, _), .files(.remove):
            true
        default: credential == .secretKey
        }
    }

    var cursorShown: GivenCursor? {
        guard case .subscribe(let poll) = request.endpoint else { return nil }
        return GivenCursor(timetoken: poll.cursor)
    }

    var isList: Bool {
        switch request.endpoint {
        case .group(.list), .group(.listAll), .auditKeys: true
        default: false
        }
    }

    func start() -> HTTPResponse? {
        let need = request.endpoint.need(at: wallTime)
        let groups = need.groups.map(PubNubRouter.groupName)
        if let error = refusal(naming: need.channels, groups: groups) { return refusal(error) }
        if let error = refusal(of: need) {
            let places = lacking(need)
            return PubNubError(
                error, for: request.endpoint, at: wallTime,
                refusing: places.isEmpty ? need : Need(places: places)
            ).response
        }
        return PubNubRouter.handle(self)
    }

    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse? {
        switch found {
        case .reply(let reply): response(to: reply)
        case .presence(let reply): PubNubRouter.answer(reply, in: self)
        case .refused(let error): refusal(error)
        }
    }

    /// A change of App Context is answered with what it made, one of several entries with what
    /// there is then; a message of a file is
    /// published once that is found.
    private func response(to reply: Reply) -> HTTPResponse? {
        if case .publish(let publication) = request.endpoint, case .files(let found, _) = reply {
            return PubNubRouter.publish(publication, having: found, in: self)
        }
        guard case .changeObjects(let change, let query?, let form) = request.endpoint,
            case .directoryChanged(_, let entry) = reply
        else { return PubNubRouter.answer(reply, in: self) }
        // A change is no question: without the right to ask it shows what it says itself.
        let mayRead = allows(.reading(query))
        // What a reader would find may be another's by now, under a tag that was not this one's.
        if form.isOne, let entry {
            let shown = mayRead ? entry : change.changes.first.map(entry.showing) ?? entry
            let page = DirectoryPage(rows: [DirectoryPage.Row(entry: shown)])
            return PubNubRouter.answer(.directory(page), in: self)
        }
        guard mayRead else {
            return PubNubRouter.answer(.directory(DirectoryPage(rows: [])), in: self)
        }
        switch Operations.directory(query, for: self) {
        case .done(let reply): return PubNubRouter.answer(reply, in: self)
        case .refused(let error): return refusal(error)
        case .later: return nil
        }
    }

    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        guard case .subscribe(let poll) = request.endpoint else {
            preconditionFailure("Only a subscribe polls.")
        }
        return PubNubReplyEncoder.poll(events: events, cursor: cursor, for: poll)
    }

    /// How this request's errors look.
    var family: PubNubError.Family { request.endpoint.family(at: wallTime) }

    /// A refusal of the daemon in the words of the endpoint.
    func refusal(_ error: ProtocolError) -> HTTPResponse {
        PubNubError(error, for: request.endpoint, at: wallTime).response
    }

    /// For errors, which carry a time that means nothing.
    var wallTime: Timetoken { Timetoken(rawValue: engine.wallTicks()) }
}

extension DirectoryEntry {
    /// The same with those fields alone that a change names.
    fileprivate func showing(_ change: EntryChange) -> DirectoryEntry {
        guard case .set(let fields) = change.kind else { return self }
        var entry = self
        entry.content = EntryContent(id: id, nil).setting(fields)
        return entry
    }
}
