// One WebSocket of the load tool: what it is for, how far it is, and what it has received.

/// What a connection does once it is open.
struct Plan {
    enum Role {
        case subscriber, writer
    }

    var role = Role.subscriber
    /// The upgrade request.
    var request: [UInt8]
    /// Frames that follow it.
    var greeting: [[UInt8]] = []
    /// A word that the server's answers hold, and how often it comes until all is set up.
    var readyWord = ""
    var readyCount = 0
    /// Keep the text that came before the connection was ready.
    var keepsGreetingText = false
    /// Hand every message to ``Crowd/onMessage``.
    var keepsMessages = false
    /// See ``Socket``.
    var hasShortSegments = false
}

/// A connection; confined to the thread of its crowd.
final class Connection {
    enum Phase {
        /// The request is on its way, or its answer.
        case upgrading
        /// The greeting's answers are awaited.
        case greeting
        case ready
        case ended
    }

    let index: Int
    let plan: Plan
    let socket: Socket
    var phase = Phase.upgrading
    /// What arrived before the connection was ready, as far as it is needed.
    var text: [UInt8] = []
    var readiness: TextCounter
    var walker: FrameWalker
    /// Bytes that came after the upgrade.
    var receivedBytes = 0
    /// Bytes at the end of the last read that may begin a mark.
    var tail: [UInt8] = []
    /// What the socket did not take yet.
    var output: ArraySlice<UInt8> = []
    var isPaused = false
    /// The code of the server's close frame.
    var closeCode: UInt16?

    // What came, for those who check that nothing is missing.
    var received = 0
    var sum: UInt64 = 0

    init(index: Int, port: UInt16, plan: Plan) throws(BenchError) {
        self.index = index
        self.plan = plan
        readiness = TextCounter(plan.readyWord)
        walker = FrameWalker(keepsMessages: plan.keepsMessages)
        output = plan.request[...]
        socket = try Socket(
            connectingTo: port, source: UInt8(1 + index / 20_000),
            hasShortSegments: plan.hasShortSegments)
    }

    /// Sends what waits.
    ///
    /// - Returns: Whether the socket is still there.
    func flush() -> Bool {
        while !output.isEmpty {
            switch socket.send(output) {
            case .done(let count): output = output.dropFirst(count)
            case .later: return true
            case .ended: return false
            }
        }
        return true
    }
}
