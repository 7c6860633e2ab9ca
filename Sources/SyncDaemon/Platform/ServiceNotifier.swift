// What the daemon and systemd tell each other: readiness, the watchdog, listening sockets.

import CSystemd
import Glibc

/// A passed descriptor that cannot be served.
enum ServiceError: Error, Hashable, CustomStringConvertible {
    case notListening(descriptor: Int32)
    case unreadable(reason: String)
    case tooMany(count: Int)

    var description: String {
        switch self {
        case .notListening(let descriptor):
            "systemd passed descriptor \(descriptor), which is not a listening TCP socket. Put"
                + " one ListenStream=ADDRESS:PORT line into the socket unit."
        case .tooMany(let count):
            "systemd passed \(count) sockets, and the daemon serves one, and one with TLS. Leave"
                + " one ListenStream= line in a socket unit, and one in a unit of its own that says"
                + " FileDescriptorName=tls."
        case .unreadable(let reason):
            "The sockets that systemd passed cannot be taken: \(reason). Check LISTEN_FDS and"
                + " LISTEN_PID in the environment."
        }
    }
}

/// Speaks sd_notify(3); without systemd every call does nothing; any thread may call.
struct ServiceNotifier: Sendable {
    /// The daemon serves; `status` shows in `systemctl status`.
    func ready(status: String) { send("READY=1\nSTATUS=\(LogText.bare(status))") }

    /// The daemon starts, and needs so many seconds more from now on; see sd_notify(3).
    func starting(status: String, forSeconds seconds: Int) {
        send("EXTEND_TIMEOUT_USEC=\(seconds)000000\nSTATUS=\(LogText.bare(status))")
    }

    /// The configuration is being read again; ``ready(status:)`` follows.
    ///
    /// - Parameter microseconds: Now, on the clock that never steps back; see sd_notify(3).
    func reloading(at microseconds: UInt64) {
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=Reloading")
    }

    /// The drain has begun.
    func stopping(status: String) { send("STOPPING=1\nSTATUS=\(LogText.bare(status))") }

    func status(_ status: String) { send("STATUS=\(LogText.bare(status))") }

    /// Everything that must be alive is alive: call it at least every `watchdogInterval`.
    func feedWatchdog() { send("WATCHDOG=1") }

    private func send(_ state: String) { unsafe sd_notify(0, state) }

    /// How long systemd waits for `feedWatchdog`, or nil when it does not watch this process.
    ///
    /// sd_watchdog_enabled(3) advises to feed it every half of that time.
    static func watchdogInterval() -> Duration? {
        var microseconds: UInt64 = 0
        guard unsafe sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// What systemd calls the socket for TLS (`FileDescriptorName=`).
    private static let secureName = "tls"

    /// The listening TCP sockets that systemd opened for this process, as far as there are any.
    ///
    /// The caller owns them. They are close-on-exec, and may block.
    static func listenDescriptors() throws(ServiceError) -> (main: Int32?, secure: Int32?) {
        let count = sd_listen_fds(0)
        if count < 0 {
            throw .unreadable(reason: unsafe String(cString: strerror(-count)))
        }
        let descriptors = (0..<count).map { sync_sd_listen_fds_start + $0 }
        for descriptor in descriptors { try check(descriptor) }
        let names = unsafe getenv("LISTEN_FDNAMES").map { unsafe String(cString: $0) } ?? ""
        let isSecure = names.split(separator: ":", omittingEmptySubsequences: false).map {
            $0 == secureName
        }
        var (main, secure): ([Int32], [Int32]) = ([], [])
        for (index, descriptor) in descriptors.enumerated() {
            if index < isSecure.count, isSecure[index] {
                secure.append(descriptor)
            } else {
                main.append(descriptor)
            }
        }
        guard main.count <= 1, secure.count <= 1 else { throw .tooMany(count: descriptors.count) }
        return (main.first, secure.first)
    }

    /// Whether systemd opened sockets for a process, by the variables that it was started with.
    static func passesSockets(
        _ environment: [String: String], to process: Int32 = getpid()
    ) -> Bool {
        environment["LISTEN_PID"] == String(process)
            && environment["LISTEN_FDS"].flatMap { Int($0) } ?? 0 > 0
    }

    /// SOCK_STREAM, which on Linux is 1.
    ///
    /// Spelt out because several of our C modules contain that enumeration, and which of them Swift
    /// takes for its home differs between debug and release builds.
    private static let streamSocket: Int32 = 1

    /// Refuses what is not a listening TCP socket of the internet.
    static func check(_ descriptor: Int32) throws(ServiceError) {
        let isListening =
            sd_is_socket_inet(descriptor, AF_UNSPEC, streamSocket, 1, 0) > 0
        guard isListening else { throw .notListening(descriptor: descriptor) }
    }
}
