// One running server: its folder, its port, its processes.

import Glibc

/// A server that was started for a measurement; it ends with its owner.
final class Server {
    let kind: ServerKind
    /// Where clients may come; several once the daemon was killed and others are in its place.
    private(set) var ports: [UInt16]
    /// All of its processes, for CPU and memory.
    private(set) var processes: [pid_t]
    private let folder: String
    private let command: [String]
    private var program: Program?

    var port: UInt16 { ports[0] }
    var dialect: Dialect { Dialect(kind: kind, port: port) }

    /// - Parameter flags: Further ones for the daemon.
    init(_ kind: ServerKind, _ run: Run, flags: [String] = []) throws(BenchError) {
        if let obstacle = Installed(places: run.places).obstacle(of: kind) {
            throw BenchError("\(kind.title): \(obstacle).")
        }
        let folder = "\(run.places.work)/\(kind.rawValue)-\(getpid())-\(Clock.nanoseconds())"
        try File.makeFolder(folder)
        let log = "\(folder)/log"
        let port: UInt16
        let process: pid_t
        switch kind {
        case .syncdaemon, .guarded, .floor:
            var flags = flags
            if kind == .guarded {
                flags += ["--config", try Guard.configure(in: Self.absolute(folder))]
            }
            command =
                kind == .floor
                ? [run.places.floor, "0"] : Self.daemon(run, data: "\(folder)/data") + flags
            let program = try Program(command, log: log)
            port = try program.wait(for: "\(kind.title) listening", look: Self.announcedPort)
            process = program.process
            self.program = consume program
        case .nats, .uwebsockets, .nchan:
            port = try Self.freePort()
            // nginx's workers end with their master only when it is asked to end.
            command = try Self.peer(kind, run.places, folder: folder, port: port)
            let program = try Program(
                command, log: log, endSignal: kind == .nchan ? SIGTERM : SIGKILL)
            try program.wait(for: "\(kind.title) listening") { _ in Self.answers(port) ? () : nil }
            process = program.process
            self.program = consume program
        }
        self.kind = kind
        ports = [port]
        self.folder = folder
        processes = try Self.processes(of: kind, process)
    }

    deinit {
        program = nil
        _ = Program.firstLine(of: ["rm", "-rf", folder], log: "/dev/null")
    }

    /// Kills the daemon and starts it again with the same data, on another port.
    func restart() throws(BenchError) {
        program = nil
        let program = try Program(command, log: "\(folder)/log")
        ports = [try program.wait(for: "\(kind.title) listening", look: Self.announcedPort)]
        processes = try Self.processes(of: kind, program.process)
        self.program = consume program
    }

    /// Kills the daemon; the others of its cluster are measured from then on.
    ///
    /// A line of the file `others` in its data directory has the port and the process of one.
    ///
    /// - Returns: Seconds until each of them serves again.
    func failOver() throws(BenchError) -> Double {
        let path = "\(folder)/data/others"
        let others = (File.text(path) ?? "").split(separator: "\n").compactMap(Self.other)
        guard !others.isEmpty else {
            throw BenchError("\(path) names no other daemon; see Benchmarks/clustered.")
        }
        ports = others.map(\.port)
        processes = others.map(\.process)
        let before = ports.map(Self.term)
        guard !before.contains(nil) else {
            throw BenchError("Of the others in \(path) one does not say which term it is in.")
        }
        let start = Clock.nanoseconds()
        program = nil
        while !zip(ports, before).allSatisfy({ Self.serves($0, inTermAfter: $1 ?? 0) }) {
            guard Clock.nanoseconds() < start + 60_000_000_000 else {
                throw BenchError("The others do not serve 60 s after the daemon was killed.")
            }
            usleep(5000)
        }
        return Double(Clock.nanoseconds() - start) / 1e9
    }

    private static func serves(_ port: UInt16, inTermAfter term: Int) -> Bool {
        guard (try? get("/readyz", port: port))?.hasPrefix("ready") == true else { return false }
        return (Self.term(port) ?? term) > term
    }

    /// Of a daemon that does not answer: none.
    private static func term(_ port: UInt16) -> Int? {
        try? MetricsText(get("/metrics", port: port)).value("store_term")
    }

    private static func other(_ line: Substring) -> (port: UInt16, process: pid_t)? {
        let words = line.split(separator: " ")
        guard words.count == 2, let port = UInt16(words[0]), let process = pid_t(words[1]) else {
            return nil
        }
        return (port, process)
    }

    var cpuNanoseconds: UInt64 {
        get throws(BenchError) { try ProcessUsage.cpuNanoseconds(of: processes) }
    }

