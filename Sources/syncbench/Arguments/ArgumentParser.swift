// From a command line to an `Invocation`.

/// Reads command lines.
enum ArgumentParser {
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - daemon: The daemon's binary when `--daemon` is not given; `nil` for the usual place.
    static func parse(
        _ arguments: [String], daemon: String? = nil
    ) throws(BenchError) -> Invocation {
        guard let word = arguments.first else {
            throw BenchError("Say what to measure: \(names).", isUsage: true)
        }
        if word == "--help" || word == "-h" { return .help(nil) }
        guard let subcommand = Subcommand(rawValue: word) else {
            throw BenchError("\"\(word)\" is none of: \(names).", isUsage: true)
        }
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") { return .help(subcommand) }
        if subcommand == .compare { return try comparison(rest) }
        var run = Run(
            subcommand: subcommand, settings: Settings(subcommand.defaults),
            servers: subcommand == .table ? ServerKind.peers : [.syncdaemon],
            places: Places())
        if let daemon { run.places.daemon = daemon }
        try read(rest, into: &run)
        if run.settings[.stuck] > 0, run.settings[.stuck] >= run.settings[.subscribers] {
            throw BenchError("--stuck must be less than --subscribers.", isUsage: true)
        }
        if run.settings[.burst] > run.settings[.window] {
            throw BenchError("--burst must not be more than --window.", isUsage: true)
        }
        return .run(run)
    }

    private static let names = Subcommand.allCases.map(\.rawValue).joined(separator: ", ")

    private static func comparison(_ arguments: [String]) throws(BenchError) -> Invocation {
        var files: [String] = []
        var tolerance = Subcommand.compare.defaults[.tolerance, default: 0]
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == Setting.tolerance.flag {
                guard let value = rest.popFirst() else {
                    throw BenchError("\(word) needs a value.", isUsage: true)
                }
                tolerance = try number(value, for: .tolerance)
            } else if word.hasPrefix("--") {
                throw BenchError("compare has no option \(word).", isUsage: true)
            } else {
                files.append(word)
            }
        }
        guard files.count == 2 else {
            throw BenchError("compare takes two files: OLD.json NEW.json.", isUsage: true)
        }
        return .compare(old: files[0], new: files[1], tolerance: tolerance)
    }

    private static func read(_ arguments: [String], into run: inout Run) throws(BenchError) {
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            if flag == "--json" {
                run.writesJSON = true
                continue
            }
            let setting = Setting.allCases.first { $0.flag == flag }
            let isKnown =
                setting.map { run.subcommand.defaults[$0] != nil }
                ?? (Self.places[flag] != nil || (flag == "--server" && run.subcommand.takesServers))
            guard isKnown else {
                throw BenchError(
                    "\(run.subcommand.rawValue) has no option \(flag).", isUsage: true)
            }
            guard let value = rest.popFirst() else {
                throw BenchError("\(flag) needs a value.", isUsage: true)
            }
            if let setting {
                run.settings[setting] = try number(value, for: setting)
            } else if let place = Self.places[flag] {
                run.places[keyPath: place] = value
            } else {
                run.servers = try servers(value)
            }
        }
    }

    // Key paths are not Sendable, so this is made anew each time.
    private static var places: [String: WritableKeyPath<Places, String>] {
        [
            "--daemon": \.daemon, "--floor": \.floor, "--peers": \.peers, "--python": \.python,
            "--work": \.work, "--save": \.save,
        ]
    }

    private static func number(_ text: String, for setting: Setting) throws(BenchError) -> Int {
        guard let number = Int(text), setting.range.contains(number) else {
            let range = setting.range
            throw BenchError(
                "\(setting.flag) is \"\(text)\"; it must be \(range.lowerBound) to"
                    + " \(range.upperBound).", isUsage: true)
        }
        return number
    }

    private static func servers(_ text: String) throws(BenchError) -> [ServerKind] {
        var servers: [ServerKind] = []
        for name in text.split(separator: ",") {
            guard let server = ServerKind(rawValue: String(name)) else {
                throw BenchError(
                    "\"\(name)\" is no server; there are \(ServerKind.names).", isUsage: true)
            }
            if !servers.contains(server) { servers.append(server) }
        }
        guard !servers.isEmpty else { throw BenchError("--server names none.", isUsage: true) }
        return servers
    }
}
