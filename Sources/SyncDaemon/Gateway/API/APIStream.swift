// Server-sent events: what happens in channels and groups, from a cursor on, for as long as the
// peer listens.
//
// A stream is one long poll after another, the next once the peer has taken what the last one
// found. So nothing waits for who reads slowly: they are behind, and read on from the store.

import EventModel
import JSON

/// What a stream is to bring.
enum APIStreamRequest {
    static let fields: [APIField] = [
        .optional(
            "channel", .list(of: .name(pattern: "^[^,]+$"), 0...Limits.streamedChannelsMax),
            #"A channel, or a wildcard such as "news.*"; as often as there are."#),
        .optional(
            "group", .list(of: .component("Group"), 0...Limits.streamedChannelsMax),
            "A group of channels; likewise."),
        .optional("cursor", .streamPlace, "Where to go on; without it from now on."),
    ]

    static func answer(_ asking: HTTPAsking) -> HTTPAnswer {
        do throws(ProtocolError) {
            let query = try APIRequest.query(of: try APIRequest.target(of: asking.request))
            let bearer = try APIBearer(asking, query)
            let stream = try APIStream(query, bearer, asking)
            guard asking.request.method != .head else { return .now(.eventStream(.whole)) }
            return .call(stream)
        } catch {
            return error.status == 401 ? .refused(.api(error)) : .now(.api(error))
        }
    }
}

/// One stream.
final class APIStream: APIAsking, HTTPStreamCall {
    let caller: APICaller
    let bearer: APIBearer
    private let channels: [String]
    private let groups: [String]
    private var cursor: Timetoken?
    /// A commit up to which the peer has everything.
    private var durable = Timetoken.zero
    /// What it came with.
    private let asked: StreamPlace?
    /// Whether it has to be told that this is of another store.
    private var isLost = false
    private var hasBegun = false
    /// Whether a daemon gave the cursor; a client may have made its first one from a clock.
    private var isOfDaemon: Bool
    private(set) var origin: Origin

