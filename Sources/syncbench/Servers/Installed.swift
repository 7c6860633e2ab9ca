// Which servers are there, and in which version.

/// Looks for the programs of the servers.
struct Installed {
    let places: Places

    private static let nchanModule = "/usr/lib/nginx/modules/ngx_nchan_module.so"

    /// Why a server cannot be measured; `nil` when it can.
    func obstacle(of kind: ServerKind) -> String? {
        switch kind {
        case .syncdaemon, .guarded:
            File.isProgram(places.daemon)
                ? nil : "\(places.daemon) is missing: build it with `make bench`"
        case .floor:
            File.isProgram(places.floor)
                ? nil : "\(places.floor) is missing: build it with `make bench`"
        case .nats:
            Program.path(of: "nats-server") == nil ? "not installed: make bench-peers" : nil
        case .uwebsockets:
            File.isProgram(places.python) ? nil : "not installed: make bench-peers"
        case .nchan:
            Program.path(of: "nginx") == nil || !File.exists(Self.nchanModule)
                ? "not installed: make bench-peers" : nil
        }
    }

    func version(of kind: ServerKind) -> String {
        let log = "\(places.work)/version.log"
        func ask(_ arguments: String...) -> String {
            Program.firstLine(of: arguments, log: log) ?? "unknown"
        }
        return switch kind {
        case .syncdaemon, .guarded: ask(places.daemon, "--version")
        case .floor: "Benchmarks/floor/floor.c"
        case .nats: ask(Program.path(of: "nats-server") ?? "nats-server", "--version")
        case .uwebsockets:
            "socketify "
                + ask(
                    places.python, "-c",
                    "import importlib.metadata as m; print(m.version('socketify'))")
        case .nchan:
            ask("dpkg-query", "--show", "libnginx-mod-nchan").split(separator: "\t")
                .joined(separator: " ")
        }
    }
}
