// What other threads may tell a reactor.

import Basis
import EventModel

/// One item of a reactor's mailbox.
enum ReactorMessage: Sendable {
    /// A connection that the acceptor took for it.
    case adopt(Handed)
    /// A step of the engine, with the answers of this reactor's sessions.
    case commit(Commit)
    /// What a reader found for one of its sessions.
    case read(ReadAnswer)
    /// What presence says to a request of one of its connections; it is large, and seldom.
    indirect case presence(PresenceAnswer)
    /// An operator asks about its connections, or ends some.
    case look(SessionQuestion)
    /// An operator asks how many follow some channels here, in their order.
    case countFollowers([Channel], told: @Sendable ([Int]) -> Void)
    /// What another thread answers to a request of one of its connections.
    case answered(Origin, HTTPResponse)
    /// What a thread of files says to a request of one of its connections.
    indirect case file(FileAnswer)
    /// Settings that hold from now on; says when it has taken them.
    case settings(ReactorSettings, applied: @Sendable () -> Void)
    /// Asks it to beat once, for the watchdog.
    case heartbeat(Heartbeat)
    /// Answer what is under way, close every session, then report.
    case drain(deadline: UInt64)

    /// A socket on its way.
    ///
    /// The class gives a value that exists once a place in an enum that is
    /// copied.
    final class Handed: Sendable {
        private let socket: Locked<AcceptedSocket?>

        init(_ socket: consuming AcceptedSocket) {
            self.socket = Locked(socket)
        }

        /// The socket, the first time.
        func take() -> AcceptedSocket? {
            socket.withLock { $0.take() }
        }
    }
}
