// What the ledger is asked, and what it answers.

import Basis
import EventModel
import JSON

/// Where an answer goes.
struct Origin: Sendable, Hashable {
    let reactor: Int
    let session: SessionID
    let command: CommandID
}

/// One change that somebody wants.
struct Write: Sendable, Hashable {
    enum Operation: Sendable, Hashable {
        /// - Parameter hoursKept: After so many the message is deleted; 0 keeps it.
        case publish(Message, hoursKept: Int = 0)
        /// - Parameters:
        ///   - score: What it is to count for; `nil`: as the rules have it.
        ///   - under: What holds in the channel. The key is as somebody wrote it: else a retry
        ///     after a change of the rules would be another write.
        case add(MessageAction.Key, score: Int? = nil, under: ReactionRules = ReactionRules())
        /// - Parameters:
        ///   - observed: The action that the device saw; any, when it does not say.
        ///   - under: Likewise.
        case remove(
            MessageAction.Key, observed: Timetoken?, under: ReactionRules = ReactionRules())
        /// Removes the action that was added at a moment, if it is the user's own.
        case removeAction(
            messageTimetoken: Timetoken, actionTimetoken: Timetoken, userID: String,
            under: ReactionRules = ReactionRules())
        /// Gives a message of the author's own another text: the key's value, as compact JSON.
        case edit(MessageAction.Key, under: ReactionRules = ReactionRules())
        /// Deletes a message of the author's own, and the actions on it.
        case deleteMessage(Timetoken)
        /// Deletes the channel's messages in a range, and the actions on them.
        ///
        /// The range leaves its start out and holds its end.
        case deleteMessages(after: Timetoken, through: Timetoken)
        /// Removes actions, whoever added them; one that names a value names its type.
        case clear(Clearing, under: ReactionRules = ReactionRules())
        /// The write's channel plays no part in it.
        case changeGroup(ChannelGroup, GroupChange)
        /// Nor in this.
        case revoke(RevokedToken)
        /// Nor its name in this: all are of the channel's keyset, and each is for something else.
        case grant([KeyGrant])
        /// The author has read the channel up to here.
        case markRead(through: Timetoken)
        /// Changes entries of a directory; those of a membership in both of its directories.
        case changeDirectory(DirectoryRequest)
        /// The write's channel plays no part in this.
        ///
        /// - `owner`: whose channels they are; `nil`: whosoever's.
        case changeDevice(PushDevice, PushChange, owner: String? = nil)
        case changeFile(FileChange)
    }

    let origin: Origin
    let author: Author
    let channel: Channel
    private(set) var operation: Operation
    /// Makes a retry apply at most once.
    let mutation: String?
    /// How long its author wants a message to be kept; `nil`: as the keyset has it.
    let hoursAsked: Int?
    /// Whether a server of the tenant's owner sends it, in whoever's name.
    let isOfServer: Bool
    /// Tells it from others under its mutation; zero without one.
    private(set) var fingerprint: UInt64 = 0
    /// When it was submitted, in microseconds of this machine's clock that never steps back; 0:
    /// nobody measures it.
    var asked: UInt64 = 0
    /// Notes what becomes of it when; `nil`: nobody looks.
    var trace: Trace?

    /// - Parameter fingerprint: Of what its author wrote, where that may have been changed since;
    ///   `nil`: of this.
    init(
        origin: Origin, author: Author, channel: Channel, operation: Operation, mutation: String?,
        hoursAsked: Int? = nil, isOfServer: Bool = false, fingerprint: UInt64? = nil
    ) {
        self.origin = origin
        self.author = author
        self.channel = channel
        self.operation = operation
        self.mutation = mutation
        self.hoursAsked = hoursAsked
        self.isOfServer = isOfServer
        // Here, and not when it is needed: the ledger has one thread for all.
        if mutation != nil {
            self.fingerprint = fingerprint ?? Self.fingerprint(self, of: \.canonicalText)
        }
    }

    /// Another write with the same fingerprint: a retry is what its author wrote again.
    func changed(to operation: Operation) -> Write {
        var write = self
        write.operation = operation
        return write
    }
}

/// Where what becomes visible goes.
protocol CommitReceiver: Sendable {
    /// Takes each step, in order; it may post to mailboxes, and must not ask the order.
    func publish(_ step: Commit)
}

