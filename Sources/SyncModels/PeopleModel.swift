// Names and pictures of the users, from the directory that the client follows.

import EventModel
public import Observation
public import SyncClient

/// Somebody as a screen shows them.
public struct Person: Identifiable, Hashable, Sendable {
    public let id: String
    /// The user's name; the id where there is none.
    public let name: String
    /// The address of the picture: `profileUrl`.
    public let picture: String?

    init(id: String, _ entry: DirectoryEntry?) {
        self.id = id
        name = entry?.text("name") ?? id
        picture = entry?.text("profileUrl")
    }
}

/// The users of the tenant, for views that observe it.
///
/// The device has them without a connection, and gets what changed. One model serves all channels
/// of a client.
@MainActor @Observable
public final class PeopleModel {
    /// Those whose names or pictures were looked up, and those that changed since.
    private var people: [ExactText: Person] = [:]
    /// Why there are none, where the daemon does not let the user follow the directory.
    public private(set) var problem: ModelProblem?

    @ObservationIgnored private var entries = DirectoryEntries()
    @ObservationIgnored private let client: SyncClient
    @ObservationIgnored private var reading: Reading?
    private static let channel = Directory.users.channelName

    public init(_ client: SyncClient) {
        self.client = client
    }

    /// What is known of a user; of who is not known, the id alone.
    public subscript(id: String) -> Person {
        people[ExactText(id)] ?? Person(id: id, nil)
    }

    /// By their names.
    public var all: [Person] {
        people.values.sorted { ($0.name, ExactText($0.id)) < ($1.name, ExactText($1.id)) }
    }

    /// Follows the directory; what the device has of it is there at once.
    ///
    /// Nothing happens where it was started already.
    public func start() async throws(SyncClientError) {
        guard reading == nil else { return }
        let reading = Reading()
        self.reading = reading
        let events = await client.events()
        reading.isOwner = await !client.followedChannels.contains(Self.channel)
        let channel: SyncedChannel
        do throws(SyncClientError) {
            channel = try await client.channel(Self.channel)
        } catch {
            if self.reading === reading { self.reading = nil }
            throw error
        }
        reading.channel = channel
        let updates = await channel.updates
        let first = await Reading.first(of: updates)
        guard self.reading === reading else {
            // It was stopped meanwhile.
            if reading.isOwner { await channel.leave() }
            return
        }
        if let first { take(first) }
        reading[.events] = Task { [weak self] in
            for await event in events {
                if let problem = ModelProblem(event, of: Self.channel) { self?.problem = problem }
            }
        }
        reading[.list] = Task { [weak self] in
            for await update in updates { self?.take(update) }
        }
    }

    /// Ends reading, and leaves the directory if ``start()`` was what followed it.
    public func stop() async {
        guard let reading else { return }
        self.reading = nil
        reading.cancel()
        if reading.isOwner { await reading.channel?.leave() }
    }

    private func take(_ update: ListUpdate) {
        for id in entries.apply(update) {
            people[ExactText(id)] = entries[id].map { Person(id: id, $0) }
        }
    }
}
