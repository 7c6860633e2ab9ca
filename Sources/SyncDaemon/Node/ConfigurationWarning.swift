// What is allowed in a configuration, and yet not good: where, what, and what to do.

/// A setting that holds, although somebody should think again.
enum ConfigurationWarning: Hashable, Sendable, CustomStringConvertible {
    case secretForOthers(ConfigurationSource, path: String, isOurs: Bool)
    case secretFileForOthers(
        ConfigurationSource, path: String, isOurs: Bool, setting: String = "secret_key_file")
    case writableByOthers(ConfigurationSource, path: String)
    /// Found by `config check` only, as the two below.
    case directoryWritableByOthers(ConfigurationSource, path: String, of: String)
    case ownedByAnother(ConfigurationSource, path: String, user: UInt32)
    case directoryInMemory(ConfigurationSource, path: String)
    /// Whoever is on the way to the database server could be the server.
    case unprovenDatabase(ConfigurationSource)
    /// Likewise; the directory of files is on another disk than the database.
    case filesElsewhere(ConfigurationSource, path: String)
    case noKeyForTokens(ConfigurationSource, keyset: String)
    /// Found by `config check` only, as the one below: who has no SDK sign needs none.
    case noPublishKeyToSign(ConfigurationSource, keyset: String)
    case directoryForAll(ConfigurationSource, path: String, mode: UInt32)
    /// A setting that nothing can come of.
    case saidInVain(ConfigurationSource, String, what: String, instead: String)
    /// The one that the environment makes of it.
    case socketPathTooLong(path: String)
    case portNotFree(ConfigurationSource, TransportError)
    case certificateBegins(ConfigurationSource, path: String, seconds: Int)
    /// Found by `config check` only.
    case certificateNotForServers(ConfigurationSource, path: String)
    case certificateEnds(ConfigurationSource, path: String, seconds: Int)
    case uncheckedCredential(ConfigurationSource, name: String)
    /// The address of `listen`, where systemd opens another.
    case unusedAddress(ConfigurationError)

    /// One line: where, what, and what to do.
    var description: String {
        switch self {
        case .secretForOthers(let source, let path, let isOurs):
            "\(source): others on this machine may read this file, and with it the secret_key."
                + (isOurs
                    ? " Put the key into a file of its own and name that with secret_key_file, or:"
                        + " chmod go-r \(path)"
                    : " Put the key into a file of its own that systemd passes on:"
                        + " LoadCredential=NAME:/PATH in the unit, and here secret_key_file ="
                        + " credential:NAME. This file stays as it is: the unit's user reads it.")
        case .secretFileForOthers, .writableByOthers, .directoryForAll,
            .directoryWritableByOthers, .ownedByAnother, .directoryInMemory, .filesElsewhere:
            places
        case .noKeyForTokens(let source, let name):
            "\(source): [keyset \(name)] asks for tokens, and has no key to check them with: nobody"
                + " comes in. Give it a secret_key, or a jwks_file."
        case .noPublishKeyToSign(let source, let name):
            "\(source): [keyset \(name)] has a secret_key and no publish_key, which PubNub's SDKs"
                + " sign, too: what they sign (grant_token) is refused with Signature Does Not"
                + " Match. Set publish_key = KEY here, and the same in SDKs and other clients that"
                + " write. Where no SDK signs, leave it."
        case .unprovenDatabase(let source):
            "\(source): the PostgreSQL server is another machine, and need not prove who it is."
                + " Put sslmode=verify-full (and sslrootcert=FILE, where its authority is your own)"
                + " into the URL."
        case .saidInVain(let source, let key, let what, let instead):
            "\(source): \(key): \(what). \(instead)."
        case .socketPathTooLong(let path):
            "There is no socket for operators: the path \(LogText.quoted(path)) is too long for"
                + " one. Name a shorter one: [server] admin_socket = /run/syncdaemon/admin.sock."
        case .portNotFree(let source, let error):
            "\(source): \(error) That is as it should be while the daemon or syncdaemon.socket"
                + " runs."
        case .certificateBegins(let source, let path, let seconds):
            "\(source): \(LogText.quoted(path)): a certificate in it holds only in"
                + " \(max(1, (seconds + 3599) / 3600)) hours: until then clients refuse it. Look at"
                + " this machine's clock, or name the one before."
        case .certificateNotForServers(let source, let path):
            "\(source): \(LogText.quoted(path)): its extended key usage has no serverAuth: clients"
                + " refuse it. Have a certificate made for servers."
        case .certificateEnds(let source, let path, let seconds):
            "\(source): \(LogText.quoted(path)): "
                + CertificateWatch.text(secondsLeft: seconds)
        case .unusedAddress(let error):
            "\(error) That does not matter while systemd opens the port: syncdaemon.socket is"
                + " enabled, and its ListenStream= holds."
        case .uncheckedCredential(let source, let name):
            "\(source): the credential \(name) was not looked at: only systemd can show it, to the"
                + " unit that has LoadCredential=\(name):/PATH. To have it looked at, say which"
                + " directory holds a file \(name): CREDENTIALS_DIRECTORY=DIR before the command."
        }
    }

