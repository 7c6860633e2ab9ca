// What presence's thread does in a turn; confined to it.

import EventModel

/// Presence, and what is on its way to it and from it.
struct PresenceWork {
    let presence: Presence
    private let order: EventOrder?
    private let accounts: Accounts
    private let receiver: any PresenceReceiver
    /// Until when requests wait, in milliseconds of the clock that never steps back.
    private let opening: UInt64?
    /// Those that do; `nil` once it is open.
    private var held: [PresenceRequest]?
    private var outgoing: [Announcement] = []
    /// When it last told the accounts.
    private var told: UInt64 = 0

    /// Milliseconds between two looks at whether it is to open, and between what accounts are told.
    private static let openingPause: UInt64 = 50
    private static let tellingPause: UInt64 = 1000

    /// - Parameter order: `nil`: nobody hears of anything.
    init(
        _ presence: Presence, order: EventOrder?, accounts: Accounts,
        receiver: any PresenceReceiver, holdingUntil opening: UInt64?
    ) {
        (self.presence, self.order, self.accounts) = (presence, order, accounts)
        (self.receiver, self.opening) = (receiver, opening)
        held = opening.map { _ in [] }
    }

    /// Milliseconds until there is something to do without a request.
    func rest(at now: UInt64) -> UInt64 {
        let next = presence.nextDeadline.map { $0 > now ? $0 - now : 0 } ?? .max
        return held == nil ? next : min(next, Self.openingPause)
    }

    /// Carries out what waited, once it has waited for long enough, or too much does.
    mutating func open(at now: Presence.Instant) {
        guard let waiting = held, let opening,
            now.milliseconds >= opening || waiting.count >= Limits.presenceQueueMax
        else { return }
        held = nil
        for request in waiting { hear(request, at: now) }
    }

    /// Carries a request out, or has it wait.
    mutating func hear(_ request: PresenceRequest, at now: Presence.Instant) {
        if held != nil {
            held?.append(request)
            return
        }
        let reply = presence.reply(to: request, at: now)
        guard let origin = request.origin else { return }
        receiver.deliver(PresenceAnswer(origin: origin, request: request, reply: reply))
    }

    /// Ends what is over, and announces what is due.
    mutating func finish(at now: Presence.Instant) {
        for event in presence.advance(to: now) where order != nil {
            outgoing.append(
                Announcement(
                    channel: event.channel, uuid: "", event: .presence(event.notice), origin: nil))
        }
        if now.milliseconds >= told + Self.tellingPause {
            told = now.milliseconds
            presence.tell(accounts)
        }
        guard let order else { return }
        // A join that nobody hears of would be wrong for ever: what is refused waits.
        outgoing = Array(outgoing.drop { order.announce($0) != .refused })
    }
}