/// What became of one write.
struct Answer: Sendable, Hashable {
    let origin: Origin
    let result: Result<Reply, ProtocolError>

    var isRefused: Bool {
        if case .failure = result { true } else { false }
    }
}

/// One step of the engine: everything in it became visible at once.
///
/// A durable commit, or announcements between two of them.
struct Commit: Sendable {
    /// Ascending by timetoken, and after everything in earlier commits.
    var events: [Envelope] = []
    var answers: [Answer] = []
    /// Each group that changed, once, with all its channels.
    var groups: [GroupMembership] = []
    /// Tokens that were taken back.
    var revoked: [RevokedToken] = []
    /// Those that need not be remembered any more.
    var forgottenRevoked: [RevokedToken] = []
    /// What was granted by version 2, and taken back, in this order.
    var keyGrants: [KeyGrant] = []
    /// Those whose time is over.
    var forgottenKeyGrants: [KeyGrantSubject] = []
    /// Where read marks are from now on.
    var readMarks: [MovedMark] = []
    /// What moderators took away.
    var cleared: [ClearingRecord] = []
    /// What somebody deleted; not what was over.
    var deleted: [DeletionRecord] = []
    /// What it did about webhooks, if anything.
    var outbox: OutboxNews?
    /// The state after it of every channel that has a stored event in it.
    var digests: [Channel: Digest] = [:]
    /// Every later event is after this.
    var last: Timetoken = .zero
    /// The store's own last timetoken, when this is its commit: a cursor that survives a restart.
    var durable: Timetoken?
    /// What the store's ceiling is from now on, when this raised it; see ``EventOrder``.
    var ceiling: Timetoken?
    /// What may be forgotten after it, when this is the store's.
    var floors: StoreFloors?
    /// When it was made, as ``Write/asked``.
    var made: UInt64 = 0
    /// Of writes in it.
    var traces: [Trace] = []
}

extension Commit {
    /// Whether it takes back something that somebody may have opened.
    var takesBack: Bool { !revoked.isEmpty || keyGrants.contains { $0.bits == 0 } }

    /// What each reactor is told of it; `nil`: nothing.
    ///
    /// - Parameter wanted: For each event, the reactors that want it.
    func parts(for reactorCount: Int, wanted: [ReactorSet]) -> [Commit?] {
        var answers = [[Answer]](repeating: [], count: reactorCount)
        for answer in self.answers { answers[answer.origin.reactor].append(answer) }
        return (0..<reactorCount).map { number in
            var part = self
            part.answers = answers[number]
            // Mostly everybody wants all of it or none: then nothing is copied.
            let count = wanted.count { $0[number] }
            if count == 0 {
                part.events = []
            } else if count < events.count {
                part.events = zip(events, wanted).filter { $1[number] }.map(\.0)
            }
            let isEmpty =
                part.events.isEmpty && part.answers.isEmpty && groups.isEmpty
                && readMarks.isEmpty && !takesBack
            return isEmpty ? nil : part
        }
    }
}

extension Write {
    /// Bytes that it takes while it waits.
    var size: Int {
        let names = [channel.name, author.userID, author.deviceID, mutation ?? ""] + texts
        return names.reduce(HeapBytes.place(of: Self.self)) { $0 + HeapBytes.string($1) }
    }

    /// What it holds of its own, and may be long.
    private var texts: [String] {
        switch operation {
        case .publish(let message, _): [message.payload, message.meta ?? "", message.type ?? ""]
        case .add(let key, _, _), .remove(let key, _, _), .edit(let key, _):
            [key.type, key.value, key.uuid]
        case .removeAction(_, _, let userID, _): [userID]
        case .deleteMessage, .deleteMessages, .revoke, .markRead: []
        case .clear(let clearing, _): clearing.fields
        case .grant(let grants): grants.flatMap(\.texts)
        case .changeDirectory(let request): request.changes.flatMap(\.fields)
        case .changeDevice(let device, let change, let owner):
            device.fields + change.fields + [owner ?? ""]
        case .changeFile(let change): change.fields
        case .changeGroup(let group, .delete): [group.name]
        case .changeGroup(let group, .add(let channels)),
            .changeGroup(let group, .remove(let channels)):
            [group.name] + channels
        }
    }

