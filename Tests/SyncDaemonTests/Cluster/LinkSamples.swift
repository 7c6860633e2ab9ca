// Values with everything in them, for tests of the link.

import EventModel

@testable import SyncDaemon

enum LinkSamples {
    static let channel = Channel("room é", keyset: "tenant")
    static let author = Author(keyset: "tenant", userID: "ann", deviceID: "phone")
    static let origin = Origin(
        reactor: 3, session: SessionID(slot: 7, generation: .max), command: -5)
    static let digest = Digest(count: -2, words: (.max, 1))
    static let time = Timetoken(rawValue: 17_640_000_000_000_001)
    static let key = MessageAction.Key(
        messageTimetoken: time, type: "reaction", value: "👍", uuid: "ann")
    static let action = MessageAction(key: key, actionTimetoken: time.successor(at: 0), score: -3)
    static let message = Message(
        payload: #"{"text":"hello"}"#, meta: #"{"a":1}"#, type: "note", parent: time)
    static let entry = DirectoryEntry(id: "ann", content: #"{"name":"Ann"}"#, timetoken: time)
    static let group = ChannelGroup("friends", keyset: "tenant")

    static let rules: ReactionRules = {
        var rules = ReactionRules()
        (rules.isOn, rules.mode, rules.values) = (false, .unique, .list(["👍", "👎"]))
        rules.aliases = [ReactionRules.Alias(name: "up", value: "👍")]
        (rules.types, rules.needsMessage) = (["like"], true)
        (rules.valuesMax, rules.ownMax, rules.actionsMax) = (5, 2, 1000)
        return rules
    }()

    static let notice: PresenceNotice = {
        var notice = PresenceNotice(
            action: .stateChange, userID: "ann", occupancy: 4, seconds: 1_764_000_000,
            state: #"{"mood":1}"#)
        (notice.joined, notice.left, notice.timedOut) = (["a"], ["b", "c"], ["d"])
        notice.needsRefresh = true
        return notice
    }()

    static let events: [Event] = [
        .message(message), .message(Message(payload: "1")), .actionAdded(action),
        .actionRemoved(action), .messagesDeleted(after: .zero, through: time),
        .actionsCleared(Clearing(type: "", userID: "ann")), .signal(message), .presence(notice),
        .presence(PresenceNotice(action: .interval, occupancy: 0, seconds: 0)),
        .directory(DirectoryNotice(kind: .user, id: "ann", entry: entry)),
        .directory(DirectoryNotice(kind: .channel, id: "room", entry: nil)),
        .directory(DirectoryNotice(kind: .membership(channel: "room"), id: "ann", entry: entry)),
    ]

    static let token = RevokedToken(
        keyset: ExactText("tenant"), id: TokenID(of: [1, 2, 3]), expiry: -1)
    static let grant = KeyGrant(
        subject: KeyGrantSubject(
            keyset: ExactText("tenant"), level: .group, name: ExactText("friends"),
            authKey: ExactText("key")),
        bits: 0xff, expiry: KeyGrant.never)

    static let device = PushDevice(
        token: String(repeating: "a1", count: 32), gateway: .apns2, environment: "production",
        topic: "com.example.chat", keyset: "tenant")

    static let file: StoredFile? = FileID("12345678-1234-4234-8234-123456789abc").map {
        StoredFile(
            channel: channel, id: $0, name: "cat.png", size: 1 << 40, userID: "ann", created: time)
    }

    static let requests = [
        DirectoryRequest(directory: .users, changes: []),
        DirectoryRequest(
            directory: .members(channel: "room"),
            changes: [
                EntryChange(
                    id: "ann",
                    kind: .set([
                        EntryField(name: "name", value: "\"Ann\""),
                        EntryField(name: "email", value: nil),
                    ])),
                EntryChange(id: "bob", kind: .remove), EntryChange(id: "eve", kind: .set([])),
            ], expected: time, mutation: "m2"),
    ]

    static let operations: [Write.Operation] =
        [
            .publish(message, hoursKept: 24), .add(key), .add(key, score: -1, under: rules),
            .remove(key, observed: time, under: rules), .remove(key, observed: nil),
            .removeAction(
                messageTimetoken: time, actionTimetoken: .zero, userID: "ann", under: rules),
            .edit(key, under: rules), .deleteMessage(time),
            .deleteMessages(after: .zero, through: .end),
            .clear(Clearing(messageTimetoken: time, type: "reaction", value: ""), under: rules),
            .changeGroup(group, .add(["a", "b"])), .changeGroup(group, .remove([])),
            .changeGroup(group, .delete), .revoke(token), .grant([grant, grant]),
            .markRead(through: time), .changeDevice(device, .add(["a"]), owner: "ann"),
            .changeDevice(device, .remove(["a"])), .changeDevice(device, .removeAll),
        ] + requests.map { .changeDirectory($0) }
        + (file.map { [.changeFile(.add($0)), .changeFile(.remove($0.id, name: "cat.png"))] } ?? [])

    static let replies: [Reply] =
        [
            .published(time), .markedRead(through: time), .pong(time), .messagesDeleted(time),
            .messageDeleted(time), .messageDeleted(nil), .actionsCleared(time, count: 7),
            .actionsCleared(nil, count: 0), .groupChanged, .deviceChanged, .fileAdded,
            .fileRemoved(id: "x"), .fileRemoved(id: nil), .tokenRevoked, .keysGranted,
            .directoryChanged(time), .directoryChanged(time, entry: entry),
        ] + Addition.allCases.map { .actionAdded(action, $0) }
        + Removal.allCases.map { .actionRemoved($0) }

    static let step: Commit = {
        var step = Commit(last: time)
        step.events = events.map {
            Envelope(channel: channel, timetoken: time, uuid: "ann", event: $0, gone: digest)
        }
        step.answers = [Answer(origin: origin, result: .success(.pong(time)))]
        step.groups = [GroupMembership(group: group, channels: ["a", "b"])]
        (step.revoked, step.forgottenRevoked) = ([token], [token])
        (step.keyGrants, step.forgottenKeyGrants) = ([grant], [grant.subject])
        step.readMarks = [MovedMark(channel: channel, userID: "ann", through: time)]
        step.digests = [channel: digest, Channel("other"): .empty]
        (step.durable, step.ceiling) = (time, .end)
        return step
    }()
}
