// What a client needs to know before it starts.

import EventModel

extension SyncClient {
    /// Who the client is, where its daemon is, and how patient it is.
    public struct Configuration: Sendable {
        public var address: WebSocketAddress
        public var userID: String
        /// Names the device for ever; no two running clients may share one.
        public var deviceID: String
        /// The subscribe key of the tenant; `nil`: whichever the daemon takes for its first.
        public var keyset: String?
        /// What the tenant's owner asks of those who publish, if anything.
        public var publishKey: String?
        /// What the tenant's backend gave the user, where the tenant admits nobody without a token.
        public var token: String?
        /// Gets a token from the tenant's backend; in place of ``token``.
        ///
        /// It is called before each session, and again before the token's time is over, so that the
        /// session goes on; ``SyncClient/SyncClient/renewToken()`` has it called at once. When it
        /// throws or gives no token, or the daemon refuses what it gives, it is tried again later.
        public var tokenProvider: (@Sendable () async throws -> String)?
        /// How long ``tokenProvider`` may take; over it, it is cancelled, and tried again later.
        public var tokenTimeout: Duration = .seconds(15)
        /// From a command to its reply, reconnects included; over it:
        /// ``SyncClientError/timedOut(after:)``.
        public var commandTimeout: Duration = .seconds(15)
        public var backoff = Backoff()
        /// From 0 to 1; spreads the reconnects of many clients.
        public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Waits between two attempts to connect.
        public var sleep: @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
        public var transport: any WebSocketTransport = standardTransport

        /// - Throws: ``SyncClientError/invalidURL(_:reason:)``.
        public init(
            url: String = "ws://127.0.0.1:8080", userID: String, deviceID: String,
            keyset: String? = nil
        ) throws(SyncClientError) {
            address = try WebSocketAddress(url)
            self.userID = userID
            self.deviceID = deviceID
            self.keyset = keyset
        }

        /// On Linux libwebsockets, on Apple's platforms URLSession.
        private static var standardTransport: any WebSocketTransport {
            #if os(Linux)
            LibwebsocketsTransport()
            #else
            URLSessionTransport()
            #endif
        }

        /// What the tenant is called on this device.
        var tenant: String { keyset ?? Channel.defaultKeyset }
    }
}

/// Makes the ids by which the daemon knows a write that it has seen before.
struct MutationIDs: Sendable {
    private let instance: String
    private var count: UInt64 = 0

    /// - Parameter instance: Tells this run of the device from all others: random.
    init(instance: UInt64) {
        self.instance = Hexadecimal.text(instance)
    }

    mutating func next() -> String {
        count += 1
        return "\(instance)-\(count)"
    }
}
