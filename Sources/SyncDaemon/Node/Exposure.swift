// Who can reach the daemon's listeners, and what they get to see there.

import EventModel

/// Which listeners there are, and whether only this machine reaches them.
struct Exposure: Hashable, Sendable {
    /// Of the main one.
    var isPrivate: Bool
    /// Of the one for operators; `nil` without one.
    var isAdminPrivate: Bool?

    /// - Parameter addresses: `HOST:PORT`, as bound.
    init(main: String, admin: String? = nil) {
        isPrivate = ListenAddress(main)?.isLoopback == true
        isAdminPrivate = admin.map { ListenAddress($0)?.isLoopback == true }
    }

    /// Where numbers about the daemon are shown; nowhere when that would be to everybody.
    var metricsEntrance: Entrance? {
        isAdminPrivate != nil ? .admin : isPrivate ? .main : nil
    }

    /// Whether somebody is told what is wrong, and not only that something is.
    func showsTroubles(at entrance: Entrance) -> Bool { entrance == .admin || isPrivate }

    /// Who may ask there.
    func transportSettings(_ configuration: Configuration) -> TransportSettings {
        TransportSettings(
            main: PagePolicy(
                allowedOrigins: configuration.allowedOrigins,
                allowedHosts: configuration.allowedHosts, isLoopback: isPrivate,
                admitsLocalPages: isPrivate, pathsForAll: Endpoints.pathsForAll),
            // No page has business there.
            admin: PagePolicy(
                allowedHosts: configuration.allowedHosts, isLoopback: isAdminPrivate == true,
                pathsForAll: Endpoints.pathsForAll))
    }

    /// What an operator should know at the start.
    var notices: [String] {
        var notices: [String] = []
        if metricsEntrance == nil {
            notices.append(
                "Other machines reach this address, so /metrics is not shown there. To read it,"
                    + " give it an address of its own: [server] admin_listen = 127.0.0.1:8081.")
        }
        if isAdminPrivate == false {
            notices.append(
                "Other machines reach the address of admin_listen: whoever connects there sees"
                    + " /metrics and all of /readyz. Let a firewall decide who may.")
        }
        return notices
    }
}
