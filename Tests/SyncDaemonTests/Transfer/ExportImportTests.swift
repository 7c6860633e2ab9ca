// What is exported and imported is what was there, however often somebody stopped it.

import Basis
import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Export and import")
struct ExportImportTests {
    private let room = Channel("a")

    @Test("a random store comes back to the byte, with its digests", arguments: UInt64(1)...8)
    func roundTrip(seed: UInt64) throws {
        let source = try TransferBench()
        try source.live(seed: seed)
        source.close()
        let lines = try source.export()
        let target = try TransferBench()

        let report = try target.take(lines, from: source)

        #expect(report.outcome.already == 0)
        #expect(report.counts.files == 3 && report.counts.devices == 7)
        #expect(report.outcome.written == report.counts.rows)
        #expect(try target.export().dropFirst() == lines.dropFirst())
        try target.expectEqual(to: source)
    }

    @Test("an import that is stopped again and again goes on", arguments: UInt64(1)...8)
    func resumes(seed: UInt64) throws {
        let source = try TransferBench()
        try source.live(seed: seed)
        source.close()
        let lines = try source.export()
        let target = try TransferBench()
        var choices = SeededGenerator(seed: seed)
        let size = lines.reduce(0) { $0 + $1.utf8.count + 1 }

        var stops = 0
        // A file that is shorter than the place of an earlier run would be begun anew.
        let ends = (0..<6).map { _ in
            lines[0].utf8.count + 2 + choices.below(size - lines[0].utf8.count - 2)
        }
        for end in ends.sorted() {
            #expect(throws: TransferError.self) { try target.take(lines, from: source, cutAt: end) }
            stops += 1
        }
        let report = try target.take(lines, from: source)

        #expect(stops == 6)
        #expect(report.resumedBehind != nil, "seed \(seed) never came far enough")
        // What the last commit had not got is written once more, and nothing twice.
        #expect(report.outcome.written == report.counts.rows)
        #expect(try target.export().dropFirst() == lines.dropFirst())
        try target.expectEqual(to: source)
        // It is over: the next one begins at the beginning.
        let again = try target.take(lines, from: source)
        #expect(again.resumedBehind == nil)
        #expect(again.outcome.already == again.counts.rows)
    }

