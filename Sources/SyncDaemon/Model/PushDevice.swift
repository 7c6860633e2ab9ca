// A device that is to hear of a channel's events by mobile push, and through whom.

import EventModel

/// What a vendor needs to know of a device; compared byte for byte.
struct PushDevice: Hashable, Sendable {
    /// Whose service reaches it; the raw values are stored, and told to webhooks.
    enum Gateway: String, Sendable, CaseIterable {
        case apns, apns2, fcm, mpns

        /// What PubNub's `type` means: `gcm` is what FCM was called before.
        init?(type: String) {
            switch type.lowercased() {
            case "apns": self = .apns
            case "gcm", "fcm": self = .fcm
            case "mpns": self = .mpns
            default: return nil
            }
        }

        var isOfApple: Bool { self == .apns || self == .apns2 }

        /// Whether the vendor may have made a token.
        func mayHaveMade(_ token: String) -> Bool {
            switch self {
            case .apns, .apns2:
                Limits.appleTokenDigits.contains(token.utf8.count) && token.utf8.allSatisfy(isHex)
            case .fcm, .mpns: token.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            }
        }
    }

    private let exactKeyset: ExactText
    private let exactToken: ExactText
    let gateway: Gateway
    /// `development` or `production`; empty where the vendor has one only.
    let environment: String
    private let exactTopic: ExactText

    var keyset: String { exactKeyset.string }
    var token: String { exactToken.string }
    /// The application, for Apple; else empty.
    var topic: String { exactTopic.string }

    /// - Parameter token: Apple's are numbers in hexadecimal digits, which apps write as they like.
    init(
        token: String, gateway: Gateway, environment: String = "", topic: String = "",
        keyset: String
    ) {
        exactKeyset = ExactText(keyset)
        exactToken = ExactText(gateway.isOfApple ? token.lowercased() : token)
        self.gateway = gateway
        self.environment = environment
        exactTopic = ExactText(topic)
    }

    /// The same one of a tenant: what a client names leads to it, and need not be its name.
    func of(_ keyset: String) -> PushDevice {
        PushDevice(
            token: token, gateway: gateway, environment: environment, topic: topic, keyset: keyset)
    }

    /// The values of `environment`.
    static let environments = ["development", "production"]
}

/// What is to become of the channels of which a device hears.
enum PushChange: Hashable, Sendable {
    case add([String])
    case remove([String])
    /// It hears of none any more.
    case removeAll
}

private func isHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
}
