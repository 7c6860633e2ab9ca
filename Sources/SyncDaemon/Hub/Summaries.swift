// From changed actions to summaries: for those who follow a channel without its rows.
//
// A follower's cursor, and the place to read again from when a frame is dropped, stay before the
// first action whose summary has not left: so none is lost, whatever happens to the connection.

import EventModel

/// What a topic's followers by summaries still have to be told.
struct TopicSummaries {
    /// Messages whose actions changed.
    var changed: Set<Timetoken> = []
    /// Before the first of these changes.
    var since: Timetoken?
    /// The same of what a reader is asked for now.
    var askedSince: Timetoken?
    /// Milliseconds; when a reader may be asked again.
    var nextAt: UInt64 = 0
    var isListed = false

    /// The same of what single followers are owed who came back: how many questions are open from
    /// each position.
    ///
    /// Frames are shared, so all cursors wait for them.
    private var owed: [Timetoken: Int] = [:]

    /// No cursor may be beyond this.
    var bound: Timetoken {
        let shared = askedSince ?? since ?? Timetoken(rawValue: .max)
        return owed.isEmpty ? shared : owed.keys.reduce(shared) { min($0, $1) }
    }

    mutating func owe(since position: Timetoken) { owed[position, default: 0] += 1 }

    mutating func paid(since position: Timetoken) {
        owed[position] = owed[position].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

/// Who is asked for which summaries, and whom they go to.
final class Summaries {
    private struct Question {
        let topic: Topic
        let messages: [Timetoken]
        /// Where to read again from when a frame is dropped.
        let since: Timetoken
        /// The cursor once they were sent.
        let through: Timetoken
        /// `nil`: all who follow the topic by summaries.
        let passengers: [Flights.Passenger]?
    }

    private var open: [PageNumber: Question] = [:]
    private var next: PageNumber = 1
    /// Topics with changes, whose time has not come.
    private var listed: [Topic] = []
    /// Those of followers who came back, which the readers had no room for.
    private var waiting: [Question] = []
    private let ground: Ground
    private let outlet: Outlet

    init(ground: Ground, outlet: Outlet) {
        self.ground = ground
        self.outlet = outlet
    }

    /// When a reader is to be asked though nothing happens, in milliseconds.
    var nextDue: UInt64? {
        let first = listed.lazy.map(\.summaries.nextAt).min()
        guard waiting.isEmpty else { return min(first ?? .max, ground.now + Self.pause) }
        return first
    }

    private static var pause: UInt64 { UInt64(Limits.summaryMilliseconds) }

    // MARK: Changes

    /// Takes what happened in a topic, before it is sent.
    func note(_ events: [EncodedEnvelope], in topic: Topic) {
        guard topic.lanes.contains(where: { $0.pace.actions == .summary }) else { return }
        for event in events where event.isStored {
            guard let message = event.changedMessage else { continue }
            topic.summaries.changed.insert(message)
            topic.summaries.since =
                topic.summaries.since ?? Timetoken(rawValue: event.timetoken.rawValue - 1)
        }
        list(topic)
    }

    private func list(_ topic: Topic) {
        guard !topic.summaries.changed.isEmpty, topic.summaries.askedSince == nil,
            !topic.summaries.isListed
        else { return }
        topic.summaries.isListed = true
        listed.append(topic)
    }

    /// Asks for what is due.
    func endTurn() {
        let again = waiting
        waiting = []
        for question in again { ask(question) }
        guard listed.contains(where: { $0.summaries.nextAt <= ground.now }) else { return }
        let topics = listed
        listed = []
        for topic in topics {
            guard topic.summaries.nextAt <= ground.now else {
                listed.append(topic)
                continue
            }
            topic.summaries.isListed = false
            ask(for: topic)
        }
    }

    private func ask(for topic: Topic) {
        guard let since = topic.summaries.since else { return }
        let messages = Array(topic.summaries.changed.prefix(Limits.summariesMax))
        let isAll = messages.count == topic.summaries.changed.count
        topic.summaries.nextAt = ground.now + Self.pause
        let question = Question(
            topic: topic, messages: messages, since: since,
            through: isAll ? topic.storedPosition : since, passengers: nil)
        guard put(question) else { return list(topic) }
        topic.summaries.changed.subtract(messages)
        topic.summaries.askedSince = since
        if isAll { topic.summaries.since = nil }
    }

    // MARK: Followers who were away

    /// Has followers who caught up told of messages whose actions changed meanwhile.
    func tell(
        _ subscriptions: [Subscription], of messages: Set<Timetoken>, since: Timetoken,
        through: Timetoken
    ) {
        guard let topic = subscriptions.first?.topic else { return }
        let passengers = subscriptions.map {
            Flights.Passenger(subscription: $0, serial: $0.serial)
        }
        var rest = Array(messages)[...]
        while !rest.isEmpty {
            let some = rest.prefix(Limits.summariesMax)
            rest = rest.dropFirst(some.count)
            topic.summaries.owe(since: since)
            for subscription in subscriptions { subscription.owe(since: since) }
            ask(
                Question(
                    topic: topic, messages: Array(some), since: since,
                    through: rest.isEmpty ? through : since, passengers: passengers))
        }
    }

    private func ask(_ question: Question) {
        if let passengers = question.passengers, !passengers.contains(where: \.isWaiting) {
            // All are gone, or read again from before.
            return question.topic.summaries.paid(since: question.since)
        }
        if !put(question) { waiting.append(question) }
    }

    private func put(_ question: Question) -> Bool {
        let query = SummariesQuery(
            channel: question.topic.channel.name,
            messages: question.messages.map { SummariesQuery.Message($0) })
        let request = ReadRequest(
            asker: .summaries(next, reactor: ground.engine.reactor),
            channel: question.topic.channel, query: .summaries(query))
        guard ground.engine.ask(request) else { return false }
        open[next] = question
        next += 1
        return true
    }

    // MARK: Answers

    /// Takes what a reader summed up: one frame for all who want it.
    ///
    /// What did not fit into a page is asked for again, and until then the cursor stays.
    func received(_ page: SummariesPage, for number: PageNumber) {
        guard let question = open.removeValue(forKey: number) else { return }
        let through = page.rest.isEmpty ? question.through : question.since
        if let passengers = question.passengers {
            return received(page, for: question, through: through, by: passengers)
        }
        let topic = question.topic
        topic.summaries.askedSince = nil
        if !page.rest.isEmpty { note(again: page.rest, of: question) }
        list(topic)
        for lane in topic.lanes where lane.pace.actions == .summary {
            // What waits in a window is from before.
            let frame = outlet.frame(
                of: page.summaries, in: topic.channel, cursor: min(through, lane.cursor))
            for subscription in lane.subscriptions.elements {
                if subscription.state == .live {
                    send(frame, page.summaries.count, to: subscription, question)
                } else if subscription.position > question.since {
                    // It was set back to after these changes, and reads on from there.
                    outlet.setBack(subscription, to: question.since)
                }
            }
        }
    }

    private func received(
        _ page: SummariesPage, for question: Question, through: Timetoken,
        by passengers: [Flights.Passenger]
    ) {
        if page.rest.isEmpty { question.topic.summaries.paid(since: question.since) }
        let frame = outlet.frame(
            of: page.summaries, in: question.topic.channel,
            cursor: min(through, question.topic.summaries.bound))
        let waiting = passengers.filter(\.isWaiting)
        for passenger in waiting {
            if page.rest.isEmpty { passenger.subscription.paid() }
            send(frame, page.summaries.count, to: passenger.subscription, question)
        }
        guard !page.rest.isEmpty else { return }
        ask(
            Question(
                topic: question.topic, messages: page.rest, since: question.since,
                through: question.through, passengers: waiting))
    }

    private func note(again messages: [Timetoken], of question: Question) {
        question.topic.summaries.changed.formUnion(messages)
        question.topic.summaries.since = question.since
    }

    private func send(
        _ frame: Frame, _ count: Int, to subscription: Subscription, _ question: Question
    ) {
        outlet.queue(frame, of: count, for: subscription, readingAgainFrom: question.since)
    }

    /// Hears that messages could not be summed up: it is tried again.
    func failedToRead(_ number: PageNumber) {
        guard let question = open.removeValue(forKey: number) else { return }
        guard question.passengers == nil else { return waiting.append(question) }
        let topic = question.topic
        topic.summaries.askedSince = nil
        note(again: question.messages, of: question)
        topic.summaries.nextAt = ground.now + 4 * Self.pause
        list(topic)
    }

    func checkInvariants() {
        for topic in listed {
            precondition(topic.summaries.isListed, "A topic that is listed knows it.")
        }
    }
}
