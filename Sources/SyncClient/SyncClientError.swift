// Everything that can go wrong for a user of the client, in words that say what to do.

public import EventModel

/// Why a command has no reply.
public enum SyncClientError: Error, Hashable, Sendable {
    case invalidURL(String, reason: String)
    /// The daemon answered, and said no.
    case refused(ProtocolError)
    /// The first attempt of `connect()` failed.
    case cannotConnect(to: String, reason: String)
    /// The same, and it looks as if the other of `ws://` and `wss://` were meant.
    case otherScheme(to: String, reason: String, isSecure: Bool)
    /// The host has no address.
    case unknownHost(String, reason: String)
    /// Something answers there, and is no syncdaemon.
    case notSyncDaemon(String, reason: String)
    /// The certificate that was shown does not prove that it is the host.
    case untrusted(String, reason: String)
    /// No reaction has this value or type; nothing was sent.
    case invalidReaction(reason: String)
    /// No channel has this name, or it cannot be written to; nothing was sent.
    case invalidChannel(reason: String)
    /// The client follows the channel in another way than this needs, or not at all; nothing was
    /// sent.
    case followedOtherwise(String)
    /// A model of the channel needs to be started first; nothing was sent.
    case notStarted(String)
    /// No message is like this; nothing was sent.
    case invalidMessage(reason: String)
    /// The daemon has not accepted the message yet, so that nothing can be said of it; nothing was
    /// sent.
    case pendingMessage
    /// What is kept of a channel cannot be read.
    case cache(DeviceStoreError)
    /// There is no session, and this command is not kept for the next one.
    case notConnected
    /// The connection broke before the reply came.
    case connectionLost(reason: String)
    /// No reply came in time; a write may still have been applied.
    case timedOut(after: Duration)
    case frameTooLarge(bytes: Int, max: Int)
    case tooManyWaiting(max: Int)
    /// The daemon was not there for long, or refuses to take more.
    case outboxFull(max: Int)
    /// `close()` was called, or the daemon closed with a code that forbids to come back.
    case closed(reason: String)
    /// The task that waited was cancelled.
    case cancelled
    /// The daemon's answer is not what the protocol promises.
    case badReply(String)
}

extension SyncClientError: CustomStringConvertible {
    public var description: String { advice.isEmpty ? problem : "\(problem) \(advice)" }

    /// What happened.
    public var problem: String {
        switch self {
        case .invalidURL(let url, let reason):
            "\"\(url)\" is not the URL of a daemon: \(reason)."
        case .refused(let error):
            error.message
        case .cannotConnect(let address, let reason), .otherScheme(let address, let reason, _):
            "Cannot connect to \(address): \(reason)."
        case .unknownHost(let host, let reason):
            "The host \(host) is not known: \(reason)."
        case .notSyncDaemon(let address, let reason):
            "\(address) answers, but is not a syncdaemon: \(reason)."
        case .untrusted(let address, let reason):
            "\(address) is not trusted: \(reason)."
        case .invalidReaction(let reason):
            "This cannot be a reaction: \(reason)."
        case .invalidChannel(let reason):
            "This cannot be a channel here: \(reason)."
        case .followedOtherwise(let channel):
            "The client does not follow the channel \(channel) in the way that this needs."
        case .notStarted(let channel):
            "The model of the channel \(channel) is not started."
        case .invalidMessage(let reason):
            "This cannot be a message: \(reason)."
        case .pendingMessage:
            "The message is still on its way."
        case .cache(let error):
            error.description
        case .notConnected:
            "There is no connection."
        case .connectionLost(let reason):
            "The connection broke before the reply came (\(reason))."
        case .timedOut(let duration):
            "No reply came within \(duration.components.seconds) s."
        case .frameTooLarge(let bytes, let max):
            "The command has \(bytes) bytes and the daemon takes \(max)."
        case .tooManyWaiting(let max):
            "\(max) commands wait for the daemon already."
        case .outboxFull(let max):
            "\(max) writes wait for the daemon already."
        case .closed(let reason):
            "This client is closed (\(reason))."
        case .cancelled:
            "The task was cancelled before the reply came."
        case .badReply(let reason):
            "The daemon's answer cannot be read: \(reason)"
        }
    }

    /// What to do; empty where the problem itself says it, as the daemon's refusals do.
    public var advice: String {
        switch self {
        case .invalidURL: "For example ws://127.0.0.1:8080."
        case .refused(let error): error.retryAfterSeconds.map { "Try again in \($0) s." } ?? ""
        case .cannotConnect: "Is the daemon running?"
        case .otherScheme(_, _, isSecure: true): "If TLS is not meant, the URL begins with ws://."
        case .otherScheme(_, _, isSecure: false): "If TLS is meant, the URL begins with wss://."
        case .unknownHost: "Check the URL, or the network."
        case .notSyncDaemon: "Check the host, the port and the path of the URL."
        case .untrusted: "Use the host's name as its certificate has it, or name its authority."
        case .invalidReaction: "Give an emoji or a word."
        case .invalidChannel: "Name another one."
        case .followedOtherwise:
            "End with unfollow(_:) what follows it otherwise; then take its list with channel(_:), "
                + "or have follow(_:after:isPresent:actions:) tell what happens in it."
        case .notStarted: "Call start(), and wait for it."
        case .invalidMessage: "Change that, and send it again."
        case .pendingMessage: "Try again when the daemon has accepted it."
        case .cache: ""
        case .notConnected: "Call connect() first, or try again after a reconnect."
        case .connectionLost, .timedOut: "Try again."
        case .frameTooLarge: "Send less."
        case .tooManyWaiting: "Wait for replies first."
        case .outboxFull: "Try again when it has taken some."
        case .closed: "Make a new one."
        case .cancelled: ""
        case .badReply: "Is it of another version?"
        }
    }
}

extension SyncClientError {
    /// Stable across releases: programs may switch on it.
    ///
    /// A refusal has the daemon's own.
    public var code: String {
        switch self {
        case .refused(let error): error.code
        case .invalidURL: "invalid_url"
        case .cannotConnect, .otherScheme: "cannot_connect"
        case .unknownHost: "unknown_host"
        case .notSyncDaemon: "not_a_syncdaemon"
        case .untrusted: "untrusted"
        case .invalidReaction: "invalid_reaction"
        case .invalidChannel: "invalid_channel"
        case .followedOtherwise: "followed_otherwise"
        case .notStarted: "not_started"
        case .invalidMessage: "invalid_message"
        case .pendingMessage: "pending_message"
        case .cache: "cache"
        case .notConnected: "not_connected"
        case .connectionLost: "connection_lost"
        case .timedOut: "timed_out"
        case .frameTooLarge: "frame_too_large"
        case .tooManyWaiting: "too_many_waiting"
        case .outboxFull: "outbox_full"
        case .closed: "closed"
        case .cancelled: "cancelled"
        case .badReply: "bad_reply"
        }
    }

    /// Why a connection did not come about.
    init(connectingTo address: WebSocketAddress, _ closure: WebSocketClosure) {
        switch closure.cause {
        case .unknownHost: self = .unknownHost(address.host, reason: closure.reason)
        case .notWebSocket: self = .notSyncDaemon(address.hostAndPort, reason: closure.reason)
        case .untrusted: self = .untrusted(address.hostAndPort, reason: closure.reason)
        case .otherScheme:
            self = .otherScheme(
                to: "\(address)", reason: closure.reason, isSecure: address.isSecure)
        case .other: self = .cannotConnect(to: "\(address)", reason: closure.reason)
        }
    }
}
