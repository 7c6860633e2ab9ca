// Addresses of uploads that were used: a file that was deleted does not come back.

import EventModel
import Testing

@testable import SyncDaemon

/// What an expectation may change.
private final class Used {
    private var used: UsedUploads

    init(max: Int = Limits.usedUploadsMax) { used = UsedUploads(max: max) }

    func contains(_ ticket: FileTicket) -> Bool { used.contains(ticket) }
    func insert(_ ticket: FileTicket, at now: Int64) -> Bool { used.insert(ticket, at: now) }
}

@Suite("Addresses that were used")
struct UsedUploadsTests {
    private func ticket(_ number: Int, expires: Int64) throws -> FileTicket {
        let digits = String(number + 0x1000_0000, radix: 16)
        return FileTicket(
            purpose: .upload, expires: expires, channel: Channel("c"),
            id: try #require(FileID("\(digits)-0000-4000-8000-000000000000")), name: "n",
            userID: "u")
    }

    @Test("one is used once, for as long as it is good")
    func once() throws {
        let used = Used()
        let one = try ticket(1, expires: 100)
        #expect(!used.contains(one))
        #expect(used.insert(one, at: 50))
        #expect(used.contains(one) && !used.insert(one, at: 99))
        #expect(!used.contains(try ticket(2, expires: 100)))
    }

    @Test("what is not known any more counts as used")
    func floor() throws {
        let used = Used(max: 3)
        for number in 1...3 {
            #expect(used.insert(try ticket(number, expires: Int64(100 + number)), at: 1))
        }
        #expect(used.insert(try ticket(4, expires: 110), at: 1))
        for number in 1...4 {
            #expect(
                used.contains(try ticket(number, expires: number == 4 ? 110 : Int64(100 + number))))
        }
        // Nobody knows whether this one was.
        #expect(used.contains(try ticket(9, expires: 101)))
        #expect(!used.contains(try ticket(9, expires: 102)))
    }

    @Test("what is over takes no room")
    func over() throws {
        let used = Used(max: 2)
        for number in 0..<1000 {
            let now = Int64(number)
            #expect(used.insert(try ticket(number, expires: now + 1), at: now))
        }
        #expect(!used.contains(try ticket(5000, expires: 1001)))
    }
}
