// Names and pictures for an application: the entries that a directory's list is.

public import EventModel
import JSON

/// Entries of a directory by their ids, kept in step with the list of its channel.
///
/// ```swift
/// let users = try await client.channel(Directory.users.channelName)
/// var entries = DirectoryEntries()
/// for await update in await users.updates {
///     let changed = entries.apply(update)
///     // entries["ada"]?.text("name")
/// }
/// ```
///
/// Ids are compared byte for byte.
public struct DirectoryEntries: Sendable {
    private var byID: [ExactText: DirectoryEntry] = [:]
    /// As the list is: a step that removes says where.
    private var items: [ListItem] = []

    public init() {}

    public var count: Int { byID.count }

    /// In no order.
    public var all: [DirectoryEntry] { Array(byID.values) }

    /// What is known of a user, or of the channel of this name; `nil`: nothing, or not here.
    public subscript(id: String) -> DirectoryEntry? { byID[ExactText(id)] }

    /// Follows the list, in whatever order one content goes and the next one comes.
    ///
    /// - Returns: Of whom something else is known now.
    @discardableResult
    public mutating func apply(_ update: ListUpdate) -> Set<String> {
        var changed: Set<String> = []
        switch update {
        case .all(let items):
            changed = Set(byID.keys.map(\.string))
            self.items = items
            byID = [:]
            for item in items { put(item, &changed) }
        case .changes(let changes):
            for change in changes {
                switch change {
                case .insert(let item, _), .update(let item, _): put(item, &changed)
                case .remove(let index): drop(items[index], &changed)
                case .move: break
                }
                items.apply(change)
            }
        }
        return changed
    }

    private mutating func put(_ item: ListItem, _ changed: inout Set<String>) {
        guard let entry = DirectoryEntry(item) else { return }
        let id = ExactText(entry.id)
        if let standing = byID[id], standing.timetoken > entry.timetoken { return }
        byID[id] = entry
        changed.insert(entry.id)
    }

    private mutating func drop(_ item: ListItem, _ changed: inout Set<String>) {
        guard let entry = DirectoryEntry(item) else { return }
        let id = ExactText(entry.id)
        guard byID[id]?.timetoken == entry.timetoken else { return }
        byID[id] = nil
        changed.insert(entry.id)
    }
}

extension DirectoryEntry {
    /// - Returns: `nil` for a message that is no entry, or on its way.
    init?(_ item: ListItem) {
        guard item.message.type == Directory.messageType, let timetoken = item.timetoken,
            let content = try? JSONValue(parsing: item.message.payload),
            let id = content.member("id")?.string
        else { return nil }
        self.init(id: id, content: item.message.payload, timetoken: timetoken)
    }

    /// A field that is a text, such as `name`; `nil` when there is none.
    public func text(_ field: String) -> String? {
        (try? JSONValue(parsing: content))?.member(field)?.string
    }
}

extension EntryField {
    /// A field that is a text; `nil` takes it away.
    public static func text(_ name: String, _ text: String?) -> EntryField {
        EntryField(name: name, value: text.map { JSONValue.quoted($0) })
    }
}
