// Tables for the configuration's tests: good values, and mistakes with what is said about them.

import Testing

@testable import SyncDaemon

/// One value per key, other than its default.
struct ConfigurationSample: Sendable, CustomTestStringConvertible {
    let path: String
    let text: String
    let written: String

    var testDescription: String { "\(path) = \(text)" }

    init(_ path: String, _ text: String, written: String? = nil) {
        self.path = path
        self.text = text
        self.written = written ?? text
    }

    static let all = [
        ConfigurationSample("server.listen", "localhost:0", written: "127.0.0.1:0"),
        ConfigurationSample("server.admin_listen", "[::1]:8081"),
        ConfigurationSample("server.admin_socket", "/run/sync/admin.sock"),
        ConfigurationSample("server.admin_socket_group", "operators"),
        ConfigurationSample("server.admin_key_file", "/srv/admin.key"),
        ConfigurationSample("server.console", "/usr/share/syncdaemon"),
        ConfigurationSample("server.console_for_clients", "yes"),
        ConfigurationSample("server.reactors", "3"),
        ConfigurationSample("server.readers", "5"),
        ConfigurationSample("server.allowed_origins", "https://a.example, https://b.example"),
        ConfigurationSample(
            "server.allowed_hosts", "Chat.example, [2001:DB8::1]",
            written: "chat.example, [2001:db8::1]"),
        ConfigurationSample(
            "server.proxy_protocol_from", "10.0.0.0/8, ::ffff:192.0.2.7, ::1",
            written: "10.0.0.0/8, 192.0.2.7, ::1"),
        ConfigurationSample("server.connections", "1000"),
        ConfigurationSample("server.connections_per_address", "10"),
        ConfigurationSample("server.insecure", "true", written: "yes"),
        ConfigurationSample("tls.listen", "[::]:8443"),
        ConfigurationSample("tls.certificate_file", "/srv/chain.pem"),
        ConfigurationSample("tls.key_file", "credential:key"),
        ConfigurationSample("store.kind", "memory"),
        ConfigurationSample("store.directory", "/srv/sync"),
        ConfigurationSample("store.url", "host=/run/postgresql dbname=sync"),
        ConfigurationSample("store.url_file", "/srv/postgres-url"),
        ConfigurationSample("store.schema", "sync_2"),
        ConfigurationSample("store.reserve", "true", written: "yes"),
        ConfigurationSample("store.require_standby", "true", written: "yes"),
        ConfigurationSample("store.tombstone_days", "7"),
        ConfigurationSample("store.mutation_days", "7"),
        ConfigurationSample("archive.directory", "/srv/archive"),
        ConfigurationSample("archive.seconds", "7"),
        ConfigurationSample("archive.base_hours", "7"),
        ConfigurationSample("archive.keep_days", "9"),
        ConfigurationSample("archive.command", "/usr/bin/take"),
        ConfigurationSample("cluster.listen", "10.0.0.1:8090"),
        ConfigurationSample("cluster.advertise", "[2001:db8::1]:8090"),
        ConfigurationSample("cluster.key_file", "/srv/cluster.key"),
        ConfigurationSample("log.level", "debug"),
        ConfigurationSample("log.format", "text"),
        ConfigurationSample("tracing.endpoint", "https://traces.example/v1/traces"),
        ConfigurationSample("tracing.one_in", "7"),
        ConfigurationSample("limits.send_queue_bytes", "256K", written: "262144"),
        ConfigurationSample("limits.batch_window", "20"),
        ConfigurationSample("limits.commands_per_second", "50"),
        ConfigurationSample("limits.memory_max", "1G", written: "1073741824"),
    ]
}

extension ConfigurationSample {
    /// What a sample needs besides itself, as variables.
    func companions(_ key: SettingKey<Configuration>) -> [String: String] {
        if key.path == "server.admin_key_file" {
            return ["SYNCDAEMON_SERVER_ADMIN_LISTEN": "127.0.0.1:8081"]
        }
        if key.path.hasPrefix("store.url") { return ["SYNCDAEMON_STORE_KIND": "postgres"] }
        if ["store.reserve", "store.require_standby"].contains(key.path) {
            return ["SYNCDAEMON_STORE_KIND": "postgres", "SYNCDAEMON_STORE_URL": "host=/run"]
        }
        if key.section == "cluster" {
            let others = [
                "SYNCDAEMON_STORE_KIND": "postgres", "SYNCDAEMON_STORE_URL": "host=/run",
                "SYNCDAEMON_CLUSTER_LISTEN": "10.0.0.1:8090",
                "SYNCDAEMON_CLUSTER_KEY_FILE": "/srv/cluster.key",
            ]
            return others.filter { $0.key != key.variable }
        }
        guard key.section == "tls" else { return [:] }
        let files = [
            "SYNCDAEMON_TLS_CERTIFICATE_FILE": "/srv/a.pem", "SYNCDAEMON_TLS_KEY_FILE": "/srv/key",
            "CREDENTIALS_DIRECTORY": "/run/credentials",
        ]
        return files.filter { $0.key != key.variable }
    }

