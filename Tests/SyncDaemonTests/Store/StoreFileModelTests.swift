// Random lives of files and devices: the embedded store is at each step what the one in memory is.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// Both stores, told the same and asked the same; the embedded one is opened anew now and then.
private struct Pair {
    private let directory: ScratchDirectory
    private let memory = MemoryStore()
    private var sqlite: SQLStore?
    private var choices: SeededGenerator
    private var clock: UInt64 = 0
    /// Some of which are there.
    private var ids: [FileID] = []
    private(set) var restarts = 0
    private(set) var filesSeen = 0
    private(set) var devicesSeen = 0

    private static let keysets = ["default", "k"]
    private static let channels = keysets.flatMap { keyset in
        ["a", "b", "é", "e\u{301}", "'\"👍"].map { Channel($0, keyset: keyset) }
    }
    private static let devices: [PushDevice] = {
        var devices: [PushDevice] = []
        for keyset in keysets {
            for token in ["aa", "AA"] {
                devices.append(PushDevice(token: token, gateway: .fcm, keyset: keyset))
                devices.append(PushDevice(token: token, gateway: .apns, keyset: keyset))
                for environment in PushDevice.environments {
                    devices.append(
                        PushDevice(
                            token: token, gateway: .apns2, environment: environment, topic: "app",
                            keyset: keyset))
                }
            }
        }
        return devices
    }()

    init(seed: UInt64) throws {
        directory = try ScratchDirectory()
        choices = SeededGenerator(seed: seed)
        sqlite = try SQLStore(directory: directory.path)
    }

    private func stores() throws -> [any Store] { [memory, try #require(sqlite)] }

    mutating func step() throws {
        try transact()
        guard choices.chance(10) else { return }
        // Its directory is another's to open once nobody has it.
        sqlite = nil
        let store = try SQLStore(directory: directory.path)
        sqlite = store
        clock = max(clock, store.last.rawValue)
        restarts += 1
        try compare(stores())
        try compareReaders(stores())
    }

    /// A transaction of some changes, which is taken back now and then.
    private mutating func transact() throws {
        let stores = try stores()
        for store in stores { try store.begin() }
        for _ in 0...choices.below(6) { try change(stores) }
        try compare(stores)
        if choices.chance(25) {
            for store in stores { store.rollback() }
        } else {
            for store in stores { try store.commit(through: tick(clock)) }
        }
        try compare(stores)
        try compareReaders(stores)
    }

    private mutating func change(_ stores: [any Store]) throws {
        clock += UInt64(choices.below(3)) + 1
        let device = choices.pick(Self.devices)
        let names = Self.channels.map(\.name).filter { _ in choices.chance(30) }
        switch choices.below(4) {
        case 0,
            1 where ids.isEmpty:
            let id = FileID.random(using: &choices)
            let file = StoredFile(
                channel: choices.pick(Self.channels), id: id,
                name: choices.pick(["n.txt", "é 👍.png"]), size: choices.below(1_000_000),
                userID: choices.pick(["", "ada"]), created: tick(clock))
            ids.append(id)
            for store in stores { try store.add(file) }
        case 1:
            // One that was taken back, or removed before, is in neither store.
            let id = choices.pick(ids)
            for store in stores {
                if let file = try store.file(id) { try store.remove(file) }
            }
        case 2: for store in stores { try store.add(names, to: device) }
        default: for store in stores { try store.remove(names, from: device) }
        }
    }

    /// What the open transaction sees, or the last commit where none is open.
    private mutating func compare(_ stores: [any Store]) throws {
        for id in ids.suffix(20) {
            let found = try stores.map { try $0.file(id) }
            #expect(found[0] == found[1], "file \(id.text)")
        }
        for device in Self.devices {
            let found = try stores.map { try $0.channels(of: device).map(ExactText.init) }
            #expect(found[0] == found[1], "channels of \(device)")
        }
        for channel in Self.channels {
            let limit = choices.pick([1, 3, 100])
            let found = try stores.map { try $0.devices(of: channel, limit: limit) }
            #expect(found[0] == found[1], "devices of \(channel)")
            devicesSeen += found[0].count
        }
        for keyset in Self.keysets {
            let found = try stores.map { try $0.use(ofKeyset: ExactText(keyset)).bytes }
            #expect(found[0] == found[1], "bytes of \(keyset)")
        }
    }

    private mutating func compareReaders(_ stores: [any Store]) throws {
        let readers = try stores.map { try $0.makeReader() }
        for channel in Self.channels {
            let limit = choices.pick([1, 2, 7, 100])
            let found = try readers.map { try files(in: channel, by: limit, from: $0) }
            #expect(found[0] == found[1], "files of \(channel)")
            filesSeen += found[0].count
        }
        for device in Self.devices {
            let found = try readers.map { try $0.channels(of: device).map(ExactText.init) }
            #expect(found[0] == found[1], "channels of \(device), by a reader")
        }
    }

    /// All of a channel, page by page.
    private func files(
        in channel: Channel, by limit: Int, from reader: any StoreReader
    ) throws -> [StoredFile] {
        var found: [StoredFile] = []
        var position: Timetoken? = .zero
        while let after = position {
            let page = try reader.files(in: channel, after: after, limit: limit)
            #expect(page.files.count <= limit)
            found += page.files
            position = page.next
        }
        return found
    }
}

@Suite("Files and devices by chance")
struct StoreFileModelTests {
    @Test("both stores agree after every step, and after every start", arguments: UInt64(1)...12)
    func agree(seed: UInt64) throws {
        var pair = try Pair(seed: seed)

        for _ in 0..<120 { try pair.step() }

        #expect(pair.restarts > 0, "seed \(seed) never started anew")
        #expect(pair.filesSeen > 100, "seed \(seed) kept hardly a file")
        #expect(pair.devicesSeen > 100, "seed \(seed) kept hardly a device")
    }
}