    init(
        _ query: RequestQuery, _ bearer: APIBearer, _ asking: HTTPAsking
    ) throws(ProtocolError) {
        self.bearer = bearer
        func names(_ field: String) -> [String] {
            query.members.filter { $0.name == field }.map(\.value).withoutRepeats()
        }
        (channels, groups) = (names("channel"), names("group"))
        guard (1...Limits.streamedChannelsMax).contains(channels.count + groups.count) else {
            throw channels.isEmpty && groups.isEmpty
                ? ProtocolError(.missingField("channel", expected: "a channel to follow"))
                : .tooManyChannels(Limits.streamedChannelsMax, per: "stream")
        }
        guard (channels + groups).allSatisfy(isValidName) else { throw .invalidChannel }
        guard channels.allSatisfy({ Channel($0).canBeFollowed }) else {
            throw .invalidField(
                "channel", #"a channel, or a wildcard such as "news.*", of one or two levels"#)
        }
        // What the browser heard last is newer than what its page's address says.
        let last = asking.request.fields.lastEventID
        if let text = last ?? query["cursor"] {
            guard let place = StreamPlace(text) else {
                throw .invalidField(
                    last == nil ? "cursor" : "Last-Event-ID", "the id of an event, or a timetoken")
            }
            (asked, cursor) = (place, place.cursor)
        } else {
            asked = nil
        }
        isOfDaemon = last != nil || asked?.epoch != nil
        let author = bearer.author(as: query["as"])
        caller = APICaller(
            author: author, keyset: bearer.keyset,
            credential: try bearer.credential(of: author, asking),
            isServer: bearer.server != nil, publishKey: bearer.publishKey,
            accounts: asking.tenants.accounts,
            origin: asking.origin, hub: asking.hub, audit: asking.tenants.audit, demand: Demand())
        origin = asking.origin
    }

    var isCarriedOutWhateverMemory: Bool { false }

    var cursorShown: GivenCursor? {
        asked.map { GivenCursor(timetoken: $0.cursor, epoch: $0.epoch) }
    }

    func start() -> HTTPResponse? {
        if let error = caller.refusal(naming: channels, groups: groups) { return .api(error) }
        if let asked, let epoch = asked.epoch,
            engine.judge(asked.durable, of: epoch) != .known
        {
            beginAnew()
        }
        if let error = caller.refusal(of: need) { return .api(error) }
        let own = interests
        if let error = caller.refusal(following: own.0.count + own.1.count, besides: 0) {
            return .api(error)
        }
        guard cursor == nil else { return begin() }
        switch Operations.beginPolling(own.0, own.1, in: caller.hub, for: caller) {
        case .done(let reply): return begin(asOf: reply)
        case .refused(let error): return .api(error)
        case .later: return nil
        }
    }

    /// Begins now, which may have come with a commit.
    private func begin(asOf reply: Reply) -> HTTPResponse {
        guard case .pong(let now) = reply else {
            preconditionFailure("A first poll learns a position.")
        }
        cursor = now
        return begin()
    }

    private func begin() -> HTTPResponse {
        hasBegun = true
        let reset = wait()
        return .eventStream(.head, text: reset + "id: \(id(of: cursor ?? .zero))\n\n")
    }

    /// Waits for what is next.
    ///
    /// - Returns: What to say first, when the cursor is of another store.
    private func wait() -> String {
        if !poll() {
            beginAnew()
            _ = poll()
        }
        guard isLost else { return "" }
        isLost = false
        return "event: reset\ndata: {}\n"
    }

    /// Goes to where this run of the daemon began: what it did since may be unknown to the peer.
    ///
    /// Who may not read so far back begins now.
    private func beginAnew() {
        isLost = true
        cursor = max(engine.began, Timetoken(rawValue: 1))
        if !caller.allows(need) { cursor = max(engine.newest, Timetoken(rawValue: 1)) }
    }

    /// What the peer is to come back with.
    private func id(of position: Timetoken, isStored: Bool = false) -> String {
        durable = max(durable, isStored ? position : min(position, engine.settled.durable))
        return StreamPlace(epoch: engine.epoch, durable: durable, cursor: position).text
    }

    func goOn(as command: CommandID) -> HTTPResponse? {
        origin = Origin(reactor: origin.reactor, session: origin.session, command: command)
        // Meanwhile it may have been granted less.
        if credential.isOver(at: engine.seconds) { return refusal(.tokenExpired) }
        if let error = caller.refusal(of: need) { return refusal(error) }
        let reset = wait()
        return reset.isEmpty
            ? nil : .eventStream(.more, text: reset + "id: \(id(of: cursor ?? .zero))\n\n")
    }

    /// - Returns: `false` when its cursor is of another store.
    private func poll() -> Bool {
        let (interests, groups) = self.interests
        var request = PollRequest(
            session: origin.session, command: origin.command, interests: interests,
            groups: groups, cursor: cursor ?? .zero, filter: nil)
        request.isOfStream = true
        request.bytesMax = Limits.streamedPartBytesMax
        defer { isOfDaemon = true }
        return Operations.poll(request, isOfDaemon: isOfDaemon, in: caller.hub, for: caller)
            == nil
    }

    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        self.cursor = cursor
        var text: [UInt8] = []
        for event in events {
            let envelope = event.envelope
            let place = id(of: envelope.timetoken, isStored: envelope.isStored)
            text += Array("id: \(place)\ndata: ".utf8)
            text += envelope.json
            text += Array("\n\n".utf8)
        }
        // An id alone moves the place from which the peer goes on.
        if events.isEmpty { text = Array("id: \(id(of: cursor))\n\n".utf8) }
        return .eventStream(.more, body: text)
    }

    /// A comment, which nobody hears.
    var sign: HTTPResponse { .eventStream(.more, text: ":\n\n") }

    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse? {
        switch found {
        case .reply(let reply): begin(asOf: reply)
        case .refused(let error): refusal(error)
        case .presence: preconditionFailure("A stream asks nothing of presence.")
        }
    }

    /// Once it has begun, its status can no longer be another: it ends with an event that says why.
    func refusal(_ error: ProtocolError) -> HTTPResponse {
        guard hasBegun else { return .api(error) }
        var json = JSONWriter()
        json.beginObject()
        ReplyEncoder.encode(error.ofAPI, into: &json)
        json.endObject()
        let text = String(decoding: json.bytes, as: UTF8.self)
        return .eventStream(.last, text: "event: end\ndata: \(text)\n\n")
    }

    private var need: Need {
        .having(
            .reading(after: cursor, at: engine.wallTime), on: channels, groups: groups)
    }

    private var interests: ([PollRequest.Interest], [PolledGroup]) {
        (
            channels.map { name in
                let channel = caller.channel(name)
                return PollRequest.Interest(
                    channel: channel, subscription: channel.isWildcard ? name : nil)
            }, groups.map { PolledGroup(following: $0, in: keyset.subscribeKey) }
        )
    }
}

extension HTTPResponse {
    fileprivate static func eventStream(_ part: Part, text: String = "") -> HTTPResponse {
        eventStream(part, body: Array(text.utf8))
    }

    /// - Source: The HTML standard, "Server-sent events". Proxies of the kind of nginx keep back
    ///   what they are not told to pass on.
    fileprivate static func eventStream(_ part: Part, body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200, contentType: "text/event-stream; charset=utf-8", body: body,
            headers: [Header(name: "X-Accel-Buffering", value: "no")])
        response.isForPages = true
        response.part = part
        return response
    }
}