    /// A certificate, or its key, or the operators', or where a database server is.
    static func readSecret(_ path: String) -> SecretFile {
        let text =
            switch path {
            case "/srv/admin.key", "/srv/cluster.key": String(repeating: "k", count: 40)
            case "/srv/postgres-url": "postgresql://ada:secret@localhost/sync\n"
            default: path.hasSuffix("key") ? TestCertificate.aKey : TestCertificate.a
            }
        return .text(SecretText(text: text, isForOthers: false))
    }
}

/// A wrong configuration, and what is said about it.
struct ConfigurationMistake: Sendable, CustomTestStringConvertible {
    var arguments: [String] = []
    var environment: [String: String] = [:]
    var file: String?
    let message: String

    var testDescription: String { message }

    static let all = inFile + elsewhere

    private static let inFile = [
        ConfigurationMistake(
            file: "[server]\nlisten = 127.0.0.1:80\nreacters = 2\n",
            message: "sync.ini:3: there is no key [server] reacters. Did you mean reactors?"),
        ConfigurationMistake(
            file: "[store]\n\n# x\nlevel = info\n",
            message: "sync.ini:4: there is no key [store] level. Did you mean [log] level?"),
        ConfigurationMistake(
            file: "[server]\nqwertyuiop = 2\n",
            message: "sync.ini:2: there is no key [server] qwertyuiop. See syncdaemon config print."
        ),
        ConfigurationMistake(
            file: "[sever]\nlisten = 127.0.0.1:80\n",
            message: "sync.ini:2: there is no section [sever]. Did you mean [server]?"),
        ConfigurationMistake(
            file: "[server]\n[webhok w]\n",
            message: "sync.ini:2: there is no section [webhok w]. Did you mean [webhook w]?"),
        ConfigurationMistake(
            file: "[sever]\n# listen = 127.0.0.1:80\n[log]\n",
            message: "sync.ini:1: there is no section [sever]. Did you mean [server]?"),
        ConfigurationMistake(
            file: "listen = 127.0.0.1:80\n",
            message: "sync.ini:1: listen stands before the first section. Put a line such as "
                + "[server] above it."),
        ConfigurationMistake(
            file: "[server]\nlisten = 8080\n",
            message: "sync.ini:2: listen cannot be \"8080\". Write a numeric address and a port, "
                + "such as 127.0.0.1:8080 or [::1]:8080."),
        ConfigurationMistake(
            file: "[server]\nreaders = 2\nreaders = 2\n",
            message: "sync.ini:3: [server] readers is given a second time. Keep one of the two."),
        ConfigurationMistake(
            file: "[server]\nwhat is this\n",
            message: "sync.ini:2: this line is neither a [section], nor a \"name = value\", nor a "
                + "comment. Mend it, or put # in front of it."),
        ConfigurationMistake(
            file: "[server] listen = 0.0.0.0:80\n",
            message: "sync.ini:1: this line is neither a [section], nor a \"name = value\", nor a "
                + "comment. Mend it, or put # in front of it."),
        ConfigurationMistake(
            file: "[store]\ndirectory = /" + String(repeating: "d", count: 200) + "\n",
            message: "sync.ini:2: this line is longer than 197 bytes. Shorten it; a list may be "
                + "given on several lines, each with the same name."),
        ConfigurationMistake(
            file: "[limits]\nsend_queue_bytes = 1T\n",
            message: "sync.ini:2: send_queue_bytes cannot be \"1T\". Write a whole number from "
                + "65536 to 1073741824 bytes (K, M and G stand for KiB, MiB and GiB)."),
        ConfigurationMistake(
            file: "[limits]\nmemory_max = 31M\n",
            message: "sync.ini:2: memory_max cannot be \"31M\". Write 0, or a whole number from "
                + "33554432 to 1125899906842624 bytes (K, M and G stand for KiB, MiB and GiB)."),
        ConfigurationMistake(
            file: "[server]\nallowed_origins = https://a.example\nallowed_origins = *\n",
            message: "sync.ini:3: allowed_origins cannot be \"*\". Write origins separated by "
                + "commas, each SCHEME://HOST or SCHEME://HOST:PORT without a path, such as "
                + "https://app.example.com; or null."),
        ConfigurationMistake(
            file: "[server]\nallowed_hosts = chat.example, chat.example:443\n",
            message: "sync.ini:2: allowed_hosts cannot be \"chat.example, chat.example:443\". "
                + "Write names or addresses separated by commas, each without a port, such as "
                + "chat.example.com or [2001:db8::1]."),
        ConfigurationMistake(
            file: "[server]\nadmin_listen = admin\n",
            message: "sync.ini:2: admin_listen cannot be \"admin\". Write a numeric address and a "
                + "port, such as 127.0.0.1:8081."),
    ]

