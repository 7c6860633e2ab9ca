// What tenants have, what their channels hold, and what is granted in them.

import EventModel
import JSON

extension Administration {
    func tenants(_ request: AdminRequest) -> [UInt8] {
        Self.json { json in
            json.beginArray("tenants")
            for account in around.accounts.all {
                json.beginObject()
                json.member("keyset", account.subscribeKey)
                if request.keysets.tenant(account.subscribeKey) == nil {
                    json.member("removed", true)
                }
                for quota in Quota.allCases {
                    let figures = account.figures(quota)
                    json.name(escaping: quota.name)
                    json.beginObject()
                    json.member("held", figures.held)
                    json.member("quota", figures.max)
                    json.member("refused", figures.refused)
                    json.endObject()
                }
                json.member("rateLimited", account.refusedCommands)
                json.endObject()
            }
            json.endArray()
        }
    }

    func channels(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let limit = try request.number("limit", in: 1...Limits.channelsListedMax, or: 20)
        if let name = request["channel"], !Channel.mayBeStored(name) {
            throw AdminError(.invalidChannel)
        }
        let reader = try makeReader()
        let keyset = try storedKeyset(request, reader)
        let (names, next): ([String], String?)
        var states: [ChannelState] = []
        do throws(StoreError) {
            if let name = request["channel"] {
                (names, next) = ([name], nil)
            } else {
                (names, next) = try list(
                    request["prefix"] ?? "", behind: request["after"], in: keyset, limit, reader)
            }
            for name in names {
                states.append(try ChannelState(of: Channel(name, keyset: keyset), reader))
            }
        } catch {
            throw .refused("\(error)")
        }
        let (followers, missing) = countFollowers(of: states.map(\.channel))
        return Self.json { json in
            json.beginArray("channels")
            for (state, count) in zip(states, followers) { json.write(state, followers: count) }
            json.endArray()
            json.member("next", next)
            json.write(missing: missing)
        }
    }

    private func makeReader() throws(AdminError) -> any StoreReader {
        do throws(StoreError) {
            return try around.makeReader()
        } catch {
            throw .refused("\(error)")
        }
    }

    /// The tenant that is meant, also one that is gone from the configuration and left channels.
    private func storedKeyset(
        _ request: AdminRequest, _ reader: any StoreReader
    ) throws(AdminError) -> String {
        let key = request["keyset"] ?? request.keysets.defaultKey
        guard request.keysets.tenant(key) == nil else { return key }
        return try names(from: "", in: key, reader).isEmpty ? request.keyset().subscribeKey : key
    }

    private func names(
        from name: String, in keyset: String, _ reader: any StoreReader
    ) throws(AdminError) -> [String] {
        do throws(StoreError) {
            return try reader.channelNames(from: name, in: keyset, limit: 1)
        } catch {
            throw .refused("\(error)")
        }
    }

    /// As a moderator's deletion of everything: followers are told, and digests agree.
    func purge(_ request: AdminRequest) throws(AdminError) -> AdminWrite {
        let name = try request.text("channel")
        guard Channel.mayBeStored(name) else { throw AdminError(.invalidChannel) }
        guard Directory(channelName: name) == nil else { throw AdminError(.directoryIsReadOnly) }
        let reader = try makeReader()
        let channel = Channel(name, keyset: try storedKeyset(request, reader))
        guard !channel.isPresence else { throw AdminError(.presenceIsReadOnly) }
        // A write makes the channel that it is for.
        let found = try names(from: name, in: channel.keyset, reader).first
        // Damaged rows of files keep nobody from the rest.
        let files =
            (try? reader.files(in: channel, after: .zero, limit: Limits.filesPurgedMax))
            ?? FilePage(files: [], next: nil)
        let isThere = found.map { ExactText($0) == ExactText(name) } ?? false
        guard isThere || !files.files.isEmpty else {
            throw .notFound("There is no channel of this name; channels lists them.")
        }
        let messages: Int
        do throws(StoreError) {
            messages = try ChannelState(of: channel, reader).messages
        } catch {
            throw .refused("\(error)")
        }
        return AdminWrite(
            channel: channel,
            operation: .deleteMessages(after: .zero, through: around.ledger.order.visible),
            taken: AdminWrite.Taken(
                messages: messages, files: files.files.count, hasMoreFiles: files.next != nil),
            files: files.files)
    }

