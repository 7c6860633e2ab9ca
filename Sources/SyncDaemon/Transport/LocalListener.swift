// The socket of operators: at a path, where the file's mode says who may connect.

import Basis
import CLinux
import EventModel
import Glibc

/// A bound, listening, non-blocking socket at a path of this machine.
struct LocalListener: ~Copyable {
    private let descriptor: FileDescriptor
    let file: LocalSocketFile

    /// Binds and listens; what a daemon that is gone has left there is replaced.
    ///
    /// - Parameter group: Whose members may connect, besides the daemon's own user and root; `nil`:
    ///   nobody's.
    init(path: String, group: String? = nil) throws(TransportError) {
        try Self.clear(path)
        let number = try group.map(Self.number(ofGroup:))
        let socket = LocalSocket.bind(to: path)
        guard socket >= 0 else { throw .cannotListenAt(path, errno: errno) }
        let descriptor = FileDescriptor(owning: socket)
        // Nobody else may connect meanwhile: the process makes files for itself alone, and nobody
        // is listened to yet.
        // A sandbox may forbid what is not needed where the group is the process's own.
        if let number, number != getegid() {
            guard unsafe chown(path, uid_t.max, number) == 0 else {
                throw Self.failure(at: path, .cannotGive(path, group: group ?? "", errno: errno))
            }
        }
        guard unsafe chmod(path, number == nil ? 0o600 : 0o660) == 0,
            fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0,
            listen(socket, Int32(Limits.adminConnectionsMax)) == 0,
            let file = LocalSocketFile(path)
        else { throw Self.failure(at: path, .cannotListenAt(path, errno: errno)) }
        self.descriptor = descriptor
        self.file = file
    }

    /// Gives the descriptor away; the new owner closes it.
    consuming func release() -> Int32 { descriptor.release() }

    /// Removes a socket at which nobody listens.
    private static func clear(_ path: String) throws(TransportError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let socket = LocalSocket.connect(to: path)
        if socket >= 0 { close(socket) }
        // Only this says for certain that nobody is there: a full queue has somebody behind it.
        guard socket < 0, errno == ECONNREFUSED else { throw .inUse(path) }
        unsafe unlink(path)
    }

    static func isGroup(_ name: String) -> Bool { unsafe getgrnam(name) != nil }

    /// Why no socket can be made at a path; `nil` when it can.
    ///
    /// Makes nothing. That somebody listens there already is no obstacle: it may be the daemon
    /// itself.
    static func obstacle(at path: String) -> TransportError? {
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            return status.st_mode & S_IFMT == S_IFSOCK ? nil : .notASocket(path)
        }
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard unsafe access(directory, W_OK | X_OK) == 0 else {
            return .cannotListenAt(path, errno: errno)
        }
        return nil
    }

    private static func number(ofGroup name: String) throws(TransportError) -> gid_t {
        guard let entry = unsafe getgrnam(name) else { throw .noGroup(name) }
        return unsafe entry.pointee.gr_gid
    }

    private static func failure(at path: String, _ error: TransportError) -> TransportError {
        unsafe unlink(path)
        return error
    }
}

/// The file that such a socket is, so that nobody else's is removed in its place.
struct LocalSocketFile: Sendable, Hashable {
    let path: String
    private let device: dev_t
    private let number: ino_t
    /// Some file systems give a number away again at once.
    private let made: [Int]

    init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        (self.path, device, number) = (path, status.st_dev, status.st_ino)
        made = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// Removes it, unless another daemon has put its own there.
    func remove() {
        if LocalSocketFile(path) == self { unsafe unlink(path) }
    }
}

/// Who is at the other end of a socket at a path, as the kernel saw them connect.
struct LocalPeer: Sendable, Hashable, CustomStringConvertible {
    let process: Int32
    let user: UInt32

    /// - Parameter socket: A connected one.
    init?(of socket: Int32) {
        var (process, user): (Int32, UInt32) = (0, 0)
        guard unsafe sync_peer(socket, &process, &user) == 0 else { return nil }
        (self.process, self.user) = (process, user)
    }

    var description: String { "uid \(user) pid \(process)" }
}
