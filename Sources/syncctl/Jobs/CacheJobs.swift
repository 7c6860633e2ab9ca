// Compares the cache file of a device with the daemon, and mends it.

import EventModel
import Glibc
import SyncClient

/// What one channel of a cache file is worth.
struct CacheFinding: Hashable {
    /// A row on which the device and the daemon did not agree.
    struct Difference: Hashable {
        var row: RowChange
        /// Whether the daemon has it and the device had not; else the other way round.
        var wasMissing: Bool {
            switch row {
            case .messagePut, .actionPut: true
            case .messageDropped, .actionDropped: false
            }
        }
    }

    var channel: String
    /// What the device has after the comparison.
    var messages: Int
    var actions: Int
    var cursor: Timetoken
    var differences: [Difference]
    var isEqual: Bool { differences.isEmpty }
}

extension SyncClient {
    /// The client of a cache file, under the identity that the file has.
    ///
    /// - Parameter keepsChanges: Whether what the daemon says is written into the file.
    static func ofCache(
        _ path: String, options: Options, keepsChanges: Bool
    ) throws -> (client: SyncClient, channels: [String], identity: DeviceIdentity) {
        guard unsafe access(path, R_OK) == 0 else {
            throw JobError(
                code: "no_cache", message: "There is no cache file \(path) that can be read.")
        }
        let store = try SQLiteDeviceStore(path: path)
        guard let identity = try store.identity() else {
            throw JobError(
                code: "no_cache", message: "\(path) is no cache of a device: it names no user.")
        }
        let channels = try store.channels()
        var configuration = try Configuration(
            url: options.url, userID: identity.userID, deviceID: identity.deviceID,
            keyset: identity.keyset)
        configuration.transport = LibwebsocketsTransport(caFile: options.caFile)
        let client =
            try keepsChanges
            ? SyncClient(configuration, store: SQLiteDeviceStore(path: path))
            : SyncClient(configuration, store: UnchangedStore(store: store))
        return (client, channels, identity)
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
        let (client, kept, _) = try SyncClient.ofCache(
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
        let events = await client.events()
        try await client.connect()
        let timer = Task {
            try await Task.sleep(for: Self.patience)
            await client.close()
        }
        defer { timer.cancel() }
        var waiting = Set(channels)
        var rows: [String: [RowChange]] = [:]
        for channel in channels { _ = try await client.channel(channel) }
        guard !waiting.isEmpty else { return [] }
        for await event in events {
            switch event {
            case .cacheRepaired(let channel, _, let changes): rows[channel] = changes
            case .channelVerified(let channel): waiting.remove(channel)
            case .channelRefused(let channel, let error):
                throw JobError(
                    code: error.code, message: "\(printable(channel)): \(error.message)")
            case .disconnected(let reason, nil): throw JobError(closedBecause: reason)
            case .connected, .disconnected, .announced, .began, .problem, .writeRefused,
                .eventsMissed, .summarized, .selected, .selectionRefused:
                break
            }
            if waiting.isEmpty { break }
        }
        guard waiting.isEmpty else {
            let names = waiting.sorted().map(printable).joined(separator: ", ")
            throw JobError(
                code: "timed_out", message: "The daemon did not agree within a minute: \(names).",
                advice: "Try again.")
        }
        var findings: [CacheFinding] = []
        for channel in channels {
            let base = try await client.channel(channel).base
            findings.append(
                CacheFinding(
                    channel: channel, messages: base.cache.messages.count,
                    actions: base.cache.actions.count, cursor: base.cursor,
                    differences: rows[channel, default: []].map { .init(row: $0) }))
        }
        return findings
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
