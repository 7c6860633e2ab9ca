// Owns every socket that the daemon listens on, until nothing more is accepted.

import Basis
import Glibc

/// The listening sockets by what they are for; any thread may ask, and close them.
final class Listeners: Sendable {
    private let sockets: Locked<[Entrance: Int32]>
    private let addresses: [Entrance: String]
    /// The file of the one at a path.
    private let file = Locked<LocalSocketFile?>(nil)

    /// - Parameter sockets: Theirs is the only descriptor of each.
    init(owning sockets: [Entrance: Int32]) {
        addresses = sockets.mapValues(boundAddress(of:))
        self.sockets = Locked(sockets)
    }

    deinit { close() }

    /// `HOST:PORT` as bound; `nil` where there is none.
    func address(at entrance: Entrance) -> String? { addresses[entrance] }

    /// Adds the one of operators, before anything is accepted.
    func add(_ listener: consuming LocalListener) {
        let file = listener.file
        self.file.withLock { $0 = file }
        let descriptor = listener.release()
        sockets.withLock { $0[.local] = descriptor }
    }

    /// Where the file of the one of operators was, when it is there no more; `nil` else.
    var lostPath: String? {
        file.withLock { file in
            guard let file, LocalSocketFile(file.path) != file else { return nil }
            return file.path
        }
    }

    /// Puts another in the place of the one of operators, under the same descriptor.
    func renew(_ listener: consuming LocalListener) {
        let file = listener.file
        let descriptor = FileDescriptor(owning: listener.release())
        sockets.withLock { sockets in
            // Whoever waits for the old one looks again with the next beat.
            guard let old = sockets[.local] else { return }
            _ = dup2(descriptor.rawValue, old)
            _ = fcntl(old, F_SETFD, FD_CLOEXEC)
        }
        self.file.withLock { $0 = file }
    }

    /// -1 where there is none, or none any more.
    func descriptor(at entrance: Entrance) -> Int32 {
        sockets.withLock { $0[entrance] ?? -1 }
    }

    /// Has who connects refused, unless somebody else holds the same socket, as systemd does.
    func close() {
        sockets.withLock { sockets in
            for descriptor in sockets.values { _ = Glibc.close(descriptor) }
            sockets = [:]
        }
        file.withLock { $0.take() }?.remove()
    }
}
