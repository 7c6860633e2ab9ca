// Lines of an export, read.

import EventModel
import JSON

/// What is wrong with a line, in words.
struct LineFault: Error, Hashable {
    let reason: String
}

extension LineFault {
    /// In words that go on behind the number of the line, and before a full stop.
    init(_ error: JSONError) {
        reason =
            switch error {
            case .notJSON(let reason, _, let column): "it is no JSON: \(reason), column \(column)"
            case .tooDeep(let limit): "it is nested more than \(limit) levels deep"
            case .missingField(let name, _): "its \(name) is missing"
            case .wrongType(let name, let expected): "its \(name) is not \(expected)"
            }
    }
}

extension ExportHead {
    /// Reads the first line.
    init(_ line: [UInt8]) throws(LineFault) {
        let json = try LineReading(line)
        guard json.text("export") == "syncdaemon" else {
            throw LineFault(reason: "it does not begin as an export does")
        }
        let format = try json.integer("format")
        guard format == Self.format else {
            throw LineFault(
                reason: "its format is \(format), and this release reads \(Self.format)")
        }
        var selection = StoreSelection(keyset: json.text("keyset"))
        if let channels = json.value.member("channels"), channels.isArray {
            selection.channels = (0..<channels.count).compactMap {
                channels.element(at: $0).string
            }
        }
        var secret: DigestSecret?
        if let text = json.text("secret") {
            guard let read = DigestSecret(text) else { throw LineFault(reason: "no such secret") }
            secret = read
        }
        self.init(
            release: try json.needed("release"), schema: try json.integer("schema"),
            epoch: try json.needed("epoch"), last: try json.timetoken("last"), secret: secret,
            selection: selection, includesRemoved: json.value.member("tombstones")?.bool ?? false)
    }
}

extension TransferRecord {
    init(_ line: [UInt8]) throws(LineFault) {
        let json = try LineReading(line)
        if json.value.has("action") {
            self = .action(try json.action())
        } else if json.value.has("message") {
            self = .message(try json.message())
        } else if json.value.has("file") {
            self = .file(try json.file())
        } else if json.value.has("device") {
            self = try json.device()
        } else if json.value.has("group") {
            self = .grouping(
                ChannelGroup(try json.needed("group"), keyset: try json.needed("keyset")),
                channel: try json.needed("channel"))
        } else if json.value.has("channel") {
            guard let key = DigestKey(try json.needed("key")) else {
                throw LineFault(reason: "its key cannot be read")
            }
            let channel = Channel(try json.needed("channel"), keyset: try json.needed("keyset"))
            self = .channel(ChannelHead(channel: channel, key: key))
        } else if json.value.has("read") {
            self = .mark(
                KeptMark(userID: try json.needed("user"), through: try json.timetoken("read")))
        } else if json.value.has("deleted") {
            self = .deletion(
                KeptDeletion(
                    timetoken: try json.timetoken("deleted"),
                    range: MessageRange(
                        after: try json.timetoken("after"), through: try json.timetoken("through")))
            )
        } else if json.value.has("cleared") {
            self = .clearing(
                KeptClearing(
                    timetoken: try json.timetoken("cleared"),
                    clearing: Clearing(
                        messageTimetoken: try json.optionalTimetoken("on"), type: json.text("type"),
                        value: json.text("value"), userID: json.text("user"))))
        } else if let counts = json.value.member("endOfChannel") {
            self = .endOfChannel(try json.endOfChannel(counts))
        } else if let counts = json.value.member("endOfExport") {
            self = .end(try LineReading(value: counts).counts())
        } else {
            self = try json.grantOrRevoked()
        }
    }
}

/// A line that is JSON, and its fields by name.
private struct LineReading {
    let value: JSONValue

    init(value: JSONValue) {
        self.value = value
    }

    init(_ line: [UInt8]) throws(LineFault) {
        do throws(JSONError) {
            // The line is one level more than a payload.
            value = try JSONValue(parsing: line, depthMax: Limits.jsonDepthMax + 1)
        } catch {
            throw LineFault(error)
        }
        guard value.isObject else { throw LineFault(reason: "it is no JSON object") }
    }

    func text(_ name: String) -> String? { value.member(name)?.string }

    func needed(_ name: String) throws(LineFault) -> String {
        guard let text = text(name) else { throw LineFault(reason: "its \(name) is missing") }
        return text
    }

    func integer(_ name: String) throws(LineFault) -> Int64 {
        guard let number = value.member(name)?.integer else {
            throw LineFault(reason: "its \(name) is missing, or no number")
        }
        return number
    }

    func optionalTimetoken(_ name: String) throws(LineFault) -> Timetoken? {
        value.has(name) ? try timetoken(name) : nil
    }