    /// - Returns: Names, and the last of them when there are more.
    private func list(
        _ prefix: String, behind last: String?, in keyset: String, _ limit: Int,
        _ reader: any StoreReader
    ) throws(StoreError) -> (names: [String], next: String?) {
        // The first name behind another one.
        let start = last.map { max(ExactText($0 + "\u{1}"), ExactText(prefix)) }
        let found = try reader.channelNames(
            from: start?.string ?? prefix, in: keyset, limit: limit + 1
        ).filter { $0.utf8.starts(with: prefix.utf8) }
        let names = Array(found.prefix(limit))
        return (names, found.count > limit ? names.last : nil)
    }

    private func countFollowers(of channels: [Channel]) -> (counts: [Int], missing: [Int]) {
        let mailboxes = around.reactors.mailboxes
        let answers = WorkQueue<(reactor: Int, counts: [Int])>(capacity: mailboxes.count)
        for (reactor, mailbox) in mailboxes.enumerated() {
            _ = mailbox.post(.countFollowers(channels) { _ = answers.put((reactor, $0)) })
        }
        var counts = channels.map { _ in 0 }
        var missing = Set(mailboxes.indices)
        let end = Clock.monotonicMilliseconds() + UInt64(Limits.adminSeconds) * 1000
        while !missing.isEmpty {
            let now = Clock.monotonicMilliseconds()
            guard now < end, let part = answers.take(atMost: 1, waitingAtMost: end - now).first
            else { break }
            missing.remove(part.reactor)
            for (index, count) in part.counts.enumerated() { counts[index] += count }
        }
        return (counts, missing.sorted())
    }

    // MARK: Grants

    func grants(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let keyset = try request.keyset().subscribeKey
        var query = KeyGrantQuery()
        if let name = request["channel"] { query.channels = [name] }
        if let name = request["group"] { query.groups = [name] }
        let now = Int64(Clock.wallTime().seconds)
        guard let grants = around.ledger.keyGrants.granted(query, in: keyset, at: now) else {
            throw .refused(
                "There are more than \(Limits.keyGrantsPerAuditMax) grants. Name a channel or a"
                    + " group.")
        }
        return Self.json { json in
            json.beginArray("grants")
            for grant in grants { json.write(grant) }
            json.endArray()
        }
    }

    func revokedTokens(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let keyset = ExactText(try request.keyset().subscribeKey)
        let limit = try request.number("limit", in: 1...Limits.channelsListedMax, or: 20)
        // No id is a part of another: behind one is behind it with anything.
        let start = request["after"].map { $0 + "~" } ?? ""
        let found = around.ledger.revocations.all(of: keyset, from: start, limit: limit + 1)
        let page = found.prefix(limit).map(\.text)
        return Self.json { json in
            json.member("revoked", page)
            json.member("next", found.count > limit ? page.last : nil)
        }
    }
}

/// What a channel holds, as of one commit each.
struct ChannelState: Hashable, Sendable {
    let channel: Channel
    /// Of messages and of actions that stand.
    let digest: Digest
    let messages: Int
    let first: Timetoken?
    let last: Timetoken?

    /// - Complexity: O(segments of the channel).
    init(of channel: Channel, _ reader: any StoreReader) throws(StoreError) {
        self.channel = channel
        var messages = 0
        digest = try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
            try snapshot.forEachSegment(before: .end) { segment in
                messages += segment.messageCount
                return true
            }
            return snapshot.digest
        }
        self.messages = messages
        func edge(_ query: HistoryQuery) throws(StoreError) -> Timetoken? {
            try reader.history(query, in: channel).messages.first?.timetoken
        }
        last = try edge(HistoryQuery(channel: channel.name, limit: 1))
        first = try edge(HistoryQuery(channel: channel.name, after: .zero, limit: 1))
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ state: ChannelState, followers: Int) {
        beginObject()
        member("channel", state.channel.name)
        member("messages", state.messages)
        member("actions", Int(state.digest.count) - state.messages)
        member("first", quoted: state.first?.rawValue)
        member("last", quoted: state.last?.rawValue)
        member("followers", followers)
        member("digest", state.digest.text)
        endObject()
    }

    /// With its auth key, as it is named to take it back.
    fileprivate mutating func write(_ grant: KeyGrant) {
        let letters = KeyGrant.letters.filter { grant.bits & $0.bit != 0 }
        beginObject()
        member("level", "\(grant.subject.level)")
        member("name", grant.subject.name.string)
        member("authKey", grant.subject.authKey?.string)
        member("rights", letters.map(\.letter.description).joined())
        member("expires", grant.expiry == KeyGrant.never ? nil : grant.expiry)
        endObject()
    }
}
