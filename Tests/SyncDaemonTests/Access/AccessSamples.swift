// Keys and tokens that other programs made: Python with cryptography and cbor2, and PubNub.

import EventModel

@testable import SyncDaemon

/// One tenant, its keys, and a token of each kind that is good at ``now``.
enum AccessSamples {
    static let now: Int64 = 1_700_000_000
    static let tenant = "sub-test"
    static let secret = "sec-test-0123456789"

    static func keys() throws -> AccessKeys {
        var keys = AccessKeys(tenant: tenant)
        keys.tokenKeys = [AccessTokenKey(secretKey: secret, subscribeKey: tenant)]
        keys.webKeys = try JSONWebKeySet(webKeys)
        keys.issuer = "https://id.example"
        keys.audience = "sync"
        return keys
    }

    /// All tokens that are good, each of its kind.
    static let good: [(kind: String, token: String)] = [
        ("PubNub", pubNub), ("HS256", hs256), ("RS256", rs256), ("ES256", es256),
        ("EdDSA", edDSA),
    ]

    // MARK: Made with Python

    /// One key of each kind, as a JSON Web Key Set.
    static let webKeys = """
        {"keys": [
        {"kty": "oct", "kid": "h", "alg": "HS256",
        "k": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"},
        {"kty": "RSA", "kid": "r", "use": "sig", "e": "AQAB",
        "n": "\
        ua9Q8BoOQo6GtNJSAaEBtLz9U3l0auDrLrxyG1qmO0M_VqCYPHbU4g-yQSDACs38YONC18ThtiaIr1i0jiqd\
        n8Ot7ZJBK6uNKPMDL8PGE03uoQLRDeURR3Qaqo_5L5blV956GQ1W3y8Z2J2b0X2c-6AkBr8UJhYlJYBkh1wb\
        -NufEz-Zf-KZT2M8QsI5AYn_VdQI5jNSOGhDUJkU-DQhl1PuWfDAiahcpI_gsiaITXwCvcTvT0mXIQfp1RiN\
        _uIkqn_fWaJwc84fYGI4nWY08uyYklEkTG2HL5x2Li6JVLD9WNl0rjljZT7CX7KvTBtFT1uGBB3xVbgmDAtN\
        JyNImQ\
        "},
        {"kty": "EC", "kid": "e", "crv": "P-256",
        "x": "68aRGcBCJB1IkqLFzQai2Vx6F1ODQwzjmYJfBEkYVa4",
        "y": "Zx6goqScNn4aAk-mZZ1xtknC8wvh1PxbUVWMWCW9Pso"},
        {"kty": "OKP", "kid": "d", "crv": "Ed25519",
        "x": "lfic4V9cG-UURr2sgd286oJzeVaDDTQnXrNm1JgJrqs"}
        ]}
        """

    /// For alice on phone-1, one hour from ``now``; see `AccessWebTokenTests.foreign`.
    private static let claims =
        "eyJzdWIiOiJhbGljZSIsImRldmljZSI6InBob25lLTEiLCJrZXlzZXQiOiJzdWItdGVzdCIsImlzcyI6Imh0"
        + "dHBzOi8vaWQuZXhhbXBsZSIsImF1ZCI6WyJzeW5jIiwib3RoZXIiXSwiaWF0IjoxNzAwMDAwMDAwLCJuYmYi"
        + "OjE3MDAwMDAwMDAsImV4cCI6MTcwMDAwMzYwMCwicGVybWlzc2lvbnMiOnsiY2hhbm5lbHMiOnsibG9iYnki"
        + "OlsicmVhZCIsIndyaXRlIiwicmVhY3QiXX0sImdyb3VwcyI6eyJmcmllbmRzIjpbInJlYWQiLCJtYW5hZ2Ui"
        + "XX0sInVzZXJzIjp7ImFsaWNlIjpbImdldCIsInVwZGF0ZSJdfSwicGF0dGVybnMiOnsiY2hhbm5lbHMiOnsi"
        + "XnJvb20tWzAtOV0rJCI6WyJyZWFkIiwiaGlzdG9yeSJdfX19fQ"

