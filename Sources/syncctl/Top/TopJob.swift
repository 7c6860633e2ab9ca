// Runs `top`: a thread asks the daemon, and the screen shows what it said last.

import Basis
import Glibc
import JSON

/// A look at one daemon, until the user leaves.
@MainActor
final class TopJob {
    enum Happening: Sendable {
        case terminal(TerminalWatch.News)
        case scene(TopScene)
    }

    private let work: StatsWork
    private let happenings: AsyncStream<Happening>
    private let tell: AsyncStream<Happening>.Continuation
    private var state = TopState(rows: 24, columns: 80, measure: .ofTerminal)

    init(_ work: StatsWork) {
        self.work = work
        // A screen that is slower than the daemon's answers passes over some.
        (happenings, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    /// - Returns: When the user has left.
    /// - Throws: When there is no terminal, or no daemon.
    func run(showsColor: Bool) async throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw JobError(
                code: "no_terminal", message: "top needs a terminal.",
                advice: "Use stats --watch in scripts.")
        }
        var look = TopLook(at: AdminSocket(work.place))
        // Where there is no daemon the user reads that on the screen that there was.
        state.show(try look.scene())
        var screen = try CursesScreen(showsColor: showsColor)
        TerminalWatch.begin { [tell] in tell.yield(.terminal($0)) }
        let seconds = UInt32(work.interval)
        _ = OSThread(name: "daemon") { [tell, look] in
            var look = look
            while true {
                sleep(seconds)
                tell.yield(.scene(look.sceneOrTrouble()))
            }
        }
        resize(screen)
        let signal = await follow(&screen)
        _ = consume screen
        if let signal { TerminalWatch.die(of: signal) }
    }

    /// - Returns: The signal that ended it; `nil`: the user left.
    private func follow(_ screen: inout CursesScreen) async -> Int32? {
        screen.draw(state.picture)
        for await happening in happenings {
            switch happening {
            case .scene(let scene): state.show(scene)
            case .terminal(.keys):
                while let key = screen.key() {
                    switch state.press(key) {
                    case .leave: return nil
                    case .redraw: screen.redraw()
                    case .suspend:
                        screen.suspend()
                        resize(screen)
                    case nil: break
                    }
                }
                TerminalWatch.goOn()
            case .terminal(.resized):
                resize(screen)
                screen.redraw()
            case .terminal(.ended(let signal)): return signal
            }
            screen.draw(state.picture)
        }
        return nil
    }

    private func resize(_ screen: borrowing CursesScreen) {
        let (rows, columns) = screen.size()
        state.resize(rows: rows, columns: columns)
    }
}

/// Asks a daemon for all that is shown; blocks.
private struct TopLook: Sendable {
    private let socket: AdminSocket
    private var earlier: StatsReading?
    private var last = TopScene()

    init(at socket: AdminSocket) {
        self.socket = socket
    }

    mutating func scene() throws(JobError) -> TopScene {
        let reading = try StatsReading(from: socket)
        var scene = TopScene(
            status: try answer("status"), tenants: try answer("tenants"),
            sessions: try answer("sessions?limit=1000"))
        scene.interval = earlier.flatMap { reading.interval(since: $0) }
        (earlier, last) = (reading, scene)
        return scene
    }

    /// What was shown before, with why there is nothing new.
    mutating func sceneOrTrouble() -> TopScene {
        do throws(JobError) {
            return try scene()
        } catch {
            earlier = nil
            var scene = last
            (scene.interval, scene.sessions) = (nil, [])
            scene.troubles = ["\(error.message) \(error.advice)"]
            return scene
        }
    }

    private func answer(_ name: String) throws(JobError) -> JSONValue {
        try socket.json(of: try socket.ask("GET", "/admin/v1/" + name))
    }
}
