// A message that filters are tried on, and what they say about it.

@testable import SyncDaemon

enum FilterSamples {
    static let meta: FilterValue = .object([
        "uuid": .string("ada"), "region": .string("east"), "language": .string("en"),
        "temperature": .string("55"), "count": .number(7), "ratio": .number(0.5),
        "price": .number(-3), "isUrgent": .bool(true), "isMuted": .bool(false), "nothing": .null,
        "empty": .string(""), "quote": .string("it's \"5\" \\ *"),
        "regions": .list([.string("east"), .string("West")]),
        "scores": .list([.number(1), .string("2"), .list([.number(3)])]),
        "attributes": .object([
            "var1": .number(10), "var2": .string("20"), "two words": .number(1),
            "in": .number(4), "deep": .object(["er": .list([.object(["x": .string("y")])])]),
        ]),
        "name": .string("Müller"), "pattern": .string("a.c"), "meta": .number(9),
        "e\u{301}": .string("apart"), "\u{E9}": .string("together"),
    ])

    static let payload: FilterValue = .object([
        "text": .string("Hello World"), "score": .number(90), "tags": .list([.string("new")]),
    ])

    /// What a filter says about the message.
    static func matches(_ filter: String) throws(MessageFilterError) -> Bool {
        try matches(filter, meta: meta) { payload }
    }

    static func matches(
        _ filter: String, meta: FilterValue, payload: @escaping () -> FilterValue
    ) throws(MessageFilterError) -> Bool {
        try MessageFilter(filter)
            .verdict(on: FilteredMessage(bytes: 0, meta: meta, payload: payload)).isWanted
    }

    /// What is wrong with a filter; nil when nothing is.
    static func problem(_ filter: String) -> MessageFilterError? {
        do {
            _ = try MessageFilter(filter)
            return nil
        } catch {
            return error
        }
    }
}
