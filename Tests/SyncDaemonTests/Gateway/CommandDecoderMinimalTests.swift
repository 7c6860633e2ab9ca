// Each operation as the shortest command that there is of it.

import EventModel
import Testing

@testable import SyncDaemon

private func decode(_ text: String) -> DecodedCommand {
    let bytes = Array(text.utf8)
    return CommandDecoder.decode(bytes.span.bytes)
}

@Suite("CommandDecoder, of the shortest commands")
struct CommandDecoderMinimalTests {
    private static let room = Directory.members(channel: "r")
    private static let theirs = Directory.memberships(user: "u")

    private static func setting(_ directory: Directory, _ id: String) -> Command {
        .changeDirectory(
            DirectoryRequest(
                directory: directory, changes: [EntryChange(id: id, kind: .set([]))]))
    }

    private static func removal(_ directory: Directory, _ id: String) -> Command {
        .changeDirectory(
            DirectoryRequest(directory: directory, changes: [EntryChange(id: id, kind: .remove)]))
    }

    private static let directories: [Command.Operation: (String, Command)] = [
        .users: ("", .directory(DirectoryQuery(directory: .users))),
        .channels: ("", .directory(DirectoryQuery(directory: .channels))),
        .members: (#","channel":"r""#, .directory(DirectoryQuery(directory: room))),
        .memberships: (#","userId":"u""#, .directory(DirectoryQuery(directory: theirs))),
        .setUser: (#","userId":"u","set":{}"#, setting(.users, "u")),
        .removeUser: (#","userId":"u""#, removal(.users, "u")),
        .setChannel: (#","channel":"r","set":{}"#, setting(.channels, "r")),
        .removeChannel: (#","channel":"r""#, removal(.channels, "r")),
        .setMembers: (#","channel":"r","set":[{"userId":"u"}]"#, setting(room, "u")),
        .setMemberships: (#","userId":"u","remove":["r"]"#, removal(theirs, "r")),
    ]

    @Test("every operation is read with nothing but what it needs")
    func minimal() throws {
        let action = ActionRequest(
            channel: "r", messageTimetoken: Timetoken(rawValue: 5), type: "reaction", value: "v")
        let edit = EditRequest(channel: "r", messageTimetoken: .init(rawValue: 5), payload: "null")
        let clearing = ClearingRequest(channel: "r", clearing: Clearing(userID: "u"))
        let own = OwnDeletionRequest(channel: "r", messageTimetoken: .init(rawValue: 5))
        let summaries = SummariesQuery(channel: "r", messages: [.init(.init(rawValue: 5))])
        let mark = ReadMark(channel: "r", through: Timetoken(rawValue: 5))
        let expected: [Command.Operation: (String, Command)] = [
            .hello: (#","userId":"u","deviceId":"d""#, .hello(.init(userID: "u", deviceID: "d"))),
            .subscribe: (#","channels":[{"name":"r"}]"#, .subscribe([.init(channel: "r")])),
            .unsubscribe: (#","channels":["r","s"]"#, .unsubscribe(channels: ["r", "s"])),
            .follow: (#","wildcard":"r.*""#, .follow(FollowRequest(.wildcard("r.*")))),
            .unfollow: (#","group":"g""#, .unfollow(.group("g"))),
            .repair: (
                #","channel":"r","from":0,"count":0,"symbols":"AAAAAAAAAAAAAAAAAAAAAAA=""#,
                .repair(
                    RepairRequest(
                        channel: "r", run: SymbolRun(first: 0, itemCount: 0, symbols: [.empty])))
            ),
            .publish: (
                #","channel":"r","payload":null"#,
                .publish(PublishRequest(channel: "r", message: Message(payload: "null")))
            ),
            .signal: (
                #","channel":"r","payload":null"#,
                .signal(SignalRequest(channel: "r", message: Message(payload: "null")))
            ),
            .addAction: (#","channel":"r","messageTimetoken":"5","value":"v""#, .addAction(action)),
            .removeAction: (
                #","channel":"r","messageTimetoken":"5","value":"v""#,
                .removeAction(RemovalRequest(action: action))
            ),
            .editMessage: (
                #","channel":"r","messageTimetoken":"5","payload":null"#, .editMessage(edit)
            ),
            .deleteMessage: (#","channel":"r","messageTimetoken":"5""#, .deleteMessage(own)),
            .deleteMessages: (
                #","channel":"r","through":"5""#,
                .deleteMessages(DeletionRequest(channel: "r", through: Timetoken(rawValue: 5)))
            ),
            .removeActions: (#","channel":"r","userId":"u""#, .removeActions(clearing)),
            .older: (#","channel":"r","last":1"#, .older(OlderQuery(channel: "r", last: 1))),
            .history: (#","channel":"r""#, .history(HistoryQuery(channel: "r", limit: 100))),
            .actions: (#","channel":"r""#, .actions(ActionsQuery(channel: "r", limit: 1000))),
            .endLive: (#","live":7"#, .endLive(7)),
            .markRead: (#","channel":"r","through":"5""#, .markRead(mark)),
            .unread: (#","channels":["r"]"#, .unread(channels: ["r"])),
            .summaries: (#","channel":"r","messages":["5"]"#, .summaries(summaries)),
            .hereNow: (#","channel":"r""#, .hereNow(OccupancyQuery(channel: "r"))),
            .whereNow: ("", .whereNow(userID: nil)),
            .setState: (#","channel":"r","state":{}"#, .setState(channel: "r", state: "{}")),
            .getState: (#","channel":"r""#, .getState(channel: "r", userID: nil)),
            .changeGroup: (
                #","group":"g","add":["r"]"#, .changeGroup(GroupRequest("g", .add(["r"])))
            ),
            .group: (#","group":"g""#, .group("g")),
            .ping: ("", .ping), .token: (#","token":"t""#, .token("t")),
        ]

        for operation in Command.Operation.allCases {
            let (members, command) = try #require(
                expected[operation] ?? Self.directories[operation], "\(operation)")
            let decoded = decode(#"{"op":"\#(operation.rawValue)","id":0\#(members)}"#)
            #expect(decoded.id == 0)
            #expect(try decoded.command.get() == command)
        }
    }
}
