// Strangers at the link's port take places from each other, and not from daemons.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Guests of the link's port")
struct LinkGuestsTests {
    @Test("the address that has most loses its oldest")
    func crowd() {
        var guests = LinkGuests<Int>(countMax: 3)
        #expect(guests.add(1, from: "10.0.0.9").instead == nil)
        let daemon = guests.add(2, from: "10.0.0.1")
        #expect(guests.add(3, from: "10.0.0.9").instead == nil)
        for number in 4...20 {
            let instead = guests.add(number, from: "10.0.0.9").instead
            #expect(instead?.host == "10.0.0.9")
            #expect(instead?.connection == (number == 4 ? 1 : number - 2))
            #expect(guests.count == 3)
        }
        guests.remove(daemon.number)
        #expect(guests.count == 2)
    }

    @Test("where each has one, the oldest goes, and never the newest")
    func strangersFromEverywhere() {
        var guests = LinkGuests<Int>(countMax: 2)
        for number in 1...5 {
            let instead = guests.add(number, from: "10.0.0.\(number)").instead
            #expect(instead?.connection == (number > 2 ? number - 2 : nil))
        }
    }

    @Test("who has gone, or had to, leaves nothing")
    func goes() {
        var guests = LinkGuests<Int>(countMax: 1)
        let first = guests.add(1, from: "a").number
        let second = guests.add(2, from: "b").number
        guests.remove(first)
        #expect(guests.count == 1)
        guests.remove(second)
        guests.remove(second)
        #expect(guests.count == 0)
    }
}
