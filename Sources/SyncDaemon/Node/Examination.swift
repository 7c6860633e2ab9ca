// What reading the configuration came to: the settings, and everything that is wrong with them.

/// The settings with all mistakes, so that somebody can mend them at once.
struct Examination: Sendable {
    /// To be used only when there are no mistakes.
    var configuration = Configuration()
    /// Those of the file in its order, then those of variables, flags, and the whole.
    var mistakes: [ConfigurationError] = []
    /// The configuration file, when there is one.
    var file: String?
    /// What is allowed, and yet not good.
    var warnings: [ConfigurationWarning] = []

    /// Mistakes that are shown at a time.
    static let mistakesShownMax = 50

    /// Names the mistakes on standard error.
    func complain() {
        for mistake in mistakes.prefix(Self.mistakesShownMax) {
            SyncDaemon.complain("syncdaemon: \(mistake)")
        }
        if mistakes.count > Self.mistakesShownMax {
            SyncDaemon.complain(
                "syncdaemon: and \(mistakes.count - Self.mistakesShownMax) mistakes more.")
        }
    }
}

/// A setting that holds, although somebody should think again.
enum ConfigurationWarning: Hashable, Sendable, CustomStringConvertible {
    case secretForOthers(ConfigurationSource, path: String, isOurs: Bool)
    case secretFileForOthers(ConfigurationSource, path: String, isOurs: Bool)
    case writableByOthers(ConfigurationSource, path: String)
    case noKeyForTokens(ConfigurationSource, keyset: String)
    /// Found by `config check` only.
    case directoryForAll(ConfigurationSource, path: String, mode: UInt32)
    case portNotFree(ConfigurationSource, TransportError)
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
        case .secretFileForOthers(let source, let path, let isOurs):
            "\(source): others on this machine may read the secret in \(LogText.quoted(path))."
                + (isOurs
                    ? " Take that away: chmod go-r \(path)"
                    : " Have systemd pass it on, with LoadCredential=NAME:\(path) in the unit and"
                        + " secret_key_file = credential:NAME here; then: chmod o-r \(path)")
        case .writableByOthers(let source, let path):
            "\(source): others on this machine may write \(LogText.quoted(path)), and with it"
                + " decide who comes in. Take that away: chmod go-w \(path)"
        case .noKeyForTokens(let source, let name):
            "\(source): [keyset \(name)] asks for tokens, and has no key to check them with: nobody"
                + " comes in. Give it a secret_key, or a jwks_file."
        case .directoryForAll(let source, let path, let mode):
            "\(source): others may look into \(LogText.quoted(path)) (mode"
                + " 0\(String(mode, radix: 8))). Keep them out: chmod 700 \(path)"
        case .portNotFree(let source, let error):
            "\(source): \(error) That is as it should be while the daemon or syncdaemon.socket"
                + " runs."
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
}
