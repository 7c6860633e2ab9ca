// Who is connected, over all reactors: each is asked in its mailbox, and none waits for another.

import EventModel
import JSON

extension Administration {
    func sessions(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let filter = try request.filter()
        let limit = try request.number("limit", in: 1...Limits.sessionsListedMax, or: 100)
        let start = try request.sessionPlace()
        var round = SessionRound(reactors: reactorCount, from: start, limit: limit)
        ask(&round, filter)
        let (page, next) = round.page
        return Self.json { json in
            json.beginArray("sessions")
            for facts in page { json.write(facts) }
            json.endArray()
            json.member("next", next.map { "\($0)" })
            json.write(missing: round.missing)
        }
    }

    func kick(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let filter = try request.filter()
        let isOfAll = try request.flag("all")
        guard !filter.isEmpty || isOfAll else {
            throw .invalid("all", "true where nothing else says which connections are meant")
        }
        var round = SessionRound(
            reactors: reactorCount, from: SessionPlace(reactor: 0, slot: 0), limit: nil)
        ask(&round, filter)
        return Self.json { json in
            json.member("kicked", round.endedCount)
            json.write(missing: round.missing)
        }
    }

    private var reactorCount: Int { around.reactors.mailboxes.count }

    /// Asks all reactors at once, each again until it has looked at all or found enough.
    private func ask(_ round: inout SessionRound, _ filter: SessionFilter) {
        let answers = WorkQueue<SessionPart>(capacity: reactorCount)
        let reactors = around.reactors
        let limit = round.limit
        func post(to reactor: Int, from slot: UInt32) {
            let question = SessionQuestion(filter: filter, slot: slot, limit: limit) {
                _ = answers.put($0)
            }
            // A full mailbox is a reactor that does not answer.
            _ = reactors.mailboxes[reactor].post(.look(question))
        }
        for (reactor, slot) in round.open { post(to: reactor, from: slot) }
        let end = Clock.monotonicMilliseconds() + UInt64(Limits.adminSeconds) * 1000
        while !round.open.isEmpty {
            let now = Clock.monotonicMilliseconds()
            guard now < end, let part = answers.take(atMost: 1, waitingAtMost: end - now).first
            else { return }
            if let slot = round.take(part) { post(to: part.reactor, from: slot) }
        }
    }
}

/// What all reactors have answered so far.
struct SessionRound {
    /// Connections that are wanted; `nil`: they are ended.
    let limit: Int?
    /// Who is still to answer, and from which place on.
    private(set) var open: [Int: UInt32]
    private(set) var endedCount = 0
    private var found: [SessionFacts] = []
    /// Where a reactor has more than it was asked for.
    private var rest: [SessionPlace] = []

    init(reactors: Int, from place: SessionPlace, limit: Int?) {
        self.limit = limit
        open = [:]
        for reactor in place.reactor..<max(place.reactor, reactors) {
            open[reactor] = reactor == place.reactor ? place.slot : 0
        }
    }

    /// Reactors that have not answered.
    var missing: [Int] { open.keys.sorted() }

    /// Takes a part of an answer.
    ///
    /// - Returns: Where that reactor is to look on.
    mutating func take(_ part: SessionPart) -> UInt32? {
        found += part.found
        endedCount += part.endedCount
        guard let next = part.next else {
            open[part.reactor] = nil
            return nil
        }
        if let limit, found.count(where: { $0.reactor == part.reactor }) >= limit {
            open[part.reactor] = nil
            rest.append(SessionPlace(reactor: part.reactor, slot: next))
            return nil
        }
        open[part.reactor] = next
        return next
    }

    /// The first of them in their order, and where the next page begins.
    var page: (found: [SessionFacts], next: SessionPlace?) {
        let all = found.sorted { $0.place < $1.place }
        let page = Array(all.prefix(limit ?? .max))
        return (page, (all.dropFirst(page.count).map(\.place) + rest).min())
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ facts: SessionFacts) {
        let opened = LogTime(seconds: facts.connection.opened, nanoseconds: 0)
        beginObject()
        member("id", facts.name)
        member("kind", facts.kind.rawValue)
        member("keyset", facts.keyset)
        member("user", facts.user)
        member("device", facts.device)
        member("address", "\(facts.connection.address)")
        member("tls", facts.connection.isSecure)
        member("since", LogText.timestamp(opened))
        member("subscriptions", facts.subscriptions)
        member("queuedBytes", facts.queuedBytes)
        endObject()
    }

    /// Which reactors did not answer in time; nothing when all did.
    mutating func write(missing reactors: [Int]) {
        guard !reactors.isEmpty else { return }
        beginArray("missingReactors")
        for reactor in reactors { integer(reactor) }
        endArray()
    }
}
