// Who was given the address of a file, as far as it can be asked again later.

import EventModel

/// What its bearer showed, without the means to show it.
enum FileHolder: Hashable, Sendable {
    /// Nothing was asked for.
    case anybody
    /// The tenant's own server, by the secret key.
    case backend
    /// - Parameter expiry: Unix seconds.
    case token(TokenID, expiry: Int64, namesUser: Bool)
    /// `nil`: nothing, where something is granted to everybody.
    case authKey(AuthKeyID?)

    init(_ credential: Credential) {
        self =
            switch credential {
            case .unguarded: .anybody
            case .secretKey: .backend
            case .token(let grant):
                .token(grant.id, expiry: grant.expiry, namesUser: grant.user != nil)
            case .authKey(let bearer): .authKey(bearer.key)
            }
    }

    /// A word for each part.
    var text: String {
        switch self {
        case .anybody: "anybody"
        case .backend: "backend"
        case .token(let id, let expiry, let namesUser):
            "\(namesUser ? "user" : "token") \(id.text) \(expiry)"
        case .authKey(let key): key.map { "key \($0.text)" } ?? "key"
        }
    }

    /// Reads what ``text`` says; `nil` for anything else.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        switch (words[0], words.count) {
        case ("anybody", 1): self = .anybody
        case ("backend", 1): self = .backend
        case ("key", 1): self = .authKey(nil)
        case ("key", 2):
            guard let key = AuthKeyID(text: words[1]) else { return nil }
            self = .authKey(key)
        case ("user", 3), ("token", 3):
            guard let id = TokenID(String(words[1])), let expiry = Int64(words[2]) else {
                return nil
            }
            self = .token(id, expiry: expiry, namesUser: words[0] == "user")
        default: return nil
        }
    }
}
