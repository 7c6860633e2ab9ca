// Stores with something of everything in them, and what an export of one and an import come to.

import Basis
import EventModel
import Foundation

@testable import SyncDaemon

/// A data directory that a test fills, exports and imports into.
final class TransferBench {
    let directory: ScratchDirectory
    /// As long as a test has it open.
    private(set) var store: SQLStore?

    init() throws {
        directory = try ScratchDirectory()
    }

    var database: String { SQLStore.path(in: directory.path) }
    /// Where contents of files are, and where those of an export go.
    var files: String { directory.path + "/files" }
    var exportedFiles: String { directory.path + "/exported" }

    func open() throws -> SQLStore {
        let store = try store ?? SQLStore(directory: directory.path)
        self.store = store
        return store
    }

    func close() { store = nil }

    /// Lends a ledger of the store, and closes that behind it.
    func ledger(_ body: (LedgerBench) throws -> Void) throws {
        try body(LedgerBench(open()))
        close()
    }

    /// A random life of several channels, and beside it what is no channel's.
    func live(seed: UInt64, steps: Int = 60) throws {
        let store = try open()
        let bench = LedgerBench(store)
        defer { close() }
        var life = DigestLife(seed: seed)
        for _ in 0..<steps { _ = try life.step(bench) }
        let room = Channel("a")
        let texts = ["7", "{\"a\":[1.10,\"\\u0000\"]}", " {\"b\" : 1}", "no json", "\"e\u{301}👍\""]
        for text in texts {
            let message = Message(
                payload: text, meta: text, type: "text", parent: tick(bench.wall - 1))
            _ = bench.commit([write(.publish(message, hoursKept: 3), channel: room)])
            bench.wall += 5
        }
        let last = store.last
        _ = bench.commit([
            write(.add(.on(last.rawValue, "7", type: "edited")), channel: room),
            write(
                .add(.on(last.rawValue, "clap"), score: 12), channel: room),
        ])
        commitMembers(bench)
        try addTenants(to: store)
    }

    /// Also some whose ids no channel's name can hold: each has its memberships.
    private func commitMembers(_ bench: LedgerBench) {
        let ids = ["ada", "has,comma", "star.*", "w.*-pnpres", "c\n"]
        let request = DirectoryRequest(
            directory: .members(channel: "a"),
            changes: (ids + [String(repeating: "u", count: 255)]).map {
                EntryChange(id: $0, kind: .set([]))
            }, expected: nil)
        let channel = Channel(request.directory.channelName)
        _ = bench.commit([write(.changeDirectory(request), channel: channel)])
    }

    private func addTenants(to store: SQLStore) throws {
        try store.begin()
        try store.setReadMark(store.last, of: "ada", in: Channel("a"))
        try store.setReadMark(tick(3), of: "é", in: Channel("a", keyset: "k"))
        try store.change(.add(["a", "b"]), of: ChannelGroup("friends", keyset: "k"))
        let token = RevokedToken(
            keyset: ExactText("k"), id: TokenID(of: [1, 2, 3]), expiry: 2_000_000_000)
        try store.revoke(token, forgettable: tick(20_000_000_000_000_000))
        for (name, expiry) in [("a", KeyGrant.never), ("b", 1_900_000_000)] {
            let subject = KeyGrantSubject(
                keyset: ExactText("k"), level: .channel, name: ExactText(name),
                authKey: name == "a" ? nil : ExactText("key"))
            try store.put(
                KeyGrant(subject: subject, bits: 3, expiry: expiry),
                forgettable: expiry == KeyGrant.never ? .end : tick(19_000_000_000_000_000))
        }
        for (token, keyset) in [("a:b_-", "k"), ("c", "k"), ("c", "default")] {
            let phone = PushDevice(token: token, gateway: .fcm, keyset: keyset)
            try store.add(["a", "b\u{301}"], to: phone)
        }
        try store.add(
            ["a"],
            to: PushDevice(
                token: "0123456789abcdef", gateway: .apns2, environment: "production",
                topic: "app", keyset: "k"))
        try addFiles(to: store)
        try store.commit(through: store.last)
    }

