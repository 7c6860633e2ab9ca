// Everything that can go wrong for a user of the client, in words that say what to do.

public import EventModel

/// Why a command has no reply.
public enum SyncClientError: Error, Hashable, Sendable {
    case invalidURL(String, reason: String)
    /// The daemon answered, and said no.
    case refused(ProtocolError)
    /// The first attempt of `connect()` failed.
    case cannotConnect(to: String, reason: String)
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
    public var description: String {
        switch self {
        case .invalidURL(let url, let reason):
            "\"\(url)\" is not the URL of a daemon: \(reason). For example ws://127.0.0.1:8080."
        case .refused(let error):
            error.message
        case .cannotConnect(let address, let reason):
            "Cannot connect to \(address): \(reason). Is the daemon running?"
        case .notConnected:
            "There is no connection. Call connect() first, or try again after a reconnect."
        case .connectionLost(let reason):
            "The connection broke before the reply came (\(reason)). Try again."
        case .timedOut(let duration):
            "No reply came within \(duration.components.seconds) s. Try again."
        case .frameTooLarge(let bytes, let max):
            "The command has \(bytes) bytes and the daemon takes \(max). Send less."
        case .tooManyWaiting(let max):
            "\(max) commands wait for the daemon already. Wait for replies first."
        case .outboxFull(let max):
            "\(max) writes wait for the daemon already. Try again when it has taken some."
        case .closed(let reason):
            "This client is closed (\(reason)). Make a new one."
        case .cancelled:
            "The task was cancelled before the reply came."
        case .badReply(let reason):
            "The daemon's answer cannot be read: \(reason) Is it of another version?"
        }
    }
}
