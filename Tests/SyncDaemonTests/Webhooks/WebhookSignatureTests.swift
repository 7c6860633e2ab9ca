// Signatures as the specification has them, and pauses after failures.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: signatures and pauses")
struct WebhookSignatureTests {
    /// The vector that the specification's libraries are tested with; Python's hmac agrees.
    @Test("a request is signed as the specification has it")
    func vector() {
        let headers = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])

        #expect(
            headers == [
                "Webhook-Id: msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp: 1614265330",
                "Webhook-Signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ])
    }

    @Test("while a secret is being replaced both sign; one that is no Base64 is its own bytes")
    func two() {
        let plain = String(repeating: "x", count: 32)
        let headers = WebhookSignature.headers(
            id: "hook:a-17", seconds: 5, body: Array("{}".utf8),
            secrets: [plain, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])

        let signatures = headers[2].split(separator: " ").dropFirst()
        #expect(signatures.first == "v1,4R2tK311rVDQrm10mXl1SclTjIuJv8d3LF9H/fJkHl8=")
        #expect(signatures.count == 2)
    }

    @Test("pauses double from a second to ten minutes, and are any part of that")
    func pauses() {
        let longest = (1...12).map { RetryPause.longest(afterFailures: $0) }
        #expect(
            longest == [
                1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 600_000,
                600_000,
            ])
        #expect(RetryPause.longest(afterFailures: .max) == 600_000)
        var generator = SeededGenerator(seed: 7)
        let drawn = (0..<1000).map { _ in
            RetryPause.milliseconds(afterFailures: 3, retryAfter: nil, using: &generator)
        }
        #expect(drawn.allSatisfy { $0 <= 4000 })
        #expect(drawn.contains { $0 < 400 } && drawn.contains { $0 > 3600 })
    }

    @Test("a receiver may ask for a longer pause, up to a day")
    func retryAfter() {
        var generator = SeededGenerator(seed: 7)
        let drawn = [5, 0, -1, .max].map {
            RetryPause.milliseconds(afterFailures: 1, retryAfter: $0, using: &generator)
        }
        #expect(drawn[0] == 5000 && drawn[1] <= 1000 && drawn[2] <= 1000)
        #expect(drawn[3] == 86_400_000)
    }

    @Test("a channel has one lane, the same in every process, and channels have all of them")
    func lanes() {
        let lanes = (0..<100).map { WebhookLane.number(of: "default", "room-\($0)") }
        #expect(lanes.prefix(8) == lanes.prefix(8))
        #expect(Set(lanes) == Set(0..<Limits.webhookLanes))
    }
}