    func timetoken(_ name: String) throws(LineFault) -> Timetoken {
        guard let timetoken = text(name).flatMap({ Timetoken($0) }) else {
            throw LineFault(reason: "its \(name) is no timetoken")
        }
        return timetoken
    }

    private func json(_ name: String, or textName: String) -> String? {
        // A member that is `null` is a value here.
        for (found, value) in value.members where found == name { return value.compactText }
        return text(textName)
    }

    func message() throws(LineFault) -> KeptMessage {
        guard let payload = json("payload", or: "payloadText") else {
            throw LineFault(reason: "its payload is missing")
        }
        return KeptMessage(
            timetoken: try timetoken("message"), uuid: try needed("user"),
            message: Message(
                payload: payload, meta: json("meta", or: "metaText"), type: text("type"),
                parent: try optionalTimetoken("parent")),
            expires: try optionalTimetoken("expires"))
    }

    func action() throws(LineFault) -> KeptAction {
        let key = MessageAction.Key(
            messageTimetoken: try timetoken("on"), type: try needed("type"),
            value: try needed("value"), uuid: try needed("user"))
        let score = value.has("score") ? try integer("score") : 1
        guard (1...Int64(Limits.groupScoreMax)).contains(score) else {
            throw LineFault(reason: "its score is \(score)")
        }
        return KeptAction(
            action: MessageAction(
                key: key, actionTimetoken: try timetoken("action"), score: Int(score)),
            removed: try optionalTimetoken("removed"))
    }

    func endOfChannel(_ counts: JSONValue) throws(LineFault) -> ChannelEnd {
        guard let digest = Digest(try needed("digest"), count: try integer("count")),
            let sum = text("sum").flatMap({ UInt64($0) })
        else { throw LineFault(reason: "its digest cannot be read") }
        return ChannelEnd(
            counts: try LineReading(value: counts).counts(), digest: digest, sum: sum)
    }

    func counts() throws(LineFault) -> TransferCounts {
        func count(_ name: String) throws(LineFault) -> Int { Int(try integer(name)) }
        return TransferCounts(
            channels: value.has("channels") ? try count("channels") : 0,
            messages: try count("messages"), actions: try count("actions"),
            removed: try count("removed"), marks: try count("marks"),
            deletions: try count("deletions"), clearings: try count("clearings"),
            others: try count("others"),
            devices: value.has("devices") ? try count("devices") : 0,
            files: value.has("files") ? try count("files") : 0)
    }

    func file() throws(LineFault) -> KeptFile {
        let (size, name) = (try integer("size"), try needed("name"))
        guard let id = FileID(try needed("file")), size >= 0, FileName.isValid(name) else {
            throw LineFault(reason: "it names no file that there can be")
        }
        var sum: UInt64?
        if let text = text("sum") {
            guard let read = UInt64(text) else { throw LineFault(reason: "its sum is none") }
            sum = read
        }
        return KeptFile(
            file: StoredFile(
                channel: Channel(try needed("channel"), keyset: try needed("keyset")), id: id,
                name: name, size: Int(size), userID: try needed("user"),
                created: try timetoken("created")), sum: sum)
    }

    func device() throws(LineFault) -> TransferRecord {
        let token = try needed("device")
        guard let gateway = PushDevice.Gateway(rawValue: try needed("gateway")),
            (1...Limits.deviceTokenBytesMax).contains(token.utf8.count), gateway.mayHaveMade(token)
        else { throw LineFault(reason: "it names no device that there can be") }
        return .device(
            PushDevice(
                token: token, gateway: gateway, environment: text("environment") ?? "",
                topic: text("topic") ?? "", keyset: try needed("keyset")),
            channel: try needed("channel"), user: text("user") ?? "")
    }

    func grantOrRevoked() throws(LineFault) -> TransferRecord {
        if value.has("revoked") {
            guard let id = TokenID(try needed("revoked")) else {
                throw LineFault(reason: "it names no token")
            }
            let token = RevokedToken(
                keyset: ExactText(try needed("keyset")), id: id, expiry: try integer("expiry"))
            return .revoked(
                KeptRevocation(token: token, forgettable: try timetoken("forgettable")))
        }
        guard value.has("grant") else { throw LineFault(reason: "nobody knows what it is") }
        guard let level = KeyGrantSubject.Level(rawValue: try integer("grant")),
            let bits = UInt8(exactly: try integer("bits")), bits != 0,
            bits & ~KeyGrant.allBits == 0
        else { throw LineFault(reason: "it grants nothing that there is") }
        let subject = KeyGrantSubject(
            keyset: ExactText(try needed("keyset")), level: level,
            name: ExactText(try needed("name")), authKey: text("authKey").map(ExactText.init))
        return .grant(
            KeptGrant(
                grant: KeyGrant(subject: subject, bits: bits, expiry: try integer("expiry")),
                forgettable: try timetoken("forgettable")))
    }
}
