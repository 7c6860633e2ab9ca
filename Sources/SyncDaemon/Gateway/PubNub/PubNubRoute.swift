// Which path is which of PubNub's endpoints, with which methods, and whose errors it has.

/// One endpoint's path.
struct PubNubRoute: Sendable {
    enum Kind: Sendable {
        case time, publish, signal, subscribe
        case heartbeat, leave, hereNow, whereNow, state, setState
        case addAction, removeAction, actions
        case history, fetch, fetchWithActions, messageCounts, deleteMessages
        case listGroups, group, deleteGroup
        case grant, revoke, grantKeys, auditKeys
        case users, user, setUser, removeUser, memberships, setMemberships
        case uploadURL, fileList, fileURL, removeFile, publishFile
        case device, removeDevice, appleDevice, removeAppleDevice
        case channelList, channel, setChannel, removeChannel, members, setMembers

        /// Whether it says something about whoever asks, who must have a name then.
        var needsUser: Bool {
            switch self {
            case .addAction, .removeAction, .heartbeat, .leave: true
            default: false
            }
        }
    }

    let kind: Kind
    let method: HTTPRequest.Method
    let path: PathPattern

    private init(_ kind: Kind, _ method: HTTPRequest.Method, _ path: String) {
        self.kind = kind
        self.method = method
        self.path = PathPattern(path)
    }

    /// Every endpoint that a path may mean: one for each method that it has.
    static func all(for target: RequestTarget) -> [PubNubRoute] {
        table.filter { $0.path.matches(target) }
    }

    private static let table: [PubNubRoute] = {
        let presence = "v2/presence/sub-key/{sub}"
        let actions = "v1/message-actions/{sub}/channel/{channel}"
        let objects = "v2/objects/{sub}"
        let groups = "v1/channel-registration/sub-key/{sub}/channel-group"
        let files = "v1/files/{sub}/channels/{channel}"
        let push = "v1/push/sub-key/{sub}/devices/{device}"
        let applePush = "v2/push/sub-key/{sub}/devices-apns2/{device}"
        return [
            PubNubRoute(.time, .get, "time/0"),
            // The zero after the keys was a signature once, the last one a callback's name.
            PubNubRoute(
                .publish, .get, "publish/{pub}/{sub}/{signature}/{channel}/0/{payload}"),
            PubNubRoute(.publish, .post, "publish/{pub}/{sub}/{signature}/{channel}/0"),
            PubNubRoute(.signal, .get, "signal/{pub}/{sub}/{signature}/{channel}/0/{payload}"),
            PubNubRoute(.subscribe, .get, "v2/subscribe/{sub}/{channels}/0"),
            // The subscribe of old, which C-core still uses by default.
            PubNubRoute(.subscribe, .get, "subscribe/{sub}/{channels}/0/{timetoken}"),
            PubNubRoute(.heartbeat, .get, "\(presence)/channel/{channels}/heartbeat"),
            PubNubRoute(.leave, .get, "\(presence)/channel/{channels}/leave"),
            PubNubRoute(.hereNow, .get, presence),
            PubNubRoute(.hereNow, .get, "\(presence)/channel/{channels}"),
            PubNubRoute(.whereNow, .get, "\(presence)/uuid/{user}"),
            PubNubRoute(.state, .get, "\(presence)/channel/{channels}/uuid/{user}"),
            PubNubRoute(.setState, .get, "\(presence)/channel/{channels}/uuid/{user}/data"),
            PubNubRoute(.actions, .get, actions),
            PubNubRoute(.addAction, .post, "\(actions)/message/{message}"),
            PubNubRoute(.removeAction, .delete, "\(actions)/message/{message}/action/{action}"),
            PubNubRoute(.history, .get, "v2/history/sub-key/{sub}/channel/{channel}"),
            PubNubRoute(.fetch, .get, "v3/history/sub-key/{sub}/channel/{channels}"),
            PubNubRoute(.deleteMessages, .delete, "v3/history/sub-key/{sub}/channel/{channel}"),
            PubNubRoute(
                .fetchWithActions, .get,
                "v3/history-with-actions/sub-key/{sub}/channel/{channels}"),
            PubNubRoute(
                .messageCounts, .get, "v3/history/sub-key/{sub}/message-counts/{channels}"),
            PubNubRoute(.listGroups, .get, groups),
            PubNubRoute(.group, .get, "\(groups)/{group}"),
            PubNubRoute(.deleteGroup, .get, "\(groups)/{group}/remove"),
            PubNubRoute(.users, .get, "\(objects)/uuids"),
            PubNubRoute(.user, .get, "\(objects)/uuids/{user}"),
            PubNubRoute(.setUser, .patch, "\(objects)/uuids/{user}"),
            PubNubRoute(.removeUser, .delete, "\(objects)/uuids/{user}"),
            PubNubRoute(.memberships, .get, "\(objects)/uuids/{user}/channels"),
            PubNubRoute(.setMemberships, .patch, "\(objects)/uuids/{user}/channels"),
            PubNubRoute(.channelList, .get, "\(objects)/channels"),
            PubNubRoute(.channel, .get, "\(objects)/channels/{channel}"),
            PubNubRoute(.setChannel, .patch, "\(objects)/channels/{channel}"),
            PubNubRoute(.removeChannel, .delete, "\(objects)/channels/{channel}"),
            PubNubRoute(.members, .get, "\(objects)/channels/{channel}/uuids"),
            PubNubRoute(.setMembers, .patch, "\(objects)/channels/{channel}/uuids"),
            PubNubRoute(.uploadURL, .post, "\(files)/generate-upload-url"),
            PubNubRoute(.fileList, .get, "\(files)/files"),
            PubNubRoute(.fileURL, .get, "\(files)/files/{file}/{name}"),
            PubNubRoute(.removeFile, .delete, "\(files)/files/{file}/{name}"),
            PubNubRoute(
                .publishFile, .get,
                "v1/files/publish-file/{pub}/{sub}/{signature}/{channel}/0/{payload}"),
            PubNubRoute(.device, .get, push),
            PubNubRoute(.removeDevice, .get, "\(push)/remove"),
            PubNubRoute(.appleDevice, .get, applePush),
            PubNubRoute(.removeAppleDevice, .get, "\(applePush)/remove"),
            PubNubRoute(.grant, .post, "v3/pam/{sub}/grant"),
            PubNubRoute(.revoke, .delete, "v3/pam/{sub}/grant/{token}"),
            PubNubRoute(.grantKeys, .get, "v2/auth/grant/sub-key/{sub}"),
            PubNubRoute(.auditKeys, .get, "v2/auth/audit/sub-key/{sub}"),
        ]
    }()
}

