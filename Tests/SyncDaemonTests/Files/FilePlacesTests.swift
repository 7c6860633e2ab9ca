// Places of uploads and downloads: nobody has all of them.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Places of files")
struct FilePlacesTests {
    private func user(_ name: String, of tenant: String = "t") -> FilePeer {
        FilePeer(tenant: ExactText(tenant), who: .user(ExactText(name)))
    }

    @Test("one user has its share, and the next one has a place")
    func users() {
        var places = FilePlaces(max: 64, perPeerMax: 8)
        for _ in 0..<8 { #expect(places.take(for: user("eve")) == .letIn) }
        #expect(places.take(for: user("eve")) == .hasItsShare)
        #expect(places.take(for: user("ada")) == .letIn)
        #expect(places.take(for: user("eve", of: "other")) == .letIn)
        places.leave(user("eve"))
        #expect(places.take(for: user("eve")) == .letIn)
        #expect(places.total == 10)
    }

    @Test("however many users a tenant has, the next tenant has a place")
    func tenants() {
        var places = FilePlaces(max: 64, perPeerMax: 8)
        for tenant in ["a", "b", "c", "d", "e"] {
            var count = 0
            while places.take(for: user("\(count)", of: tenant)) == .letIn { count += 1 }
            #expect(count > 0, "\(tenant)")
        }
        #expect(places.total < 64)
    }

    @Test("a tenant's own servers have as many as it may")
    func backends() {
        var places = FilePlaces(max: 64, perPeerMax: 8)
        let backend = FilePeer(tenant: ExactText("t"), who: .backend)
        var count = 0
        while places.take(for: backend) == .letIn { count += 1 }
        #expect(count == 32)
    }

    @Test("without a place there is none for anybody")
    func full() {
        var places = FilePlaces(max: 1, perPeerMax: 8)
        #expect(places.take(for: user("a")) == .letIn)
        #expect(places.take(for: user("b", of: "other")) == .full)
        places.leave(user("a"))
        #expect(places.take(for: user("b", of: "other")) == .letIn)
    }
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
        var used = UsedUploads()
        let one = try ticket(1, expires: 100)
        #expect(!used.contains(one))
        #expect(used.insert(one, at: 50))
        #expect(used.contains(one) && !used.insert(one, at: 99))
        #expect(!used.contains(try ticket(2, expires: 100)))
    }

    @Test("what is not known any more counts as used")
    func floor() throws {
        var used = UsedUploads(max: 3)
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
        var used = UsedUploads(max: 2)
        for number in 0..<1000 {
            let now = Int64(number)
            #expect(used.insert(try ticket(number, expires: now + 1), at: now))
        }
        #expect(!used.contains(try ticket(5000, expires: 1001)))
    }
}
