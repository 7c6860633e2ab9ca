// Whose question is next: tenants in turn, and users in turn within a tenant.

import Basis
import EventModel

/// The questions to one interceptor that were not asked yet, and how many of whom are under way.
///
/// No tenant and no user has all that may be under way: what somebody writes may make an
/// interceptor slow, and others are still asked about.
struct InterceptorLines {
    struct User: Hashable {
        let keyset: ExactText
        let id: ExactText

        init(of question: InterceptorQuestion) {
            keyset = ExactText(question.item.channel.keyset)
            id = ExactText(question.item.userID)
        }
    }

    private struct Tenant {
        /// Users with a question who may have another under way.
        var users = FairTurns<User>()
        var queues: [User: Queue<InterceptorQuestion>] = [:]
        var asking: [User: Int] = [:]
        var askingCount = 0

        func mayBeAsked(atMost share: Int) -> Bool {
            users.waitingCount > 0 && askingCount < share
        }
    }

    /// Tenants of whom something may be asked.
    private var turns = FairTurns<ExactText>()
    private var tenants: [ExactText: Tenant] = [:]
    /// Questions that wait.
    private(set) var count = 0
    /// How many may be under way.
    private(set) var window = Limits.interceptorRequestsAtFirst
    var records = InterceptorRecords()

    /// Of these, those of one tenant; the last one is for another.
    private var tenantShare: Int {
        max(1, window * Limits.interceptorRequestsPerKeysetMax / Limits.interceptorRequestsMax)
    }

    /// Of these, those of one user.
    var userShare: Int {
        let share = window * Limits.interceptorRequestsPerUserMax / Limits.interceptorRequestsMax
        return max(1, min(share, tenantShare - 1))
    }

    mutating func setWindow(_ size: Int) {
        guard size != window else { return }
        window = size
        arrangeAll()
    }

    mutating func forgetRecords() {
        records = InterceptorRecords()
        arrangeAll()
    }

    mutating func add(_ question: InterceptorQuestion) {
        let user = User(of: question)
        count += 1
        tenants[user.keyset, default: Tenant()].queues[user, default: Queue()].append(question)
        arrange(user)
    }

    /// Takes the next question that may be asked; it is under way from now on.
    mutating func next() -> InterceptorQuestion? {
        guard let keyset = turns.next() else { return nil }
        guard let user = tenants[keyset]?.users.next() else {
            preconditionFailure("A tenant has a turn when one of its users has.")
        }
        turns.charge(keyset, 1)
        tenants[keyset]?.users.charge(user, 1)
        return ask(user)
    }

    /// Takes a user's first question, whoever's turn it is.
    ///
    /// - Precondition: There is one.
    mutating func ask(_ user: User) -> InterceptorQuestion {
        tenants[user.keyset]?.asking[user, default: 0] += 1
        tenants[user.keyset]?.askingCount += 1
        return take(of: user)
    }

    /// Takes a user's first question, which is not to be asked.
    ///
    /// - Precondition: There is one.
    mutating func take(of user: User) -> InterceptorQuestion {
        guard let question = tenants[user.keyset]?.queues[user]?.popFirst() else {
            preconditionFailure("Who has a turn has a question.")
        }
        count -= 1
        if tenants[user.keyset]?.queues[user]?.isEmpty == true {
            tenants[user.keyset]?.queues[user] = nil
        }
        arrange(user)
        return question
    }

    /// Hears that a question is no longer under way.
    mutating func ended(_ question: InterceptorQuestion) {
        let user = User(of: question)
        guard let asking = tenants[user.keyset]?.asking[user] else {
            preconditionFailure("Nobody was asked that.")
        }
        tenants[user.keyset]?.asking[user] = asking > 1 ? asking - 1 : nil
        tenants[user.keyset]?.askingCount -= 1
        arrange(user)
    }

    /// Somebody with a question.
    func user(where isWanted: (User) -> Bool) -> User? {
        for tenant in tenants.values {
            if let user = tenant.queues.keys.first(where: isWanted) { return user }
        }
        return nil
    }

    /// Whether more of a user's waits and is under way than may be under way of each.
    func isBeyondShare(_ user: User) -> Bool {
        guard let tenant = tenants[user.keyset] else { return false }
        let users = tenants.values.reduce(0) { $0 + max($1.queues.count, $1.asking.count) }
        let own = tenant.asking[user, default: 0] + (tenant.queues[user]?.count ?? 0)
        return own > max(1, window / max(1, users))
    }

    /// Whether a user has a question.
    func hasQuestion(_ user: User) -> Bool { tenants[user.keyset]?.queues[user] != nil }

    /// Only of those with something under way another may be too much.
    private mutating func arrangeAll() {
        for user in tenants.values.flatMap({ $0.asking.keys }) { arrange(user) }
    }

    /// Enters a user and its tenant for their turns, or has them rest.
    private mutating func arrange(_ user: User) {
        guard let asking = tenants[user.keyset]?.asking[user, default: 0] else { return }
        let share = min(userShare, records.share(of: user) ?? userShare)
        let hasTurn = hasQuestion(user) && asking < share
        if hasTurn {
            tenants[user.keyset]?.users.enter(user)
        } else {
            tenants[user.keyset]?.users.rest(user)
        }
        if tenants[user.keyset]?.mayBeAsked(atMost: tenantShare) == true {
            turns.enter(user.keyset)
        } else {
            turns.rest(user.keyset)
        }
        if tenants[user.keyset]?.queues.isEmpty == true,
            tenants[user.keyset]?.askingCount == 0
        {
            tenants[user.keyset] = nil
        }
    }
}
