// Accepts connections on a thread of its own and hands each to the reactor with the fewest.
//
// Why not libwebsockets' listener: it burns a core when descriptors run out, cannot take systemd's
// socket, and cannot spread connections over contexts.

import CLinux
import EventModel
import Glibc

/// A connected socket on its way to a reactor.
struct AcceptedSocket: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    let address: PeerAddress
    let entrance: Entrance
    /// Whether its peer is a proxy, which says first for whom it connects.
    let isProxied: Bool

    init(
        _ descriptor: consuming FileDescriptor, from address: PeerAddress,
        at entrance: Entrance = .main, isProxied: Bool = false
    ) {
        self.isProxied = isProxied
        self.descriptor = descriptor
        self.address = address
        self.entrance = entrance
    }

    /// Gives the descriptor away; the new owner closes it.
    consuming func release() -> Int32 { descriptor.release() }
}

/// The loop around `accept4`.
struct Acceptor: ~Copyable {
    private let listeners: Listeners
    /// Who has to say for whom they connect.
    private let proxies: [AddressRange]
    private let admission: Admission
    private let counters: Counters
    private let log: Log
    /// Hands a socket over, which the callee then owns.
    private let deliver: (_ reactor: Int, consuming AcceptedSocket) -> Void
    /// Given up to accept, and so to shed, one connection when descriptors have run out.
    private var spare: Int32

    init(
        _ listeners: Listeners, proxies: [AddressRange] = [], admission: Admission,
        counters: Counters, log: Log,
        deliver: @escaping (_ reactor: Int, consuming AcceptedSocket) -> Void
    ) {
        self.listeners = listeners
        self.proxies = proxies
        self.admission = admission
        self.counters = counters
        self.log = log
        self.deliver = deliver
        spare = openSpare()
    }

    /// Accepts until it is told to stop, and stops listening then.
    mutating func run(under control: AcceptorControl) {
        defer { listeners.close() }
        var polled = [
            pollfd(fd: control.descriptor, events: Int16(POLLIN), revents: 0)
        ]
        // Operators first: they want to know why there are so many clients.
        let entrances: [Entrance] = [.local, .admin, .main, .secure]
        for entrance in entrances {
            // A negative one is passed over.
            polled.append(
                pollfd(
                    fd: listeners.descriptor(at: entrance), events: Int16(POLLIN), revents: 0))
        }
        while true {
            _ = unsafe poll(&polled, nfds_t(polled.count), -1)
            if polled[0].revents != 0, !control.obey() { return }
            for (event, entrance) in zip(polled.dropFirst(), entrances) where event.revents != 0 {
                acceptAll(from: event.fd, at: entrance)
            }
        }
    }

    private mutating func acceptAll(from listening: Int32, at entrance: Entrance) {
        var bytes = [UInt8](repeating: 0, count: 16)
        // Bounded, so that a flood of connections cannot keep the thread from its orders.
        for _ in 0..<1024 {
            let socket = unsafe sync_accept(listening, &bytes)
            if socket < 0 {
                if errno == EMFILE || errno == ENFILE { shedOne(of: listening) }
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let descriptor = FileDescriptor(owning: socket)
            let address = PeerAddress(bytes)
            let isProxied = entrance.isForClients && proxies.contains { $0.contains(address) }
            guard let reactor = admission.admit(isProxied ? nil : address, at: entrance) else {
                counters.connectionsShed.add()
                log.warning("Connection refused: too many connections.", ["limit": "admission"])
                continue
            }
            counters.connectionsAccepted.add()
            deliver(
                reactor,
                AcceptedSocket(descriptor, from: address, at: entrance, isProxied: isProxied))
        }
    }

    /// Closes the oldest waiting connection: one that stayed in the queue would keep `poll` awake
    /// for ever.
    private mutating func shedOne(of listening: Int32) {
        log.warning("Out of descriptors: connections are refused. Raise LimitNOFILE=.", [:])
        guard spare >= 0 else { return }
        close(spare)
        var bytes = [UInt8](repeating: 0, count: 16)
        let socket = unsafe sync_accept(listening, &bytes)
        if socket >= 0 {
            close(socket)
            counters.connectionsShed.add()
        }
        spare = openSpare()
    }
}

private func openSpare() -> Int32 {
    unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
}
