// Key sets: which keys are taken, and that they find the RFCs' own signatures good.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access key sets")
struct AccessKeySetTests {
    @Test(
        "the examples of RFC 7515 (HS256, RS256, ES256) and RFC 8037 (EdDSA) are good",
        arguments: RFCSamples.all)
    func vectors(key: String, token: String) throws {
        let set = try JSONWebKeySet(#"{"keys":[\#(key)]}"#)

        try JSONWebToken(token).checkSignature(set)
        // Their claims are not ours: a signature alone lets nobody in.
        var keys = AccessKeys(tenant: "sub-test")
        keys.webKeys = set
        #expect(keys.refusal(of: token) == .garbage)
        let parts = token.split(separator: ".")
        let other = "\(parts[0]).\(parts[1])A\(parts[1].count % 4 == 3 ? "" : "A").\(parts[2])"
        #expect([.garbage, .badSignature].contains(keys.refusal(of: other)))
    }

    @Test(
        "a set that is not one, or has keys that are weak or alike, is refused",
        arguments: [
            ("[", .notJSON(Self.unfinished)),
            (#"{"keys":[]}"#, .none),
            (#"{"keys":[7]}"#, .malformed("kty")),
            (#"{"keys":[{"kty":"oct","kid":7,"k":"AA"}]}"#, .malformed("kid")),
            (#"{"keys":[{"kty":"oct"}]}"#, .malformed("k")),
            (#"{"keys":[{"kty":"oct","k":"AAA="}]}"#, .malformed("k")),
            (#"{"keys":[{"kty":"oct","k":"c2hvcnQ"}]}"#, .weak),
            (#"{"keys":[{"kty":"RSA","n":"sXch","e":"AQAB"}]}"#, .weak),
            (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, .malformed("x or y")),
            (Self.point("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEE"), .malformed("x, y or n")),
            (#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#, .malformed("x")),
            (#"{"keys":[{"kty":"OKP","crv":"X25519","x":"AA"}]}"#, .none),
            (#"{"keys":[{"kty":"oct","alg":"HS512","k":"\#(Self.secret)"}]}"#, .none),
            (#"{"keys":[{"kty":"oct","use":"enc","k":"\#(Self.secret)"}]}"#, .none),
            (
                #"{"keys":[\#(Self.ed25519(#""d":"AA""#))]}"#, .isPrivate
            ),
            (
                #"{"keys":[\#(Self.ed25519(#""kid":"a""#)),\#(Self.ed25519(#""kid":"a""#))]}"#,
                .sameName("a")
            ),
            (
                #"{"keys":[\#(Self.ed25519(#""kid":"a""#)),\#(Self.ed25519(#""use":"sig""#))]}"#,
                .noName
            ),
            ("{\"keys\":[\(Array(repeating: "{}", count: 17).joined(separator: ","))]}", .tooMany),
        ] as [(String, JSONWebKeyError)])
    func refusals(text: String, error: JSONWebKeyError) {
        #expect(throws: error) { try JSONWebKeySet(text) }
        #expect(error.description.hasSuffix("."))
    }

    @Test("one key needs no name, and a name that is said has to be its own")
    func names() throws {
        let lone = try JSONWebKeySet(#"{"keys":[\#(Self.ed25519(#""use":"sig""#))]}"#)
        #expect(lone.key(nil) != nil && lone.key("a") == nil)
        let named = try JSONWebKeySet(#"{"keys":[\#(Self.ed25519(#""kid":"a""#))]}"#)
        #expect(named.key(nil) != nil && named.key("a") != nil && named.key("b") == nil)
        let several = try JSONWebKeySet(AccessSamples.webKeys)
        #expect(several.key(nil) == nil)
        for (id, algorithm) in zip(
            ["h", "r", "e", "d"],
            [.hs256, .rs256, .es256, .edDSA]
                as [JSONWebAlgorithm])
        {
            #expect(several.key(id)?.algorithm == algorithm)
        }
    }

    @Test("keys for other purposes may stand beside ours")
    func others() throws {
        let text =
            #"{"keys":[{"kty":"RSA","use":"enc","n":"AA","e":"AQAB","kid":"x"},"#
            + #"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"},\#(Self.ed25519(#""kid":"a""#))]}"#

        #expect(try JSONWebKeySet(text).key(nil)?.id == "a")
    }

    private static let unfinished =
        "The text is not JSON: a value is expected, and the text ends, line 1, column 2."
    private static let secret = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

    private static func ed25519(_ member: String) -> String {
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","#
            + member + "}"
    }

    private static func point(_ x: String) -> String {
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(x)","#
            + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#
    }
}
