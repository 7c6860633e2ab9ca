// The table of what operators may ask of a running daemon: routes, the tool's subcommands and their
// help are made of it.

import EventModel

/// A field of a request: a member of the query, or of the JSON body of what changes something.
struct AdminField: Hashable, Sendable {
    let name: String
    /// What stands for its value in a help text; `nil`: the name alone says it.
    var placeholder: String?
    let summary: String
    var isRequired = false
    /// Whether no log line shows it.
    var isSecret = false
    /// Whether it has to be there where there are several keysets.
    var isRequiredAmongKeysets = false

    static func optional(_ name: String, _ placeholder: String, _ summary: String) -> AdminField {
        AdminField(name: name, placeholder: placeholder, summary: summary)
    }

    static func required(_ name: String, _ placeholder: String, _ summary: String) -> AdminField {
        AdminField(name: name, placeholder: placeholder, summary: summary, isRequired: true)
    }

    static func flag(_ name: String, _ summary: String) -> AdminField {
        AdminField(name: name, placeholder: nil, summary: summary)
    }
}

/// What an operator has written.
struct AdminWrite: Sendable {
    let channel: Channel
    let operation: Write.Operation
    let taken: Taken
    /// Files that go, too.
    let files: [StoredFile]

    /// What it takes away.
    struct Taken: Sendable {
        let messages: Int
        let files: Int
        /// Whether there are more files than go at once.
        let hasMoreFiles: Bool
    }
}

/// One thing that can be asked.
struct AdminOperation: Sendable {
    /// Reads a request and answers it in JSON, on a thread where it may wait.
    typealias Work =
        @Sendable (AdminRequest, Administration) throws(AdminError) -> [UInt8]

    /// Where it is carried out.
    enum Place: Sendable {
        /// On the thread of operators.
        case thread(Work)
        /// Likewise, on the one for what takes minutes.
        case longThread(Work)
        /// Likewise, until it has made a write, whose answer is the operation's.
        case ledger(@Sendable (AdminRequest, Administration) throws(AdminError) -> AdminWrite)
        /// On the reactor of who asks, as an operation of a client is.
        case reactor(
            @Sendable (AdminRequest, AdminCall) throws(AdminError) -> OperationOutcome)
    }

    /// Words, such as `sessions kick`.
    let name: String
    /// Whether it changes anything: then it is a POST, and a line in the log.
    let isChange: Bool
    let summary: String
    let fields: [AdminField]
    let place: Place
    /// Whether it is refused when the daemon is told to stop meanwhile.
    var endsWithDrain = true

    /// Whether its answer may take longer than a tool should wait for one in silence.
    var takesLong: Bool {
        switch place {
        case .longThread, .ledger: true
        case .thread, .reactor: false
        }
    }

    /// Without a slash before it.
    var path: String { "admin/v1/" + name.replacing(" ", with: "/") }

    static func query(
        _ name: String, _ summary: String, _ fields: [AdminField] = [], _ work: @escaping Work
    ) -> AdminOperation {
        AdminOperation(
            name: name, isChange: false, summary: summary, fields: fields, place: .thread(work))
    }

    static func change(
        _ name: String, _ summary: String, _ fields: [AdminField] = [], _ place: Place
    ) -> AdminOperation {
        AdminOperation(
            name: name, isChange: true, summary: summary, fields: fields, place: place)
    }

    /// In the order in which help shows them.
    static let all = process + sessions + tenants + access + webhooks

    static let keyset = AdminField.optional(
        "keyset", "KEY", "The subscribe key; without it that of the first keyset.")

    /// Of what changes one: the first is as likely the wrong one.
    private static let changedKeyset = AdminField(
        name: "keyset", placeholder: "KEY",
        summary: "The subscribe key; may be left out where there are no two keysets.",
        isRequiredAmongKeysets: true)

    private static let meant: [AdminField] = [
        .optional("id", "ID", "One connection, as lists and log lines name it."),
        .optional("keyset", "KEY", "Those of a keyset, by its subscribe key."),
        .optional("user", "USER", "Those of a user."),
        .optional("channel", "NAME", "Those that follow a channel by its name."),
        .optional("address", "ADDRESS", "Those of an address, or a range such as 192.0.2.0/24."),
    ]

    private static let sessions: [AdminOperation] = [
        .query(
            "sessions", "Lists connections of clients, of all reactors.",
            meant + [
                .optional(
                    "limit", "N", "At most so many, up to \(Limits.sessionsListedMax) (100)."),
                .optional("after", "PLACE", "Goes on where the list before said next."),
            ]
        ) { (request, daemon) throws(AdminError) in try daemon.sessions(request) },
        .change(
            "sessions kick",
            "Ends connections: WebSockets with close code 1001; devices come again.",
            meant + [.flag("all", "Needed where nothing else says which.")],
            .thread { (request, daemon) throws(AdminError) in try daemon.kick(request) }),
    ]

