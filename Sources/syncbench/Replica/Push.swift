// What the daemon sends about a channel's rows, as values.

import EventModel
import JSON

/// What a push says of the rows.
struct Push {
    enum Change {
        case added(MessageAction)
        case removed(MessageAction)
        case published(MessageRow)
    }

    let cursor: Timetoken
    let changes: [Change]
    /// What the rows come to at the cursor.
    let state: Digest?
    /// Whether it is a part of what is summed up for a window, and says nothing of what is before.
    let isOfWindow: Bool
    /// What stands before the window at the cursor, where it says so.
    let rest: WindowRest?

    init(_ json: borrowing JSONValue) throws(JSONError) {
        cursor = try json.object("t").timetoken("t")
        let events = try json.array("m")
        var changes: [Change] = []
        for index in 0..<events.count {
            let event = events.element(at: index)
            guard let kind = try event.optionalInteger("e") else {
                if try event.integer("f") == 0 { changes.append(.published(try event.message())) }
                continue
            }
            guard kind == 3 else { continue }
            let body = try event.object("d")
            let action = try body.object("data").action(by: event.string("i"))
            changes.append(
                try body.string("event") == "added" ? .added(action) : .removed(action))
        }
        self.changes = changes
        state = try json.state()
        isOfWindow = json.member("window") != nil
        rest = isOfWindow ? try WindowRest(json.object("window")) : nil
    }
}

/// What stands before the messages that a device holds.
struct WindowRest {
    let after: Timetoken
    var digest: Digest

    /// - Returns: `nil` when nothing is said of it.
    init?(_ json: borrowing JSONValue) throws(JSONError) {
        after = try json.timetoken("after")
        guard let rest = json.member("rest") else { return nil }
        digest = try rest.digest()
    }
}

/// The answer to `older`.
struct OlderPage {
    let cursor: Timetoken
    let rest: WindowRest
    let messages: [MessageRow]
    let actions: [MessageAction]

    /// - Parameter json: What is under `ok`.
    init(_ json: borrowing JSONValue) throws(JSONError) {
        cursor = try json.timetoken("cursor")
        guard let rest = try WindowRest(json) else {
            throw .missingField("rest", expected: "an object")
        }
        self.rest = rest
        messages = try json.messages("messages")
        let rows = try json.string("rows")
        do throws(RepairError) {
            actions = try PackedActions.actions(text: rows, actionsMax: 1_000_000)
        } catch {
            throw .wrongType("rows", expected: "packed as docs/RECONCILIATION.md says")
        }
    }
}

/// The answer to a repair that brings a device up to date.
struct Difference {
    let cursor: Timetoken
    let state: Digest
    let rows: [MessageAction]
    let messages: [MessageRow]
    var dropped: [Timetoken]

    init(_ json: borrowing JSONValue) throws(JSONError) {
        cursor = try json.timetoken("cursor")
        guard let state = try json.state() else {
            throw .missingField("s", expected: "an object")
        }
        self.state = state
        messages = try json.member("messages") == nil ? [] : json.messages("messages")
        let (packedRows, packedTimetokens) = (try json.string("rows"), try json.string("drop"))
        do throws(RepairError) {
            rows = try PackedActions.actions(text: packedRows, actionsMax: 1_000_000)
            dropped = try PackedActions.timetokens(text: packedTimetokens, timetokensMax: 1_000_000)
        } catch {
            throw .wrongType("rows, drop", expected: "packed as docs/RECONCILIATION.md says")
        }
    }
}

/// What a device's symbols are answered.
enum RepairAnswer {
    case needs(Int)
    /// Only the rows on these messages differ.
    case segments([MessageRange], states: [StretchState], symbols: Int)
    /// These rows do not stand.
    case missing([Timetoken])
    /// All rows are to be compared.
    case whole
    case difference(Difference)
    case snapshot

    var isMissing: Bool {
        guard case .missing = self else { return false }
        return true
    }

    /// - Parameter json: What is under `ok`.
    init(_ json: borrowing JSONValue) throws(JSONError) {
        let need = try json.optionalInteger("need").map { Int(clamping: $0) }
        if try json.flag("snapshot") {
            self = .snapshot
        } else if try json.flag("whole") {
            self = .whole
        } else if let text = try json.optionalString("segments") {
            let states = try json.optionalString("states")
            do throws(RepairError) {
                let ranges = try PackedRanges.ranges(
                    text: text, rangesMax: Limits.repairSymbolsMax)
                self = .segments(
                    ranges,
                    states: try states.map { text throws(RepairError) in
                        try PackedStates.states(text: text, count: ranges.count)
                    } ?? [],
                    symbols: need ?? 32)
            } catch {
                throw .wrongType("segments", expected: "base64 of stretches, and of their states")
            }
        } else if let text = try json.optionalString("missing") {
            do throws(RepairError) {
                self = .missing(
                    try PackedActions.timetokens(
                        text: text, timetokensMax: Limits.repairStatesMax))
            } catch {
                throw .wrongType("missing", expected: "base64 of packed timetokens")
            }
        } else if let need {
            self = .needs(need)
        } else {
            self = .difference(try Difference(json))
        }
    }
}

/// One channel in the reply to `subscribe`.
struct SubscribedReply {
    let name: String
    let mode: String
    let key: DigestKey
    let state: Digest?
    /// Messages of a segment on average, where a repair begins with those.
    let segmentMessages: Int?

    init(_ json: borrowing JSONValue) throws(JSONError) {
        segmentMessages = try json.optionalInteger("segments").map { Int($0) }
        name = try json.string("name")
        mode = try json.string("mode")
        guard let key = DigestKey(try json.string("key")) else {
            throw .wrongType("key", expected: "32 hexadecimal digits")
        }
        self.key = key
        state = try json.state()
    }
}

extension JSONValue {
    /// A position; it must be there.
    func timetoken(_ name: String) throws(JSONError) -> Timetoken {
        guard let timetoken = Timetoken(try string(name)) else {
            throw .wrongType(name, expected: "a timetoken")
        }
        return timetoken
    }

    /// The member `s`; `nil` when absent.
    func state() throws(JSONError) -> Digest? {
        guard let state = member("s") else { return nil }
        return try state.digest()
    }

    fileprivate func digest() throws(JSONError) -> Digest {
        guard let digest = Digest(try string("d"), count: try integer("n")) else {
            throw .wrongType("d", expected: "32 hexadecimal digits")
        }
        return digest
    }

    /// What a digest covers of a message in an event.
    fileprivate func message() throws(JSONError) -> MessageRow {
        MessageRow(
            timetoken: try object("p").timetoken("t"), uuid: try optionalString("i") ?? "",
            type: try optionalString("cmt"))
    }

    /// The same of messages as history has them.
    fileprivate func messages(_ name: String) throws(JSONError) -> [MessageRow] {
        let list = try array(name)
        var messages: [MessageRow] = []
        for index in 0..<list.count {
            let message = list.element(at: index)
            messages.append(
                MessageRow(
                    timetoken: try message.timetoken("timetoken"),
                    uuid: try message.string("uuid"),
                    type: try message.optionalString("messageType")))
        }
        return messages
    }

    /// An action in the form that all of PubNub's interfaces share.
    func action(by user: String) throws(JSONError) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: try timetoken("messageTimetoken"), type: try string("type"),
                value: try string("value"), uuid: user),
            actionTimetoken: try timetoken("actionTimetoken"))
    }
}
