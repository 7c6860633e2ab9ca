// Each operation through each door, and each refusal: one decision, in that door's words.

import EventModel
import Testing

@testable import SyncDaemon

/// What somebody asks for, as each door spells it.
private enum Asked: String, CaseIterable {
    case publish, unstored, fire, signal, addAction, removeAction, editMessage,
        deleteMessage, deleteMessages, removeActions, changeGroup
    case history, actions, hereNow, setState

    /// `nil` where the WebSocket has no such operation.
    var command: String? {
        switch self {
        case .publish: #"{"id":1,"op":"publish","channel":"room","payload":1}"#
        case .unstored: #"{"id":1,"op":"publish","channel":"room","payload":1,"store":false}"#
        case .signal: #"{"id":1,"op":"signal","channel":"room","payload":1}"#
        case .fire, .changeGroup: nil
        case .addAction:
            #"{"id":1,"op":"addAction","channel":"room","messageTimetoken":"17","value":"x"}"#
        case .removeAction:
            #"{"id":1,"op":"removeAction","channel":"room","messageTimetoken":"17","value":"x"}"#
        case .editMessage:
            #"{"id":1,"op":"editMessage","channel":"room","messageTimetoken":"17","payload":1}"#
        case .deleteMessage:
            #"{"id":1,"op":"deleteMessage","channel":"room","messageTimetoken":"17"}"#
        case .deleteMessages: #"{"id":1,"op":"deleteMessages","channel":"room","through":"17"}"#
        case .removeActions: #"{"id":1,"op":"removeActions","channel":"room","userId":"bob"}"#
        case .history: #"{"id":1,"op":"history","channel":"room"}"#
        case .actions: #"{"id":1,"op":"actions","channel":"room"}"#
        case .hereNow: #"{"id":1,"op":"hereNow","channel":"room"}"#
        case .setState: #"{"id":1,"op":"setState","channel":"room","state":{}}"#
        }
    }

