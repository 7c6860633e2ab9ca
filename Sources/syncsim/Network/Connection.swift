// One connection between a device and a reactor: TCP, as far as anybody can tell.
//
// Bytes arrive in order or not at all; the connection breaks at any byte, and either end hears of
// it late.

import Basis

@testable import SyncDaemon

/// The wire, with what is under way on it.
final class Connection {
    let session: SessionID
    let reactor: SimulatedReactor
    private unowned let world: World
    private weak var device: (any ConnectionOwner)?
    private let latency: (low: UInt64, high: UInt64)
    /// Bytes that fit into the sockets of both ends together.
    private let capacity: Int

    /// Whether the daemon still believes in it.
    private(set) var isOpenAtDaemon = true
    /// Whether the device still believes in it.
    private(set) var isOpenAtDevice = true
    private var frames = FrameReader()
    private var lastArrivalDown: UInt64 = 0
    private var lastArrivalUp: UInt64 = 0
    /// Written, and not read by the device yet.
    private var bytesUnderWay = 0
    private var isBlocked = false
    /// Arrived while the device was too busy to read.
    private var unread: [[UInt8]] = []
    /// Bytes that still arrive before the break; `nil`: it is whole.
    private var bytesLeft: Int?
    private var messagesLeft: Int?

    init(
        _ session: SessionID, to reactor: SimulatedReactor, of device: any ConnectionOwner,
        in world: World
    ) {
        self.session = session
        self.reactor = reactor
        self.device = device
        self.world = world
        let high = world.choices.span(Microseconds.millisecond, 400 * Microseconds.millisecond)
        latency = (high / 4, high)
        capacity = world.setting.socketBytes
    }

    // MARK: Down: from the daemon to the device

    /// Takes what the daemon writes.
    ///
    /// - Returns: `false` when the sockets are full.
    func write(_ bytes: [UInt8]) -> Bool {
        bytesUnderWay += bytes.count
        lastArrivalDown = world.arrival(latency, after: lastArrivalDown, device)
        world.scheduler.at(lastArrivalDown) { [weak self] in self?.arrive(bytes) }
        isBlocked = bytesUnderWay >= capacity
        return !isBlocked
    }

    private func arrive(_ bytes: [UInt8]) {
        guard isOpenAtDevice else { return }
        unread.append(bytes)
        if let device, !device.isBusy { read() }
    }

    /// The device reads what has arrived.
    func read() {
        let chunks = unread
        unread = []
        for chunk in chunks {
            bytesUnderWay -= chunk.count
            guard isOpenAtDevice else { continue }
            let arriving = min(chunk.count, bytesLeft ?? chunk.count)
            if bytesLeft != nil { bytesLeft = (bytesLeft ?? 0) - arriving }
            for message in frames.receive(chunk[..<arriving]) where isOpenAtDevice {
                device?.receive(message)
            }
            if let problem = frames.problem { world.violation("wire", problem) }
            if let code = frames.closeCode { hearClose(at: .device, code: code) }
        }
        guard isBlocked, bytesUnderWay * 2 <= capacity else { return }
        isBlocked = false
        guard isOpenAtDaemon else { return }
        reactor.hear(.canWrite(session))
    }

    // MARK: Up: from the device to the daemon

    /// Sends a message; the daemon gets it later, if the connection lasts.
    func send(_ message: [UInt8]) {
        lastArrivalUp = world.arrival(latency, after: lastArrivalUp, device)
        world.scheduler.at(lastArrivalUp) { [weak self] in
            guard let self, isOpenAtDaemon else { return }
            if let left = messagesLeft {
                guard left > 0 else { return }
                messagesLeft = left - 1
            }
            reactor.hear(.text(session, message))
        }
    }

    // MARK: The end

    enum End { case device, daemon }

    /// Breaks at any byte.
    ///
    /// - Parameter silently: Neither end hears of it before its heartbeat fails.
    func cut(silently: Bool) {
        guard bytesLeft == nil else { return }
        bytesLeft = bytesUnderWay > 0 ? world.choices.below(bytesUnderWay + 1) : 0
        messagesLeft = world.choices.below(3)
        let hangup = 33 * Microseconds.second
        for end in [End.device, .daemon] {
            // One end of a half-open connection may hear of it long before the other one.
            let isQuick = !silently || world.choices.chance(30)
            let delay = isQuick ? world.choices.span(0, latency.high * 2) : hangup
            world.scheduler.after(delay) { [weak self] in self?.hearClose(at: end, code: nil) }
        }
    }

    /// The daemon wrote its close frame.
    func closeFromDaemon(_ frame: [UInt8]) {
        _ = write(frame)
        world.scheduler.after(world.choices.span(0, 5 * Microseconds.second)) { [weak self] in
            self?.hearClose(at: .daemon, code: nil)
            self?.hearClose(at: .device, code: nil)
        }
    }

    /// The daemon's process is gone, and its sockets with it.
    func daemonDied() {
        isOpenAtDaemon = false
        // In the calm nothing is as late as a heartbeat that fails.
        cut(silently: !world.isCalm && world.choices.chance(20))
    }

    /// The device's process is gone, or it does not want to go on.
    func deviceLeft(silently: Bool) {
        isOpenAtDevice = false
        cut(silently: silently)
    }

    private func hearClose(at end: End, code: UInt16?) {
        switch end {
        case .device:
            guard isOpenAtDevice else { return }
            isOpenAtDevice = false
            device?.disconnected(from: self, code: code)
            if bytesLeft == nil { cut(silently: false) }
        case .daemon:
            guard isOpenAtDaemon else { return }
            isOpenAtDaemon = false
            reactor.hear(.closed(session))
            if bytesLeft == nil { cut(silently: false) }
        }
    }
}
