// Reads under way, so that devices which need the same page wait for one read.

import EventModel

/// Pages that readers were asked for, with the subscriptions that wait for each.
struct Flights {
    /// What a read answers.
    struct Page: Hashable {
        let channel: Channel
        let start: ChangeStart
        /// Where the part starts that it is of; `nil`: all of the channel.
        var window: Timetoken?
    }

    /// A subscription as it was when it began to wait; set back it has another serial.
    struct Passenger {
        let subscription: Subscription
        let serial: Int

        /// Whether it still wants what it waited for.
        var isWaiting: Bool {
            subscription.serial == serial && !subscription.session.isClosing
        }
    }

    private var open: [Page: PageNumber] = [:]
    private struct Flight {
        let page: Page
        var passengers: [Passenger] = []
        /// Passengers whose sessions are not gone.
        var waiters = 0
        let demand: Demand
    }

    private var flights: [PageNumber: Flight] = [:]
    /// Names the next read.
    private(set) var next: PageNumber = 1

    /// Adds a subscription to a read that is under way.
    ///
    /// - Returns: `false` when there is none of this page.
    mutating func join(_ page: Page, _ subscription: Subscription) -> Bool {
        guard let flight = open[page] else { return false }
        board(flight, subscription)
        return true
    }

    /// Takes a read that was asked for under the name ``next``.
    ///
    /// - Parameter demand: The read's: it ends when nobody waits any more.
    mutating func begin(_ page: Page, with subscription: Subscription, _ demand: Demand) {
        open[page] = next
        flights[next] = Flight(page: page, demand: demand)
        board(next, subscription)
        next += 1
    }

    private mutating func board(_ flight: PageNumber, _ subscription: Subscription) {
        flights[flight]?.passengers.append(
            Passenger(subscription: subscription, serial: subscription.serial))
        flights[flight]?.waiters += 1
        subscription.session.flights.append(flight)
    }

    /// Hears that a passenger's session is gone; a read for which nobody waits is over.
    ///
    /// - Complexity: O(1): thousands who wait for one page may go at once.
    mutating func leave(_ flight: PageNumber) {
        flights[flight]?.waiters -= 1
        guard let left = flights[flight], left.waiters == 0 else { return }
        left.demand.end()
        _ = land(flight)
    }

    /// Ends a read, and says of what it was and who waited for it; `nil` when it is unknown.
    mutating func land(_ flight: PageNumber) -> (page: Page, passengers: [Passenger])? {
        guard let landed = flights.removeValue(forKey: flight) else { return nil }
        open[landed.page] = nil
        return (landed.page, landed.passengers)
    }

    func checkInvariants() {
        precondition(open.count == flights.count, "A page is read once at a time.")
        for (page, number) in open {
            precondition(flights[number]?.page == page, "A read that is joined is under way.")
            precondition(flights[number]?.waiters ?? 0 > 0, "Somebody waits for each read.")
        }
    }
}