    /// Found by an attacker: a store went on from there, ten years ahead, or not at all.
    @Test(
        "a first line that is from the future is refused",
        arguments: ["9223372036854775807", "20001000000000001"])
    func future(last: String) throws {
        let source = try TransferBench()
        try source.live(seed: 1)
        source.close()
        var lines = try source.export()
        let head = try #require(lines.first)
        lines[0] = head.replacing(#/"last":"[0-9]+"/#, with: "\"last\":\"\(last)\"")
        try #require(lines[0] != head)
        let target = try TransferBench()
        let error = #expect(throws: TransferError.self) { try target.take(lines, from: source) }
        #expect(error?.code == "too_late")
    }

    @Test(
        "a channel that nobody could name, or of another tenant, is refused",
        arguments: [
            #""channel":"a,b","keyset":"k""#, #""channel":"x.*","keyset":"k""#,
            #""channel":"","keyset":"k""#, #""channel":"a\u0000","keyset":"k""#,
            #""channel":"a","keyset":"""#, #""channel":"a","keyset":"default""#,
        ])
    func oddChannels(place: String) throws {
        let source = try TransferBench()
        try source.live(seed: 1)
        source.close()
        var lines = try source.export(StoreSelection(keyset: "k"))
        let line = try #require(lines.firstIndex { $0.contains(#""channel":"a","keyset":"k""#) })
        lines[line] = lines[line].replacing(#""channel":"a","keyset":"k""#, with: place)
        let target = try TransferBench()
        let error = #expect(throws: TransferError.self) { try target.take(lines, from: source) }
        #expect(error?.code == "bad_input")
    }

    @Test("after a daemon's life in between it begins anew, and finds what that contradicts")
    func daemonBetween() throws {
        let source = try TransferBench()
        try source.ledger { bench in
            for number in 1...30 as ClosedRange<UInt64> {
                bench.wall = number * 10
                _ = bench.commit([write(.publish(.numbered(number), hoursKept: 0), channel: room)])
            }
        }
        let lines = try source.export()
        let target = try TransferBench()
        let size = lines.dropLast(5).reduce(0) { $0 + $1.utf8.count + 1 }
        #expect(throws: TransferError.self) { try target.take(lines, cutAt: size) }
        try target.ledger { bench in
            bench.wall = 1000
            let range = Write.Operation.deleteMessages(after: .zero, through: tick(10))
            _ = bench.commit([write(range, channel: room)])
        }

        let report = try target.take(lines, keeps: true)

        #expect(report.resumedBehind == nil)
        #expect(report.outcome.kept == 1)
        let store = try target.open()
        #expect(try store.digest(of: room).count == 29)
        #expect(try recomputedDigest(of: room, in: store) == store.digest(of: room))
    }

    @Test("without tombstones what stands is the same")
    func withoutRemoved() throws {
        let source = try TransferBench()
        try source.live(seed: 3)
        source.close()
        let target = try TransferBench()

        try target.take(try source.export(removed: false))

        for channel in DigestLife(seed: 0).channels {
            #expect(
                try target.open().digest(of: channel) == source.open().digest(of: channel))
        }
    }

    @Test("one tenant, under another name; its groups, tokens and grants go along")
    func renames() throws {
        let source = try TransferBench()
        try source.live(seed: 4)
        source.close()
        let target = try TransferBench()

        try target.take(
            try source.export(StoreSelection(keyset: "k")), from: source, into: "other")

        let store = try target.open()
        let phone = PushDevice(token: "c", gateway: .fcm, keyset: "other")
        #expect(try store.channels(of: phone) == ["a", "b\u{301}"])
        let files = try store.makeReader().files(
            in: Channel("a", keyset: "other"), after: .zero, limit: 9)
        #expect(files.files.map(\.size) == [140_002])
        #expect(try store.hasChannel(Channel("a", keyset: "other")))
        #expect(try !store.hasChannel(room))
        #expect(try store.channels(of: ChannelGroup("friends", keyset: "other")) == ["a", "b"])
        #expect(try store.allRevoked().map(\.keyset) == [ExactText("other")])
        #expect(try store.allKeyGrants().count == 2)
        let digest = try store.digest(of: Channel("a", keyset: "other"))
        #expect(digest.count == (try source.open().digest(of: Channel("a", keyset: "k"))).count)
        #expect(try recomputedDigest(of: Channel("a", keyset: "other"), in: store) == digest)
    }

    @Test("one channel; one that nobody wrote to is an error before anything is written")
    func oneChannel() throws {
        let source = try TransferBench()
        try source.live(seed: 5)
        source.close()
        let target = try TransferBench()

        try target.take(try source.export(StoreSelection(keyset: "default", channels: ["b"])))

        #expect(try target.open().hasChannel(Channel("b")))
        #expect(try !target.open().hasChannel(room))
        #expect(throws: TransferError.noChannel("nowhere", keyset: "default")) {
            try source.export(StoreSelection(keyset: "default", channels: ["b", "nowhere"]))
        }
    }

