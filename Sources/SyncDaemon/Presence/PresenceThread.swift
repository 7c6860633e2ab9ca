// The presence thread: keeps who is where for all reactors, and announces it.

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
    ///   - accounts: Told about once a second what tenants have.
    ///   - receiver: Gets each answer.
    init(
        keysets: Keysets, order: EventOrder, accounts: Accounts, receiver: any PresenceReceiver
    ) {
        _ = OSThread(name: "presence") { [requests, heartbeat, newSettings] in
            let presence = Presence(keysets: keysets)
            var outgoing: [Announcement] = []
            var told: UInt64 = 0
            while true {
                let now = Presence.Instant.now
                let sleep = presence.nextDeadline.map {
                    $0 > now.milliseconds ? $0 - now.milliseconds : 0
                }
                let taken = requests.take(
                    atMost: 64, waitingAtMost: min(sleep ?? Self.sleepMax, Self.sleepMax))
                heartbeat.beat()
                let time = Presence.Instant.now
                if let new = newSettings.withLock({ $0.take() }) {
                    presence.apply(new.keysets, at: time)
                    new.applied()
                }
                for case .ask(let request) in taken {
                    heartbeat.beat()
                    let reply = presence.reply(to: request, at: time)
                    guard let origin = request.origin else { continue }
                    receiver.deliver(
                        PresenceAnswer(origin: origin, request: request, reply: reply))
                }
                for event in presence.advance(to: time) {
                    outgoing.append(
                        Announcement(
                            channel: event.channel, uuid: "", event: .presence(event.notice),
                            origin: nil))
                }
                if time.milliseconds >= told + Self.sleepMax {
                    told = time.milliseconds
                    presence.tell(accounts)
                }
                // A join that nobody hears of would be wrong for ever: what is refused waits.
                let rest = outgoing.drop { order.announce($0) != .refused }
                outgoing = Array(rest)
            }
        }
    }

    func ask(_ request: PresenceRequest) -> Bool {
        requests.put(.ask(request))
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
