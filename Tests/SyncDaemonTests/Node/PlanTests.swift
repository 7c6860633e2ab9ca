// What `syncdaemon plan` makes of what it is told.

import Testing

@testable import SyncDaemon

@Suite("Plan")
struct PlanTests {
    /// Each takes one, so that a figure is a count.
    private static let ones: MeasuredCosts = {
        var costs = MeasuredCosts()
        (costs.message, costs.reaction, costs.takenBack, costs.expired) = (1, 1, 1, 1)
        (costs.mutation, costs.channel, costs.logBytes, costs.archived) = (1, 1, 0, 1)
        (costs.base, costs.session, costs.tls, costs.followed) = (0, 1, 0, 0)
        costs.remembered = 0
        (costs.commit, costs.write, costs.turn, costs.delivery) = (0, 1, 0, 1)
        (costs.commitTakes, costs.comesBack) = (0, 1)
        (costs.comesBackPerChannel, costs.deliveryBytes, costs.comesBackBytes) = (0, 1, 0)
        return costs
    }()

    private func use(_ change: (inout PlannedUse) -> Void = { _ in }) -> PlannedUse {
        var use = PlannedUse()
        (use.users, use.messagesPerDay, use.reactionsPerDay) = (1000, 100, 400)
        (use.channels, use.followed, use.takenBack, use.messageBytes) = (50, 20, 10, 9)
        change(&use)
        return use
    }

    private func rows(_ use: PlannedUse) -> [String: Double] {
        Dictionary(
            uniqueKeysWithValues: PlannedCost(use, costs: Self.ones).rows.map {
                ("\($0.name)", $0.bytes)
            })
    }

    @Test("rows grow with the days, until what is kept for a time goes as new comes")
    func rows() {
        let early = rows(use { $0.days = 10 })
        #expect(early["messages"] == 10_000)
        #expect(early["reactions"] == 3600)
        #expect(early["removals"] == 400)
        #expect(early["mutations"] == 5400)
        #expect(early["expiries"] == 0)
        let late = rows(use { $0.days = 365 })
        #expect(late["messages"] == 365_000)
        #expect(late["removals"] == 1200)
        #expect(late["mutations"] == 16_200)
    }

    @Test("with a retention the file is as large as what is kept, whatever the day")
    func retention() {
        let kept = rows(
            use {
                $0.retention = 7
                $0.days = 365
            })
        #expect(kept["messages"] == 7000)
        #expect(kept["reactions"] == 2520)
        // Those of messages that are gone are gone, too.
        #expect(kept["removals"] == 280)
        #expect(kept["expiries"] == 3000)
        let first = rows(
            use {
                $0.retention = 7
                $0.days = 8
            })
        #expect(first["expiries"] == 100)
    }

    @Test("an archive has a copy for each day and what was written since")
    func archive() {
        let cost = PlannedCost(
            use {
                $0.archiveDays = 7
                $0.days = 10
            }, costs: Self.ones)
        #expect(cost.archiveBytes == 9 * cost.database + 8 * 540)
        // Before so many days have passed.
        let early = PlannedCost(
            use {
                $0.archiveDays = 7
                $0.days = 1
            }, costs: Self.ones)
        #expect(early.archiveBytes == 3 * early.database + 540)
        #expect(PlannedCost(use(), costs: Self.ones).archiveBytes == 0)
    }

    @Test("deliveries are writes times the devices that follow a channel")
    func deliveries() {
        let cost = PlannedCost(use { $0.busyHour = 100 }, costs: Self.ones)
        #expect(cost.devices == 100)
        #expect(cost.audience == 100 * 20 / 50)
        #expect(cost.writesPerSecond == 540 / 3600.0)
        #expect(cost.deliveriesPerSecond == cost.writesPerSecond * 40)
        #expect(cost.returnsPerSecond == 1000 * 20 / 3600.0)
        #expect(cost.cores == cost.writesPerSecond * 41 + cost.returnsPerSecond)
        #expect(cost.memory == 100)
    }

    /// Found by a day of a plan in fifteen minutes: it took twice the memory.
    @Test("what is remembered of channels takes memory, up to a bound")
    func remembered() {
        var costs = Self.ones
        costs.remembered = 2
        #expect(PlannedCost(use(), costs: costs).memory == 100 + 50 * 2)
        costs.rememberedMax = 7
        #expect(PlannedCost(use(), costs: costs).memory == 100 + 7)
        // Nobody follows the others.
        let few = use { ($0.channels, $0.users, $0.online, $0.followed) = (1000, 100, 1, 20) }
        costs.rememberedMax = 1000
        #expect(PlannedCost(few, costs: costs).memory == 1 + 20 * 2)
    }

