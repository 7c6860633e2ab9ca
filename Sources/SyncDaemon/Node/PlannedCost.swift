// What a planned use takes of disk, memory, processor and network.
//
// Each figure is a product of what is done and of what one of it was measured to take;
// docs/CAPACITY.md says how, and Tests/EndToEnd/capacity.py measures them again.

import EventModel

/// What one of each takes, as it was measured.
struct MeasuredCosts: Sendable {
    // Bytes of the database's file, with all indexes and what pages leave free.
    var message = 72.0
    var reaction = 175.0
    var takenBack = 270.0
    var expired = 85.0
    var mutation = 137.0
    /// With its digest.
    var channel = 150.0
    /// What waits in the log at most, in ordinary use.
    var logBytes = 67_108_864.0
    /// Of an archive, for each commit of one write: the pages that it changes, compressed.
    var archived = 12_000.0
    // Bytes of memory.
    var base = 83_886_080.0
    var session = 1850.0
    var tls = 14_300.0
    var followed = 330.0
    /// What two reactors remember of a channel that is followed, of all of them so much at most.
    var remembered = 2 * Double(Limits.recentBytesPerChannelMax)
    var rememberedMax = Double(Limits.recentBytesMax)
    // Seconds of a processor.
    /// The disk and four threads, however many writes it has.
    var commit = 0.000_55
    var write = 0.000_047
    /// Of a commit that somebody gets, beside its deliveries.
    var turn = 0.0003
    var delivery = 0.000_007_5
    var comesBack = 0.0002
    /// For each channel that it follows.
    var comesBackPerChannel = 0.000_012
    // Seconds.
    /// Writes that come meanwhile are in the next one together.
    var commitTakes = 0.0005
    // Bytes on the wire, beside a message's own.
    var deliveryBytes = 360.0
    var comesBackBytes = 3500.0

    /// Those that a program may want to know; of the disk and memory in bytes, else in seconds.
    var named: [(name: StaticString, cost: Double)] {
        [
            ("message", message), ("reaction", reaction), ("takenBack", takenBack),
            ("expired", expired), ("mutation", mutation), ("channel", channel),
            ("archived", archived), ("base", base), ("session", session), ("tls", tls),
            ("followed", followed), ("remembered", remembered), ("commit", commit),
            ("write", write), ("turn", turn), ("delivery", delivery), ("comesBack", comesBack),
            ("comesBackPerChannel", comesBackPerChannel), ("commitTakes", commitTakes),
            ("deliveryBytes", deliveryBytes), ("comesBackBytes", comesBackBytes),
        ]
    }
}

/// What is needed on the last day of a plan.
struct PlannedCost: Sendable {
    // What the rest follows from.
    let messagesPerDay: Double
    let reactionsPerDay: Double
    let channels: Double
    let devices: Double
    /// By each of them.
    let followed: Double
    /// Devices that get each write.
    let audience: Double
    /// In the busiest hour.
    let writesPerSecond: Double
    let commitsPerSecond: Double
    let deliveriesPerSecond: Double
    let returnsPerSecond: Double

    /// Bytes in the database, by what they are for, in the order of the text.
    let rows: [(name: StaticString, label: String, bytes: Double)]
    let logBytes: Double
    let archiveBytes: Double
    /// Bytes of memory.
    let memory: Double
    /// Cores that are busy in the busiest hour.
    let writing: Double
    let delivering: Double
    let comingBack: Double
    /// Bits per second that go out in it.
    let bitsPerSecond: Double

    var database: Double { rows.reduce(0) { $0 + $1.bytes } }
    var disk: Double { database + logBytes + archiveBytes }
    var cores: Double { writing + delivering + comingBack }

    init(_ use: PlannedUse, costs: MeasuredCosts = MeasuredCosts()) {
        let users = Double(use.users)
        messagesPerDay = use.messagesPerDay.map(Double.init) ?? users * 10
        reactionsPerDay = use.reactionsPerDay.map(Double.init) ?? users * 30
        channels = use.channels.map(Double.init) ?? max(1, (users / 10).rounded(.up))
        devices = max(1, users * Double(use.online) / 100)
        followed = min(Double(use.followed), channels)
        audience = devices * followed / channels

        let days = Double(use.days)
        let kept = use.retention == 0 ? days : min(days, Double(use.retention))
        let removedPerDay = reactionsPerDay * Double(use.takenBack) / 100
        let writesPerDay = messagesPerDay + reactionsPerDay + removedPerDay
        let tombstones = min(days, Double(use.tombstoneDays))
        // What expired goes with its messages, and tombstones of reactions with theirs.
        let expired = messagesPerDay * min(tombstones, days - kept)
        rows = [
            (
                "messages", "messages",
                messagesPerDay * kept * (costs.message + Double(use.messageBytes))
            ),
            ("reactions", "reactions", (reactionsPerDay - removedPerDay) * kept * costs.reaction),
            (
                "removals", "reactions taken back, for \(Int(min(tombstones, kept))) days",
                removedPerDay * min(tombstones, kept) * costs.takenBack
            ),
            (
                "expiries", "expired messages, for \(use.tombstoneDays) days",
                expired * costs.expired
            ),
            (
                "mutations", "mutation ids, for \(use.mutationDays) days",
                writesPerDay * min(days, Double(use.mutationDays)) * costs.mutation
            ),
            ("channels", "channels", channels * costs.channel),
        ]
        logBytes = costs.logBytes
        let database = rows.reduce(0) { $0 + $1.bytes }
        // One copy of the whole a day, one from before the first, and one that is being made.
        let copies = Double(min(use.archiveDays, use.days)) + 2
        let logged = Double(min(use.archiveDays + 1, use.days))
        archiveBytes =
            use.archiveDays == 0
            ? 0 : copies * database + logged * writesPerDay * costs.archived

        let session = costs.session + (use.usesTLS ? costs.tls : 0)
        memory =
            costs.base + devices * (session + followed * costs.followed)
            + min(costs.rememberedMax, min(channels, devices * followed) * costs.remembered)

        let busy = Double(use.busyHour) / 100 / 3600
        writesPerSecond = writesPerDay * busy
        deliveriesPerSecond = writesPerSecond * audience
        returnsPerSecond = users * Double(use.returns) * busy
        commitsPerSecond = writesPerSecond / (1 + writesPerSecond * costs.commitTakes)
        writing = commitsPerSecond * costs.commit + writesPerSecond * costs.write
        // Of a write that reaches nobody there is no turn.
        delivering =
            commitsPerSecond * costs.turn * min(1, audience)
            + deliveriesPerSecond * costs.delivery
        comingBack = returnsPerSecond * (costs.comesBack + followed * costs.comesBackPerChannel)
        let share = writesPerDay == 0 ? 0 : messagesPerDay / writesPerDay
        let event = costs.deliveryBytes + share * Double(use.messageBytes)
        bitsPerSecond =
            8 * (deliveriesPerSecond * event + returnsPerSecond * costs.comesBackBytes)
    }
}
