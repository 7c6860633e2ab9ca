// Tokens of PubNub's kind: those of others are read, ours are theirs to the byte, no other is good.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access tokens")
struct AccessTokenTests {
    private static let now = AccessSamples.now
    private static let key = AccessTokenKey(
        secretKey: AccessSamples.secret, subscribeKey: AccessSamples.tenant)

    /// What `AccessSamples.pubNub` says.
    private static func sample() -> AccessToken {
        var token = AccessToken(issued: now, minutes: 60)
        token.resources.channels = [ExactText("lobby"): 3, ExactText("café"): 9]
        token.resources.groups = [ExactText("friends"): 5]
        token.resources.users = [ExactText("alice"): 96]
        token.patterns.channels = [ExactText("^room-[0-9]+$"): 1]
        token.meta = [ExactText("app"): .text("chat"), ExactText("n"): .integer(-5)]
        token.user = ExactText("alice")
        return token
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
            UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
        }
    }

    @Test("the token that PubNub's protocol shows is read")
    func recorded() throws {
        let bytes = Self.bytes(AccessSamples.recordedBytes)

        let reading = try AccessToken.read(Base64URL.text(bytes, isPadded: true))

        var expected = AccessToken(issued: 0x682F_2040, minutes: 60)
        expected.resources.channels = [ExactText("test-channel"): 1]
        expected.resources.spaces = [ExactText("test-channel"): 1]
        expected.user = ExactText("specific-uuid")
        #expect(reading.token == expected)
        #expect(reading.signature == Array(0..<32))
        #expect(reading.signed + AccessToken.signatureHead + reading.signature == bytes)
    }

    @Test("the token that the tests of PubNub's SDKs parse is read, whatever its order")
    func recordedBySDKs() throws {
        let token = try AccessToken.read(AccessSamples.recorded).token

        #expect(token.issued == 1_627_968_380)
        #expect(token.minutes == 60)
        #expect(token.resources.channels == [ExactText("channel-1"): 239])
        #expect(token.resources.users == [ExactText("uuid-1"): 104])
        #expect(token.user == ExactText("test-authorized-uuid"))
        let permissions = try token.permissions()
        #expect(permissions.channels.rights(on: "channel-xyz").contains([.read, .write, .join]))
        #expect(permissions.channels.rights(on: "channel x") == [])
        #expect(permissions.groups.rights(on: ":channel_group-a") == Rights(pubNub: 5))
        let keys = try AccessSamples.keys()
        #expect(keys.refusal(of: AccessSamples.recorded) == .badSignature)
    }

    @Test("Python's cbor2 and HKDF make the same token, to the byte")
    func foreign() throws {
        #expect(try AccessToken.read(AccessSamples.pubNub).token == Self.sample())
        #expect(try Self.sample().text(signedWith: Self.key) == AccessSamples.pubNub)
    }

    @Test("what is minted is read again, and allows what was granted")
    func roundTrip() throws {
        var token = Self.sample()
        token.user = nil
        token.resources.spaces = token.resources.channels
        token.resources.legacyUsers = token.resources.users
        token.meta = [
            ExactText("a"): .null, ExactText("b"): .flag(true), ExactText("c"): .number(1.5),
            ExactText("d"): .integer(.min), ExactText("e"): .integer(.max),
            ExactText("caf\u{E9}"): .text(""), ExactText("cafe\u{301}"): .text("other bytes"),
        ]

        let text = try token.text(signedWith: Self.key)

        #expect(try AccessToken.read(text).token == token)
        let grant = try AccessSamples.keys().grant(for: text, at: Self.now)
        #expect(grant.user == nil && grant.expiry == Self.now + 3600)
        #expect(grant.permissions == (try token.permissions()))
        #expect(grant.id == TokenID(grant.id.text))
    }

    @Test("keys replace each other, and are of one tenant")
    func keys() throws {
        var keys = try AccessSamples.keys()
        let other = AccessTokenKey(secretKey: "other", subscribeKey: AccessSamples.tenant)
        keys.tokenKeys = [other, Self.key]
        #expect(keys.refusal(of: AccessSamples.pubNub) == nil)
        keys.tokenKeys = [other]
        #expect(keys.refusal(of: AccessSamples.pubNub) == .badSignature)
        keys.tokenKeys = []
        #expect(keys.refusal(of: AccessSamples.pubNub) == .badSignature)
        keys.tokenKeys = [
            AccessTokenKey(secretKey: AccessSamples.secret, subscribeKey: "sub-other")
        ]
        #expect(keys.refusal(of: AccessSamples.pubNub) == .badSignature)
    }

    @Test("a token is good from a minute before its time until its time is over")
    func time() throws {
        let keys = try AccessSamples.keys()
        #expect(keys.refusal(of: AccessSamples.pubNub, at: Self.now - 61) == .notYet)
        #expect(keys.refusal(of: AccessSamples.pubNub, at: Self.now - 60) == nil)
        #expect(keys.refusal(of: AccessSamples.pubNub, at: Self.now + 3599) == nil)
        #expect(keys.refusal(of: AccessSamples.pubNub, at: Self.now + 3600) == .expired)
    }

    @Test("no token and no text are missing, and other texts garbage")
    func form() throws {
        let keys = try AccessSamples.keys()
        #expect(keys.refusal(of: nil) == .missing)
        #expect(keys.refusal(of: "") == .missing)
        let good = AccessSamples.pubNub
        for text in [
            "demo", good + "=", good + "A===", " " + good, String(good.dropLast()), good + "\n",
            good.replacing("_", with: "/"), String(repeating: "A", count: 8196),
        ] {
            #expect(keys.refusal(of: text) == .garbage, "\(text)")
        }
        // One spelling: without padding it is another text.
        let plain = good.replacing("=", with: "")
        #expect(plain != good && keys.refusal(of: plain) == .garbage)
    }

    @Test(
        "what could be written otherwise is refused, even with a good signature",
        arguments: [
            // From what to what, in hexadecimal; first nothing at all.
            ("4176", "4176", nil),
            ("417602", "417603", AccessRefusal.garbage),  // version 3
            ("417602", "41761802", .garbage),  // 2 in two bytes
            ("a8417602", "a9417602417602", .garbage),  // the version twice, and nothing missing
            ("a8417602", "a9417602417802", .garbage),  // an unknown member more
            ("417602", "41761a00000002", .garbage),
            ("4176", "580176", .garbage),  // the length of a key in two bytes
            ("4176", "6176", .garbage),  // the key as text
            ("4174", "4178", .garbage),  // an unknown key for the time
            ("4174", "4176", .garbage),  // the version twice
            ("4374746c183c", "4374746c00", .garbage),  // no minutes
            ("4374746c183c", "4374746c19a8c1", .garbage),  // 43,201 minutes
            ("4374746c183c", "4374746c183c4374746c183c", .garbage),  // nine members of eight
            ("656c6f62627903", "656c6f626279190100", .garbage),  // bits over 255
            ("656c6f62627903", "656c6f6262791803", .garbage),
            ("656c6f62627903", "656c6f6262f903", .garbage),  // no UTF-8
            ("446d657461a2", "446d657461bf", .garbage),  // a map without an end
            ("446d657461a2", "446d657461bbffffffffffffffff", .garbage),
            ("446d657461a2", "446d657461b9ffff", .garbage),
            ("616e24", "616e80", .garbage),  // a list in the notes
            ("616e24", "616ec024", .garbage),  // a tag
            ("616e24", "616ef7", .garbage),  // undefined
            ("616e24", "616efb7ff8000000000000", .garbage),  // no number
            ("616e24", "616ef97c00", .garbage),  // infinite
            ("616e24", "6361707024", .garbage),  // a note twice
            ("a8", "a7", .garbage), ("a8", "a9", .garbage), ("a8", "b808", .garbage),
        ] as [(String, String, AccessRefusal?)])
    func strictness(from: String, to: String, refusal: AccessRefusal?) throws {
        let reading = try AccessToken.read(AccessSamples.pubNub)
        let text = reading.signed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let range = text.firstRange(of: from)
        let signed = Self.bytes(range.map { text.replacingCharacters(in: $0, with: to) } ?? text)
        let bytes = signed + AccessToken.signatureHead + Self.key.signature(of: signed)

        let keys = try AccessSamples.keys()
        #expect(keys.refusal(of: Base64URL.text(bytes, isPadded: true)) == refusal)
        // The signature is the end.
        #expect(keys.refusal(of: Base64URL.text(bytes + [0xF6], isPadded: true)) == .garbage)
    }
}

