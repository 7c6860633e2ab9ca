// The servers that can be loaded.

/// A server by its name on the command line.
enum ServerKind: String, CaseIterable {
    case syncdaemon, floor, nats, uwebsockets, nchan

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    var title: String {
        switch self {
        case .syncdaemon: "SyncDaemon"
        case .floor: "floor"
        case .nats: "NATS"
        case .uwebsockets: "uWebSockets"
        case .nchan: "Nchan"
        }
    }
}
