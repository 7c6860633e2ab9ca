// Who is let in: asked in one place for all doors.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Gate")
struct GateTests {
    private static func tenants() -> Tenants {
        var guarded = Keyset(subscribeKey: "guarded")
        guarded.isAccessControlled = true
        return Tenants(Keysets([Keyset(subscribeKey: "open"), guarded]))
    }

    @Test(
        "a tenant that exists lets clients in",
        arguments: [
            ("open", nil), ("guarded", nil), ("gone", ProtocolError.unknownKeyset("gone")),
        ] as [(String, ProtocolError?)])
    func admits(key: String, refusal: ProtocolError?) {
        let tenants = Self.tenants()
        do throws(ProtocolError) {
            #expect(try tenants.admit(to: key).subscribeKey == key)
        } catch {
            #expect(error == refusal)
        }
    }

    @Test("without keysets every key names the standard one")
    func standard() throws {
        #expect(try Tenants().admit(to: "any").subscribeKey == Channel.defaultKeyset)
    }

    @Test("whose tenant is gone has no other in its place", arguments: [true, false])
    func gone(areAllGone: Bool) throws {
        let tenants = Self.tenants()
        let author = Author(keyset: "guarded", userID: "ada", deviceID: "")
        #expect(try tenants.tenant(of: author).subscribeKey == "guarded")

        _ = tenants.replace(with: areAllGone ? Keysets() : Keysets([Keyset(subscribeKey: "open")]))

        #expect(throws: ProtocolError.unknownKeyset("guarded")) {
            try tenants.tenant(of: author)
        }
    }
}
