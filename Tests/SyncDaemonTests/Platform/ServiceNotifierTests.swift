// Talking to systemd: over a real notification socket, in a process of its own.

import Glibc
import Testing

@testable import SyncDaemon

@Suite("ServiceNotifier")
struct ServiceNotifierTests {
    // The environment belongs to the whole process, so each of these runs in a child.

    @Test("readiness, the watchdog and the end arrive at NOTIFY_SOCKET")
    func notifies() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/syncdaemon-notify-\(getpid())"
            let socket = notificationSocket(path)
            defer { unlink(path) }
            setenv("NOTIFY_SOCKET", path, 1)
            let notifier = ServiceNotifier()

            notifier.ready(status: "Listening\nMAINPID=1")
            notifier.feedWatchdog()
            notifier.stopping(status: "Draining")

            #expect(received(socket) == "READY=1\nSTATUS=Listening\\nMAINPID=1")
            #expect(received(socket) == "WATCHDOG=1")
            #expect(received(socket) == "STOPPING=1\nSTATUS=Draining")
        }
    }

    @Test("the watchdog's interval is systemd's, and only for this process")
    func watchdog() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_USEC")
            #expect(ServiceNotifier.watchdogInterval() == nil)
            setenv("WATCHDOG_USEC", "10000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            #expect(ServiceNotifier.watchdogInterval() == .seconds(10))
            setenv("WATCHDOG_PID", "1", 1)
            #expect(ServiceNotifier.watchdogInterval() == nil)
        }
    }

    @Test("a listening TCP socket is taken, and no other")
    func listens() throws {
        let (listening, idle) = (tcpSocket(listening: true), tcpSocket(listening: false))
        defer { for descriptor in [listening, idle] { close(descriptor) } }

        try ServiceNotifier.check(listening)
        #expect(throws: ServiceError.notListening(descriptor: idle)) {
            try ServiceNotifier.check(idle)
        }
    }

    @Test("a pipe is not a listening socket, and the error says what to do")
    func pipes() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }

        let error = #expect(throws: ServiceError.self) { try ServiceNotifier.check(ends[0]) }

        #expect(error?.description.hasSuffix("line into the socket unit.") == true)
    }
}

private func notificationSocket(_ path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    precondition(status == 0)
    return descriptor
}

private func received(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}

private func tcpSocket(listening: Bool) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if listening { precondition(listen(descriptor, 1) == 0) }
    return descriptor
}