    /// Whether a mutation that was remembered with this fingerprint is this write.
    ///
    /// Releases up to 0.1 took the order of members for a part of what a message says.
    func hasFingerprint(_ remembered: UInt64) -> Bool {
        remembered == fingerprint
            || remembered == Self.fingerprint(self, of: \.textOfEarlierReleases)
    }

    /// Tells one write from another under a reused mutation id.
    ///
    /// The same for all spellings of one JSON value: a retry may come from a dictionary whose order
    /// is another. FNV-1a: the same in every process.
    ///
    /// - Source: Fowler, Noll, Vo; draft-eastlake-fnv.
    fileprivate static func fingerprint(
        _ write: Write, of spelling: (JSONValue) -> String
    ) -> UInt64 {
        func spelled(_ json: String) -> String {
            (try? JSONValue(parsing: json, depthMax: Limits.jsonDepthMax)).map(spelling) ?? json
        }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            // No UTF-8 text holds this byte: "ab","c" and "a","bc" differ.
            hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01b3
        }
        mix(write.channel.name)
        switch write.operation {
        case .publish(let message, _):
            mix("publish")
            mix(spelled(message.payload))
            mix(message.meta.map(spelled) ?? "")
            mix(message.type ?? "")
            if let parent = message.parent { mix("parent \(parent)") }
            // Not what the keyset says: its owner may change that between a write and its retry.
            if let hoursAsked = write.hoursAsked { mix("\(hoursAsked)") }
        case .add(let key, let score, _):
            mix("add")
            for field in key.fields { mix(field) }
            if let score { mix("\(score)") }
        case .remove(let key, let observed, _):
            mix("remove")
            for field in key.fields { mix(field) }
            mix(observed?.description ?? "")
        case .removeAction(let message, let action, let userID, _):
            mix("removeAction")
            for field in [message.description, action.description, userID] { mix(field) }
        case .edit(let key, _):
            mix("edit")
            mix(key.messageTimetoken.description)
            mix(spelled(key.value))
        case .deleteMessage(let message):
            mix("deleteMessage")
            mix(message.description)
        case .deleteMessages(let start, let end):
            mix("deleteMessages")
            mix(start.description)
            mix(end.description)
        case .clear(let clearing, _):
            mix("clear")
            for field in clearing.fields { mix(field) }
        case .changeGroup(let group, let change):
            for field in ["changeGroup", group.name] + change.fields { mix(field) }
        case .revoke(let token):
            mix("revoke")
            mix(token.id.text)
        case .markRead(let through):
            mix("markRead")
            mix(through.description)
        case .changeDirectory(let request):
            for field in request.fields { mix(field) }
        case .changeDevice(let device, let change, _):
            for field in ["changeDevice"] + device.fields + change.fields { mix(field) }
        case .changeFile(let change):
            for field in ["changeFile"] + change.fields { mix(field) }
        case .grant(let grants):
            mix("grant")
            for grant in grants {
                for text in grant.texts { mix(text) }
                mix("\(grant.bits) \(grant.expiry)")
            }
        }
        return hash
    }
}

extension GroupChange {
    fileprivate var fields: [String] {
        switch self {
        case .add(let channels): ["add"] + channels
        case .remove(let channels): ["remove"] + channels
        case .delete: ["delete"]
        }
    }
}

extension MessageAction.Key {
    fileprivate var fields: [String] { [messageTimetoken.description, type, value, uuid] }
}

extension Clearing {
    /// One that is absent is not one that is empty.
    fileprivate var fields: [String] {
        [messageTimetoken?.description, type, value, userID].flatMap {
            $0.map { ["+", $0] } ?? ["-"]
        }
    }
}

extension DirectoryRequest {
    fileprivate var fields: [String] {
        ["changeDirectory", directory.channelName, expected?.description ?? ""]
            + changes.flatMap(\.fields)
    }
}

extension EntryChange {
    /// One that takes a field away is not one that leaves it.
    fileprivate var fields: [String] {
        switch kind {
        case .remove: ["remove", id]
        case .set(let fields):
            ["set", id] + fields.flatMap { [$0.name] + ($0.value.map { ["+", $0] } ?? ["-"]) }
        }
    }
}

extension KeyGrant {
    fileprivate var texts: [String] {
        [subject.keyset.string, subject.name.string, subject.authKey?.string ?? ""]
    }
}
