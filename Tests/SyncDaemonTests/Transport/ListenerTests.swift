// Listening on real sockets: the kernel's choice of port, and a port that is taken.

import Glibc
import Testing

@testable import SyncDaemon

/// The port in `HOST:PORT`.
private func port(of address: String) -> UInt16? {
    address.split(separator: ":").last.flatMap { UInt16($0) }
}

@Suite("Listener")
struct ListenerTests {
    @Test("with port 0 the kernel chooses, and the address says what")
    func chosenPort() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let address = listener.address

        #expect(address.hasPrefix("127.0.0.1:"))
        #expect(try #require(port(of: address)) > 0)
        let descriptor = listener.descriptor.rawValue
        let flags = (fcntl(descriptor, F_GETFL), fcntl(descriptor, F_GETFD))
        #expect(flags.0 & O_NONBLOCK != 0)
        #expect(flags.1 & FD_CLOEXEC != 0)
    }

    @Test("it listens: a connection is made")
    func connects() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let bound = listener.address
        let number = try #require(port(of: bound))
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian

        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }

        #expect(status == 0)
        let accepted = accept(listener.descriptor.rawValue, nil, nil)
        defer { close(accepted) }
        var isOn: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, &size) == 0)
        #expect(isOn != 0, "a second batch would wait for the peer's delayed acknowledgement")
        _ = consume listener
    }

    @Test("a port in use is refused with the address and the kernel's reason")
    func portInUse() throws {
        let first = try Listener(host: "127.0.0.1", port: 0)
        let address = first.address
        let number = try #require(port(of: address))

        let error = #expect(throws: TransportError.self) {
            _ = try Listener(host: "127.0.0.1", port: number)
        }

        #expect(error == .cannotListen(address, errno: EADDRINUSE))
        #expect(
            error?.description
                == "Cannot listen on \(address): Address already in use. Another program has that "
                + "port: \"ss -ltnp sport = :\(number)\" shows which. Stop it, or listen on "
                + "another port.")
        _ = consume first
    }

    @Test(
        "each reason why an address cannot be had has a cure of its own",
        arguments: [
            (EACCES, "This user may not open port 80. Let systemd open it (syncdaemon.socket)"),
            (EADDRINUSE, "\"ss -ltnp sport = :80\" shows which"),
            (EADDRNOTAVAIL, "This machine has no such address"),
        ])
    func cures(code: Int32, cure: String) {
        let error = TransportError.cannotListen("[::]:80", errno: code)

        #expect(error.description.hasPrefix("Cannot listen on [::]:80: "))
        #expect(error.description.contains(cure))
        #expect(error.description.contains("Another program") == (code == EADDRINUSE))
    }

    @Test("a port is free again when its listener is gone")
    func freed() throws {
        func used() throws -> UInt16 {
            let listener = try Listener(host: "127.0.0.1", port: 0)
            let address = listener.address
            return try #require(port(of: address))
        }
        let number = try used()

        let again = try Listener(host: "127.0.0.1", port: number)

        let address = again.address
        #expect(address == "127.0.0.1:\(number)")
    }

    @Test("a host that is none is refused", arguments: ["300.1.1.1", "host name", "[::1]"])
    func noHost(host: String) {
        #expect(throws: TransportError.cannotResolve("\(host):0")) {
            _ = try Listener(host: host, port: 0)
        }
    }
}