extension AccessTokenTests {
    @Test(
        "a text of base64url has one spelling",
        arguments: [
            ([], "", ""), ([0xFB], "-w", "-w=="), ([0xFF, 0xFE], "__4", "__4="),
            ([0, 0x10, 0x83], "ABCD", "ABCD"),
        ] as [([UInt8], String, String)])
    func spelling(bytes: [UInt8], plain: String, padded: String) {
        for (text, isPadded) in [(plain, false), (padded, true)] {
            #expect(Base64URL.text(bytes, isPadded: isPadded) == text)
            #expect(Base64URL.bytes(text, isPadded: isPadded) == bytes)
        }
        #expect(plain == padded || Base64URL.bytes(padded, isPadded: false) == nil)
        #expect(plain == padded || Base64URL.bytes(plain, isPadded: true) == nil)
        for text in ["A", "-x", "__5", "_/4", "AB CD", "ABCDE", "-w=", "é"] {
            #expect(Base64URL.bytes(text, isPadded: false) == nil, "\(text)")
        }
        for text in ["=", "====", "-x==", "__5=", "-w=A", "ABC", "A==="] {
            #expect(Base64URL.bytes(text, isPadded: true) == nil, "\(text)")
        }
    }

    @Test("a signature that is not the last is none")
    func order() throws {
        let reading = try AccessToken.read(AccessSamples.pubNub)
        let user = Array("Duuidealice".utf8)
        #expect(Array(reading.signed.suffix(user.count)) == user)
        let signed = Array(reading.signed.dropLast(user.count))
        let key = AccessTokenKey(
            secretKey: AccessSamples.secret, subscribeKey: AccessSamples.tenant)
        let bytes = signed + AccessToken.signatureHead + key.signature(of: signed) + user

        #expect(throws: AccessRefusal.garbage) {
            try AccessToken.read(Base64URL.text(bytes, isPadded: true))
        }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
