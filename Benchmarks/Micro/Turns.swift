// Whole turns of the hub: events in, one write per follower out.

enum Turns {
    /// A kind of turn that is measured with fewer and with more followers.
    private struct Kind {
        let title: String
        let events: Int
        var channels = 1
    }

    private static let kinds = [
        Kind(title: "1 event", events: 1),
        Kind(title: "50 events", events: 50),
        // Their frames go through the queues of the sessions, and leave in one write.
        Kind(title: "1 event in each of 2 channels", events: 2, channels: 2),
    ]

    static func measure(_ watch: Stopwatch, into table: inout CostTable) {
        let many = min(10_000, watch.effort.sizeMax)
        for kind in kinds {
            let few = add(kind, followers: many / 10, watch, into: &table)
            let more = add(kind, followers: many, watch, into: &table)
            table.add(
                "… what each further delivery adds",
                more.marginal(over: few, parts: (many - many / 10) * kind.events))
        }
        table.add(
            "turn with an event for a channel that nobody follows",
            HubLoad(followers: many / 10).unheardTurn(watch, turns: 10 * many))
    }

    private static func add(
        _ kind: Kind, followers: Int, _ watch: Stopwatch, into table: inout CostTable
    ) -> Cost {
        let load = HubLoad(followers: followers, channels: kind.channels)
        // About a million writes in each round.
        let turns = max(1, 100 * watch.effort.sizeMax / followers / 10)
        let cost = load.turn(watch, turns: turns, events: kind.events)
        let deliveries = followers * kind.events
        table.add("turn: \(kind.title) to \(followers) followers", cost)
        table.add("… per delivery", cost.divided(by: deliveries))
        return cost
    }
}
