// What the ledger is asked, and what it answers.

import EventModel

/// Where an answer goes.
struct Origin: Sendable, Hashable {
    let reactor: Int
    let session: SessionID
    let command: CommandID
}

/// One change that somebody wants.
struct Write: Sendable, Hashable {
    enum Operation: Sendable, Hashable {
        case publish(Message)
        case add(MessageAction.Key)
        /// - Parameter observed: The action that the device saw; any, when it does not say.
        case remove(MessageAction.Key, observed: Timetoken?)
    }

    let origin: Origin
    let author: Author
    let channel: Channel
    let operation: Operation
    /// Makes a retry apply at most once.
    let mutation: String?
}

/// What became of one write.
struct Answer: Sendable, Hashable {
    let origin: Origin
    let result: Result<Reply, ProtocolError>
}

/// One step of the engine: everything in it became visible at once.
///
/// A durable commit, or announcements between two of them.
struct Commit: Sendable {
    /// Ascending by timetoken, and after everything in earlier commits.
    var events: [Envelope] = []
    var answers: [Answer] = []
    /// Every later event is after this.
    var last: Timetoken = .zero
    /// The store's own last timetoken, when this is its commit: a cursor that survives a restart.
    var durable: Timetoken?
}

extension Write {
    /// Bytes that it keeps in memory, roughly.
    var size: Int {
        switch operation {
        case .publish(let message):
            message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + 512
        case .add(let key), .remove(let key, _): key.value.utf8.count + 512
        }
    }

    /// Tells one write from another under a reused mutation id.
    ///
    /// FNV-1a: the same in every process.
    ///
    /// - Source: Fowler, Noll, Vo; draft-eastlake-fnv.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            // No UTF-8 text holds this byte: "ab","c" and "a","bc" differ.
            hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01b3
        }
        mix(channel.name)
        switch operation {
        case .publish(let message):
            mix("publish")
            mix(message.payload)
            mix(message.meta ?? "")
            mix(message.type ?? "")
        case .add(let key):
            mix("add")
            for field in key.fields { mix(field) }
        case .remove(let key, let observed):
            mix("remove")
            for field in key.fields { mix(field) }
            mix(observed?.description ?? "")
        }
        return hash
    }
}

extension MessageAction.Key {
    fileprivate var fields: [String] { [messageTimetoken.description, type, value, uuid] }
}
