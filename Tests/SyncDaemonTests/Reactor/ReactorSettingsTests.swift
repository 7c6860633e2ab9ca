// New settings for a reactor that runs: whom they concern, and from when on.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Reactor settings")
struct ReactorSettingsTests {
    private static func keyset(_ key: String, _ change: (inout Keyset) -> Void = { _ in }) -> Keyset
    {
        var keyset = Keyset(subscribeKey: key)
        change(&keyset)
        return keyset
    }

    @Test("a window is the longer one of the daemon's and the tenant's")
    func window() {
        let settings = ReactorSettings(
            keysets: Keysets([Self.keyset("slow") { $0.defaults.batchWindow = 50 }]),
            batchWindow: 20)

        #expect(settings.window(of: Channel("room", keyset: "slow")) == 50)
        #expect(settings.window(of: Channel("room", keyset: "other")) == 20)
    }

    @Test("a bucket goes on at its new rate, and keeps no more than its new burst")
    func bucket() {
        var bucket = TokenBucket(ratePerSecond: 1000, at: 0)

        bucket.setRate(2)

        let taken = [0, 0, 0, 499, 500].map { bucket.take(at: $0) }
        #expect(taken == [true, true, false, false, true])
    }

    @Test("fewer connections than there are: nobody new comes in before enough have left")
    func admission() {
        let peer = PeerAddress(high: 0, low: 1)
        let admission = Admission(reactors: 1, totalMax: 3, perAddressMax: 3)
        for _ in 0..<3 { #expect(admission.admit(peer) == 0) }

        admission.setLimits(totalMax: 2, perAddressMax: 9)

        #expect(admission.total == 3)
        admission.release(peer, from: 0)
        #expect(admission.admit(peer) == nil)
        admission.release(peer, from: 0)
        #expect(admission.admit(peer) == 0)
    }

    @Test("who is present in a tenant that wants no presence any more leaves, and is announced")
    func presence() {
        let now = Presence.Instant(milliseconds: 0, wallSeconds: 0)
        let presence = Presence(keysets: Keysets([Self.keyset("a"), Self.keyset("b")]))
        let (ada, bob) = (
            Presence.Member(userID: "ada", keyset: "a"), Presence.Member(userID: "bob", keyset: "b")
        )
        for member in [ada, bob] { presence.beat(member, channels: ["x", "y"], at: now) }
        let later = Presence.Instant(milliseconds: 5000, wallSeconds: 5)
        #expect(presence.advance(to: later).count == 4)

        presence.apply(
            Keysets([
                Self.keyset("a") { $0.defaults.hasPresence = false },
                Self.keyset("b") { $0.defaults.announceMax = 7 },
            ]), at: later)

        #expect(presence.membershipCount == 2)
        #expect(presence.channels(of: ada).isEmpty)
        #expect(presence.channels(of: bob).count == 2)
        #expect(
            presence.tenants[ExactText("b")]?.rooms.values.map(\.settings.announceMax) == [7, 7])
        presence.beat(ada, channels: ["x"], at: later)
        #expect(presence.membershipCount == 2)
        let end = Presence.Instant(milliseconds: 9000, wallSeconds: 9)
        #expect(presence.advance(to: end).map(\.notice.action) == [.leave, .leave])
    }
}
