// JSON Web Tokens: the RFCs' examples, those of other programs, and all that is not quite one.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access web tokens")
struct AccessWebTokenTests {
    private static let now = AccessSamples.now
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    /// A token that is signed with the samples' shared secret, whatever its parts say.
    private static func token(
        _ claims: String, header: String = #"{"alg":"HS256","kid":"h"}"#
    ) -> String {
        let parts = [header, claims].map { Base64URL.text(Array($0.utf8), isPadded: false) }
        let signed = parts.joined(separator: ".")
        let signature = Signing.code(of: Array(signed.utf8), key: secret)
        return signed + "." + Base64URL.text(signature, isPadded: false)
    }

    private static let least =
        #""sub":"alice","keyset":"sub-test","exp":1700000060,"#
        + #""iss":"https://id.example","aud":"sync""#

    @Test("tokens that Python made are good, and allow what they say", arguments: 1..<5)
    func foreign(index: Int) throws {
        let sample = AccessSamples.good[index]

        let grant = try AccessSamples.keys().grant(for: sample.token, at: Self.now)

        #expect(grant.tenant == ExactText("sub-test") && grant.user == ExactText("alice"))
        #expect(grant.device == ExactText("phone-1") && grant.expiry == Self.now + 3600)
        let room = Channel("room-7", keyset: "sub-test")
        let lobby = Channel("lobby", keyset: "sub-test")
        #expect(grant.permissions.rights(on: lobby) == [.read, .write, .react, .unreact])
        #expect(grant.permissions.rights(on: room) == [.read, .history])
        #expect(grant.permissions.rights(on: Channel("room-x", keyset: "sub-test")) == [])
        #expect(
            grant.permissions.rights(on: ChannelGroup("friends", keyset: "sub-test"))
                == [.read, .manage])
        #expect(grant.permissions.rights(onUser: "alice") == [.get, .update])
    }

    @Test("a second signature that anybody can compute is no other token")
    func secondSignature() throws {
        // (r, n - s) is as good as (r, s): n is the order of P-256.
        let order = AccessSamples.p256Order
        let parts = AccessSamples.es256.split(separator: ".")
        var signature = try #require(Base64URL.bytes(parts[2], isPadded: false))
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            signature[32 + index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        let other = "\(parts[0]).\(parts[1])." + Base64URL.text(signature, isPadded: false)

        let keys = try AccessSamples.keys()
        let grant = try keys.grant(for: AccessSamples.es256, at: Self.now)
        #expect(other != AccessSamples.es256)
        #expect(try keys.grant(for: other, at: Self.now).id == grant.id)
        let revoked = Revocations([RevokedToken(grant)])
        #expect(keys.refusal(of: other, revoked: revoked) == .revoked)
    }

    @Test(
        "a header has to name the key and its algorithm, and nothing that is not understood",
        arguments: [
            (#"{"alg":"HS256","kid":"h"}"#, nil),
            (#"{"alg":"HS256","kid":"h","typ":"at+jwt","jku":"https://evil.example"}"#, nil),
            (#"{"alg":"none","kid":"h"}"#, .badSignature),
            (#"{"alg":"none"}"#, .badSignature),
            (#"{"alg":"HS256"}"#, .badSignature),
            (#"{"alg":"HS256","kid":"x"}"#, .badSignature),
            (#"{"alg":"hs256","kid":"h"}"#, .badSignature),
            (#"{"alg":"HS512","kid":"h"}"#, .badSignature),
            // A public key is no shared secret.
            (#"{"alg":"HS256","kid":"r"}"#, .badSignature),
            (#"{"alg":"HS256","kid":"d"}"#, .badSignature),
            (#"{"alg":"RS256","kid":"h"}"#, .badSignature),
            (#"{"kid":"h"}"#, .garbage),
            (#"{"alg":null,"kid":"h"}"#, .garbage),
            (#"{"alg":"HS256","kid":7}"#, .garbage),
            (#"{"alg":"HS256","kid":null}"#, .garbage),
            (#"{"alg":"HS256","alg":"HS256","kid":"h"}"#, .garbage),
            (#"{"alg":"HS256","kid":"h","crit":[]}"#, .garbage),
            (#"{"alg":"HS256","kid":"h","b64":false,"crit":["b64"]}"#, .garbage),
            (#"{"alg":"HS256","kid":"h","typ":"secevent+jwt"}"#, .garbage),
            (#"{"alg":"HS256","kid":"h","typ":null}"#, .garbage),
            (#"["alg"]"#, .garbage), ("", .garbage), ("{", .garbage),
            (#"{"alg":"HS256","kid":"h","x":[[[[[[[[[1]]]]]]]]]}"#, .garbage),
        ] as [(String, AccessRefusal?)])
    func header(text: String, refusal: AccessRefusal?) throws {
        let token = Self.token("{\(Self.least)}", header: text)

        #expect(try AccessSamples.keys().refusal(of: token) == refusal)
    }

    @Test("three parts in strict base64url, and no more bytes than allowed")
    func form() throws {
        let keys = try AccessSamples.keys()
        let good = Self.token("{\(Self.least)}")
        #expect(keys.refusal(of: good) == nil)
        for text in [
            good + "=", good + ".", "." + good, good + ".e30", good + " ", ".", "..", "a.b",
            good.replacing(".", with: ".."), good.replacing("_", with: "/"),
            String(good.dropLast()) + "B", Self.token("{\(Self.least)}") + "AAAA",
        ] where text != good {
            #expect([.garbage, .badSignature].contains(keys.refusal(of: text)), "\(text)")
        }
        // The last digit has two bits that are no byte's.
        #expect(keys.refusal(of: String(good.dropLast()) + "=") == .garbage)
        let long = #"{\#(Self.least),"x":"\#(String(repeating: "x", count: 6200))"}"#
        #expect(keys.refusal(of: Self.token(long)) == .garbage)
        var none = keys
        none.webKeys = nil
        #expect(none.refusal(of: good) == .badSignature)
    }

    @Test(
        "claims have to be there, of their kind, for us and for now",
        arguments: [
            ("", nil),
            (#","nbf":1700000060,"iat":1700000060,"extra":{"a":[null]}"#, nil),
            (#","nbf":1699999999.5,"permissions":{},"device":"d""#, nil),
            (#","nbf":1700000061"#, .notYet), (#","iat":1700000061"#, .notYet),
            (#","nbf":"1700000000""#, .garbage), (#","iat":-1"#, .garbage),
            (#","iat":1e300"#, .garbage), (#","nbf":null"#, .garbage),
            (#","sub":"bob""#, .garbage), (#","device":7"#, .garbage),
            (#","device":"a\u0000b""#, .garbage), (#","permissions":null"#, .garbage),
            (#","permissions":{"channels":{"a":["read"]},"patterns":{"groups":{}}}"#, nil),
            (#","permissions":{"channels":{"a":["red"]}}"#, .garbage),
            (#","permissions":{"channels":{"a":"read"}}"#, .garbage),
            (#","permissions":{"channels":{"a":[1]}}"#, .garbage),
            (#","permissions":{"channels":["a"]}"#, .garbage),
            (#","permissions":{"channels":null}"#, .garbage),
            (#","permissions":{"chanels":{}}"#, .garbage),
            (#","permissions":{"patterns":null}"#, .garbage),
            (#","permissions":{"patterns":{"patterns":{}}}"#, .garbage),
            (#","permissions":{"patterns":{"channels":{"a(":["read"]}}}"#, .garbage),
            (#","permissions":{"channels":{"a":[],"a":[]}}"#, .garbage),
        ] as [(String, AccessRefusal?)])
    func claims(more: String, refusal: AccessRefusal?) throws {
        #expect(
            try AccessSamples.keys().refusal(of: Self.token("{\(Self.least)\(more)}")) == refusal)
    }

    @Test(
        "claims that are always wanted",
        arguments: [
            (#""sub":"alice""#, #""sub":"""#, .garbage),
            (#""sub":"alice","#, "", .garbage),
            (#""keyset":"sub-test","#, "", .garbage),
            (#""keyset":"sub-test""#, #""keyset":"sub-other""#, .wrongTenant),
            (#""exp":1700000060,"#, "", .garbage),
            (#""exp":1700000060"#, #""exp":1700000000.9"#, .expired),
            (#""exp":1700000060"#, #""exp":"1700000060""#, .garbage),
            (#""exp":1700000060"#, #""exp":99999999999999"#, .garbage),
            (#"https://id.example"#, "https://id.example.evil", .wrongTenant),
            (#""iss":"https://id.example","#, "", .wrongTenant),
            (#""aud":"sync""#, #""aud":"other""#, .wrongTenant),
            (#""aud":"sync""#, #""aud":["other","sync"]"#, nil),
            (#""aud":"sync""#, #""aud":[]"#, .wrongTenant),
            (#""aud":"sync""#, #""aud":[7]"#, .garbage),
            (#","aud":"sync""#, "", .wrongTenant),
        ] as [(String, String, AccessRefusal?)])
    func wanted(from: String, to: String, refusal: AccessRefusal?) throws {
        let claims = "{\(Self.least)}".replacing(from, with: to)

        #expect(try AccessSamples.keys().refusal(of: Self.token(claims)) == refusal)
    }

    @Test("issuer and audience are free where nobody says what they are")
    func unconfigured() throws {
        var keys = try AccessSamples.keys()
        (keys.issuer, keys.audience) = (nil, nil)
        let token = Self.token(#"{"sub":"alice","keyset":"sub-test","exp":1700000060}"#)
        #expect(keys.refusal(of: token) == nil)
        #expect(keys.refusal(of: token, at: 1_700_000_060) == .expired)
        #expect(try AccessSamples.keys().refusal(of: token) == .wrongTenant)
    }
}
