// A reactor whose one tenant asks for tokens, and everything that anybody may ask of it.

import EventModel
import Testing

@testable import SyncDaemon

/// A request through one of the doors, and the one right that it needs.
struct GuardedRequest: CustomTestStringConvertible {
    enum Form {
        case command(String)
        case request(HTTPRequest.Method, String, body: String)
    }

    let name: String
    let form: Form
    let right: Rights
    var group: String?

    var testDescription: String { name }

    private static func command(_ name: String, _ members: String, _ right: Rights) -> Self {
        let text = #"{"id":1,"op":"\#(name)",\#(members)}"#
        return GuardedRequest(name: name, form: .command(text), right: right)
    }

    private static func get(_ target: String, _ right: Rights, group: String? = nil) -> Self {
        GuardedRequest(
            name: target, form: .request(.get, target, body: ""), right: right, group: group)
    }

    static let commands: [GuardedRequest] = [
        command("subscribe", #""channels":[{"name":"room"}]"#, .read),
        command("publish", #""channel":"room","payload":1"#, .write),
        command("publish", #""channel":"room","payload":1,"store":false"#, .write),
        command("signal", #""channel":"room","payload":1"#, .write),
        command("addAction", #""channel":"room","messageTimetoken":"17","value":"x""#, .react),
        command(
            "removeAction", #""channel":"room","messageTimetoken":"17","value":"x""#, .unreact),
        command("editMessage", #""channel":"room","messageTimetoken":"17","payload":1"#, .write),
        // With a token that names nobody; see ``AccessOwnMessageTests``.
        command("deleteMessage", #""channel":"room","messageTimetoken":"17""#, [.write, .delete]),
        command("deleteMessages", #""channel":"room","through":"17""#, .delete),
        command("removeActions", #""channel":"room","messageTimetoken":"17""#, .moderate),
        command("removeActions", #""channel":"room","userId":"bob""#, .moderate),
        command("history", #""channel":"room""#, .history),
        command("older", #""channel":"room","last":1"#, .history),
        command(
            "subscribe", #""channels":[{"name":"room","presence":true}]"#, [.read, .presence]),
        command("hereNow", #""channel":"room""#, .presence),
        command("setState", #""channel":"room","state":{}"#, .presence),
        command("getState", #""channel":"room","userId":"bob""#, .presence),
        command("actions", #""channel":"room""#, .history),
        command("actions", #""channel":"room","live":true"#, [.read, .history]),
        command("subscribe", #""channels":[{"name":"room","window":{}}]"#, [.read, .history]),
        command("markRead", #""channel":"room","through":"17""#, .read),
        command("unread", #""channels":["room"]"#, .history),
        command("summaries", #""channel":"room","messages":["5"]"#, .history),
    ]

    static let requests: [GuardedRequest] = {
        let actions = "/v1/message-actions/sub/channel/room"
        let presence = "/v2/presence/sub-key/sub"
        let groups = "/v1/channel-registration/sub-key/sub/channel-group"
        return [
            get("/publish/pub/sub/0/room/0/1", .write), get("/signal/pub/sub/0/room/0/1", .write),
            get("/publish/pub/sub/0/room/0/1?store=0", .write),
            get("/v2/subscribe/sub/room/0?tt=0", .read),
            get("/v2/subscribe/sub/room/0?tt=\(AccessBench.now.rawValue)", .read),
            get("/v2/subscribe/sub/,/0?tt=0&channel-group=friends", .read, group: "friends"),
            get("\(presence)/channel/room/heartbeat", .presence),
            get("\(presence)/channel/room", .presence),
            get("\(presence)/channel/room/uuid/ada", .presence),
            get("\(presence)/channel/room/uuid/ada/data?state=%7B%7D", .presence),
            GuardedRequest(
                name: "add action",
                form: .request(
                    .post, actions + "/message/17", body: #"{"type":"reaction","value":"x"}"#),
                right: .react),
            GuardedRequest(
                name: "remove action",
                form: .request(.delete, actions + "/message/17/action/18", body: ""),
                right: .unreact),
            GuardedRequest(
                name: "delete messages",
                form: .request(.delete, "/v3/history/sub-key/sub/channel/room", body: ""),
                right: .delete),
            get("/v2/history/sub-key/sub/channel/room", .history),
            get("/v3/history/sub-key/sub/channel/room", .history),
            get("/v3/history-with-actions/sub-key/sub/channel/room", .history),
            get("/v3/history/sub-key/sub/message-counts/room?timetoken=17", .history),
            get(actions, .history), get("\(groups)/friends", [.read, .manage], group: "friends"),
            get("\(groups)/friends?remove=room", .manage, group: "friends"),
            get("\(groups)/friends/remove", .manage, group: "friends"),
            get("/v1/push/sub-key/sub/devices/aa?type=fcm&add=room", .read),
        ]
    }()

    /// What only a signature opens.
    static let administrative: [GuardedRequest] = [
        GuardedRequest(
            name: "who is anywhere",
            form: .request(.get, "/v2/presence/sub-key/sub", body: ""), right: []),
        GuardedRequest(
            name: "all groups",
            form: .request(.get, "/v1/channel-registration/sub-key/sub/channel-group", body: ""),
            right: []),
        GuardedRequest(
            name: "grant",
            form: .request(
                .post, "/v3/pam/sub/grant",
                body: #"{"ttl":5,"permissions":{"resources":{"channels":{"room":1}}}}"#),
            right: []),
        GuardedRequest(
            name: "revoke", form: .request(.delete, "/v3/pam/sub/grant/token", body: ""),
            right: []),
        get("/v2/auth/grant/sub-key/sub?r=1&channel=room", []),
        get("/v2/auth/audit/sub-key/sub", []),
    ]
}

/// A reactor's core before an engine that takes everything and counts it.
final class AccessBench {
    static let seconds: Int64 = 1_795_000_000
    static let now = Timetoken(rawValue: UInt64(seconds) * 10_000_000)
    static let secret = "sec-of-the-tenant"

    private final class Tally {
        var asked = 0
        var writes: [Write] = []
    }

    let revocations = Revocations()
    let keyGrants = KeyGrants()

    /// The daemon's clock.
    final class Time {
        var seconds: Int64
        init(_ seconds: Int64) { self.seconds = seconds }
    }

    let time: Time

    let core: ReactorCore
    let transport = FakeTransport()
    let accounts: Accounts
    private let mailbox = Mailbox<ReactorMessage>(capacity: 100)
    private let tally = Tally()
    private var count: UInt32 = 0

    static var keyset: Keyset {
        var keyset = Keyset(subscribeKey: "sub")
        keyset.secretKey = secret
        keyset.publishKey = "pub"
        keyset.isAccessControlled = true
        return keyset
    }

    /// For the secret "01234567890123456789012345678901".
    static let webKeys =
        #"{"keys":[{"kty":"oct","k":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"}]}"#

    init(
        seconds: Int64 = AccessBench.seconds, keyset: Keyset = AccessBench.keyset,
        accounts: Accounts = Accounts()
    ) {
        self.accounts = accounts
        let time = Time(seconds)
        self.time = time
        let tally = tally
        func counted<Result>(_ result: Result) -> Result {
            tally.asked += 1
            return result
        }
        let engine = StandInEngine(
            revocations: revocations, keyGrants: keyGrants,
            onSubmit: { write in
                tally.writes.append(write)
                return counted(true)
            },
            onAnnounce: { _ in counted(.at(tick(20))) },
            onAsk: { _ in counted(true) }, onAskPresence: { _ in counted(true) },
            onJudge: { epoch in
                epoch == "foreign.b"
                    ? .foreign : epoch == "beyond.b" ? .beyond(AccessBench.now) : .known
            },
            onTicks: { UInt64(time.seconds) * 10_000_000 }, onNewest: { AccessBench.now })
        core = ReactorCore(
            engine: engine, settings: ReactorSettings(keysets: Keysets([keyset])),
            mailbox: mailbox, accounts: accounts, counters: Counters(),
            routes: HTTPRoutes(API.routes))
        core.attach(transport, at: 0)
    }

    /// What reached the engine.
    var asked: Int { tally.asked }
    /// What was to be written.
    var writes: [Write] { tally.writes }
    /// Who follows something.
    var interests: Int {
        core.hub.polls.count
            + core.hub.sessions.values.map(\.subscriptions.count).reduce(0, +)
    }

    /// Has the reactor take other settings.
    func apply(_ keyset: Keyset) {
        let settings = ReactorSettings(keysets: Keysets([keyset]))
        #expect(mailbox.post(.settings(settings, applied: {})))
        core.turn(at: 0)
    }

    /// Has the ledger say that a token was taken back, as it does.
    func revoke(_ token: String) throws {
        let grant = try AccessKeys(AccessBench.keyset).grant(for: token, at: time.seconds)
        var commit = Commit()
        commit.revoked = [RevokedToken(grant)]
        revocations.apply(commit.revoked)
        #expect(mailbox.post(.commit(commit)))
        core.turn(at: 0)
    }

    /// A token of PubNub's kind for everything that these bits allow.
    static func token(
        channels: [String: UInt8] = [:], groups: [String: UInt8] = [:], user: String? = nil,
        minutes: Int64 = 5
    ) throws -> String {
        var token = AccessToken(issued: seconds, minutes: minutes)
        for (name, bits) in channels { token.resources.channels[ExactText(name)] = bits }
        for (name, bits) in groups { token.resources.groups[ExactText(name)] = bits }
        token.user = user.map(ExactText.init)
        return try token.text(
            signedWith: AccessTokenKey(secretKey: secret, subscribeKey: "sub"))
    }

    /// A web token of ada's for these rights on a channel.
    static func webToken(
        _ rights: [String], on channel: String = "room", device: String? = nil
    ) -> String {
        func part(_ json: String) -> String { Base64URL.text(Array(json.utf8), isPadded: false) }
        let words = rights.map { #""\#($0)""# }.joined(separator: ",")
        let claims =
            #"{"sub":"ada","keyset":"sub","exp":\#(seconds + 60),"#
            + (device.map { #""device":"\#($0)","# } ?? "")
            + #""permissions":{"channels":{"\#(channel)":[\#(words)]}}}"#
        let signed = part(#"{"alg":"HS256"}"#) + "." + part(claims)
        let key = Array("01234567890123456789012345678901".utf8)
        let code = Signing.code(of: Array(signed.utf8), key: key)
        return signed + "." + Base64URL.text(code, isPadded: false)
    }

    /// A session that said hello with a token; its codes so far.
    func session(
        _ token: String?, user: String = "ada", device: String = "d"
    ) throws -> (SessionID, [String?]) {
        count += 1
        let session = SessionID(slot: 0, generation: count)
        core.native.sessionDidOpen(session, query: [:])
        let shown = token.map { #","token":"\#($0)""# } ?? ""
        let who = #""userId":"\#(user)","deviceId":"\#(device)","keyset":"sub","publishKey":"pub""#
        let hello = #"{"id":0,"op":"hello",\#(who)\#(shown)}"#
        return (session, try send(hello, session))
    }

    /// The codes of the replies to a command.
    func send(_ command: String, _ session: SessionID) throws -> [String?] {
        let bytes = Array(command.utf8)
        unsafe core.native.session(session, didReceive: bytes.span.bytes)
        core.turn(at: 0)
        return try transport.takeFrames(of: session).compactMap { frame in
            if case .reply(let reply) = frame { .some(reply.code) } else { nil }
        }
    }

    /// The status of a response; `nil` while there is none.
    func status(
        _ method: HTTPRequest.Method, _ target: String, body: String = "", token: String?,
        user: String = "ada"
    ) -> Int? {
        ask(newConnection(), target, by: method, body: body, token: token, user: user)?.status
    }

    func newConnection() -> SessionID {
        count += 1
        return SessionID(slot: 1, generation: count)
    }

    /// The response to a connection's next request; `nil` while there is none.
    func ask(
        _ connection: SessionID, _ target: String, by method: HTTPRequest.Method = .get,
        body: String = "", token: String?, user: String = "ada", at milliseconds: UInt64 = 0
    ) -> HTTPResponse? {
        let mark = target.contains("?") ? "&" : "?"
        var target = target + "\(mark)uuid=\(user)"
        if let token { target += "&auth=" + token.replacing("=", with: "%3D") }
        _ = transport.takeResponse(of: connection)
        core.http.connection(
            connection,
            didRequest: HTTPRequest(method: method, target: target, body: Array(body.utf8)))
        core.turn(at: milliseconds)
        return transport.responses[connection]
    }

    /// The status of what a backend asks, signed; `nil` while there is no response.
    func signedStatus(
        _ method: HTTPRequest.Method, _ path: String, body: String = "",
        with secret: String = AccessBench.secret
    ) -> Int? {
        let query = "timestamp=\(time.seconds)"
        let signed = "\(method.rawValue)\npub\n\(path)\n\(query)\n\(body)"
        let code = Signing.code(of: Array(signed.utf8), key: Array(secret.utf8))
        let signature = "v2." + Base64URL.text(code, isPadded: false)
        let connection = newConnection()
        core.http.connection(
            connection,
            didRequest: HTTPRequest(
                method: method, target: "\(path)?\(query)&signature=\(signature)",
                body: Array(body.utf8)))
        core.turn(at: 0)
        return transport.responses[connection]?.status
    }
}
