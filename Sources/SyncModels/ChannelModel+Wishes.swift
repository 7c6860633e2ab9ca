// What a user does with a channel: seen at once, kept, and sent when there is a connection.

import EventModel
public import SyncClient

extension ChannelModel {
    /// Publishes a message; the others see it now, or when there is a connection again.
    ///
    /// Its row is there when this returns.
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
        await rowsTaken()
    }

    /// Gives a message of the user's own another text, which its row has when this returns.
    public func edit(_ item: Item, to payload: Payload) async throws(SyncClientError) {
        let text = try coding.text(of: payload)
        try await followed.edit(position(of: item), payload: text)
        await rowsTaken()
    }

    /// Deletes a message of the user's own, with the reactions to it; needs a connection.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    public func delete(_ item: Item) async throws(SyncClientError) -> Bool {
        try await followed.delete(position(of: item))
    }

    /// Takes the user's reaction away where it stands, and adds it where it does not; its bubble
    /// says so when this returns.
    ///
    /// - Returns: Whether it is there now.
    @discardableResult
    public func toggle(_ value: String, on item: Item) async throws(SyncClientError) -> Bool {
        let isPresent = try await followed.toggle(value, on: position(of: item))
        await rowsTaken()
        return isPresent
    }

    /// Brings messages before the first row, at least so many where there are.
    ///
    /// Without a connection it waits for one, until its task is cancelled.
    @discardableResult
    public func loadOlder(_ count: Int = 50) async throws(SyncClientError) -> OlderMessages {
        let channel = try followed
        olderCalls += 1
        defer { olderCalls -= 1 }
        let result = try await channel.loadOlder(count)
        await rowsTaken()
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
            guard let reading, let channel = reading.channel, reading.updates != nil else {
                throw .notStarted(name)
            }
            return channel
        }
    }

    /// Waits until the rows have what the client changed before this, or the model is stopped.
    private func rowsTaken() async {
        await reading?.updates?.taken()
    }

    /// Where the message of a row stands; the row may be one that was accepted since.
    private func position(of item: Item) throws(SyncClientError) -> Timetoken {
        let known = item.timetoken ?? items.last { $0.id == item.id }?.timetoken
        guard let known else { throw .pendingMessage }
        return known
    }
}
