// A row of a channel's list: a message with its decoded payload and its bubbles.

public import EventModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One message as a screen shows it.
public struct ChannelItem<Payload: Codable & Sendable>: Identifiable, Sendable {
    /// What a message says.
    public enum Content: Sendable {
        case payload(Payload)
        /// Something of another client or release; ``ChannelItem/raw`` has it as it is.
        case unreadable(reason: String)
    }

    /// All that the client knows of it.
    public internal(set) var source: ListItem
    public internal(set) var content: Content
    /// When it was accepted; while it is on its way, when it was written here.
    public internal(set) var date: Date
    /// The beginning of the day that it is of, in the model's calendar.
    public internal(set) var day: Date
    /// What people said of it, in the model's order.
    public internal(set) var bubbles: [Bubble]
    /// Whether the user wrote it, on whatever device.
    public internal(set) var isOwn: Bool

    /// Stays the same as long as the message is in the list, also when it is accepted.
    public var id: ListItem.ID { source.id }
    /// `nil` for what cannot be decoded.
    public var payload: Payload? {
        if case .payload(let payload) = content { payload } else { nil }
    }
    /// JSON text.
    public var raw: String { source.message.payload }
    public var author: String { source.uuid }
    /// `nil` while it is on its way.
    public var timetoken: Timetoken? { source.timetoken }
    public var isPending: Bool { source.isPending }
    public var isEdited: Bool { source.isEdited }
    /// Whether its author said that it is as good as deleted.
    public var isDeleted: Bool { source.isDeleted }
    /// The message in whose thread it is a reply.
    public var parent: Timetoken? { source.parent }
    public var threadCount: Int { source.threadCount }
}

/// The messages of one calendar day.
public struct ChannelDay<Payload: Codable & Sendable>: Identifiable, Sendable {
    /// Where the day begins.
    public let date: Date
    public let items: ArraySlice<ChannelItem<Payload>>

    /// The first message's, too: a clock that was set back may bring a day twice.
    public let id: ID

    public struct ID: Hashable, Sendable {
        let date: Date
        let first: ListItem.ID
    }

    /// - Complexity: O(n) comparisons; nothing is copied.
    static func days(of items: [ChannelItem<Payload>]) -> [ChannelDay] {
        var days: [ChannelDay] = []
        var start = items.startIndex
        for index in items.indices
        where index + 1 == items.endIndex || items[index + 1].day != items[index].day {
            let id = ID(date: items[start].day, first: items[start].id)
            days.append(ChannelDay(date: items[start].day, items: items[start...index], id: id))
            start = index + 1
        }
        return days
    }
}
