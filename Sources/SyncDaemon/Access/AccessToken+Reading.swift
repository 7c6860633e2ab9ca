// How a token of PubNub's kind is read, and what of it is believed.

import EventModel

extension AccessToken {
    /// What a token's text says, whoever signed it.
    struct Claim: Hashable, Sendable {
        let token: AccessToken
        /// The bytes before the signature, which is for these.
        let signed: [UInt8]
        let signature: [UInt8]
    }

    /// Reads a token without asking who made it.
    ///
    /// - Throws: `garbage`: another version, a member that is missing, unknown, there twice or of
    ///   another type, bytes behind the signature, anything that could be written shorter.
    static func read(_ text: String) throws(AccessRefusal) -> Claim {
        guard text.utf8.count <= Limits.tokenBytesMax,
            let bytes = Base64URL.bytes(text, isPadded: true)
        else { throw .garbage }
        do throws(CBORError) {
            var members = Members(bytes)
            try members.read()
            let signedCount = bytes.count - Signing.hashBytes - signatureHead.count
            guard let token = members.token, let signature = members.signature, signedCount > 0,
                bytes[signedCount...].starts(with: signatureHead)
            else { throw CBORError() }
            return Claim(
                token: token, signed: Array(bytes[..<signedCount]), signature: signature)
        } catch {
            throw .garbage
        }
    }

    /// What a good token allows.
    ///
    /// - Parameters:
    ///   - keys: Any of them may have signed it: two while a secret is being replaced.
    ///   - now: Unix seconds.
    /// - Throws: `garbage`, `badSignature`, `expired` or `notYet`.
    static func grant(
        for text: String, tenant: String, keys: [AccessTokenKey], at now: Int64
    ) throws(AccessRefusal) -> Grant {
        let claim = try read(text)
        let isSigned = keys.contains {
            Signing.areEqual($0.signature(of: claim.signed), claim.signature)
        }
        guard isSigned else { throw .badSignature }
        let token = claim.token
        guard token.issued <= now + Int64(Limits.accessSkewSeconds) else { throw .notYet }
        guard now < token.expiry else { throw .expired }
        guard let permissions = try? token.permissions() else { throw .garbage }
        return Grant(
            tenant: ExactText(tenant), user: token.user, device: nil, expiry: token.expiry,
            permissions: permissions, id: TokenID(of: claim.signed))
    }
}

/// The members of a token's map, as they come.
private struct Members {
    private var reader: CBORReader
    private var seen: Set<String> = []
    private var issued: Int64?
    private var minutes: Int64?
    private var resources: AccessScopes?
    private var patterns: AccessScopes?
    private var meta: [ExactText: AccessToken.MetaValue]?
    private var user: ExactText?
    private(set) var signature: [UInt8]?

    init(_ bytes: [UInt8]) {
        reader = CBORReader(bytes)
    }

    /// `nil` when something is missing that has to be there.
    var token: AccessToken? {
        guard seen.contains("v"), let issued, let minutes, let resources, let patterns, let meta
        else { return nil }
        return AccessToken(
            issued: issued, minutes: minutes, resources: resources, patterns: patterns, meta: meta,
            user: user)
    }

    mutating func read() throws(CBORError) {
        for _ in 0..<(try mapCount()) {
            let key = try key()
            guard seen.insert(key).inserted else { throw CBORError() }
            try readMember(key)
        }
        guard reader.isAtEnd else { throw CBORError() }
    }

    private mutating func readMember(_ key: String) throws(CBORError) {
        switch key {
        case "v": guard try unsigned() == AccessToken.version else { throw CBORError() }
        // Until the year 36,812, so that nothing overflows.
        case "t": issued = try number(0...(1 << 40))
        case "ttl": minutes = try number(1...Int64(Limits.tokenMinutesMax))
        case "res": resources = try scopes()
        case "pat": patterns = try scopes()
        case "meta": meta = try notes()
        case "uuid": user = ExactText(try text())
        case "sig":
            guard case .bytes(let bytes) = try reader.next(), bytes.count == Signing.hashBytes
            else { throw CBORError() }
            signature = Array(bytes)
        default: throw CBORError()
        }
    }

    private mutating func scopes() throws(CBORError) -> AccessScopes {
        var scopes = AccessScopes()
        var seen: Set<String> = []
        for _ in 0..<(try mapCount()) {
            let key = try key()
            guard seen.insert(key).inserted,
                let path = AccessScopes.keys.first(where: { $0.key == key })?.path
            else { throw CBORError() }
            for _ in 0..<(try mapCount()) {
                let name = ExactText(try text())
                let bits = UInt8(try number(0...255))
                guard scopes[keyPath: path].updateValue(bits, forKey: name) == nil else {
                    throw CBORError()
                }
            }
        }
        return scopes
    }

    private mutating func notes() throws(CBORError) -> [ExactText: AccessToken.MetaValue] {
        var notes: [ExactText: AccessToken.MetaValue] = [:]
        for _ in 0..<(try mapCount()) {
            let name = ExactText(try text())
            let value: AccessToken.MetaValue
            switch try reader.next() {
            case .text(let text): value = .text(text)
            case .unsigned(let number) where number <= Int64.max: value = .integer(Int64(number))
            case .negative(let number) where number <= Int64.max: value = .integer(~Int64(number))
            // As who grants has it: JSON has no others, and what is no number equals nothing.
            case .number(let number) where number.isFinite: value = .number(number)
            case .flag(let flag): value = .flag(flag)
            case .null: value = .null
            default: throw CBORError()
            }
            guard notes.updateValue(value, forKey: name) == nil else { throw CBORError() }
        }
        return notes
    }

    private mutating func mapCount() throws(CBORError) -> Int {
        guard case .map(let count) = try reader.next() else { throw CBORError() }
        return count
    }

    private mutating func key() throws(CBORError) -> String {
        guard case .bytes(let bytes) = try reader.next(), bytes.allSatisfy({ $0 < 0x80 }) else {
            throw CBORError()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func text() throws(CBORError) -> String {
        guard case .text(let text) = try reader.next() else { throw CBORError() }
        return text
    }

    private mutating func unsigned() throws(CBORError) -> UInt64 {
        guard case .unsigned(let value) = try reader.next() else { throw CBORError() }
        return value
    }

    private mutating func number(_ range: ClosedRange<Int64>) throws(CBORError) -> Int64 {
        guard let value = Int64(exactly: try unsigned()), range.contains(value) else {
            throw CBORError()
        }
        return value
    }
}