    @Test("into a channel that has later rows: digests and segments are those of all rows")
    func mergesBefore() throws {
        let source = try TransferBench()
        try source.live(seed: 6)
        source.close()
        let target = try TransferBench()
        try target.ledger { bench in
            bench.wall = 1 << 50
            for _ in 0..<40 {
                let message = Message.numbered(bench.wall)
                _ = bench.commit([write(.publish(message, hoursKept: 0), channel: room)])
                _ = bench.commit([write(.add(.on(bench.wall)), channel: room)])
                bench.wall += 7
            }
        }
        let before = try target.count(of: room)

        let report = try target.take(try source.export())

        let store = try target.open()
        #expect(report.fullerChannels == 1)
        let count = try source.open().digest(of: room).count
        #expect(try store.digest(of: room).count == before + count)
        #expect(try recomputedDigest(of: room, in: store) == store.digest(of: room))
        #expect(
            try storedSegments(of: room, in: store) == recomputedSegments(of: room, in: store))
        let cuts = try storedSegments(of: room, in: store).map(\.after).filter { $0 > .zero }
        #expect(try cuts == recomputedCuts(of: room, in: store))
    }

    @Test("new timetokens are later than all that came")
    func goesOnLater() throws {
        let source = try TransferBench()
        try source.live(seed: 7)
        let target = try TransferBench()
        let last = try source.last()
        try target.take(try source.export())

        try target.ledger { bench in
            #expect(bench.store.clock.ceiling >= last)
            #expect(bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last > last)
        }
    }

    @Test("what ends goes on ending when it would have, whatever both clocks did")
    func retention() throws {
        let source = try TransferBench()
        let anchor = ClockAnchor(boot: "", uptime: 1, ticks: 5000, age: 2000)
        try source.commit(through: tick(1), ClockRecord(ceiling: tick(6000), anchor: anchor)) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada", expires: tick(2100))
        }
        let lines = try source.export()
        let target = try TransferBench()
        let other = ClockAnchor(boot: "", uptime: 1, ticks: 5000, age: 4000)
        try target.commit(through: tick(2), ClockRecord(ceiling: tick(6000), anchor: other))

        try target.take(lines)

        #expect(lines.contains { $0.contains("\"expires\":\"5100\"") })
        #expect(try target.expiry(of: tick(1)) == tick(4100))
        #expect(try target.take(lines).outcome.already == 1)
    }

    @Test("who comes back to a store that was added to is told so, by its new name")
    func renewsEpoch() throws {
        let source = try TransferBench()
        try source.commit(through: tick(2), ClockRecord()) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada", expires: nil)
        }
        let lines = try source.export()
        let target = try TransferBench()
        try target.commit(through: tick(9), ClockRecord()) {
            try $0.insert(.numbered(8), at: tick(8), in: room, by: "ada", expires: nil)
        }
        let before = try target.epoch()

        try target.take(lines)
        let after = try target.epoch()
        // There is nothing new in it.
        try target.take(lines)

        #expect(after != before)
        #expect(try target.epoch() == after)
    }

    @Test("rows that a deletion hides are not exported")
    func hidden() throws {
        let source = try TransferBench()
        try source.commit(through: tick(9), ClockRecord()) { store in
            for number in 1...5 as ClosedRange<UInt64> {
                try store.insert(.numbered(number), at: tick(number), in: room, by: "ada")
            }
            try store.hideMessages(
                in: MessageRange(after: .zero, through: tick(3)), at: tick(9), of: room)
        }

        let lines = try source.export()

        #expect(lines.filter { $0.hasPrefix("{\"message\"") }.count == 2)
        #expect(lines.contains { $0.hasPrefix("{\"deleted\":\"9\"") })
    }
}

extension TransferBench {
    fileprivate func count(of channel: Channel) throws -> Int64 {
        defer { close() }
        return try open().digest(of: channel).count
    }

    fileprivate func last() throws -> Timetoken {
        defer { close() }
        return try open().last
    }

    fileprivate func expiry(of message: Timetoken) throws -> Timetoken? {
        defer { close() }
        return try StoreIntake(open()).message(at: message)?.record.expires
    }

    /// One commit of the store, which is closed behind it.
    fileprivate func commit(
        through last: Timetoken, _ clock: ClockRecord, _ body: (any Store) throws -> Void = { _ in }
    ) throws {
        defer { close() }
        let store = try open()
        try store.begin()
        try body(store)
        try store.commit(through: last, clock)
    }

    fileprivate func epoch() throws -> String {
        defer { close() }
        return try open().epoch
    }

    /// Compares all that the ledger would see.
    fileprivate func expectEqual(to other: TransferBench) throws {
        let (mine, others) = (try open(), try other.open())
        #expect(mine.secret == others.secret)
        #expect(mine.epoch != others.epoch)
        for channel in DigestLife(seed: 0).channels {
            #expect(try mine.digest(of: channel) == others.digest(of: channel))
            #expect(try recomputedDigest(of: channel, in: mine) == mine.digest(of: channel))
            #expect(
                try storedSegments(of: channel, in: mine)
                    == recomputedSegments(of: channel, in: mine))
        }
        for keyset in ["default", "k"] {
            #expect(
                try mine.use(ofKeyset: ExactText(keyset))
                    == others.use(ofKeyset: ExactText(keyset)))
        }
        close()
        other.close()
        #expect(FileManager.default.contentsEqual(atPath: files, andPath: other.files))
        try DatabaseFile(path: database, isShared: false).check()
    }
}