    @Test("writes that come while the disk is busy are in one commit, and in one turn")
    func commits() {
        var costs = Self.ones
        (costs.commit, costs.write, costs.turn, costs.delivery) = (1, 0, 10, 0)
        let planned = use { $0.busyHour = 100 }
        let quick = PlannedCost(planned, costs: costs)
        #expect(quick.commitsPerSecond == 540 / 3600.0)
        #expect(quick.writing == quick.commitsPerSecond)
        #expect(quick.delivering == 10 * quick.commitsPerSecond)
        costs.commitTakes = 100
        let slow = PlannedCost(planned, costs: costs)
        // At most one at a time.
        #expect(slow.commitsPerSecond < 0.01)
        #expect(slow.writesPerSecond == quick.writesPerSecond)
    }

    @Test("no device follows more channels than there are")
    func fewChannels() {
        let cost = PlannedCost(use { $0.channels = 5 }, costs: Self.ones)
        #expect(cost.audience == cost.devices)
    }

    @Test(
        "flags are read, and what is not said follows from the users",
        arguments: [
            ([], 100_000.0, 300_000.0, 365), (["--users", "50"], 500, 1500, 365),
            (["--users=50", "--messages-per-day=7", "--days", "3"], 7, 1500, 3),
            (["--messages-per-day=0", "--reactions-per-day", "0"], 0, 0, 365),
        ])
    func flags(arguments: [String], messages: Double, reactions: Double, days: Int) throws {
        guard case .plan(let use, asJSON: false) = try Invocation.parse(["plan"] + arguments)
        else {
            Issue.record("no plan")
            return
        }
        let cost = PlannedCost(use)
        #expect(cost.messagesPerDay == messages)
        #expect(cost.reactionsPerDay == reactions)
        #expect(use.days == days)
    }

    @Test(
        "mistakes are named",
        arguments: [
            (["--users", "many"], "--users"), (["--user", "5"], "--users"),
            (["--json", "--json"], "a second time"), (["--online", "0"], "1 to 100"),
            (["--channels", "+5"], "--channels"), (["file"], "one word too many"),
            (["--channels", "0"], "from 1 to"), (["--messages-per-day", "-1"], "from 0 to"),
        ])
    func mistakes(arguments: [String], words: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try Invocation.parse(["plan"] + arguments)
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        "a service without messages, or without reactions, or with neither, takes what is left",
        arguments: [(0, 400), (100, 0), (0, 0)])
    func nothing(messages: Int, reactions: Int) {
        let planned = use { ($0.messagesPerDay, $0.reactionsPerDay) = (messages, reactions) }
        let cost = PlannedCost(planned, costs: Self.ones)
        let rows = rows(planned)
        #expect((rows["messages"] == 0) == (messages == 0))
        #expect((rows["reactions"] == 0) == (reactions == 0))
        #expect(cost.disk.isFinite && cost.memory.isFinite && cost.cores.isFinite)
        #expect((cost.writing == 0) == (messages + reactions == 0))
        #expect(!Planning.json(cost).contains("nan"))
    }

    @Test("what no single daemon can do is said")
    func tooMuch() {
        var huge = PlannedUse()
        huge.users = 10_000_000
        let text = Planning.text(huge, PlannedCost(huge))
        #expect(text.contains("more than one daemon can write"))
        #expect(text.contains("LimitNOFILE"))
        // One keyset's share of the subscriptions is smaller than all.
        huge.users = 1_100_000
        #expect(Planning.text(huge, PlannedCost(huge)).contains("subscriptions_max"))
        huge.users = 900_000
        #expect(!Planning.text(huge, PlannedCost(huge)).contains("subscriptions_max"))
    }

    @Test("the text says every row that is not empty, and fits a terminal of 100 columns")
    func text() {
        let planned = use {
            $0.archiveDays = 7
            $0.retention = 90
        }
        let cost = PlannedCost(planned)
        let text = Planning.text(planned, cost)
        #expect(text.contains("and on another disk"))
        #expect(!text.contains("several"))
        for row in cost.rows { #expect(text.contains(row.label), "\(row.label)") }
        #expect(text.contains("archive of 7 days"))
        for line in (text + HelpText.plan).split(separator: "\n") {
            #expect(line.count <= 100, "\(line)")
        }
    }
}
