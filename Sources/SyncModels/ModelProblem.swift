// What went wrong after the call that it belongs to had returned.

public import EventModel
import SyncClient

/// Something that a screen tells the user without having asked.
public struct ModelProblem: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// The daemon will never take this write: it has left the list.
        ///
        /// The entry has what was written, to offer it again.
        case write(OutboxEntry)
        /// The daemon does not let the user follow the channel.
        case channel
        /// Something that came could not be read, and was left out.
        case unreadable
    }

    public let cause: Cause
    /// Stable: programs may switch on it.
    public let code: String
    /// For people.
    public let message: String

    init(_ cause: Cause, _ error: ProtocolError) {
        self.cause = cause
        code = error.code
        message = error.message
    }

    init(_ problem: SyncEvent.Problem) {
        cause = .unreadable
        code = "unreadable"
        message = problem.reason
    }

    /// What an event says of a channel, if that is a problem.
    init?(_ event: SyncEvent, of channel: String) {
        let channel = ExactText(channel)
        switch event {
        case .writeRefused(let entry, let error) where ExactText(entry.channel) == channel:
            self.init(.write(entry), error)
        case .channelRefused(let name, let error) where ExactText(name) == channel:
            self.init(.channel, error)
        case .problem(let problem) where problem.channel.map(ExactText.init) == channel:
            self.init(problem)
        default: return nil
        }
    }
}
