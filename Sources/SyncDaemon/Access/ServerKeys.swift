// The keys that a tenant's own servers show: secrets with rights, which name no user.

import EventModel
import JSON

/// Why a file of server keys is not taken; for who configures it.
enum ServerKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON(String)
    /// The member of the key in that place, which is missing or not of its kind.
    case malformed(place: Int, String)
    case weak(name: String)
    case sameName(String)
    case sameKey(String)
    case tooMany

    var description: String {
        switch self {
        case .notJSON(let reason): "These are no server keys. \(reason)"
        case .malformed(let place, let name):
            "The member \(name) of key \(place + 1) is missing or not of its kind."
        case .weak(let name):
            "The key \"\(name)\" needs \(Limits.serverKeyBytesMin) to "
                + "\(Limits.serverKeyBytesMax) visible ASCII characters: openssl rand -base64 33 "
                + "makes one."
        case .sameName(let name): "Two keys are called \"\(name)\": give each its own name."
        case .sameKey(let name): "The key \"\(name)\" is there twice."
        case .tooMany: "A keyset has at most \(Limits.serverKeysMax) server keys."
        }
    }
}

/// One of them.
struct ServerKey: Hashable, Sendable {
    /// What it is called in the log, and whose its messages are where nobody else is named.
    let name: String
    /// `nil`: it may do everything.
    let permissions: Permissions?

    fileprivate let id: TokenID
}

/// Keys by what they hash to: a look takes the same time however much of a wrong key is right.
struct ServerKeys: Hashable, Sendable {
    private var keys: [TokenID: ServerKey] = [:]

    /// Reads `{"keys":[{"name":"backend","key":"…"}]}`; a key may have `permissions`, as a JSON Web
    /// Token has them.
    init(_ text: String) throws(ServerKeyError) {
        guard text.utf8.count <= Limits.webKeySetBytesMax else {
            throw .notJSON("The file has over \(Limits.webKeySetBytesMax) bytes.")
        }
        let list: JSONValue
        do throws(JSONError) {
            list = try JSONValue(parsing: text).array("keys")
        } catch {
            throw .notJSON(error.description)
        }
        guard list.count <= Limits.serverKeysMax else { throw .tooMany }
        var names: Set<ExactText> = []
        for place in 0..<list.count {
            let key = try Self.key(list.element(at: place), at: place)
            guard names.insert(ExactText(key.name)).inserted else { throw .sameName(key.name) }
            guard keys.updateValue(key, forKey: key.id) == nil else { throw .sameKey(key.name) }
        }
    }

    private static func key(_ value: JSONValue, at place: Int) throws(ServerKeyError) -> ServerKey {
        let known: Set = ["name", "key", "permissions"]
        if let other = value.memberNames.first(where: { !known.contains($0) }) {
            throw .malformed(place: place, other)
        }
        guard let name = value.member("name")?.string, !name.utf8.contains(0),
            (1...Limits.identifierBytesMax).contains(name.utf8.count)
        else { throw .malformed(place: place, "name") }
        guard let key = value.member("key")?.string else { throw .malformed(place: place, "key") }
        guard (Limits.serverKeyBytesMin...Limits.serverKeyBytesMax).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .weak(name: name) }
        guard value.has("permissions") else {
            return ServerKey(name: name, permissions: nil, id: ServerKeys.id(of: key))
        }
        guard let permissions = try? JSONWebClaims(value).permissions() else {
            throw .malformed(place: place, "permissions")
        }
        return ServerKey(name: name, permissions: permissions, id: ServerKeys.id(of: key))
    }

    /// The key that somebody shows; `nil` for anything else.
    subscript(id: TokenID) -> ServerKey? { keys[id] }

    /// What a key is found by.
    static func id(of text: String) -> TokenID { TokenID(of: Array(text.utf8)) }
}

extension ServerKey {
    /// What it is worth in its tenant.
    func credential(in tenant: String) -> Credential {
        guard let permissions else { return .secretKey }
        return .token(
            Grant(
                tenant: ExactText(tenant), user: nil, device: nil, expiry: .max,
                permissions: permissions, id: id))
    }
}
