// Places for connections: never more than there are, and each is given back.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

private func peer(_ low: UInt64) -> PeerAddress { PeerAddress(high: 0, low: low) }

@Suite("Admission")
struct AdmissionTests {
    @Test("there are as many places as the limit says, for all and for one address")
    func limits() {
        let admission = Admission(reactors: 1, totalMax: 3, perAddressMax: 2)

        #expect(admission.admit(peer(1)) == 0)
        #expect(admission.admit(peer(1)) == 0)
        #expect(admission.admit(peer(1)) == nil)
        #expect(admission.total == 2)
        #expect(admission.admit(peer(2)) == 0)
        #expect(admission.admit(peer(3)) == nil)
        #expect(admission.total == 3)
    }

    @Test("operators have places of their own, and take none from clients")
    func operators() {
        let admission = Admission(reactors: 1, totalMax: 1, perAddressMax: 1)
        #expect(admission.admit(peer(1)) == 0)

        for _ in 0..<Limits.adminConnectionsMax {
            #expect(admission.admit(peer(1), at: .admin) == 0)
        }
        #expect(admission.admit(peer(1), at: .admin) == nil)
        admission.release(peer(1), from: 0)
        #expect(admission.admit(peer(1)) == 0)
        admission.release(peer(1), from: 0, at: .admin)
        #expect(admission.admit(peer(2)) == nil)
        #expect(admission.admit(peer(2), at: .admin) == 0)
        #expect(admission.total == 1 + Limits.adminConnectionsMax)
    }

    @Test("behind a proxy a place is the client's once it is known, and nobody's before")
    func proxied() {
        let admission = Admission(reactors: 1, totalMax: 4, perAddressMax: 2)
        for _ in 0..<4 { #expect(admission.admit(nil, at: .secure) == 0) }
        #expect(admission.admit(nil) == nil)

        #expect(admission.claim(peer(1)))
        #expect(admission.claim(peer(1)))
        #expect(!admission.claim(peer(1)))
        #expect(admission.claim(peer(2)))
        admission.release(nil, from: 0)
        admission.release(peer(1), from: 0, at: .secure)
        #expect(admission.claim(peer(1)))
        #expect(admission.total == 2)
    }

    @Test("a place that was given back can be taken again")
    func release() {
        let admission = Admission(reactors: 1, totalMax: 1, perAddressMax: 1)

        for _ in 0..<3 {
            #expect(admission.admit(peer(1)) == 0)
            #expect(admission.admit(peer(1)) == nil)
            admission.release(peer(1), from: 0)
            #expect(admission.total == 0)
        }
        #expect(admission.admit(peer(2)) == 0)
    }

    @Test("a /64 of IPv6 counts as one peer, IPv4 address by address")
    func addresses() {
        let admission = Admission(reactors: 1, totalMax: 9, perAddressMax: 2)
        let site: UInt64 = 0x2001_0DB8_0000_0001

        #expect(admission.admit(PeerAddress(high: site, low: 1)) != nil)
        #expect(admission.admit(PeerAddress(high: site, low: .max)) != nil)
        #expect(admission.admit(PeerAddress(high: site, low: 2)) == nil)
        #expect(admission.admit(PeerAddress(high: site + 1, low: 2)) != nil)
        for host in 1...3 as ClosedRange<UInt64> {
            #expect(admission.admit(peer(0xC000_0200 | host)) != nil)
        }
        // The place that is given back is the network's.
        admission.release(PeerAddress(high: site, low: 1), from: 0)
        #expect(admission.admit(PeerAddress(high: site, low: 3)) != nil)
        #expect(admission.admit(PeerAddress(high: site, low: 1)) == nil)
    }

    @Test("IPv4 that comes through IPv6 is IPv4, and nothing else is")
    func mapped() {
        func address(_ start: [UInt8]) -> PeerAddress {
            PeerAddress(start + [UInt8](repeating: 0, count: 12 - start.count) + [192, 0, 2, 1])
        }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        #expect(address(mapped) == peer(0xC000_0201))
        #expect(address([]) == peer(0xC000_0201))
        #expect(address(mapped).description == "192.0.2.1")
        #expect(address([0x20, 0x01]).network == PeerAddress(high: 0x2001 << 48, low: 0))
        #expect(address([UInt8](repeating: 0, count: 10) + [0xFF, 0xFE]).low >> 32 == 0xFFFE)
    }

    @Test("the reactor with the fewest connections gets the next")
    func leastLoaded() {
        let admission = Admission(reactors: 3, totalMax: 99, perAddressMax: 99)

        #expect((0..<6).map { _ in admission.admit(peer(1)) } == [0, 1, 2, 0, 1, 2])
        admission.release(peer(1), from: 2)
        admission.release(peer(1), from: 2)
        admission.release(peer(1), from: 1)
        #expect((0..<4).map { _ in admission.admit(peer(1)) } == [2, 1, 2, 0])
    }

    @Test("an address is shown as people write it")
    func descriptions() {
        #expect(peer(0x7F00_0001).description == "127.0.0.1")
        #expect(peer(0xC000_0201).description == "192.0.2.1")
        #expect(peer(1).description == "::1")
        #expect(
            PeerAddress(high: 0x2001_0DB8_0000_0001, low: 0xFFFF_0000_0000_0002).description
                == "2001:db8:0:1:ffff:0:0:2")
    }

    @Test("a place that nobody has cannot be given back")
    func doubleRelease() async {
        await #expect(processExitsWith: .failure) {
            let admission = Admission(reactors: 1, totalMax: 9, perAddressMax: 9)
            _ = admission.admit(PeerAddress(high: 0, low: 1))
            admission.release(PeerAddress(high: 0, low: 2), from: 0)
        }
    }

    @Test(
        "whatever comes and goes, the limits hold and the load is even", arguments: UInt64(1)...30)
    func invariants(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (totalMax, perAddressMax) = (20, 4)
        let admission = Admission(reactors: 3, totalMax: totalMax, perAddressMax: perAddressMax)
        var open: [(address: PeerAddress, reactor: Int)] = []
        for _ in 0..<500 {
            if generator.chance(60) {
                let address = peer(UInt64.random(in: 0..<8, using: &generator))
                let mine = open.count { $0.address == address }
                let loads = (0..<3).map { reactor in open.count { $0.reactor == reactor } }
                let reactor = admission.admit(address)
                #expect((reactor != nil) == (open.count < totalMax && mine < perAddressMax))
                guard let reactor else { continue }
                #expect(loads[reactor] == loads.min())
                open.append((address, reactor))
            } else if let index = open.indices.randomElement(using: &generator) {
                let gone = open.remove(at: index)
                admission.release(gone.address, from: gone.reactor)
            }
            #expect(admission.total == open.count)
        }
    }

    @Test("threads that come and go at once never exceed the limit, and leave nothing behind")
    func threads() async {
        let admission = Admission(reactors: 2, totalMax: 5, perAddressMax: 5)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for _ in 0..<2000 {
                        guard let reactor = admission.admit(peer(UInt64(task))) else { continue }
                        #expect(admission.total <= 5)
                        admission.release(peer(UInt64(task)), from: reactor)
                    }
                }
            }
        }
        #expect(admission.total == 0)
    }
}