    /// Those of files and directories, which others may read or write.
    private var places: String {
        switch self {
        case .secretFileForOthers(let source, let path, let isOurs, let setting):
            "\(source): others on this machine may read the secret in \(LogText.quoted(path))."
                + (isOfAll(path)
                    ? Self.placeOfItsOwn
                    : isOurs
                        ? " Take that away: chmod go-r \(path)"
                        : " Have systemd pass it on, with LoadCredential=NAME:\(path) in the unit"
                            + " and \(setting) = credential:NAME here; then: chmod o-r \(path)")
        case .writableByOthers(let source, let path):
            "\(source): others on this machine may write \(LogText.quoted(path)), and with it"
                + " decide who comes in."
                + (isOfAll(path) ? Self.placeOfItsOwn : " Take that away: chmod go-w \(path)")
        case .directoryForAll(let source, let path, let mode):
            "\(source): others may look into \(LogText.quoted(path)) (mode"
                + " 0\(String(mode, radix: 8)))."
                + (isOfAll(path) ? Self.placeOfItsOwn : " Keep them out: chmod 700 \(path)")
        case .directoryWritableByOthers(let source, let path, let file):
            "\(source): others on this machine may write \(LogText.quoted(path)), and so put"
                + " something else in the place of \(LogText.quoted(file))."
                + (isOfAll(path) ? Self.placeOfItsOwn : " Take that away: chmod go-w \(path)")
        case .ownedByAnother(let source, let path, let user):
            "\(source): \(LogText.quoted(path)) is user \(user)'s, who may change it, or put"
                + " something else in its place. Make it root's: chown root \(path)"
        case .directoryInMemory(let source, let path):
            "\(source): \(LogText.quoted(path)) is in memory (tmpfs): a restart of the machine"
                + " forgets everything. Name a directory on a disk."
        case .filesElsewhere(let source, let path):
            "\(source): \(LogText.quoted(path)) is on another disk than the database. Have it there"
                + " whenever the daemon starts: without it every file is absent."
        default: preconditionFailure("This is no warning of places.")
        }
    }

    private static let placeOfItsOwn =
        " That place is the system's: leave it as it is, and name one of the daemon's own here."

    /// Whether others have business there, so that its permissions are not the daemon's to change.
    private func isOfAll(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map { String($0) }
        let ofAll: Set<[String]> = [
            [], ["etc"], ["home"], ["mnt"], ["opt"], ["run"], ["srv"], ["tmp"], ["usr"], ["var"],
            ["var", "lib"], ["var", "tmp"],
        ]
        return ["dev", "proc", "sys"].contains(parts.first) || ofAll.contains(parts)
    }
}
