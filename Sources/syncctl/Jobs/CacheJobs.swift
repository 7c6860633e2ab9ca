// Compares the cache file of a device with the daemon, and mends it.

import EventModel
import Glibc
import SyncClient

extension SyncClient {
    /// The client of a cache file, under the identity that the file has.
    ///
    /// - Parameter keepsChanges: Whether what the daemon says is written into the file.
    static func ofCache(
        _ path: String, options: Options, keepsChanges: Bool
    ) throws -> (client: SyncClient, channels: [String]) {
        guard unsafe access(path, R_OK) == 0 else {
            throw JobError(
                code: "no_cache", message: "There is no cache file \(path) that can be read.",
                advice: "Name the file that a device was given with --cache.")
        }
        // The file may be anything, or of an earlier release: to look at it is not to change it.
        let store = try SQLiteDeviceStore(copyOf: path)
        guard let identity = try store.identity() else {
            throw JobError(
                code: "no_cache", message: "\(path) is no cache of a device: it names no user.")
        }
        let channels = try store.channels()
        var configuration = try Configuration(
            url: options.url, userID: identity.userID, deviceID: identity.deviceID,
            keyset: options.keyset ?? identity.subscribeKey)
        configuration.transport = LibwebsocketsTransport(caFile: options.caFile)
        let client =
            try keepsChanges
            ? SyncClient(configuration, store: SQLiteDeviceStore(path: path))
            : SyncClient(configuration, store: UnchangedStore(store: store))
        return (client, channels)
    }
}

extension DeviceIdentity {
    /// What the device says of its tenant: nothing, where it takes whichever is the daemon's first.
    fileprivate var subscribeKey: String? { keyset == Channel.defaultKeyset ? nil : keyset }
}

extension SQLiteDeviceStore {
    /// A store of what a file holds, which is gone when it is closed.
    fileprivate convenience init(copyOf path: String) throws {
        let folder = try ScratchFolder()
        // Open files need no names.
        defer { folder.remove(["cache", "cache-wal", "cache-shm"]) }
        let copy = folder.path(of: "cache")
        do throws(DeviceStoreError) {
            let hasLog = unsafe access(path + "-wal", F_OK) == 0
            try Self.copy(path, hasLog: hasLog, to: copy)
            try self.init(path: copy)
        } catch {
            throw error.about(path)
        }
    }
}

extension DeviceStoreError {
    /// Of the file that somebody named, not of its copy.
    fileprivate func about(_ path: String) -> DeviceStoreError {
        switch self {
        case .cannotOpen(_, let reason): .cannotOpen(path: path, reason: reason)
        case .inUse: .inUse(path: path)
        case .broken(_, let reason): .broken(path: path, reason: reason)
        case .notYours(_, let owner): .notYours(path: path, owner: owner)
        case .newerVersion(_, let version): .newerVersion(path: path, version: version)
        }
    }
}

/// Lends a cache without changing it, and keeps unsent writes from being sent.
private final class UnchangedStore: DeviceStore {
    private let store: SQLiteDeviceStore

    init(store: sending SQLiteDeviceStore) {
        self.store = store
    }

    func identity() throws(DeviceStoreError) -> DeviceIdentity? { try store.identity() }
    func setIdentity(_ identity: DeviceIdentity) throws(DeviceStoreError) {}
    func outbox() throws(DeviceStoreError) -> [OutboxEntry] { [] }
    func channels() throws(DeviceStoreError) -> [String] { try store.channels() }
    func base(of channel: String) throws(DeviceStoreError) -> ChannelBase {
        try store.base(of: channel)
    }
    func commit(_ writes: [DeviceWrite]) throws(DeviceStoreError) {}
}

/// The jobs `cache verify` and `cache repair`.
struct CacheJobRunner {
    let checking: CacheChecking
    let options: Options
    let human: HumanFormat
    let json: JSONFormat

    /// How long the daemon may take to agree.
    private static let patience = Duration.seconds(60)

    init(_ checking: CacheChecking, options: Options, usesColor: Bool) {
        self.checking = checking
        self.options = options
        human = HumanFormat(usesColor: usesColor, user: options.user)
        json = JSONFormat(user: options.user)
    }

    /// - Throws: ``JobError`` when `verify` found a difference.
    func run() async throws {
        let (client, kept) = try SyncClient.ofCache(
            checking.file, options: options, keepsChanges: checking.verb == .repair)
        let channels = checking.channels.isEmpty ? kept : checking.channels
        for channel in channels where !kept.contains(channel) {
            throw JobError(
                code: "not_kept",
                message: "\(checking.file) keeps nothing of \(printable(channel)).")
        }
        if channels.isEmpty, !options.writesJSON {
            Terminal.complain("\(checking.file) keeps no channel.")
        }
        let findings = try await findings(of: channels, by: client)
        await client.close()
        for finding in findings { show(finding) }
        let unequal = findings.count { !$0.isEqual }
        if checking.verb == .verify, unequal > 0 {
            throw JobError(
                code: "different",
                message: "\(unequal) of \(findings.count) channels differ from the daemon.",
                advice: "syncctl cache repair mends them.")
        }
    }

    private func findings(
        of channels: [String], by client: SyncClient
    ) async throws -> [CacheFinding] {
        var comparison = CacheComparison(client: client, events: await client.events())
        try await client.connect()
        let timer = Task {
            try await Task.sleep(for: Self.patience)
            await client.close()
        }
        defer { timer.cancel() }
        return try await comparison.findings(of: channels)
    }

    private func show(_ finding: CacheFinding) {
        let wasRepaired = checking.verb == .repair
        if options.writesJSON {
            Terminal.print(json.line(for: finding, wasRepaired: wasRepaired))
        } else {
            for line in human.lines(for: finding, wasRepaired: wasRepaired) {
                Terminal.print(line)
            }
        }
    }
}
