// The connection of a client that always wants one: lost and made again, and read late at times.

import Basis
import EventModel

@testable import SyncClient
@testable import SyncDaemon

/// Who speaks on a ``Line``.
protocol LineOwner: AnyObject {
    /// A connection was made, and nothing is said yet.
    func opened()
    func heard(_ message: [UInt8])
    /// What is not answered will not be.
    func lost()
}

/// The way from a client that is no device to the daemon.
final class Line: ConnectionOwner {
    /// What goes wrong with it while the faults last.
    struct Stumbles {
        /// Between two of them, at most.
        var pause = 20 * Microseconds.second
        /// How many of a hundred cut it; at the others nothing is read for a while.
        var cuts = 50
    }

    let name: String
    private weak var owner: (any LineOwner)?
    private unowned let world: World
    private let stumbles: Stumbles
    private var connection: Connection?
    private var busyUntil: UInt64 = 0
    let partitionedUntil: UInt64 = 0

    init(_ name: String, _ stumbles: Stumbles = Stumbles(), in world: World) {
        self.name = name
        self.world = world
        self.stumbles = stumbles
    }

    /// Its owner exists, and wants to be connected.
    func begin(for owner: any LineOwner) {
        self.owner = owner
        connectLater()
    }

    var isBusy: Bool { world.scheduler.now < busyUntil }

    // MARK: The connection

    private func connectLater() {
        world.scheduler.after(world.choices.span(1000, 2 * Microseconds.second)) { [weak self] in
            self?.connect()
        }
    }

    private func connect() {
        guard connection == nil else { return }
        guard let daemon = world.anyDaemon else { return connectLater() }
        let reactor = world.choices.pick(daemon.reactors)
        let connection = Connection(world.nextSession(), to: reactor, of: self, in: world)
        self.connection = connection
        reactor.transport.add(connection)
        reactor.hear(.open(connection.session))
        owner?.opened()
    }

    func disconnected(from connection: Connection, code: UInt16?) {
        guard connection === self.connection else { return }
        world.trace("\(name) is disconnected \(code.map(String.init) ?? "")")
        self.connection = nil
        owner?.lost()
        connectLater()
    }

    /// What is under way is not heard any more.
    func hangUp() {
        guard let connection else { return }
        self.connection = nil
        owner?.lost()
        connection.deviceLeft(silently: false)
        connectLater()
    }

    func cut() { connection?.cut(silently: false) }

    /// It breaks now and then, and now and then nothing is read for a while.
    func stumble() {
        world.scheduler.after(world.choices.span(Microseconds.second, stumbles.pause)) {
            [weak self] in
            guard let self, world.isEventful else { return }
            if stumbles.cuts >= 100 || world.choices.chance(stumbles.cuts) {
                cut()
            } else {
                busyUntil = world.scheduler.now + world.choices.span(0, 8 * Microseconds.second)
                world.scheduler.at(busyUntil) { [weak self] in self?.connection?.read() }
            }
            stumble()
        }
    }

    /// Everything is read again from now on.
    func wake() {
        busyUntil = 0
        connection?.read()
    }

    // MARK: What is said

    /// The name is the user's and the device's.
    func hello() -> Command { .hello(Hello(userID: name, deviceID: name)) }

    func send(_ command: Command, id: CommandID) {
        connection?.send(CommandEncoder.encode(command, id: id))
    }

    func receive(_ message: [UInt8]) { owner?.heard(message) }
}