    var request: HTTPRequest {
        let actions = "/v1/message-actions/sub/channel/room"
        switch self {
        case .publish: return request(.get, "/publish/wrong/sub/0/room/0/1")
        case .unstored: return request(.get, "/publish/wrong/sub/0/room/0/1?store=0")
        case .fire:
            return request(.get, "/publish/wrong/sub/0/room/0/1?store=0&norep=true")
        case .signal: return request(.get, "/signal/wrong/sub/0/room/0/1")
        case .addAction:
            return request(
                .post, actions + "/message/17?uuid=ada", #"{"type":"reaction","value":"x"}"#)
        case .removeAction: return request(.delete, actions + "/message/17/action/18?uuid=ada")
        // SDKs do these by other requests.
        case .editMessage:
            return request(
                .post, actions + "/message/17?uuid=ada", #"{"type":"edited","value":"1"}"#)
        case .deleteMessage:
            return request(.delete, "/v3/history/sub-key/sub/channel/room?start=16&end=17")
        case .deleteMessages: return request(.delete, "/v3/history/sub-key/sub/channel/room")
        // SDKs have nothing like it: they remove an action at a time.
        case .removeActions: return request(.delete, actions + "/message/17/action/18?uuid=ada")
        case .changeGroup:
            return request(
                .get, "/v1/channel-registration/sub-key/sub/channel-group/team?add=room")
        case .history: return request(.get, "/v2/history/sub-key/sub/channel/room")
        case .actions: return request(.get, actions)
        case .hereNow: return request(.get, "/v2/presence/sub-key/sub/channel/room")
        case .setState:
            return request(
                .get, "/v2/presence/sub-key/sub/channel/room/uuid/ada/data?uuid=ada&state=%7B%7D")
        }
    }

    private func request(
        _ method: HTTPRequest.Method, _ target: String, _ body: String = ""
    ) -> HTTPRequest {
        HTTPRequest(method: method, target: target, body: Array(body.utf8))
    }

    /// Whether its URL names a publish key; PubNub has none in those of other changes.
    var isKeyed: Bool { [.publish, .unstored, .fire, .signal].contains(self) }
    /// A state is the user's own, and no write.
    var changesSomething: Bool { ![.history, .actions, .hereNow, .setState].contains(self) }
    var isStored: Bool { changesSomething && ![.unstored, .fire, .signal].contains(self) }
}

/// Why it may not be had.
private enum Obstacle: CaseIterable {
    case nothing, noSuchTenant, guarded, wrongPublishKey, storesNothing, deletesNothing, overloaded,
        draining, storeFull

    /// Whether it stands in the way of a request; a command also names no other key than the wrong
    /// one, whatever it changes.
    func refuses(_ asked: Asked, asCommand: Bool = false) -> Bool {
        switch self {
        case .nothing: false
        case .noSuchTenant, .guarded, .draining: true
        // Nothing becomes of it but the answer.
        case .overloaded: asked != .fire
        case .wrongPublishKey: asCommand ? asked.changesSomething : asked.isKeyed
        case .storesNothing: asked == .history
        case .deletesNothing: [.deleteMessage, .deleteMessages].contains(asked)
        case .storeFull: asked.isStored
        }
    }

    /// What the WebSocket calls it.
    var code: String {
        switch self {
        case .nothing: ""
        case .noSuchTenant: "unknown_keyset"
        case .guarded: "token_missing"
        case .wrongPublishKey: "invalid_publish_key"
        case .storesNothing: "history_disabled"
        case .deletesNothing: "deleting_disabled"
        case .overloaded: "overloaded"
        case .draining: "draining"
        case .storeFull: "store_full"
        }
    }

    /// What PubNub calls it.
    var status: Int {
        switch self {
        case .nothing: 200
        case .noSuchTenant, .wrongPublishKey: 400
        case .guarded, .storesNothing, .deletesNothing: 403
        case .overloaded, .draining: 503
        case .storeFull: 507
        }
    }

    var keyset: Keyset {
        var keyset = Keyset(subscribeKey: self == .noSuchTenant ? "other" : "sub")
        keyset.isAccessControlled = self == .guarded
        keyset.publishKey = self == .wrongPublishKey ? "right" : nil
        keyset.defaults.keepsMessages = self != .storesNothing
        keyset.defaults.allowsDeleting = self != .deletesNothing
        return keyset
    }
}

/// A reactor's core before an engine that takes everything, or nothing.
private final class Doors {
    private final class Writes {
        var waiting: [Write] = []
    }

    private let core: ReactorCore
    private let mailbox = Mailbox<ReactorMessage>(capacity: 1)
    private let transport = FakeTransport()
    private let writes = Writes()
    private let obstacle: Obstacle

    init(_ obstacle: Obstacle) {
        self.obstacle = obstacle
        let takes = obstacle != .overloaded
        let writes = writes
        let engine = StandInEngine(
            onSubmit: { write in
                if takes { writes.waiting.append(write) }
                return takes
            },
            onAnnounce: { _ in takes ? .at(tick(20)) : .refused },
            onAsk: { _ in takes }, onAskPresence: { _ in takes })
        core = ReactorCore(
            engine: engine, settings: ReactorSettings(keysets: Keysets([obstacle.keyset])),
            mailbox: mailbox, counters: Counters())
        core.attach(transport, at: 0)
    }

    /// The code of a refusal; `nil` when it is taken.
    func code(of asked: Asked, publishKey: String? = "wrong") throws -> String? {
        let session = SessionID(slot: 0, generation: 1)
        var query = ["userId": "ada", "deviceId": "phone", "keyset": "sub"]
        query["publishKey"] = publishKey
        core.native.sessionDidOpen(session, query: query)
        prepare()
        let bytes = Array((asked.command ?? "").utf8)
        unsafe core.native.session(session, didReceive: bytes.span.bytes)
        finish()
        let codes = try transport.takeFrames(of: session).compactMap { frame in
            if case .reply(let reply) = frame { reply.code } else { nil }
        }
        // Without a tenant nobody is greeted, and every command says so once more.
        return codes.first
    }

    /// The status of a refusal; 200 when it is taken.
    func status(of asked: Asked) -> Int {
        let connection = SessionID(slot: 1, generation: 1)
        prepare()
        core.http.connection(connection, didRequest: asked.request)
        finish()
        return transport.responses[connection]?.status ?? 200
    }

    private func prepare() {
        if obstacle == .draining { core.drain(until: 1000) }
    }

    private func finish() {
        if obstacle == .storeFull {
            let answers = writes.waiting.map {
                Answer(origin: $0.origin, result: .failure(.storeFull))
            }
            #expect(mailbox.post(.commit(Commit(answers: answers))))
        }
        core.turn(at: 0)
    }
}

@Suite("Refusals")
struct RefusalTableTests {
    @Test(
        "each door decides the same, in its own words", arguments: Asked.allCases,
        Obstacle.allCases)
    fileprivate func decides(asked: Asked, obstacle: Obstacle) throws {
        let status = obstacle.refuses(asked) ? obstacle.status : 200
        #expect(Doors(obstacle).status(of: asked) == status)
        guard asked.command != nil else { return }
        let code = obstacle.refuses(asked, asCommand: true) ? obstacle.code : nil
        #expect(try Doors(obstacle).code(of: asked) == code)
    }

    @Test(
        "who says no publish key where one is asked for may read, and change nothing",
        arguments: Asked.allCases)
    fileprivate func isSilent(asked: Asked) throws {
        guard asked.command != nil else { return }
        let code = try Doors(.wrongPublishKey).code(of: asked, publishKey: nil)
        #expect(code == (asked.changesSomething ? "invalid_publish_key" : nil))
    }

    @Test("the right publish key opens everything", arguments: Asked.allCases)
    fileprivate func isRight(asked: Asked) throws {
        guard asked.command != nil else { return }
        #expect(try Doors(.wrongPublishKey).code(of: asked, publishKey: "right") == nil)
    }
}