    private static let elsewhere = [
        ConfigurationMistake(
            environment: ["SYNCDAEMON_STORE_KIND": "mysql"],
            message: "SYNCDAEMON_STORE_KIND: the value cannot be \"mysql\". Write sqlite, postgres "
                + "or memory."),
        ConfigurationMistake(
            environment: ["SYNCDAEMON_STORE_KIND": "postgres"],
            message: "SYNCDAEMON_STORE_KIND: [store] kind is postgres, and nobody says where the "
                + "server is. Write url = postgresql://USER@HOST/DATABASE, or name a file with it: "
                + "url_file."),
        ConfigurationMistake(
            environment: ["SYNCDAEMON_STORE_URL": "postgresql:///a"],
            message:
                "SYNCDAEMON_STORE_URL: [store] url, url_file, reserve and require_standby are for"
                + " kind = postgres. Write that, or leave them out."),
        ConfigurationMistake(
            environment: [
                "SYNCDAEMON_STORE_KIND": "postgres",
                "SYNCDAEMON_STORE_URL": "postgresql://ada:secret@h/a?sslmode=verify-full",
            ],
            message:
                "SYNCDAEMON_STORE_URL: [store] url has a password in it, which others may read "
                + "here. Put the URL into a file of its own and name that with url_file, or leave "
                + "the password to a passfile."),
        ConfigurationMistake(
            environment: [
                "SYNCDAEMON_STORE_KIND": "postgres", "SYNCDAEMON_STORE_URL": "nothing",
            ],
            message:
                "SYNCDAEMON_STORE_URL: what is to say where the PostgreSQL server is cannot be "
                + "read. It looks like postgresql://USER@HOST/DATABASE?sslmode=verify-full."),
        ConfigurationMistake(
            environment: ["SYNCDAEMON_STORE_SCHEMA": "pg_temp"],
            message: "SYNCDAEMON_STORE_SCHEMA: the value cannot be \"pg_temp\". Write a name of at "
                + "most 63 small letters, digits and _, which begins with a letter and not with "
                + "pg_."),
        ConfigurationMistake(
            environment: ["SYNCDAEMON_SEVER_LISTEN": "127.0.0.1:80"],
            message: "SYNCDAEMON_SEVER_LISTEN: there is no such variable. Did you mean "
                + "SYNCDAEMON_SERVER_LISTEN? Rename it, or unset it."),
        ConfigurationMistake(
            arguments: ["--log-level", "loud"],
            message: "--log-level: the value cannot be \"loud\". Write error, warning, notice, "
                + "info or debug."),
        ConfigurationMistake(
            arguments: ["--readers=99999999999999999999"],
            message: "--readers: the value cannot be \"99999999999999999999\". Write a whole "
                + "number from 1 to 64."),
        ConfigurationMistake(
            arguments: ["--data-dir", "~/data"],
            message: "--data-dir: the value cannot be \"~/data\". Write the path of a directory, "
                + "written out (~ has no meaning here)."),
        ConfigurationMistake(
            arguments: ["--data-dir", "/data\n[server]"],
            message: "--data-dir: the value cannot be \"/data\\n[server]\". Write the path of a "
                + "directory, written out (~ has no meaning here)."),
        ConfigurationMistake(
            arguments: ["--insecure=maybe"],
            message: "--insecure: the value cannot be \"maybe\". Write yes or no."),
    ]
}
