// The servers that can be loaded.

/// A server by its name on the command line.
enum ServerKind: String, CaseIterable {
    case syncdaemon, floor, nats, uwebsockets, nchan
    /// The daemon again, with access control.
    case guarded

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// What `table` sets side by side.
    static let peers = allCases.filter { $0 != .guarded }

    /// Whether it speaks the daemon's own protocol.
    var isDaemon: Bool { self == .syncdaemon || self == .guarded }

    var title: String {
        switch self {
        case .syncdaemon: "SyncDaemon"
        case .floor: "floor"
        case .nats: "NATS"
        case .uwebsockets: "uWebSockets"
        case .nchan: "Nchan"
        case .guarded: "SyncDaemon, guarded"
        }
    }
}
