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
        #expect(tenants.admits(key) == (refusal == nil))
        do throws(ProtocolError) {
            #expect(try tenants.admit(to: key).subscribeKey == key)
        } catch {
            #expect(error == refusal)
        }
    }

    @Test("without keysets there is the standard one")
    func standard() {
        #expect(Tenants().admits(Channel.defaultKeyset))
    }
}
