// Reads under way, so that devices which need the same page wait for one read.

import EventModel

/// Pages that readers were asked for, with the subscriptions that wait for each.
struct Flights {
    /// What a read answers.
    struct Page: Hashable {
        let channel: Channel
        let start: ChangeStart
    }

    /// A subscription as it was when it began to wait; set back it has another serial.
    struct Passenger {
        let subscription: Subscription
        let serial: Int
    }

    private var open: [Page: PageNumber] = [:]
    private var flights: [PageNumber: (page: Page, passengers: [Passenger])] = [:]
    /// Names the next read.
    private(set) var next: PageNumber = 1

    /// Adds a subscription to a read that is under way.
    ///
    /// - Returns: `false` when there is none of this page.
    mutating func join(_ page: Page, _ subscription: Subscription) -> Bool {
        guard let flight = open[page] else { return false }
        flights[flight]?.passengers.append(
            Passenger(subscription: subscription, serial: subscription.serial))
        return true
    }

    /// Takes a read that was asked for under the name ``next``.
    mutating func begin(_ page: Page, with subscription: Subscription) {
        open[page] = next
        flights[next] = (
            page, [Passenger(subscription: subscription, serial: subscription.serial)]
        )
        next += 1
    }

    /// Ends a read, and says of what it was and who waited for it; `nil` when it is unknown.
    mutating func land(_ flight: PageNumber) -> (page: Page, passengers: [Passenger])? {
        guard let landed = flights.removeValue(forKey: flight) else { return nil }
        open[landed.page] = nil
        return landed
    }

    func checkInvariants() {
        precondition(open.count == flights.count, "A page is read once at a time.")
        for (page, number) in open {
            precondition(flights[number]?.page == page, "A read that is joined is under way.")
        }
    }
}
