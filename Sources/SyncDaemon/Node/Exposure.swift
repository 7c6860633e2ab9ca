// Who can reach the daemon's listeners, and what they get to see there.

import EventModel

/// Which listeners there are, and whether only this machine reaches them.
struct Exposure: Hashable, Sendable {
    /// Of the main one; no proxy brings others there.
    var isPrivate: Bool
    /// Of the one with TLS, likewise.
    var isSecurePrivate = false
    /// Whether the addresses of these two are loopback ones, whoever comes there.
    private let isMainLoopback: Bool
    private let isSecureLoopback: Bool
    /// Of the one for operators; `nil` without one.
    var isAdminPrivate: Bool?
    /// Where clients connect to.
    private(set) var ports = ConsoleRoutes.Ports()

    /// - Parameter addresses: `HOST:PORT`, as bound.
    ///   `isProxied`: proxies bring clients from elsewhere to those of clients.
    init(
        main: String, secure: String? = nil, admin: String? = nil, isProxied: Bool = false
    ) {
        isMainLoopback = ListenAddress(main)?.isLoopback == true
        isSecureLoopback = secure.flatMap { ListenAddress($0) }?.isLoopback == true
        isPrivate = isMainLoopback && !isProxied
        isSecurePrivate = isSecureLoopback && !isProxied
        isAdminPrivate = admin.map { ListenAddress($0)?.isLoopback == true }
        ports.main = ListenAddress(main).map { Int($0.port) }
        ports.secure = secure.flatMap { ListenAddress($0) }.map { Int($0.port) }
    }

    /// Where numbers about the daemon are shown; nowhere when that would be to everybody.
    var metricsEntrance: Entrance? {
        isAdminPrivate != nil ? .admin : isPrivate ? .main : nil
    }

    /// Where the console is: where operators ask, as long as only this machine reaches that.
    ///
    /// - Parameter isPublic: Whether it is to be where clients are, too.
    func consoleEntrances(isPublic: Bool) -> Set<Entrance> {
        var entrances: Set<Entrance> = isPublic ? Entrance.forClients : []
        if isAdminPrivate == true { entrances.insert(.admin) }
        if isAdminPrivate == nil, isPrivate { entrances.insert(.main) }
        return entrances
    }

    /// Whether somebody is told what is wrong, and not only that something is.
    ///
    /// Where operators have an address of their own they ask there: at that of clients a proxy may
    /// stand which nobody told of.
    func showsTroubles(at entrance: Entrance) -> Bool {
        switch entrance {
        case .main: isPrivate && isAdminPrivate == nil
        case .secure: isSecurePrivate && isAdminPrivate == nil
        case .admin, .local: true
        }
    }

    /// Who may ask there.
    func transportSettings(_ configuration: Configuration) -> TransportSettings {
        func forClients(isLoopback: Bool, isPrivate: Bool) -> PagePolicy {
            PagePolicy(
                allowedOrigins: configuration.allowedOrigins,
                allowedHosts: configuration.allowedHosts, isLoopback: isLoopback,
                admitsLocalPages: isPrivate, pathsForAll: Endpoints.pathsForAll,
                beginningsForAll: Endpoints.beginningsForAll)
        }
        return TransportSettings(
            main: forClients(isLoopback: isMainLoopback, isPrivate: isPrivate),
            secure: forClients(isLoopback: isSecureLoopback, isPrivate: isSecurePrivate),
            tls: configuration.tlsIdentity,
            // No page has business there but the console.
            admin: PagePolicy(
                allowedHosts: configuration.allowedHosts, isLoopback: isAdminPrivate == true,
                admitsOwnPages: configuration.console != nil,
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
