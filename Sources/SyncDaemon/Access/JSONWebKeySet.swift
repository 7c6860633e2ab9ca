// The keys that sign a tenant's JSON Web Tokens: several, so that one can follow another.

import EventModel
import JSON

/// Why a key set is not taken; for who configures it.
enum JSONWebKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON(String)
    case malformed(String)
    /// A secret that is too short, or an RSA key that is, or that is too slow.
    case weak
    /// Only the public half belongs here.
    case isPrivate
    case sameName(String)
    case noName
    case none
    case tooMany

    var description: String {
        switch self {
        case .notJSON(let reason): "The key set is not one of RFC 7517. \(reason)"
        case .malformed(let name): "A key's member \(name) is missing or not of its kind."
        case .weak:
            "A shared secret has at least \(Limits.sharedKeyBytesMin) bytes, an RSA key"
                + " \(Limits.rsaBitsMin) to \(Limits.rsaBitsMax) bits."
        case .isPrivate: "A key has a private part: remove its member d and the like."
        case .sameName(let name): "Two keys have the kid \"\(name)\": give each its own."
        case .noName: "Give each of several keys its kid."
        case .none:
            "The set has no key for tokens: oct, RSA, EC on P-256, or OKP on Ed25519, for HS256,"
                + " RS256, ES256 or EdDSA."
        case .tooMany: "A key set has at most \(Limits.webKeysMax) keys."
        }
    }
}

/// Keys by name, each for one algorithm.
struct JSONWebKeySet: Hashable, Sendable {
    private let keys: [JSONWebKey]

    /// Reads a JSON Web Key Set.
    ///
    /// - Parameter text: RFC 7517, section 5.
    init(_ text: String) throws(JSONWebKeyError) {
        let bytesMax = Limits.webKeySetBytesMax
        guard text.utf8.count <= bytesMax else { throw .notJSON("It has over \(bytesMax) bytes.") }
        let list: JSONValue
        do throws(JSONError) {
            list = try JSONValue(parsing: text).array("keys")
        } catch {
            throw .notJSON(error.description)
        }
        guard list.count <= Limits.webKeysMax else { throw .tooMany }
        var keys: [JSONWebKey] = []
        for index in 0..<list.count {
            guard let key = try JSONWebKey(list.element(at: index)) else { continue }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .none }
        var names: Set<ExactText> = []
        for key in keys where keys.count > 1 {
            guard let id = key.id else { throw .noName }
            guard names.insert(ExactText(id)).inserted else { throw .sameName(id) }
        }
        self.keys = keys
    }

    /// Whether who reads the set can sign with it.
    var hasSharedKey: Bool { keys.contains { $0.algorithm == .hs256 } }

    /// What only who may sign should know.
    var sharedSecrets: [[UInt8]] { keys.compactMap(\.sharedSecret) }

    /// The key that a token's header means.
    ///
    /// - Parameter id: `nil` in a header without `kid`, which is enough when there is one key.
    func key(_ id: String?) -> JSONWebKey? {
        guard let id else { return keys.count == 1 ? keys[0] : nil }
        return keys.first { $0.id.map(ExactText.init) == ExactText(id) }
    }
}
