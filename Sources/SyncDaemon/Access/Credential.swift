// What a caller showed of itself, and what is wanted of callers.

import EventModel

/// In whose name somebody asks, once what was shown has been checked.
enum Credential: Hashable, Sendable {
    /// The tenant asks for nothing, and everybody may do everything.
    case unguarded
    /// The request is signed with the tenant's secret key: it may do everything.
    case secretKey
    case token(Grant)
    /// What is granted to it stands in the daemon.
    case authKey(AuthKeyBearer)

    /// Whether its time is over.
    ///
    /// - Parameter now: Unix seconds.
    func isOver(at now: Int64) -> Bool {
        switch self {
        case .unguarded, .secretKey: false
        case .token(let grant): now >= grant.expiry
        case .authKey(let bearer): now >= bearer.end
        }
    }

    /// Until its time is over; `nil` when it has no end.
    ///
    /// - Parameter now: Unix seconds.
    func secondsLeft(at now: Int64) -> Int? {
        if case .token(let grant) = self { Int(max(0, grant.expiry - now)) } else { nil }
    }

    /// Whether it says who its caller is; a request can only ask for that user then.
    var namesUser: Bool {
        if case .token(let grant) = self { grant.user != nil } else { false }
    }

    /// Whether it was taken back.
    func isRevoked(by revocations: Revocations) -> Bool {
        if case .token(let grant) = self {
            revocations.contains(grant.id, of: grant.tenant)
        } else {
            false
        }
    }

    /// Whether something that was granted to it was taken back since it was shown.
    func isReduced(in keyGrants: KeyGrants) -> Bool {
        if case .authKey(let bearer) = self { !keyGrants.areUnchanged(for: bearer) } else { false }
    }
}

/// What an operation asks of its caller: rights on all that it names.
struct Need: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case channel, group, user
    }

    struct Place: Hashable, Sendable {
        let kind: Kind
        let name: String
        let rights: Rights
        /// Whether one of the rights is enough.
        var isAny = false

        func isGranted(by held: Rights) -> Bool {
            isAny ? !held.isDisjoint(with: rights) : held.isSuperset(of: rights)
        }
    }

    var places: [Place] = []
    /// Whom it is about, when that is not the caller.
    var user: String?
    /// Whether no token is enough, since it is about everything that the tenant has.
    var isAboutAll = false
    /// Whether only who signs with the secret key may have it, also where nothing is guarded.
    var isSigned = false

    static let nothing = Need()
    static let all = Need(isAboutAll: true)
    static let signature = Need(isSigned: true)

    /// The same rights on each of these.
    static func having(
        _ rights: Rights, on channels: [String] = [], groups: [String] = [], user: String? = nil
    ) -> Need {
        Need(
            places: channels.map { Place(kind: .channel, name: $0, rights: rights) }
                + groups.map { Place(kind: .group, name: $0, rights: rights) },
            user: user)
    }

    var channels: [String] { places.compactMap { $0.kind == .channel ? $0.name : nil } }
    var groups: [String] { places.compactMap { $0.kind == .group ? $0.name : nil } }
}
