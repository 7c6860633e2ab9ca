// The table of what may hold for a channel: in a section [keyset NAME] for all, or in a namespace.

import EventModel

extension ChannelSettings {
    static let keys = messageKeys + reactionKeys + presenceKeys + fileKeys

    private static let messageKeys: [SettingKey<ChannelSettings>] = [
        .yesOrNo(
            "store", into: \.keepsMessages,
            "Whether messages are stored. With no, none is, whatever its publisher says."),
        .number(
            "retention_hours", 0...876_000, into: \.hoursKept,
            "Hours after which messages are deleted. 0 keeps them."),
        .number(
            "least_window", 0...Limits.batchWindowMax, into: \.batchWindow,
            "Milliseconds that events wait for more, if longer than [limits] batch_window."),
        .yesOrNo(
            "delete", into: \.allowsDeleting, "Whether clients may delete messages."),
    ]

    private static let presenceKeys: [SettingKey<ChannelSettings>] = [
        .yesOrNo(
            "presence", into: \.hasPresence, "Whether clients can ask who is in a channel."),
        .number(
            "presence_timeout", Limits.presenceSecondsMin...Limits.presenceSecondsMax,
            into: \.presenceSeconds,
            "Seconds that a user is in a channel after a heartbeat or a poll that names no time."),
        .number(
            "presence_timeout_min", Limits.presenceSecondsMin...Limits.presenceSecondsMax,
            into: \.presenceSecondsMin,
            "The least seconds that a heartbeat or a poll may name; fewer are taken for these."),
        .number(
            "announce_max", 0...10_000, into: \.announceMax,
            "Users in a channel above which single joins and leaves are no longer announced."),
        .number(
            "announce_interval", 10...86_400, into: \.intervalSeconds,
            "Seconds between two announcements of how many users are in such a channel."),
        .yesOrNo(
            "presence_deltas", into: \.sendsDeltas,
            "Whether those announcements also say who came and who left."),
    ]

    private static let fileKeys: [SettingKey<ChannelSettings>] = [
        .yesOrNo(
            "files", into: \.files.isOn,
            "Whether channels have files, which PubNub's SDKs bring and fetch. They are kept in the"
                + " directory files below that of the data."),
        .number(
            "max_file_bytes", 1...Limits.fileBytesMax, bytes: true, into: \.files.bytesMax,
            "Bytes of one file."),
        .list(
            "file_types", into: \.files.types,
            expected: "media types separated by commas, such as image/*, application/pdf",
            "What files may be, by what the ends of their names say. Without any: anything.",
            parse: { MediaRange($0) }, format: { $0.text }
        ).with(\.elementsMax, Limits.fileTypesMax),
    ]
}

extension SettingKey {
    /// The same row in the table of what holds this root.
    func inside<Outer>(_ path: SettingKey<Outer>.Field<Root>) -> SettingKey<Outer> {
        reading(
            { [read] text, outer in read(text, &outer[keyPath: path]) },
            { [write] outer in write(outer[keyPath: path]) },
            { [copy] from, to in copy(from[keyPath: path], &to[keyPath: path]) })
    }

    /// The same row for another root.
    func reading<Other>(
        _ read: @escaping @Sendable (String, inout Other) -> Bool,
        _ write: @escaping @Sendable (Other) -> String?,
        _ copy: @escaping @Sendable (Other, inout Other) -> Void
    ) -> SettingKey<Other> {
        SettingKey<Other>(
            section: section, name: name, flag: flag, placeholder: placeholder,
            expected: expected, summary: summary, isList: isList, elementsMax: elementsMax,
            isSecret: isSecret, isReloaded: isReloaded, example: example, read: read,
            write: write, copy: copy)
    }
}

extension SectionCollector {
    /// A time that the presence of one of these channels itself would not take.
    func contradiction(in section: Section, _ settings: ChannelSettings) -> ConfigurationError? {
        let (least, usual) = (settings.presenceSecondsMin, settings.presenceSeconds)
        guard usual < least else { return contradiction(in: section, settings.reactions) }
        if let source = source(of: "presence_timeout", in: section) {
            return .badValue(
                source, key: "presence_timeout", value: String(usual),
                expected: "presence_timeout_min, which is \(least), or more")
        }
        // Said elsewhere, both are named there.
        return source(of: "presence_timeout_min", in: section).map { source in
            .badValue(
                source, key: "presence_timeout_min", value: String(least),
                expected: "presence_timeout, which is \(usual), or less")
        }
    }
}
