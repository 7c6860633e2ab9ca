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

    init(
        _ descriptor: consuming FileDescriptor, from address: PeerAddress,
        at entrance: Entrance = .main
    ) {
        self.descriptor = descriptor
        self.address = address
        self.entrance = entrance
    }

    /// Gives the descriptor away; the new owner closes it.
    consuming func release() -> Int32 { descriptor.release() }
}

/// The loop around `accept4`.
struct Acceptor: ~Copyable {
    private let listener: Listener
    private let adminListener: Listener?
    private let admission: Admission
    private let counters: Counters
    private let log: Log
    /// Hands a socket over, which the callee then owns.
    private let deliver: (_ reactor: Int, consuming AcceptedSocket) -> Void
    /// Given up to accept, and so to shed, one connection when descriptors have run out.
    private var spare: Int32

    init(
        _ listener: consuming Listener, admin: consuming Listener? = nil, admission: Admission,
        counters: Counters, log: Log,
        deliver: @escaping (_ reactor: Int, consuming AcceptedSocket) -> Void
    ) {
        self.listener = listener
        adminListener = admin
        self.admission = admission
        self.counters = counters
        self.log = log
        self.deliver = deliver
        spare = openSpare()
    }

    /// Accepts until it is told to stop.
    mutating func run(under control: AcceptorControl) {
        var polled = [
            pollfd(fd: listener.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: control.descriptor, events: Int16(POLLIN), revents: 0),
            // A negative one is passed over.
            pollfd(fd: adminDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            _ = unsafe poll(&polled, nfds_t(polled.count), -1)
            if polled[1].revents != 0, !control.obey() { return }
            // Operators first: they want to know why there are so many clients.
            if polled[2].revents != 0 { acceptAll(from: adminDescriptor, at: .admin) }
            if polled[0].revents != 0 {
                acceptAll(from: listener.descriptor.rawValue, at: .main)
            }
        }
    }

    private var adminDescriptor: Int32 {
        switch adminListener {
        case .some(let listener): listener.descriptor.rawValue
        case .none: -1
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
            guard let reactor = admission.admit(address, at: entrance) else {
                counters.connectionsShed.add()
                log.warning("Connection refused: too many connections.", ["limit": "admission"])
                continue
            }
            counters.connectionsAccepted.add()
            deliver(reactor, AcceptedSocket(descriptor, from: address, at: entrance))
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
