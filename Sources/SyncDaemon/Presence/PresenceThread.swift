// The presence thread: keeps who is where for all reactors, and announces it.
//
// A daemon that follows has one as well, which announces nothing: it knows what this daemon's own
// clients have said, for whoever comes to order next.

import Basis
import EventModel

/// What a reactor asks of presence for one user.
struct PresenceRequest: Sendable {
    enum Operation: Sendable {
        /// - Parameters:
        ///   - channels: Lists, because those of groups are shared by all requests that wait.
        ///   - seconds: As the client named them.
        ///   - isPoll: Whether it is the start of a poll, and no heartbeat of its own.
        ///   - states: By channel, as compact JSON objects.
        case beat(
            channels: [[String]], seconds: Int?, isPoll: Bool, states: [ExactText: String])
        case leave(channels: [String])
        /// A session follows these from now on; states as in a beat.
        case enter(channels: [String], states: [ExactText: String])
        /// It does so no more, maybe because its connection was cut.
        case exit(channels: [String], isCut: Bool)
        case setState(channels: [String], state: String)
        case state(channels: [String])
        case occupancy(channels: [String], Presence.Page)
        case survey(Presence.Page)
        /// Where the user is.
        case channels
    }

    let member: Presence.Member
    let operation: Operation
    /// Who waits for the answer; nobody for a poll's own beat.
    let origin: Origin?
    /// The connection that it came through.
    let source: PresenceSource
}

/// What presence says to it.
enum PresenceReply: Sendable {
    case done
    case refused(Presence.Refusal)
    case states([(channel: String, state: String?)])
    case occupancy([Occupancy])
    case survey(Presence.Survey)
    case channels([String])
}

/// A reply on its way back.
struct PresenceAnswer: Sendable {
    let origin: Origin
    /// What was asked.
    let request: PresenceRequest
    let reply: PresenceReply
}

/// Where presence's answers go.
protocol PresenceReceiver: Sendable {
    /// Called on presence's thread.
    func deliver(_ answer: PresenceAnswer)
}

/// Who is asked about presence: this daemon's own thread, or another daemon's.
protocol PresenceDoor: Sendable {
    /// Queues a request.
    ///
    /// - Returns: `false` when too many wait already.
    func ask(_ request: PresenceRequest) -> Bool
}

/// The part of presence that any thread may hold.
final class PresenceThread: PresenceDoor {
    private enum Request: Sendable {
        case ask(PresenceRequest)
        case keep([PresencePromise])
        case promises(told: @Sendable ([PresencePromise]) -> Void)
        case forget(Presence.Member, channel: String)
        /// Wakes the thread so that it can show that it runs.
        case heartbeat
    }

    /// Settings on their way to the thread.
    private struct NewSettings: Sendable {
        let keysets: Keysets
        let applied: @Sendable () -> Void
    }

    let heartbeat = Heartbeat()
    /// Beside the queue, which may be full.
    private let newSettings = Locked<NewSettings?>(nil)
    private let requests = WorkQueue<Request>(capacity: Limits.presenceQueueMax)

    /// The longest sleep, in milliseconds: a deadline that moved closer is noticed by then.
    private static let sleepMax: UInt64 = 1000