    /// Of three channels, one of which has nothing else.
    private func addFiles(to store: SQLStore) throws {
        for (number, channel) in [
            Channel("a"), Channel("only files"), Channel("a", keyset: "k"),
        ].enumerated() {
            let content = [UInt8](repeating: UInt8(number + 65), count: number * 70_001)
            try store.add(file(number, in: channel, content))
        }
    }

    /// A file whose contents are in the directory; its row is the caller's to write.
    func file(
        _ number: Int, in channel: Channel = Channel("a"), _ content: [UInt8]
    ) throws -> StoredFile {
        let directory = try FileDirectory(files)
        guard let id = FileID("00000000-0000-4000-8000-00000000000\(number)") else {
            preconditionFailure("An id is none.")
        }
        let output = try directory.begin(id, ofUpTo: content.count, keepingFree: 0)
        try directory.write(content, to: output)
        try directory.finish(id, output)
        return StoredFile(
            channel: channel, id: id, name: "é \(number).txt", size: content.count,
            userID: "ada", created: tick(UInt64(number + 1)))
    }

    // MARK: Files

    /// An export's lines.
    ///
    /// - Parameter copiesFiles: Whether contents of files are copied to ``exportedFiles``.
    func export(
        _ selection: StoreSelection = StoreSelection(), removed: Bool = true,
        copiesFiles: Bool = true
    ) throws -> [String] {
        let file = "\(directory.path)/\(UUID().uuidString).jsonl"
        _ = try Transfers.export(
            selection, of: database, includesRemoved: removed,
            files: copiesFiles ? exportedFiles : nil, to: file, tell: { _, _ in })
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(
            String.init)
    }

    /// Imports lines, a few at a time.
    ///
    /// - Parameter source: Whose export has the contents of files.
    @discardableResult
    func take(
        _ lines: [String], from source: TransferBench? = nil, into: String? = nil,
        keeps: Bool = false, rowsPerCommit: Int = 7, cutAt end: Int? = nil
    ) throws -> Importer.Report {
        close()
        let file = "\(directory.path)/\(UUID().uuidString).jsonl"
        var bytes = Data((lines.joined(separator: "\n") + "\n").utf8)
        if let end { bytes = bytes.prefix(end) }
        try bytes.write(to: URL(filePath: file))
        var found = TransferLines(try TransferInput(file))
        let (head, text) = try Importer.head(of: &found)
        let store = try SQLStore(directory: directory.path, secret: head.secret)
        let intake = try StoreIntake(store)
        var progress = ImportProgress(
            head: text, into: into, offset: found.offset, line: found.number)
        if let noted = try intake.noted().flatMap(ImportProgress.init),
            noted.isPlace(of: progress, in: store, size: found.size)
        {
            progress = noted
        }
        let merge = try Merge(
            intake, keeps: keeps, outcome: progress.outcome,
            contents: FileContents(from: source?.exportedFiles, to: files),
            rowsPerCommit: rowsPerCommit,
            segments: SegmentBounds(messages: LedgerBench.segmentMessages),
            now: 20_000_000_000_000_000)
        return try Importer(
            found, head: head, from: progress, into: merge, latest: merge.latest,
            tell: { _, _ in }
        ).run()
    }

    /// Reads another service's text.
    func take(
        _ text: String, by reader: some ForeignReader, keeps: Bool = false
    ) throws -> ForeignImport.Report {
        close()
        let file = "\(directory.path)/\(UUID().uuidString).json"
        try Data(text.utf8).write(to: URL(filePath: file))
        let store = try SQLStore(directory: directory.path)
        let merge = try Merge(
            StoreIntake(store), keeps: keeps, rowsPerCommit: 2, now: 20_000_000_000_000_000)
        return try ForeignImport(
            TransferInput(file), keyset: "default", latest: merge.latest, into: { merge },
            tell: { _, _ in }
        ).run(reader)
    }
}
