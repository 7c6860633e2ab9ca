// Files of earlier releases: they are brought up to date at once or not at all.

import Basis
import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

/// The tables as the first release made them; never to be changed.
private let firstTables = """
    CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE clock(id INTEGER PRIMARY KEY CHECK (id = 0), last INTEGER NOT NULL);
    INSERT INTO clock VALUES (0, 0);
    CREATE TABLE channel(
        id INTEGER PRIMARY KEY, keyset TEXT NOT NULL, name TEXT NOT NULL,
        UNIQUE (keyset, name));
    CREATE TABLE message(
        timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, uuid TEXT NOT NULL,
        payload TEXT NOT NULL, meta TEXT, type TEXT);
    CREATE INDEX message_by_channel ON message(channel, timetoken);
    CREATE TABLE action(
        channel INTEGER NOT NULL, message INTEGER NOT NULL, type TEXT NOT NULL,
        value TEXT NOT NULL, uuid TEXT NOT NULL, added INTEGER NOT NULL,
        changed INTEGER NOT NULL, live INTEGER NOT NULL,
        PRIMARY KEY (channel, message, type, value, uuid)) WITHOUT ROWID;
    CREATE INDEX action_by_change ON action(channel, changed);
    CREATE TABLE device(
        id INTEGER PRIMARY KEY, keyset TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL,
        UNIQUE (keyset, user, name));
    CREATE TABLE mutation(
        timetoken INTEGER PRIMARY KEY, device INTEGER NOT NULL, name TEXT NOT NULL,
        fingerprint INTEGER NOT NULL, kind INTEGER NOT NULL, outcome INTEGER NOT NULL);
    CREATE UNIQUE INDEX mutation_by_name ON mutation(device, name);
    """

/// What the second release added; never to be changed.
private let secondStep = """
    ALTER TABLE message ADD COLUMN expires INTEGER;
    CREATE INDEX message_by_expiry ON message(expires) WHERE expires IS NOT NULL;
    CREATE TABLE deletion(
        timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, after INTEGER NOT NULL,
        through INTEGER NOT NULL);
    CREATE INDEX deletion_by_channel ON deletion(channel, timetoken);
    CREATE TABLE channel_group(
        keyset TEXT NOT NULL, name TEXT NOT NULL, channel TEXT NOT NULL,
        PRIMARY KEY (keyset, name, channel)) WITHOUT ROWID;
    """