    private static let tenants: [AdminOperation] = [
        .query("tenants", "Lists what each keyset has, beside what it may have.") {
            (request, daemon) throws(AdminError) in daemon.tenants(request)
        },
        .query(
            "channels", "Says what a channel holds and how many follow it, or several.",
            [
                keyset, .optional("channel", "NAME", "This one; without it those of the prefix."),
                .optional("prefix", "TEXT", "Those whose names begin so; without it all."),
                .optional(
                    "limit", "N", "At most so many, up to \(Limits.channelsListedMax) (20)."),
                .optional("after", "NAME", "Goes on behind this name."),
            ]
        ) { (request, daemon) throws(AdminError) in try daemon.channels(request) },
        .change(
            "channels purge",
            "Deletes all messages, reactions and files of a channel, on the devices too.",
            [changedKeyset, .required("channel", "NAME", "Which.")],
            .ledger { (request, daemon) throws(AdminError) in try daemon.purge(request) }),
    ]

    private static let access: [AdminOperation] = [
        .query(
            "grants", "Lists what is granted to auth keys (Access Manager 2).",
            [
                keyset, .optional("channel", "NAME", "Only on this channel."),
                .optional("group", "NAME", "Only on this channel group."),
            ]
        ) { (request, daemon) throws(AdminError) in try daemon.grants(request) },
        .change(
            "grants revoke",
            "Takes back what is granted to one auth key, or to everybody, at one place.",
            [
                changedKeyset,
                .optional("channel", "NAME", "On this channel; without a name: on all."),
                .optional("group", "NAME", "On this channel group."),
                AdminField(
                    name: "authKey", placeholder: "TEXT",
                    summary: "To whom; without it: to everybody.", isSecret: true),
            ], .reactor { (request, call) throws(AdminError) in try call.revokeGrant(request) }),
        .query(
            "tokens", "Lists the tokens that were taken back and whose time is not over.",
            [
                keyset,
                .optional(
                    "limit", "N", "At most so many, up to \(Limits.channelsListedMax) (20)."),
                .optional("after", "ID", "Goes on behind this one."),
            ]
        ) { (request, daemon) throws(AdminError) in try daemon.revokedTokens(request) },
        .change(
            "tokens revoke", "Takes a token back before its time is over.",
            [
                changedKeyset,
                AdminField(
                    name: "token", placeholder: "TOKEN", summary: "Which.", isRequired: true,
                    isSecret: true),
            ], .reactor { (request, call) throws(AdminError) in try call.revokeToken(request) }),
    ]

    private static let webhooks: [AdminOperation] = [
        .query(
            "webhooks",
            "Lists webhooks with what waits and their oldest dead letters, and interceptors."
        ) { (_, daemon) throws(AdminError) in
            WebhookList.json(of: daemon.webhooks, daemon.around.interceptors)
        },
        .change(
            "webhooks retry",
            "Asks a webhook's receiver that failed, or an interceptor, again now.",
            [.required("name", "NAME", "Which.")],
            .thread { (request, daemon) throws(AdminError) in try daemon.retry(request) }),
        replay,
    ]

    static let replay = change(
        "webhooks replay", "Sends the dead letters of a webhook once more.",
        [.required("name", "NAME", "Which.")],
        .thread { (request, daemon) throws(AdminError) in try daemon.replay(request) })

    private static let drain: AdminOperation = {
        var drain = change(
            "drain", "Finishes what is begun, sends clients away and ends, as SIGTERM does.", [],
            .thread { (_, daemon) throws(AdminError) in daemon.drain() })
        // It has an answer to its own end.
        drain.endsWithDrain = false
        return drain
    }()

    private static let process: [AdminOperation] = [
        .query("status", "Says which release runs, since when, and what is wrong.") {
            (_, daemon) throws(AdminError) in daemon.status()
        },
        .query(
            "cluster",
            "Says which daemon has the schema on a database server, who waits in reserve, and on"
                + " which standbys commits are."
        ) { (_, daemon) throws(AdminError) in try daemon.cluster() },
        .query("log", "Says from which level on the log is written.") {
            (_, daemon) throws(AdminError) in daemon.logLevel()
        },
        .change(
            "log set", "Changes that, until the next reload or restart.",
            [.required("level", "LEVEL", "error, warning, notice, info or debug.")],
            .thread { (request, daemon) throws(AdminError) in try daemon.setLogLevel(request) }),
        .change(
            "reload", "Reads the configuration again, as SIGHUP does, and says what came of it.",
            [], .thread { (_, daemon) throws(AdminError) in try daemon.reload() }),
        drain,
        .change(
            "checkpoint", "Copies the write-ahead log into the database and empties it.", [],
            .thread { (_, daemon) throws(AdminError) in try daemon.checkpoint() }),
        .change(
            "compact", "Gives the free space in the database back to the disk, busy or not.", [],
            .longThread { (_, daemon) throws(AdminError) in try daemon.compact() }),
        .change(
            "backup", "Copies the data to a new file, as one consistent state, and checks it.",
            [.required("path", "FILE", "An absolute path where the daemon may write.")],
            .longThread { (request, daemon) throws(AdminError) in try daemon.backUp(request) }),
    ]
}
