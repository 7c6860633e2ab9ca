// Who is let in while memory is short, and what is said to the others.

import EventModel
import Synchronization
import Testing

@testable import SyncDaemon

@Suite("Memory that is short, at the doors")
struct MemoryShortTests {
    /// - Parameter percent: Of what the process may have is used.
    private func bench(_ percent: Int, guarded: Bool = false) -> AccessBench {
        let pressure = MemoryPressure(max: 100_000) { percent * 1000 }
        pressure.look(at: 1)
        var keyset = AccessBench.keyset
        keyset.isAccessControlled = guarded
        return AccessBench(keyset: keyset, accounts: Accounts(pressure: pressure))
    }

    private static let publish = "/publish/pub/sub/0/room/0/1"
    private static let groups = "/v1/channel-registration/sub-key/sub/channel-group"

    @Test("who gives memory back is let in, whoever comes new is not", arguments: [90, 99])
    func relief(percent: Int) {
        let bench = bench(percent)
        #expect(bench.status(.get, Self.publish, token: nil) == 503)
        #expect(bench.status(.get, Self.groups + "/friends?add=room", token: nil) == 503)
        #expect(bench.asked == 0)
        for target in ["\(Self.groups)/friends?remove=room", "\(Self.groups)/friends/remove"] {
            #expect(bench.status(.get, target, token: nil) == nil)
        }
        #expect(
            bench.status(.delete, "/v3/history/sub-key/sub/channel/room", token: nil) == nil)
        #expect(
            bench.status(
                .delete, "/v1/message-actions/sub/channel/room/message/17/action/18", token: nil)
                == nil)
        #expect(bench.asked == 4)
        #expect(bench.accounts.pressure.refusals.value == 2)
    }

    @Test("what a backend signs is carried out")
    func signed() {
        let bench = bench(99, guarded: true)
        #expect(bench.signedStatus(.get, Self.publish) == nil)
        #expect(bench.signedStatus(.get, Self.publish, with: "another") == 403)
        #expect(bench.asked == 1)
    }

    @Test("a keyset that wrote something is no newcomer, though nobody of it is here")
    func afterRestart() {
        let bench = bench(80)
        #expect(bench.status(.get, Self.publish, token: nil) == 503)
        bench.accounts.account(of: "sub").set(.channels, 1)
        #expect(bench.status(.get, Self.publish, token: nil) == nil)
    }

    @Test("the refusal names memory; a poll's has the status after which SDKs go on")
    func words() {
        let bench = bench(90)
        for (target, status) in [(Self.publish, 503), ("/v2/subscribe/sub/room/0?tt=0", 429)] {
            let response = bench.ask(bench.newConnection(), target, token: nil)
            #expect(response?.status == status)
            #expect(response?[header: "Retry-After"] == "1")
            let body = String(decoding: response?.body ?? [], as: UTF8.self)
            #expect(body.contains("memory_max"))
        }
    }
}
