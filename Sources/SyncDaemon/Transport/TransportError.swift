// Why the daemon cannot listen, with what an administrator can do about it.

import Glibc

/// Why a transport could not start.
enum TransportError: Error, Hashable, CustomStringConvertible {
    case cannotCreateContext
    case cannotResolve(String)
    case cannotListen(String, errno: Int32)
    // The socket of operators, by its path.
    case cannotListenAt(String, errno: Int32)
    case cannotGive(String, group: String, errno: Int32)
    case notASocket(String)
    case inUse(String)
    case noGroup(String)

    var description: String {
        switch self {
        case .cannotCreateContext:
            "libwebsockets refused to start. Is libwebsockets-evlib-uv installed, and is the "
                + "descriptor limit high enough (systemd: LimitNOFILE=)?"
        case .cannotResolve(let address):
            "\(address) is no address to listen on. Write HOST:PORT, for example 127.0.0.1:8080."
        case .cannotListen(let address, let errno):
            "Cannot listen on \(address): \(systemMessage(errno)). "
                + Self.cure(of: errno, at: address)
        case .cannotListenAt(let path, let errno):
            "Cannot listen at \(path): \(systemMessage(errno)). Name another [server] admin_socket:"
                + " an absolute path in a directory where the daemon's user may write."
        case .cannotGive(let path, let group, let errno):
            "Cannot give \(path) to the group \(group): \(systemMessage(errno)). The daemon's user"
                + " has to be in it (systemd: Group=\(group))."
        case .notASocket(let path):
            "\(path) is there, and is no socket. Name another [server] admin_socket, or remove it."
        case .inUse(let path):
            "A running daemon listens at \(path). Stop it, or name another [server] admin_socket."
        case .noGroup(let name):
            "There is no group \(name). Make it, or name another [server] admin_socket_group."
        }
    }
}

extension TransportError {
    /// What an administrator can do about an address that cannot be listened on.
    private static func cure(of errno: Int32, at address: String) -> String {
        let port = address.split(separator: ":").last ?? ""
        switch errno {
        case EACCES, EPERM:
            return "This user may not open port \(port). Let systemd open it (syncdaemon.socket),"
                + " put a reverse proxy there, or listen on a port from 1024 on."
        case EADDRINUSE:
            return "Another program has that port: \"ss -ltnp sport = :\(port)\" shows which."
                + " Stop it, or listen on another port."
        case EADDRNOTAVAIL:
            return "This machine has no such address: \"ip address\" shows those that it has."
        default: return "Listen on another address."
        }
    }
}