    /// Starts the thread; it runs until the process ends.
    ///
    /// - Parameters:
    ///   - order: Told of each presence event, in order; again of one that it refused.
    ///     `nil`: nobody hears of any.
    ///   - accounts: Told about once a second what tenants have.
    ///   - receiver: Gets each answer.
    ///   - hold: How many milliseconds requests wait, so that it hears first who is there already.
    init(
        keysets: Keysets, order: EventOrder?, accounts: Accounts,
        receiver: any PresenceReceiver, holding hold: UInt64 = 0
    ) {
        _ = OSThread(name: "presence") { [requests, heartbeat, newSettings] in
            let begun = Presence.Instant.now.milliseconds
            var work = PresenceWork(
                Presence(keysets: keysets), order: order, accounts: accounts, receiver: receiver,
                holdingUntil: hold > 0 ? begun + hold : nil)
            while true {
                let now = Presence.Instant.now.milliseconds
                let taken = requests.take(
                    atMost: 64, waitingAtMost: min(work.rest(at: now), Self.sleepMax))
                heartbeat.beat()
                let time = Presence.Instant.now
                if let new = newSettings.withLock({ $0.take() }) {
                    work.presence.apply(new.keysets, at: time)
                    new.applied()
                }
                work.open(at: time)
                for request in taken {
                    heartbeat.beat()
                    switch request {
                    case .ask(let request): work.hear(request, at: time)
                    case .keep(let promises): work.presence.keep(promises, at: time)
                    case .promises(let told): told(work.presence.promises(at: time))
                    case .forget(let member, let channel):
                        work.presence.forget(member, channel: channel, at: time)
                    case .heartbeat: break
                    }
                }
                work.finish(at: time)
            }
        }
    }

    func ask(_ request: PresenceRequest) -> Bool {
        requests.put(.ask(request))
    }

    /// Has users be where another daemon promised that they are.
    func keep(_ promises: [PresencePromise]) {
        if !promises.isEmpty { _ = requests.put(.keep(promises)) }
    }

    /// Where everybody is, as if all connections were cut now; nobody when it does not say so in
    /// time.
    func promises() -> [PresencePromise] {
        let answers = WorkQueue<[PresencePromise]>(capacity: 1)
        guard requests.put(.promises { _ = answers.put($0) }) else { return [] }
        return answers.take(atMost: 1, waitingAtMost: Limits.presenceHoldMilliseconds).first ?? []
    }

    /// Others say that a user is in a channel no more.
    func forget(_ member: Presence.Member, channel: String) {
        _ = requests.put(.forget(member, channel: channel))
    }

    /// Changes the tenants' settings; `applied` is called on the thread, within a second.
    func apply(_ keysets: Keysets, applied: @escaping @Sendable () -> Void) {
        newSettings.withLock { $0 = NewSettings(keysets: keysets, applied: applied) }
        requestHeartbeat()
    }

    /// Asks the thread to beat once.
    func requestHeartbeat() {
        _ = requests.put(.heartbeat)
    }
}

extension Presence {
    /// Carries one request out.
    func reply(to request: PresenceRequest, at now: Instant) -> PresenceReply {
        let member = request.member
        switch request.operation {
        case .beat(let channels, let seconds, let isPoll, let states):
            let refusal = beat(
                member, channels: Array(channels.joined()), seconds: seconds, isPoll: isPoll,
                states: states, from: request.source, at: now)
            return refusal.map { .refused($0) } ?? .done
        case .leave(let channels):
            leave(member, channels: channels, at: now)
            return .done
        case .enter(let channels, let states):
            let refusal = enter(
                member, channels: channels, states: states, through: request.source, at: now)
            return refusal.map { .refused($0) } ?? .done
        case .exit(let channels, let isCut):
            exit(member, channels: channels, through: request.source, isCut: isCut, at: now)
            return .done
        case .setState(let channels, let state):
            let refusal = setState(member, channels: channels, state: state, at: now)
            return refusal.map { .refused($0) } ?? .done
        case .state(let channels):
            return .states(state(of: member, channels: channels))
        case .occupancy(let channels, let page):
            return .occupancy(occupancy(of: channels, keyset: member.keyset, page: page))
        case .survey(let page):
            return .survey(
                occupancyEverywhere(
                    keyset: member.keyset, page: page,
                    channelsMax: Limits.presenceSurveyChannelsMax))
        case .channels:
            return .channels(channels(of: member))
        }
    }
}

extension Presence.Instant {
    /// Both clocks, read now.
    fileprivate static var now: Self {
        Self(
            milliseconds: Clock.monotonicMilliseconds(),
            wallSeconds: Clock.wallTicks() / 10_000_000)
    }
}
