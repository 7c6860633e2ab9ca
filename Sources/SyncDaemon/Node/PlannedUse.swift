// What `syncdaemon plan` is told: how many users there are, and what they do.

import Basis

/// How a service is used on a day like others; what is not said follows from the rest.
struct PlannedUse: Sendable {
    var users = 10_000
    /// Percent of the users whose device is connected when most are.
    var online = 10
    var messagesPerDay: Int?
    var reactionsPerDay: Int?
    /// Percent of the reactions that are taken back.
    var takenBack = 10
    var messageBytes = 150
    var channels: Int?
    /// Channels that a device follows.
    var followed = 20
    /// How often a user's device comes back in a day.
    var returns = 20
    /// Percent of a day's writes that are in its busiest hour.
    var busyHour = 12
    /// Days for which messages are kept; 0: for ever.
    var retention = 0
    var tombstoneDays = 30
    var mutationDays = 30
    /// Days for which any moment can be restored; 0: there is no archive.
    var archiveDays = 0
    var usesTLS = true
    /// The last day of the plan.
    var days = 365

    /// What stands behind `plan`, and what --help says of it.
    static let keys: [SettingKey<PlannedUse>] = [
        .number("users", 1...1_000_000_000, into: \.users, "Users that there are."),
        .number(
            "online", 1...100, into: \.online,
            "Percent of them whose device is connected when most are."),
        .optionalNumber(
            "messages_per_day", 0..., into: \.messagesPerDay,
            "Messages of all users in a day. Without it ten for each user."),
        .optionalNumber(
            "reactions_per_day", 0..., into: \.reactionsPerDay,
            "Reactions of all users in a day. Without it 30 for each user."),
        .number(
            "taken_back", 0...100, into: \.takenBack, "Percent of the reactions that are removed."),
        .number(
            "message_bytes", 1...32_768, into: \.messageBytes,
            "Bytes of a message: payload, meta and type."),
        .optionalNumber(
            "channels", 1..., into: \.channels,
            "Channels that are used. Without it one for ten users."),
        .number("followed", 1...10_000, into: \.followed, "Channels that a device follows."),
        .number(
            "returns", 0...1000, into: \.returns,
            "How often a user's device comes back in a day, with what it has."),
        .number(
            "busy_hour", 5...100, into: \.busyHour,
            "Percent of a day's writes that are in its busiest hour; 4 were an even day."),
        .number(
            "retention", 0...36_500, into: \.retention,
            "Days for which messages are kept ([namespace] retention_hours); 0 is for ever."),
        .number(
            "tombstone_days", 1...3650, into: \.tombstoneDays, "As [store] tombstone_days."),
        .number("mutation_days", 1...3650, into: \.mutationDays, "As [store] mutation_days."),
        .number(
            "archive_days", 0...3650, into: \.archiveDays,
            "As [archive] keep_days; 0: there is no archive."),
        .yesOrNo(
            "tls", into: \.usesTLS,
            "Whether clients come to [tls] listen; --tls=no: to a proxy."),
        .number("days", 1...36_500, into: \.days, "The last day of the plan."),
    ]
}

extension SettingKey<PlannedUse> {
    /// A whole number, which follows from others when it is not said.
    fileprivate static func optionalNumber(
        _ name: String, _ least: PartialRangeFrom<Int>, into path: Field<Int?>, _ summary: String
    ) -> SettingKey {
        let range = least.lowerBound...1_000_000_000_000
        return value(
            name, into: path, placeholder: "N",
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", summary,
            parse: { text in
                Int(text).flatMap { range.contains($0) && text.first != "+" ? .some($0) : nil }
            },
            format: { $0.map { "\($0)" } })
    }
}