    static let hs256 = token(
        #"{"alg":"HS256","kid":"h","typ":"JWT"}"#,
        "JeXA53X7Fd418vX97twNobKCNqPcVQM88tHiCRW4ebY")
    static let rs256 = token(
        #"{"alg":"RS256","kid":"r","typ":"JWT"}"#,
        "hQjsL1mSoLeWUWUJ-SDNUBceCHFJ02WViVbcQbv9WkuzUwULp1NxwqN9yO1VzXYmUy2F1SNMRwjS6bdrvRfs"
            + "ODCSvyvvWmZa5au5gfFa-u3BM5JD4PgWRC5v6SaNsYGyKfmOoUuDMpGPG_0JTDs8JdqKcRck9P61t7Rf8USb"
            + "d1PGTJrDvKjlbRwSHhrUzv2KPY-zVY7iL9AVif3pvclBzv4EBX-ovFLhALELVmaKFWYnoLze5qzJW7DLTOfI"
            + "Zf32bTYpeumzJ8T7DbfF7y0f9JvJYWpHiEFGDkuB5gxAQ_tnYHM4qcUjGMPYei2651Tqo0ioYHam8iDNQl7r"
            + "aNA0hQ")
    static let es256 = token(
        #"{"alg":"ES256","kid":"e","typ":"JWT"}"#,
        "kVMryJtKHswtLVXuNMyBClaUY9YxVZv-fTncdL61uQKl_S82QJMFOepziQ3-MRwAzBNUewBcL-tt3QqIRujh"
            + "cQ")
    static let edDSA = token(
        #"{"alg":"EdDSA","kid":"d","typ":"JWT"}"#,
        "xezLEUAKTYzg1JOJLPc6wLNXmVshMe0DmKtd63pR44kTCEeplQ2NH5L5r5N2GnXEZZ9El-jAtNWSSWoVlSvF"
            + "CA")

    private static func token(_ header: String, _ signature: String) -> String {
        "\(Base64URL.text(Array(header.utf8), isPadded: false)).\(claims).\(signature)"
    }

    /// For alice, one hour from ``now``; see `AccessTokenTests.foreign`.
    static let pubNub =
        "qEF2AkF0GmVT8QBDdHRsGDxDcmVzpURjaGFuomVjYWbDqQllbG9iYnkDQ2dycKFnZnJpZW5kcwVDc3BjoEN1"
        + "c3KgRHV1aWShZWFsaWNlGGBDcGF0pURjaGFuoW1ecm9vbS1bMC05XSskAUNncnCgQ3NwY6BDdXNyoER1dWlk"
        + "oERtZXRhomFuJGNhcHBkY2hhdER1dWlkZWFsaWNlQ3NpZ1ggtiNQ_yN2SDAkuRMQJHelb8jHcT6sxtBcneGb"
        + "DIQdSSc="

    /// The order of P-256 (FIPS 186-4, D.1.2.3), the most significant byte first.
    static let p256Order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
        0x51,
    ]

    // MARK: Recorded

    /// The example of PubNub's protocol, with other bytes for its signature, in hexadecimal.
    static let recordedBytes =
        "a841760241741a682f20404374746c183c43726573a5446368616ea16c746573742d6368616e6e656c01"
        + "43677270a043737063a16c746573742d6368616e6e656c0143757372a04475756964a043706174a54463"
        + "68616ea043677270a043737063a043757372a04475756964a0446d657461a044757569646d7370656369"
        + "6669632d75756964437369675820000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
        + "1c1d1e1f"

    /// What the tests of PubNub's SDKs parse.
    static let recorded =
        "qEF2AkF0GmEI03xDdHRsGDxDcmVzpURjaGFuoWljaGFubmVsLTEY70NncnChb2NoYW5uZWxfZ3JvdXAtMQVD"
        + "dXNyoENzcGOgRHV1aWShZnV1aWQtMRhoQ3BhdKVEY2hhbqFtXmNoYW5uZWwtXFMqJBjvQ2dycKF0XjpjaGFu"
        + "bmVsX2dyb3VwLVxTKiQFQ3VzcqBDc3BjoER1dWlkoWpedXVpZC1cUyokGGhEbWV0YaBEdXVpZHR0ZXN0LWF1"
        + "dGhvcml6ZWQtdXVpZENzaWdYIPpU-vCe9rkpYs87YUrFNWkyNq8CVvmKwEjVinnDrJJc"
}

extension AccessKeys {
    /// Why a token is refused; `nil` when it is good.
    func refusal(
        of token: String?, revoked: Revocations = Revocations(),
        at now: Int64 = AccessSamples.now
    ) -> AccessRefusal? {
        do throws(AccessRefusal) {
            _ = try grant(for: token, revoked: revoked, at: now)
            return nil
        } catch {
            return error
        }
    }
}

extension Grant {
    /// Why its bearer may not have it; `nil` when they may.
    func refusal(
        of need: Need, in keyset: String, for user: String, device: String? = nil, at now: Int64
    ) -> AccessRefusal? {
        do throws(AccessRefusal) {
            try check(need, in: keyset, for: user, device: device, at: now)
            return nil
        } catch {
            return error
        }
    }
}

/// All rights, whatever patterns cost.
extension PermissionTable {
    func rights(on name: String) -> Rights {
        var steps = Int.max
        return rights(on: name, wanted: Rights(rawValue: .max), within: &steps)
    }
}

extension Permissions {
    func rights(on channel: Channel) -> Rights {
        var steps = Int.max
        return rights(on: channel, wanted: Rights(rawValue: .max), within: &steps)
    }

    func rights(on group: ChannelGroup) -> Rights {
        var steps = Int.max
        return rights(on: group, wanted: Rights(rawValue: .max), within: &steps)
    }

    func rights(onUser user: String) -> Rights { users.rights(on: user) }
}