    var residentBytes: Int {
        get throws(BenchError) { try ProcessUsage.residentBytes(of: processes) }
    }

    /// The daemon's own numbers; of several the first one's.
    func metrics() throws(BenchError) -> MetricsText {
        MetricsText(try Self.get("/metrics", port: port))
    }

    /// What a counter of the daemon, or of all, has come to.
    func total(_ name: String) throws(BenchError) -> Int {
        var sum = 0
        for port in ports { sum += try MetricsText(Self.get("/metrics", port: port)).value(name) }
        return sum
    }

    /// nginx takes connections before it has the worker that will serve them.
    private static func processes(
        of kind: ServerKind, _ process: pid_t
    ) throws(BenchError) -> [pid_t] {
        let expected = kind == .nchan ? 2 : 1
        for _ in 0..<400 {
            let family = ProcessUsage.family(of: process)
            if family.count >= expected { return family }
            usleep(5000)
        }
        throw BenchError("\(kind.title) has fewer than \(expected) processes.")
    }

    // MARK: Command lines

    private static func daemon(_ run: Run, data: String) -> [String] {
        [
            run.places.daemon, "serve", "--listen", "127.0.0.1:0", "--data-dir", data,
            "--reactors", "\(run.settings[.reactors])", "--log-level", "warning",
            // One machine plays all clients here.
            "--connections-per-address", "1000000", "--commands-per-second", "1000000",
        ]
    }

    private static func peer(
        _ kind: ServerKind, _ places: Places, folder: String, port: UInt16
    ) throws(BenchError) -> [String] {
        if kind == .uwebsockets {
            return [places.python, "\(places.peers)/uwebsockets.py", "\(port)"]
        }
        let template = "\(places.peers)/\(kind.rawValue).conf"
        guard let text = File.text(template) else {
            throw BenchError("\(template) cannot be read. Run this in the package's folder.")
        }
        let path = "\(folder)/\(kind.rawValue).conf"
        try File.write(text.replacing("@PORT@", with: "\(port)"), to: path)
        if kind == .nats { return [Program.path(of: "nats-server") ?? "nats-server", "-c", path] }
        let nginx = Program.path(of: "nginx") ?? "nginx"
        return [nginx, "-p", absolute(folder), "-e", "error.log", "-c", "\(kind.rawValue).conf"]
    }

    private static func absolute(_ folder: String) -> String {
        folder.hasPrefix("/") ? folder : "\(workingFolder)/\(folder)"
    }

    private static var workingFolder: String {
        guard let path = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    // MARK: Ports

    /// The port in the line that says where a server listens.
    static func announcedPort(_ output: String) -> UInt16? {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for line in lines {
            guard let place = line.firstRange(of: "listening on http://127.0.0.1:") else {
                continue
            }
            return UInt16(line[place.upperBound...])
        }
        return nil
    }

    private static func freePort() throws(BenchError) -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { _ = close(socket) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            let general = unsafe UnsafeMutableRawPointer(pointer)
                .assumingMemoryBound(to: sockaddr.self)
            guard unsafe bind(socket, general, length) == 0 else { return Int32(-1) }
            return unsafe getsockname(socket, general, &length)
        }
        guard status == 0 else { throw BenchError("There is no free port: \(SystemError.text).") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func answers(_ port: UInt16) -> Bool {
        guard let socket = try? Socket(connectingTo: port, source: 1) else {
            return false
        }
        var state = pollfd(fd: socket.rawValue, events: Int16(POLLOUT), revents: 0)
        return unsafe Glibc.poll(&state, 1, 1000) == 1 && state.revents & Int16(POLLERR) == 0
    }

    /// The body of an HTTP answer.
    private static func get(_ path: String, port: UInt16) throws(BenchError) -> String {
        let socket = try Socket(connectingTo: port, source: 1)
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
        var state = pollfd(fd: socket.rawValue, events: Int16(POLLOUT), revents: 0)
        _ = unsafe Glibc.poll(&state, 1, 5000)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        state.events = Int16(POLLIN)
        guard case .done = socket.send(request[...]) else {
            throw BenchError("127.0.0.1:\(port) does not take a request for \(path).")
        }
        while unsafe Glibc.poll(&state, 1, 5000) == 1 {
            let outcome = unsafe buffer.withUnsafeMutableBytes { unsafe socket.receive(into: $0) }
            guard case .done(let count) = outcome else { break }
            answer += buffer[..<count]
        }
        guard let head = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw BenchError("127.0.0.1:\(port) did not answer a request for \(path).")
        }
        return String(decoding: answer[head.upperBound...], as: UTF8.self)
    }
}
