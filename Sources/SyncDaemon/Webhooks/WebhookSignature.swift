// What tells a receiver that a request is the daemon's, and when it was sent.

import EventModel

/// The headers of a request, as the Standard Webhooks specification has them.
///
/// - Source: https://www.standardwebhooks.com, version 1.
enum WebhookSignature {
    private static let prefix = "whsec_"

    /// What names a request to a section of this name.
    static func id(_ number: String, of name: String) -> String {
        // The specification keeps dots for itself.
        "\(name.replacing(".", with: ":"))-\(number)"
    }

    /// - Parameters:
    ///   - id: The same for every attempt.
    ///   - seconds: When this attempt begins, since 1970.
    ///   - secrets: Each signs: a receiver that has one of them is content.
    static func headers(
        id: String, seconds: Int, body: [UInt8], secrets: [String]
    ) -> [String] {
        let content = Array("\(id).\(seconds).".utf8) + body
        let signatures = secrets.map {
            "v1," + Base64.text(Signing.code(of: content, key: key(of: $0)))
        }
        return [
            "Webhook-Id: \(id)", "Webhook-Timestamp: \(seconds)",
            "Webhook-Signature: \(signatures.joined(separator: " "))",
        ]
    }

    /// What a secret stands for: behind `whsec_` the bytes that its Base64 is of, else its own.
    static func key(of secret: String) -> [UInt8] {
        guard secret.hasPrefix(prefix),
            let bytes = Base64.bytes(secret.dropFirst(prefix.count))
        else { return Array(secret.utf8) }
        return bytes
    }
}
