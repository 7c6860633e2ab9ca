// How often somebody was refused what the operator does not let them do, by reason.

import Basis

/// Why, as clients are told where they are told.
enum PolicyRefusal: String, CaseIterable, Sendable {
    case tokenMissing = "token_missing"
    case tokenInvalid = "token_invalid"
    case tokenExpired = "token_expired"
    case tokenRevoked = "token_revoked"
    case tokenOfAnother = "token_of_another"
    case forbidden = "forbidden"
    case wrongSignature = "wrong_signature"
    case foreignHost = "foreign_host"
    case foreignOrigin = "foreign_origin"
}

/// Counts them; any thread may add and read.
final class PolicyRefusals: Sendable {
    private let counts = Locked<[PolicyRefusal: Int]>([:])

    func add(_ reason: PolicyRefusal) {
        counts.withLock { $0[reason, default: 0] += 1 }
    }

    func count(of reason: PolicyRefusal) -> Int {
        counts.withLock { $0[reason, default: 0] }
    }
}
