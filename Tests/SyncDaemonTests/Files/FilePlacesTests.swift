// Places of uploads and downloads: nobody has all of them.

import EventModel
import Testing

@testable import SyncDaemon

/// Places that an expectation may take.
private final class Places {
    private var places: FilePlaces
    var total: Int { places.total }

    init(max: Int, perPeerMax: Int) { places = FilePlaces(max: max, perPeerMax: perPeerMax) }

    func take(for peer: FilePeer) -> FilePlaces.Verdict { places.take(for: peer) }
    func leave(_ peer: FilePeer) { places.leave(peer) }
}

@Suite("Places of files")
struct FilePlacesTests {
    private func user(_ name: String, of tenant: String = "t") -> FilePeer {
        FilePeer(tenant: ExactText(tenant), who: .user(ExactText(name)))
    }

    @Test("one user has its share, and the next one has a place")
    func users() {
        let places = Places(max: 64, perPeerMax: 8)
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
        let places = Places(max: 64, perPeerMax: 8)
        for tenant in ["a", "b", "c", "d", "e"] {
            var count = 0
            while places.take(for: user("\(count)", of: tenant)) == .letIn { count += 1 }
            #expect(count > 0, "\(tenant)")
        }
        #expect(places.total < 64)
    }

    @Test("a tenant's own servers have as many as it may")
    func backends() {
        let places = Places(max: 64, perPeerMax: 8)
        let backend = FilePeer(tenant: ExactText("t"), who: .backend)
        var count = 0
        while places.take(for: backend) == .letIn { count += 1 }
        #expect(count == 32)
    }

    @Test("without a place there is none for anybody")
    func full() {
        let places = Places(max: 1, perPeerMax: 8)
        #expect(places.take(for: user("a")) == .letIn)
        #expect(places.take(for: user("b", of: "other")) == .full)
        places.leave(user("a"))
        #expect(places.take(for: user("b", of: "other")) == .letIn)
    }
}
