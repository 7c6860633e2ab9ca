// What an administrator decides. Defaults stand here, and nowhere else.

import EventModel

/// All settings of one daemon, checked.
///
/// Made by `Configuration.resolve`; the rows of `Configuration.keys` say how each is written.
struct Configuration: Hashable, Sendable {
    // MARK: [server]

    /// Ignored when systemd passes a listening socket.
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Where operators ask for metrics and the like; `nil`: at `listen`, while that is private.
    var adminListen: ListenAddress?
    /// Where operators ask everything, as a path; `""`: nowhere.
    ///
    /// Its default depends on the environment: see `defaultSocket`.
    var adminSocket: String?
    /// Whose members may open it, too.
    var adminSocketGroup: String?
    /// What operators show who ask everything at `adminListen`.
    var adminKeySource: SecretSource?
    /// What stands there.
    var adminKey: String?
    /// The directory with the console in it; `nil`: there is none.
    var console: String?
    /// Whether it is where clients are, too.
    var hasPublicConsole = false
    /// Threads that serve connections; 0 means one per core.
    var reactors = 0
    /// Threads that answer `history` and `actions`.
    var readers = 2
    /// Web origins whose pages may ask.
    var allowedOrigins: [String] = []
    /// Names by which the daemon is called, besides those of this machine.
    var allowedHosts: [String] = []
    /// Proxies that say for whom they connect.
    var proxyProtocolFrom: [AddressRange] = []
    /// Connections of the whole daemon; over it: new ones are closed at once.
    var connections = Limits.connectionsMax
    /// Connections from one address; over it: new ones are closed at once.
    var connectionsPerAddress = 20_000
    /// Whether other machines may connect although there is no access control.
    var insecure = false

    // MARK: [tls]

    var tlsListen: ListenAddress?
    var certificateSource: SecretSource?
    var certificateKeySource: SecretSource?
    /// What stands in these files.
    var tlsIdentity: TLSIdentity?

    // MARK: [store]

    var storeKind = StoreKind.sqlite
    /// Where the store lives, or only what a database server does not keep: contents of files.
    ///
    /// Its default depends on the environment: see `defaultDirectory`. Empty only with
    /// `StoreKind.memory`.
    var directory = ""
    /// Where a database server is, as it was written.
    var storeURL: String?
    var storeURLSource: SecretSource?
    /// What one of these says; only with `StoreKind.postgres`, and then always.
    var storeServer: DatabaseServer?
    var storeSchema = "syncdaemon"
    var waitsInReserve = false
    var needsStandby = false
    /// How long a removed action is remembered; 0 forgets it at once.
    var tombstoneDays = 30
    var mutationDays = 30

    // MARK: [archive]

    /// `nil`: nothing is archived.
    var archiveDirectory: String?
    var archiveSeconds = 10
    var archiveBaseHours = 24
    var archiveKeepDays = 7
    /// What takes each file of it elsewhere; `nil`: nothing does.
    var archiveCommand: String?

    // MARK: [cluster]

    /// Where daemons come that follow this one; `nil`: it is alone, or in reserve.
    var clusterListen: ListenAddress?
    /// Where they find it; `nil`: there.
    var clusterAdvertise: ListenAddress?
    var clusterKeySource: SecretSource?
    /// What these come to.
    var cluster: ClusterSettings?

    // MARK: [log]

    var logLevel = LogLevel.info
    var logFormat = LogFormat.auto

    // MARK: [tracing]

    /// Where a collector takes traces; `nil`: nothing is traced.
    var tracesEndpoint: String?
    /// Of so many writes one is traced.
    var tracesOneIn = 1000

    // MARK: [limits]

    /// Bytes waiting for one session's socket; over it: close code 1013.
    var sendQueueBytes = Limits.sendQueueBytesMax
    /// Milliseconds that events wait for more before they leave; 0: to the end of the turn.
    var batchWindow = 0
    /// Bytes of memory that the process may have; 0: a part of what there is.
    var memoryMax = 0
    /// Commands per second and session, after a burst of the same size.
    var commandsPerSecond = Limits.commandsPerSecondMax

    // MARK: [keyset NAME]

    /// In the file's order.
    var namedKeysets: [NamedKeyset] = []

    // MARK: [namespace NAME]

    /// In the file's order; `keysets` has them and the tenants together.
    var namespaces: [Namespace] = []

    // MARK: [webhook NAME]

    /// In the file's order.
    var namedWebhooks: [NamedWebhook] = []

    // MARK: [interceptor NAME]

    /// In the file's order: the first one that is for a write is asked.
    var namedInterceptors: [NamedInterceptor] = []

    /// Where each setting that is not a default came from, by `SettingKey.path`.
    var sources: [String: ConfigurationSource] = [:]

    /// Refuses an address that other machines can reach, themselves or through a proxy, unless
    /// `insecure` is set or every keyset admits only who shows a token.
    ///
    /// - Parameter address: `HOST:PORT` as in `listen`, or as bound, for a socket that systemd
    ///   passed.
    func permit(_ address: String, from source: ConfigurationSource) throws(ConfigurationError) {
        let isGuarded =
            !namedKeysets.isEmpty && namedKeysets.allSatisfy { $0.keyset.isAccessControlled }
        let isPrivate =
            ListenAddress(address)?.isLoopback == true && proxyProtocolFrom.isEmpty
        if !insecure, !isGuarded, !isPrivate { throw .reachableByOthers(source, address) }
    }
}

/// How the daemons over one schema find and know each other.
struct ClusterSettings: Hashable, Sendable {
    let listen: ListenAddress
    let advertise: ListenAddress
    let key: [UInt8]
}

/// What keeps the data.
enum StoreKind: String, CaseIterable, Sendable {
    /// One file, durable before a write is acknowledged.
    case sqlite
    /// A schema of a PostgreSQL server's, durable likewise.
    case postgres
    /// Nothing survives a restart: for tests.
    case memory

    /// Whether anything survives a restart.
    var isDurable: Bool { self != .memory }
}