/// What the first words of a path tell before the rest is read.
enum PubNubArea: Sendable, Hashable {
    case publish
    case other(PubNubError.Family)

    /// - Returns: `nil` when the path is none of PubNub's.
    init?(_ target: RequestTarget) {
        let words = target.segments.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        switch words[0] {
        case "time", "subscribe": self = .other(.gateway)
        case "publish", "signal": self = .publish
        case "v1", "v2", "v3":
            guard words.count == 2, let area = Self.areas["\(words[0])/\(words[1])"] else {
                return nil
            }
            // Where files are brought to and fetched from is not PubNub's.
            if area == .other(.files), target.segments.count > 2,
                FilePath.words.contains(Array(target.segments[2]))
            {
                return nil
            }
            let isPublish =
                area == .other(.files) && target.segments.count > 2
                && target.segments[2].elementsEqual("publish-file".utf8)
            self = isPublish ? .publish : area
        default: return nil
        }
    }

    private static let areas: [String: PubNubArea] = [
        "v2/subscribe": .other(.gateway),
        "v2/presence": .other(.presence),
        "v1/message-actions": .other(.actions),
        "v2/history": .other(.history),
        "v3/history": .other(.history),
        "v3/history-with-actions": .other(.history),
        "v1/channel-registration": .other(.groups),
        "v2/objects": .other(.objects),
        "v1/files": .other(.files),
        "v1/push": .other(.push),
        "v2/push": .other(.push),
        "v3/pam": .other(.grant),
        "v2/auth": .other(.grant),
    ]
}
