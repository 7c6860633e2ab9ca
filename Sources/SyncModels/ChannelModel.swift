// A channel as a screen shows it: rows, days, people, and what is wrong.
//
// `ChannelModel+Reading.swift` has how it stays in step, `ChannelModel+Wishes.swift` what a user
// does.

public import EventModel
public import Observation
public import SyncClient

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One channel of a client, for views that observe it.
///
/// It begins to read with ``start()`` and ends with ``stop()``, or when nobody holds it any more.
/// Of one channel of a client there is one model at a time.
///
/// What a call throws is a `SyncClientError`; what the daemon refuses later is a ``problem``.
@MainActor @Observable
public final class ChannelModel<Payload: Codable & Sendable> {
    public typealias Item = ChannelItem<Payload>
    public typealias Day = ChannelDay<Payload>

    public let name: String
    /// The user of the client.
    public let userID: String

    /// Oldest first; what is on its way is last.
    ///
    /// A change of the channel changes the rows that it is about, and no others.
    public internal(set) var items: [Item] = []
    /// Where the client's connection stands.
    public internal(set) var connection = SyncClient.ConnectionState.idle
    /// Whether the list was compared with the daemon's after the last change, and is equal.
    public internal(set) var isVerified = false
    /// Whether the channel has messages before the list's; see ``loadOlder(_:)``.
    public internal(set) var hasOlder = false
    public internal(set) var isLoadingOlder = false
    /// What the user has not read, on whatever device; `nil` until the daemon has said so.
    public internal(set) var unread: Unread?
    /// What reactions there are; where there are none, rows have no bubbles.
    public internal(set) var rules = ReactionRules()
    /// Other users who type, by their ids; who began first is first.
    public internal(set) var typing: [String] = []
    /// The users who are here, by their ids: as far as this connection told, and only where the
    /// model was made with `isPresent`.
    public internal(set) var present: [String] = []
    /// How many those are, those too that are not listed.
    public internal(set) var occupancy = 0
    /// What went wrong last, until ``dismissProblem()``.
    public internal(set) var problem: ModelProblem?
    /// In which the bubbles of each row stand.
    public var order: ReactionOrder {
        didSet { arrangeBubbles() }
    }

    @ObservationIgnored let client: SyncClient
    @ObservationIgnored let window: ChannelWindow?
    @ObservationIgnored let isPresent: Bool
    @ObservationIgnored let calendar: Calendar
    @ObservationIgnored let coding: PayloadCoding<Payload>
    @ObservationIgnored let clock: ModelClock
    @ObservationIgnored var reading: Reading?
    /// How many wait for older messages.
    @ObservationIgnored var olderCalls = 0 {
        didSet { isLoadingOlder = olderCalls > 0 }
    }
    @ObservationIgnored var typists = TypingState()
    @ObservationIgnored var attendance = Attendance()
    /// When the others were last told that the user types.
    @ObservationIgnored var toldTyping: Duration?
    /// The last signal about that: the next one goes out behind it.
    @ObservationIgnored var typingSignal: Task<Void, Never>?

    /// - Parameters:
    ///   - client: Of the user.
    ///   - name: The channel's.
    ///   - window: How much the device holds; `nil`: the whole channel.
    ///   - isPresent: Whether the user is in the channel while the model is started.
    ///   - order: Of the bubbles of a row.
    ///   - calendar: Which says where a day begins.
    ///   - coding: Between messages and payloads.
    ///   - clock: For who types, and for what is on its way.
    public init(
        _ client: SyncClient, _ name: String, window: ChannelWindow? = .last(50),
        isPresent: Bool = false, order: ReactionOrder = .first, calendar: Calendar = .current,
        coding: PayloadCoding<Payload> = .json, clock: ModelClock = .system
    ) {
        self.client = client
        self.name = name
        self.window = window
        self.isPresent = isPresent
        self.order = order
        self.calendar = calendar
        self.coding = coding
        self.clock = clock
        userID = client.userID
    }

    /// The rows by calendar day.
    ///
    /// - Complexity: O(n) comparisons.
    public var days: [Day] { Day.days(of: items) }

    public func dismissProblem() {
        problem = nil
    }

    // MARK: Rows

    func take(_ update: ListUpdate) {
        switch update {
        case .all(let all):
            let known = Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            items = all.map { row($0, in: known[$0.id]) }
        case .changes(let changes):
            for change in changes { make(change) }
        }
    }

    private func make(_ change: ListChange) {
        switch change {
        case .insert(let item, let index):
            items.insert(row(item, in: nil), at: index)
            if let timetoken = item.timetoken {
                typists.wrote(item.uuid, at: timetoken)
                showTyping()
            }
        case .update(let item, let index): items[index] = row(item, in: items[index])
        case .move(let start, let end): items.insert(items.remove(at: start), at: end)
        case .remove(let index): items.remove(at: index)
        }
    }

    /// The row of an item; what is the same as before is not decoded again.
    private func row(_ item: ListItem, in old: Item?) -> Item {
        let isSaid = old.map { ExactText($0.raw) == ExactText(item.message.payload) } ?? false
        let content = isSaid ? old?.content : nil
        let date =
            item.timetoken.map { Date(timeIntervalSince1970: $0.unixSeconds) } ?? old?.date
            ?? clock.date()
        return Item(
            source: item, content: content ?? decoded(item.message.payload), date: date,
            day: old.flatMap { $0.date == date ? $0.day : nil } ?? calendar.startOfDay(for: date),
            bubbles: Bubble.bubbles(of: item, in: order, under: rules),
            isOwn: ExactText(item.uuid) == ExactText(userID))
    }

    private func decoded(_ payload: String) -> Item.Content {
        do {
            return .payload(try coding.decode(payload))
        } catch {
            return .unreadable(reason: "\(error)")
        }
    }

    func take(_ rules: ReactionRules) {
        guard rules != self.rules else { return }
        self.rules = rules
        arrangeBubbles()
    }

    private func arrangeBubbles() {
        for index in items.indices {
            let bubbles = Bubble.bubbles(of: items[index].source, in: order, under: rules)
            if bubbles != items[index].bubbles { items[index].bubbles = bubbles }
        }
    }
}