@Suite("Migration")
struct MigrationTests {
    private let directory: ScratchDirectory
    private let path: String
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
        path = directory.path + "/syncdaemon.db"
    }

    /// A file as the first release left it: two messages, an action and a tombstone.
    private func makeFirstFile() throws {
        let connection = try StoreConnection(path: path)
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL")
        try connection.execute(firstTables)
        try connection.execute(
            """
            INSERT INTO meta VALUES ('epoch', '0123456789abcdef');
            INSERT INTO channel VALUES (7, 'default', 'room');
            INSERT INTO message VALUES (1, 7, 'ada', '1', NULL, NULL);
            INSERT INTO message VALUES (2, 7, 'ada', '2', '{}', 'text');
            INSERT INTO action VALUES (7, 1, 'reaction', '👍', 'ada', 3, 3, 1);
            INSERT INTO action VALUES (7, 2, 'reaction', '👍', 'ada', 4, 5, 0);
            INSERT INTO device VALUES (3, 'default', 'ada', 'phone');
            INSERT INTO mutation VALUES (3, 3, 'm1', 1, 0, 3);
            INSERT INTO mutation VALUES (4, 3, 'm2', 2, 0, 4);
            UPDATE clock SET last = 5;
            PRAGMA user_version=1;
            """)
    }

    /// A file as the second release left it: many actions, some of them removed, in two channels.
    private func makeSecondFile() throws {
        try makeFirstFile()
        let connection = try StoreConnection(path: path)
        try connection.execute(secondStep)
        try connection.execute(
            """
            INSERT INTO channel VALUES (8, 'k', 'é');
            INSERT INTO channel VALUES (9, 'default', 'none');
            INSERT INTO deletion VALUES (99, 7, 50, 60);
            UPDATE clock SET last = 5000;
            PRAGMA user_version=2;
            """)
        for number in 100..<1100 {
            let (channel, isLive) = (number % 3 == 0 ? 7 : 8, number % 5 == 0 ? 0 : 1)
            try connection.execute(
                """
                INSERT INTO action VALUES (\(channel), \(number), 'reaction', '👍', 'u\(number % 7)',
                \(number + 1000), \(number + 1000 + 2000 * (1 - isLive)), \(isLive))
                """)
        }
    }

    private func version() throws -> Int64? {
        try StoreConnection(path: path).prepare("PRAGMA user_version").first { $0.integer(0) }
    }

    private func layout(of path: String) throws -> [String] {
        var layout: [String] = []
        try StoreConnection(path: path).prepare(
            "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
        ).query { row in
            layout.append("\(row.text(0)) \(row.text(1)) \(row.text(2))")
            return true
        }
        return layout
    }

    @Test("a file of the first release keeps what it holds, and takes what is new")
    func migrates() throws {
        try makeFirstFile()

        let store = try SQLStore(directory: directory.path)

        #expect(store.epoch == "0123456789abcdef")
        #expect(store.last == tick(5))
        #expect(store.mutationCount == 2)
        #expect(try version() == SQLiteSchema.version)
        let reader = try store.makeReader()
        #expect(
            try reader.allChanges(in: room, after: .zero).map(\.timetoken)
                == [tick(1), tick(2), tick(3), tick(5)])
        #expect(try store.expired(before: .end, limit: 9) == [])
        let group = ChannelGroup("g", keyset: "default")
        try store.commit(through: 8) {
            try $0.insert(.numbered(6), at: tick(6), in: room, by: "ada", expires: tick(7))
            #expect(
                try $0.deleteMessages(after: .zero, through: tick(1), at: tick(8), in: room))
            try $0.change(.add(["room"]), of: group)
        }
        #expect(
            try reader.allChanges(in: room, after: .zero).map(\.timetoken)
                == [tick(2), tick(5), tick(6), tick(8)])
        #expect(
            try store.expired(before: tick(8), limit: 9)
                == [ExpiredMessage(channel: room, timetoken: tick(6))])
        #expect(try store.channels(of: group) == ["room"])
    }

    @Test("a file of the second release gets the digests of its rows, in one step")
    func addsDigests() throws {
        try makeSecondFile()

        let store = try SQLStore(directory: directory.path)

        let reader = try store.makeReader()
        let counts = try [
            room, Channel("é", keyset: "k"), Channel("none"), Channel("unknown"),
        ].map { channel in
            let state = try reader.digest(of: channel)
            #expect(try state.digest == recomputedDigest(of: channel, in: store), "\(channel)")
            let segments = try storedSegments(of: channel, in: store)
            #expect(try segments == recomputedSegments(of: channel, in: store), "\(channel)")
            #expect(state.cursor == tick(5000))
            return state.digest.count
        }
        // A third of a thousand rows and two thirds, less a fifth of each, and the first release's:
        // an action and two messages.
        #expect(counts == [269, 534, 0, 0])
        #expect(store.tombstoneFloor == .zero)
        #expect(store.runs.map(\.startedAfter) == [tick(5000)])
        // The tombstones that the file had before there was an end to them.
        try store.commit(through: 5001) { try $0.forgetTombstones(before: tick(8), limit: 9) }
        #expect(store.tombstoneFloor == tick(5))
        #expect(try store.hasTombstones(before: .end))
        try store.commit(through: 5002) { try $0.forgetTombstones(before: .end, limit: 9999) }
        #expect(try !store.hasTombstones(before: .end))
        #expect(store.tombstoneFloor == tick(4095))
    }

    @Test("segments get their rows' timetokens, and are as the ledger would make them")
    func segmentTimetokens() throws {
        let room = Channel("room")
        func segments() throws -> [Segment] {
            let store = try SQLStore(directory: directory.path)
            let whole = Segment(after: .end, digest: try store.makeReader().digest(of: room).digest)
            return try [whole] + storedSegments(of: room, in: store)
        }
        do {
            let bench = LedgerBench(
                try SQLStore(directory: directory.path), segments: SegmentBounds())
            for number in 1...120 as ClosedRange<UInt64> {
                bench.wall += 97
                let message = bench.commit(write(.publish(.numbered(number)))).last
                _ = bench.commit(write(.add(.on(message.rawValue))))
            }
        }
        let before = try segments()
        #expect(before.count > 3)
        #expect(before.dropFirst().allSatisfy { $0.timetokens > 0 })
        try StoreConnection(path: path).execute(
            """
            DROP TABLE segment;
            CREATE TABLE segment(
                channel INTEGER NOT NULL, after INTEGER NOT NULL, messages INTEGER NOT NULL,
                count INTEGER NOT NULL, lane0 INTEGER NOT NULL, lane1 INTEGER NOT NULL,
                PRIMARY KEY (channel, after)) WITHOUT ROWID;
            INSERT INTO segment VALUES (1, 7, 1, 1, 1, 1);
            \(SQLiteSchema.digestsOfChannels)
            UPDATE channel SET count = 5, lane0 = 5, lane1 = 5;
            PRAGMA user_version=26
            """)

        #expect(try segments() == before)
        #expect(try version() == SQLiteSchema.version)
    }

    @Test("digests of actions alone become those of all rows, without what is being deleted")
    func wholeDigests() throws {
        do {
            let store = try SQLStore(directory: directory.path)
            try store.commit(through: 40) {
                for number in 1...9 as ClosedRange<UInt64> {
                    try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
                    try $0.add(
                        MessageAction(key: .on(number), actionTimetoken: tick(20 + number)),
                        in: room)
                }
                try $0.hideMessages(
                    in: MessageRange(after: .zero, through: tick(4)), at: tick(40), of: room)
                var digest = Digest.empty
                digest.insert(
                    MessageAction(key: .on(9), actionTimetoken: tick(29)),
                    key: $0.secret.key(of: room))
                try $0.setDigest(digest, of: room)
            }
        }
        try StoreConnection(path: path).execute(
            """
            DROP TABLE segment; DROP TABLE read_mark; DROP INDEX message_by_entry;
            DROP TABLE outbox; DROP TABLE dead_letter; DROP TABLE push_device; DROP TABLE file;
            \(SQLiteSchema.digestsOfChannels)
            PRAGMA user_version=17
            """)

        let store = try SQLStore(directory: directory.path)

        #expect(try version() == SQLiteSchema.version)
        #expect(!store.hasHiddenRows)
        let digest = try store.makeReader().digest(of: room).digest
        #expect(digest.count == 10)
        #expect(try digest == recomputedDigest(of: room, in: store))
    }

    @Test("secret, runs and floor are made once, and each start adds a run")
    func keepsSecret() throws {
        try makeSecondFile()
        var runs: [[StoreRun]] = []
        var secrets: Set<DigestSecret> = []
        for number in 0..<3 as Range<UInt64> {
            let store = try SQLStore(directory: directory.path)
            secrets.insert(store.secret)
            runs.append(store.runs)
            try store.publish(6000 + number, in: room)
        }

        #expect(secrets.count == 1)
        #expect(runs[2].map(\.startedAfter) == [tick(5000), tick(6000), tick(6001)])
        #expect(runs[2].prefix(2).map(\.id) == runs[1].map(\.id))
        #expect(Set(runs[2].map(\.id)).count == 3)
        #expect(runs[2].allSatisfy { $0.id.utf8.count == 8 })
    }

    @Test("a migrated file has the layout of a new one")
    func sameLayout() throws {
        try makeSecondFile()
        let new = try ScratchDirectory()
        for directory in [directory, new] { _ = try SQLStore(directory: directory.path) }

        #expect(try layout(of: path) == layout(of: new.path + "/syncdaemon.db"))
    }

    @Test("a migration that fails half-way leaves the file of the old release, which works later")
    func failsWhole() throws {
        try makeFirstFile()
        // In the way of the last step.
        try StoreConnection(path: path).execute("CREATE TABLE run(x)")
        let before = try layout(of: path)

        #expect(throws: StoreError.self) { try SQLStore(directory: directory.path) }

        #expect(try version() == 1)
        #expect(try layout(of: path) == before)
        try StoreConnection(path: path).execute("DROP TABLE run")
        #expect(try SQLStore(directory: directory.path).last == tick(5))
        #expect(try version() == SQLiteSchema.version)
    }

    // MARK: What an operator hears, and keeps

    @Test("an upgrade says what it does, and keeps the file as it was")
    func keepsCopy() throws {
        try makeSecondFile()
        let before = try layout(of: path)
        let lines = LogLines()

        _ = try SQLStore(directory: directory.path, log: lines.log)

        let copy = path + ".schema-2"
        #expect(lines.messages.first == "The database of an earlier release is brought up to date.")
        #expect(lines.messages.contains("The old database is kept."))
        // The log takes ten lines of a place in a second.
        #expect(
            lines.messages.count { $0 == "Step of the upgrade." }
                == min(LogRateLimiter.linesPerSecondMax, Int(SQLiteSchema.version) - 2))
        #expect(lines.messages.last == "The database is up to date.")
        #expect(try layout(of: copy) == before)
        #expect(DataDirectory.mode(of: copy) == 0o600)
        let old = try StoreConnection(path: copy)
        #expect(try old.prepare("PRAGMA user_version").first { $0.integer(0) } == 2)
        #expect(try old.prepare("SELECT last FROM clock").first { $0.timetoken(0) } != .zero)
    }

    @Test("without room for a copy there is none, and a warning; the upgrade goes on")
    func noRoomForCopy() throws {
        try makeFirstFile()
        let lines = LogLines()
        let connection = try StoreConnection(path: path)

        let upgrade = SchemaUpgrade(path: path, version: 1, log: lines.log)
        upgrade.begin(connection, freeBytes: 1000)

        #expect(
            lines.messages.last == "There is no room to keep the old database: no copy is made.")
        #expect(!FileSystem.exists(path + ".schema-1"))
        _ = try SQLStore(directory: directory.path)
        #expect(FileSystem.exists(path + ".schema-1"))
    }

    @Test("a new file, and one of this release, are opened without a word")
    func quiet() throws {
        let lines = LogLines()

        for _ in 0..<2 { _ = try SQLStore(directory: directory.path, log: lines.log) }

        #expect(lines.messages.isEmpty)
    }

    @Test("tokens of Apple's that differ by the case of a digit become one device")
    func appleDevices() throws {
        try SQLStore(directory: directory.path).commit(through: 1) { _ in }
        try StoreConnection(path: path).execute(
            """
            ALTER TABLE push_device DROP COLUMN user;
            INSERT INTO push_device VALUES ('k', 'AB', 'apns2', 'production', 'app', 'a');
            INSERT INTO push_device VALUES ('k', 'ab', 'apns2', 'production', 'app', 'a');
            INSERT INTO push_device VALUES ('k', 'Ab', 'apns2', 'production', 'app', 'b');
            INSERT INTO push_device VALUES ('k', 'AB', 'fcm', '', '', 'a');
            \(SQLiteSchema.digestsOfChannels)
            PRAGMA user_version=25
            """)
        let store = try SQLStore(directory: directory.path)
        let pad = PushDevice(
            token: "AB", gateway: .apns2, environment: "production", topic: "app", keyset: "k")
        #expect(try store.channels(of: pad, registeredBy: "eve") == ["a", "b"])
        #expect(try store.devices(of: Channel("a", keyset: "k"), limit: 9).count == 2)
    }
}
