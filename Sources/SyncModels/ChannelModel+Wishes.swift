// What a user does with a channel: seen at once, kept, and sent when there is a connection.

import EventModel
public import SyncClient

extension ChannelModel {
    /// Publishes a message; the others see it now, or when there is a connection again.
    ///
    /// - Parameters:
    ///   - payload: What it says.
    ///   - type: What the message says that it is, if anything.
    ///   - parent: The row to which it is a reply.
    public func send(
        _ payload: Payload, type: String? = nil, inReplyTo parent: Item? = nil
    ) async throws(SyncClientError) {
        let text = try coding.text(of: payload)
        let parent: Timetoken? = if let parent { try position(of: parent) } else { nil }
        let channel = try followed
        // The message says that the typing is over.
        toldTyping = nil
        try await channel.publish(Message(payload: text, type: type, parent: parent))
    }

    /// Gives a message of the user's own another text.
    public func edit(_ item: Item, to payload: Payload) async throws(SyncClientError) {
        let text = try coding.text(of: payload)
        try await followed.edit(position(of: item), payload: text)
    }

    /// Deletes a message of the user's own, with the reactions to it; needs a connection.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    public func delete(_ item: Item) async throws(SyncClientError) -> Bool {
        try await followed.delete(position(of: item))
    }

    /// Takes the user's reaction away where it stands, and adds it where it does not.
    ///
    /// - Returns: Whether it is there now.
    @discardableResult
    public func toggle(_ value: String, on item: Item) async throws(SyncClientError) -> Bool {
        try await followed.toggle(value, on: position(of: item))
    }

    /// Brings messages before the first row, at least so many where there are.
    @discardableResult
    public func loadOlder(_ count: Int = 50) async throws(SyncClientError) -> OlderMessages {
        let channel = try followed
        isLoadingOlder = true
        defer { isLoadingOlder = false }
        let result = try await channel.loadOlder(count)
        hasOlder = result != .beginning
        return result
    }

    /// Says that the user has read up to a row, on all of the user's devices.
    ///
    /// - Parameter item: `nil`: the newest.
    public func markRead(through item: Item? = nil) async throws(SyncClientError) {
        let through: Timetoken? = if let item { try position(of: item) } else { nil }
        try await followed.markRead(through: through)
    }

    // MARK: Typing

    /// Tells the others that the user types; for every keystroke, as most of them send nothing.
    ///
    /// Without a connection nobody hears of it, and later it would be worth nothing.
    public func typed() {
        let now = clock.now()
        if let toldTyping, now - toldTyping < TypingState.pause { return }
        toldTyping = now
        signal(TypingState.started)
    }

    /// Tells them that the user does not type any more; ``send(_:type:inReplyTo:)`` says so itself.
    public func stoppedTyping() {
        guard toldTyping != nil else { return }
        toldTyping = nil
        signal(TypingState.ended)
    }

    private func signal(_ message: Message) {
        let (client, name, earlier) = (client, name, typingSignal)
        typingSignal = Task {
            await earlier?.value
            // Who does not hear it misses nothing.
            _ = try? await client.signal(message, to: name)
        }
    }

    // MARK: Rows

    private var followed: SyncedChannel {
        get throws(SyncClientError) {
            guard let channel = reading?.channel else { throw .followedOtherwise(name) }
            return channel
        }
    }

    /// Where the message of a row stands; the row may be one that was accepted since.
    private func position(of item: Item) throws(SyncClientError) -> Timetoken {
        let known = item.timetoken ?? items.last { $0.id == item.id }?.timetoken
        guard let known else { throw .invalidMessage(reason: "it is still on its way") }
        return known
    }
}
