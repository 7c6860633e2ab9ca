// A token of PubNub's kind, as the bytes below its base64.

import EventModel

@testable import SyncDaemon

/// What is read is written the same; nothing that we did not sign is good, and what we sign is.
enum TokenFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        try checkItems(bytes)
        let text = Base64URL.text(bytes, isPadded: true)
        try expect(Base64URL.bytes(text, isPadded: true) == bytes, "other bytes in \(text)")
        var keys = AccessKeys(tenant: "sub")
        let key = AccessTokenKey(secretKey: "sec-of-the-fuzzer", subscribeKey: "sub")
        keys.tokenKeys = [key]
        try expect((try? keys.grant(for: text, at: 1_700_000_000)) == nil, "good: \(text)")
        guard let claim = try? AccessToken.read(text) else { return }
        try expect(
            claim.signed + AccessToken.signatureHead + claim.signature == bytes,
            "something else is signed in \(text)")
        try checkWriting(claim.token, key, keys)
    }

    private static func checkWriting(
        _ token: AccessToken, _ key: AccessTokenKey, _ keys: AccessKeys
    ) throws(Finding) {
        guard let text = try? token.text(signedWith: key) else { return }
        guard let again = try? AccessToken.read(text).token else {
            throw Finding(description: "\(text) cannot be read")
        }
        try expect(again == token, "\(token) became \(again)")
        guard let grant = try? keys.grant(for: text, at: token.issued) else {
            throw Finding(description: "\(text) is no good")
        }
        try expect(
            grant.user == token.user && grant.expiry == token.expiry, "\(token) allows \(grant)")
        for (name, bits) in token.resources.channels {
            let rights = grant.permissions.channels.exactRights(on: name.string)
            var expected = Rights(pubNub: bits)
            if token.user != nil, expected.contains(.react) { expected.insert(.unreact) }
            try expect(rights == expected, "\(name) has \(rights)")
        }
    }

    /// An item that is read is the shortest spelling of what it says.
    private static func checkItems(_ bytes: [UInt8]) throws(Finding) {
        var reader = CBORReader(bytes)
        while !reader.isAtEnd {
            let start = reader.offset
            guard let item = try? reader.next() else { return }
            try expect(reader.offset > start, "an item of no bytes at \(start)")
            var writer = CBORWriter()
            switch item {
            case .unsigned(let value): writer.unsigned(value)
            case .negative(let value):
                guard value <= Int64.max else { continue }
                writer.integer(~Int64(value))
            case .bytes(let value): writer.string(Array(value))
            case .text(let value): writer.text(value)
            case .map(let count): writer.map(count)
            case .flag(let flag): writer.flag(flag)
            case .null: writer.null()
            case .number: continue
            }
            try expect(
                writer.bytes.elementsEqual(bytes[start..<reader.offset]),
                "\(bytes[start..<reader.offset]) was read as \(item)")
        }
    }
}
