// What a PubNub SDK may ask, as values, after its URL and body were read.

import EventModel

/// One request of an SDK.
struct PubNubRequest: Sendable, Hashable {
    /// The tenant; empty for `time`, which has none.
    var subscribeKey: String
    /// Only where the path names one: publish and signal.
    var publishKey: String?
    /// The `uuid` of the query; empty for the anonymous, who own no action and are nowhere.
    var userID: String
    /// The `auth` of the query.
    var token: String?
    var endpoint: Endpoint

    enum Endpoint: Sendable, Hashable {
        case time
        case publish(Publication)
        case signal(channel: String, Message)
        case subscribe(Poll)
        case heartbeat(Beat)
        case leave(channels: [String], groups: [String])
        case hereNow(Census)
        case whereNow(userID: String)
        case state(channels: [String], groups: [String], userID: String)
        /// - Parameter state: Compact JSON text of an object.
        case setState(channels: [String], groups: [String], userID: String, state: String)
        case addAction(channel: String, messageTimetoken: Timetoken, type: String, value: String)
        case removeAction(channel: String, messageTimetoken: Timetoken, actionTimetoken: Timetoken)
        case actions(ActionsPageRequest)
        /// The history call of old, one channel: an array.
        case history(HistoryRequest)
        /// The history call of today, several channels: an object.
        case fetch(FetchRequest)
        case messageCounts([ChannelCursor])
        /// Deletes after `start` (exclusive; `nil` from the oldest) through `end` (inclusive).
        case deleteMessages(channel: String, start: Timetoken?, end: Timetoken?)
        case group(GroupRequest)
        /// Makes a token.
        case grant(AccessToken)
        /// Takes a token back.
        case revoke(String)
        /// Grants of version 2: makes and takes back rights that stand in the daemon.
        case grantKeys(KeyGrantRequest)
        /// Asks which do.
        case auditKeys(KeyGrantQuery)
        /// What is known of users, channels and memberships.
        case objects(DirectoryQuery, ObjectsForm)
        /// Changes it, and then asks for what the answer has; `nil`: nothing.
        case changeObjects(DirectoryRequest, then: DirectoryQuery?, ObjectsForm)
        /// Of which channels a device hears by push; `nil`: asks.
        case push(PushDevice, PushChange?, page: PushPage)
        case files(FileRequest)
        /// A browser's question before a request that is not simple.
        case preflight
    }

    struct Publication: Sendable, Hashable {
        var channel: String
        var message: Message
        /// `nil`: as the keyset has it.
        var isStored: Bool?
        /// `nil`: as the keyset has it; 0 for ever.
        var hoursKept: Int?
        /// Whether it goes to subscribers; a `fire` does not.
        var isReplicated = true
        /// That the message tells of; `nil`: none, or nobody but its readers can tell.
        var file: FileReference?
    }

    /// A file as a message names it.
    struct FileReference: Sendable, Hashable {
        var id: FileID
        var name: String
    }

    struct Poll: Sendable, Hashable {
        /// What the answer is made of.
        enum Form: Sendable, Hashable {
            /// Subscribe of today: an object with whole events.
            case envelopes
            /// Subscribe of old: an array with what events hold.
            case payloads
        }

        var form = Form.envelopes
        /// As the client spelled them: names, `foo.*`, `name-pnpres`.
        var channels: [String]
        /// As the client spelled them: names, `name-pnpres`.
        var groups: [String]
        /// ``Timetoken/zero`` for a handshake.
        var cursor: Timetoken
        /// Whether the cursor came with a region, as a daemon hands it out.
        var hasRegion = false
        /// Parsed; `nil` for none.
        var filter: MessageFilter?
        var beat: Beat
    }

    struct Beat: Sendable, Hashable {
        var channels: [String]
        var groups: [String]
        /// Seconds until the user counts as gone; `nil`: as the keyset has it.
        var seconds: Int?
        /// States by channel or group, each compact JSON text of an object.
        var states: [String: String] = [:]
    }

    struct Census: Sendable, Hashable {
        /// Empty together with `groups`: everywhere.
        var channels: [String]
        var groups: [String]
        var includesUsers = true
        var includesState = false
        var limit = 1000
        var offset = 0
    }

    struct ActionsPageRequest: Sendable, Hashable {
        var channel: String
        /// Exclusive upper bound.
        var start: Timetoken?
        /// Inclusive lower bound.
        var end: Timetoken?
        var limit: Int
    }

    struct HistoryRequest: Sendable, Hashable {
        var channel: String
        var count: Int
        var start: Timetoken?
        var end: Timetoken?
        var isReversed: Bool
        var includesTimetokens: Bool
        var includesMeta: Bool
        /// Whether the messages' timetokens are strings: JavaScript's numbers round them.
        var quotesTimetokens = false
    }

    struct FetchRequest: Sendable, Hashable {
        var channels: [String]
        var start: Timetoken?
        var end: Timetoken?
        /// Per channel; already clamped.
        var limit: Int
        var includesMeta: Bool
        var includesUser: Bool
        var includesMessageType: Bool
        var includesCustomType: Bool
        /// The endpoint with actions; then `channels` has one.
        var includesActions: Bool
    }

    /// What an answer of App Context has of each entry.
    struct ObjectsForm: Sendable, Hashable {
        /// Such as `custom`, `uuid.custom` or `totalCount`.
        var included: Set<String> = []
        /// Whether it is about one object.
        var isOne = false
    }

    /// Every auth key, or everybody, gets the same rights on every name.
    struct KeyGrantRequest: Sendable, Hashable {
        /// Without names it is about the whole keyset.
        var channels: [String]
        var groups: [String]
        /// None: everybody.
        var authKeys: [String]
        /// PubNub's; 0 takes back.
        var bits: UInt8
        /// How long it stands; 0 is without end.
        var minutes: Int
    }

    /// A part of the channels of a device.
    struct PushPage: Sendable, Hashable {
        /// Exclusive; `nil`: from the first.
        var start: String?
        var count: Int
    }

    /// A channel and a position in it: messages after it are counted.
    struct ChannelCursor: Sendable, Hashable {
        var channel: String
        var cursor: Timetoken
    }

    /// What is asked about files; an id that is none names nothing.
    enum FileRequest: Sendable, Hashable {
        case upload(channel: String, name: String)
        case list(channel: String, after: Timetoken, limit: Int)
        case url(channel: String, FileID?, name: String)
        case remove(channel: String, FileID?, name: String)

        var channel: String {
            switch self {
            case .upload(let channel, _), .list(let channel, _, _), .url(let channel, _, _),
                .remove(let channel, _, _):
                channel
            }
        }
    }

    enum GroupRequest: Sendable, Hashable {
        case list(group: String)
        case listAll
        case add(group: String, channels: [String])
        case remove(group: String, channels: [String])
        case delete(group: String)
    }
}
