// What `token` makes of its words and options.

/// What `token` does.
enum TokenWork: Hashable {
    case grant(Granting)
    /// Without the token: it stands on standard input.
    case revoke(String?)
    case inspect(String?)
}

/// A token to be made.
struct Granting: Hashable {
    struct Entry: Hashable {
        /// As a grant's body names it: `channels`, `groups` or `uuids`.
        let kind: String
        let isPattern: Bool
        let name: String
        let bits: Int
    }

    var minutes: Int
    /// The only user who may show it.
    var bearer: String?
    var entries: [Entry]
}

extension JobReader {
    func tokenWork() throws(UsageError) -> TokenWork {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "grant": return .grant(try granting(rest))
        case "revoke": return .revoke(try token(rest, "revoke"))
        case "inspect": return .inspect(try token(rest, "inspect"))
        default:
            throw UsageError(
                message: "It goes: token grant MINUTES KIND:NAME=RIGHTS..., token revoke TOKEN|-, "
                    + "or token inspect TOKEN|-.")
        }
    }

    private func token(_ words: [String], _ verb: String) throws(UsageError) -> String? {
        guard words.count == 1, let token = words.first, !token.isEmpty else {
            throw UsageError(message: "It goes: token \(verb) TOKEN, or - to read it.")
        }
        return token == "-" ? nil : token
    }

    private func granting(_ words: [String]) throws(UsageError) -> Granting {
        guard let first = words.first, let minutes = Int(first), (1...43_200).contains(minutes)
        else {
            throw UsageError(message: "Say for how many minutes, 1 to 43200: token grant 60 ….")
        }
        guard words.count > 1 else {
            throw UsageError(message: "Say what it allows: channel:room=read,write for example.")
        }
        var entries: [Granting.Entry] = []
        for word in words.dropFirst() { entries.append(try entry(word)) }
        return Granting(minutes: minutes, bearer: tokens.values["--bearer"], entries: entries)
    }

    /// `KIND:NAME=RIGHT,RIGHT` or `KIND~PATTERN=RIGHT,RIGHT`; a name may have further signs `=`.
    private func entry(_ word: String) throws(UsageError) -> Granting.Entry {
        let kinds = ["channel": "channels", "group": "groups", "user": "uuids"]
        guard let mark = word.firstIndex(where: { $0 == ":" || $0 == "~" }),
            let kind = kinds[String(word[..<mark])], let equals = word.lastIndex(of: "="),
            word.index(after: mark) < equals
        else {
            throw UsageError(
                message: "\"\(word)\" is no grant: write channel:NAME=RIGHTS, group: or user: "
                    + "likewise, or channel~PATTERN=RIGHTS.")
        }
        var bits = 0
        for right in word[word.index(after: equals)...].split(separator: ",") {
            guard let bit = InspectedToken.rights.firstIndex(of: String(right)) else {
                throw UsageError(
                    message: "\"\(right)\" is no right: use "
                        + InspectedToken.rights.joined(separator: ", ") + ".")
            }
            bits |= 1 << bit
        }
        return Granting.Entry(
            kind: kind, isPattern: word[mark] == "~",
            name: String(word[word.index(after: mark)..<equals]), bits: bits)
    }
}
