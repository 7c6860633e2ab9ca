// Which keyset a hello leads to, and which ones refuse it.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Hello")
struct HelloTests {
    private func session() -> Session {
        Session(id: SessionID(slot: 1, generation: 1), bucket: TokenBucket(ratePerSecond: 1, at: 0))
    }

    /// The keyset that a client gets into.
    private func keyset(naming keyset: String?, of keysets: Keysets) throws(ProtocolError)
        -> String?
    {
        let session = session()
        let hello = Hello(userID: "ada", deviceID: "phone", keyset: keyset)
        _ = try Operations.hello(
            hello, session: session, engine: StandInEngine(), tenants: Tenants(keysets)
        ).get()
        return session.author?.keyset
    }

    @Test("without configured keysets every key names the one tenant", arguments: [nil, "x", ""])
    func anyKey(name: String?) throws {
        #expect(try keyset(naming: name, of: Keysets()) == Channel.defaultKeyset)
    }

    @Test("with configured ones the first is for clients that name none")
    func configured() throws {
        let keysets = Keysets([Keyset(subscribeKey: "a"), Keyset(subscribeKey: "b")])

        #expect(try keyset(naming: nil, of: keysets) == "a")
        #expect(try keyset(naming: "a", of: keysets) == "a")
        #expect(try keyset(naming: "b", of: keysets) == "b")
    }

    @Test("an unknown keyset is refused by name", arguments: ["c", "default", "A", "a "])
    func unknown(name: String) {
        let error = #expect(throws: ProtocolError.self) {
            try keyset(naming: name, of: Keysets([Keyset(subscribeKey: "a")]))
        }

        #expect(error?.code == "unknown_keyset")
        #expect(error?.status == 401)
        #expect(error?.message.contains("\"\(name)\"") == true)
    }

    @Test("a keyset with access control admits nobody without a token", arguments: [nil, "a"])
    func guarded(name: String?) {
        var keyset = Keyset(subscribeKey: "a")
        keyset.isAccessControlled = true
        let keysets = Keysets([keyset, Keyset(subscribeKey: "b")])

        #expect(throws: ProtocolError.tokenMissing) { try self.keyset(naming: name, of: keysets) }
        #expect(throws: Never.self) { try self.keyset(naming: "b", of: keysets) }
    }

    @Test("whoever was refused may try again")
    func again() throws {
        let session = session()
        let tenants = Tenants(Keysets([Keyset(subscribeKey: "a")]))
        func hello(_ keyset: String) -> OperationOutcome {
            Operations.hello(
                Hello(userID: "ada", deviceID: "phone", keyset: keyset), session: session,
                engine: StandInEngine(), tenants: tenants)
        }

        #expect(throws: ProtocolError.unknownKeyset("x")) { try hello("x").get() }
        #expect(session.author == nil)
        #expect(throws: Never.self) { try hello("a").get() }
        #expect(throws: ProtocolError.helloAgain) { try hello("a").get() }
    }
}
