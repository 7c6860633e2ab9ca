// What can be wrong with a configuration or a command line, and how to mend it.

import EventModel

/// Where a setting came from.
enum ConfigurationSource: Hashable, Sendable, CustomStringConvertible {
    case standard
    /// `line` is counted from 1.
    case file(path: String, line: Int)
    case variable(String)
    case flag(String)
    /// A socket that systemd opened and passed on.
    case passedSocket
    /// The socket on which a running daemon listens.
    case openSocket

    var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line): "\(path):\(line)"
        case .variable(let name): name
        case .flag(let name): name
        case .passedSocket: "the socket passed by systemd"
        case .openSocket: "the socket that is open"
        }
    }
}

/// A mistake in the command line, the environment or the file; the process exits with 2.
enum ConfigurationError: Error, Hashable, CustomStringConvertible {
    case missingCommand
    case unknownCommand(String, nearest: String?)
    /// - Parameter command: Behind which it stands.
    case unexpectedArgument(String, of: String)
    case missingFile(command: String)
    /// - Parameter command: Behind which it stands; `nil`: before any.
    case unknownFlag(String, of: String?, nearest: String?)
    case unknownVariable(String, nearest: String)
    case unknownSection(ConfigurationSource, section: String, nearest: String?)
    case unknownKey(ConfigurationSource, key: String, nearest: String?)
    case noSection(ConfigurationSource, name: String)
    case missingValue(flag: String, expected: String)
    case repeated(ConfigurationSource, key: String)
    case badValue(ConfigurationSource, key: String, value: String, expected: String)
    /// A section without what it must have; `line` says it.
    case missing(ConfigurationSource, section: String, line: String)
    /// - Parameter otherKey: What the other one calls it.
    case sameKey(
        ConfigurationSource, keyset: String, key: String, other: String, otherKey: String)
    case samePattern(ConfigurationSource, String, in: String, and: String)
    /// Too many of what a plural names.
    case tooMany(ConfigurationSource, String, max: Int)
    case listTooLong(ConfigurationSource, key: String, max: Int)
    case twoSecrets(ConfigurationSource, keyset: String, key: String)
    case unreadableSecret(ConfigurationSource, path: String, reason: String)
    case badSecret(ConfigurationSource, path: String, key: String)
    case badWebhookSecret(ConfigurationSource, path: String)
    case badAdminKey(ConfigurationSource, path: String)
    case adminKeyInVain(ConfigurationSource)
    case badWebKeys(ConfigurationSource, path: String, reason: String)
    case badServerKeys(ConfigurationSource, path: String, reason: String)
    case noCredentials(ConfigurationSource, name: String)
    case noCertificate(ConfigurationSource, missing: String)
    case badCertificate(ConfigurationSource, path: String, TLSIdentityError)
    case malformedLine(ConfigurationSource)
    case lineTooLong(ConfigurationSource)
    case notText(path: String)
    case unreadableFile(path: String, reason: String)
    case noDirectory
    case storeURL(ConfigurationSource, StoreURLMistake)
    case cluster(ConfigurationSource, ClusterMistake)
    case archive(ConfigurationSource, ArchiveMistake)
    case reachableByOthers(ConfigurationSource, String)
    /// Found by a reload only.
    case lastGuardGone
    /// Two settings that name one address, or one that contains the other.
    case sameAddress(ConfigurationSource, setting: String, ListenAddress, other: String)
    case defaultPort(ConfigurationSource, origin: String, written: String)
    /// Found by `config check` only: `serve` finds out by trying.
    case badDirectory(ConfigurationSource, path: String, reason: String)
    case badConsole(ConfigurationSource, ConsoleError)
    case badAddress(ConfigurationSource, TransportError)
    case badSocket(ConfigurationSource, TransportError)
    case unreadableForDaemon(path: String, user: UInt32, directory: String)
    /// Of the data, which somebody copied or made as another user.
    case unchangeableForDaemon(path: String, user: UInt32, directory: String)

    /// One line: where, what, and what to do.
    var description: String {
        switch self {
        case .missingCommand, .unknownCommand, .unexpectedArgument, .missingFile, .unknownFlag,
            .unknownVariable, .missingValue:
            usage
        case .missing, .sameKey, .samePattern, .tooMany, .listTooLong, .twoSecrets:
            sections
        case .sameAddress, .defaultPort:
            addresses
        case .unreadableSecret, .badSecret, .badWebhookSecret, .badWebKeys, .badServerKeys,
            .badAdminKey, .adminKeyInVain, .noCredentials,
            .noCertificate, .badCertificate:
            secrets
        case .unknownSection(let source, let section, let nearest):
            "\(source): there is no section [\(section)]."
                + Self.suggestion(nearest, list: "config print")
        case .unknownKey(let source, let key, let nearest):
            "\(source): there is no key \(key)." + Self.suggestion(nearest, list: "config print")
        case .noSection(let source, let name):
            "\(source): \(name) stands before the first section."
                + " Put a line such as [server] above it."
        case .repeated(let source, let key):
            "\(source): \(key) is given a second time. Keep one of the two."
        case .badValue(let source, let key, let value, let expected):
            "\(source): \(key) cannot be \(LogText.quoted(value)). Write \(expected)."
        case .malformedLine(let source):
            "\(source): this line is neither a [section], nor a \"name = value\", nor a comment."
                + " Mend it, or put # in front of it."
        case .lineTooLong(let source):
            "\(source): this line is longer than \(INIFile.lineBytesMax) bytes. Shorten it;"
                + " a list may be given on several lines, each with the same name."
        case .notText(let path):
            "\(path): the file is not UTF-8 text. Save it as UTF-8."
        case .unreadableFile(let path, let reason):
            "\(path): the file cannot be read: \(reason). Check the path behind --config and who"
                + " may read it."
        case .noDirectory:
            "[store] directory: there is no default, because neither STATE_DIRECTORY nor"
                + " XDG_STATE_HOME nor HOME is set. Say where the data is with"
                + " --data-dir DIR; that of the systemd unit is found with"
                + " STATE_DIRECTORY=/var/lib/syncdaemon before the command."
        case .reachableByOthers(let source, let address):
            "\(source): other machines can reach \(address)"
                + (ListenAddress(address)?.isLoopback == true
                    ? " through the proxies of proxy_protocol_from" : "")
                + ", and there is no access control: whoever connects may read and write"
                + " everything. Write access_control = yes into each [keyset], listen on 127.0.0.1"
                + " and let a reverse proxy check who connects, or, in a network where"
                + " everybody is trusted, say --insecure (insecure = yes in [server])."
        case .lastGuardGone:
            "No [keyset] has access_control any more: whoever connects could read and write"
                + " everything. If the file is cut off, or is not where it was, mend that; if this"
                + " is meant, restart the daemon."
        case .badDirectory(let source, let path, let reason):
            "\(source): [store] directory \(LogText.quoted(path)) cannot hold the data: \(reason)."
                + " Name another, or make it for the daemon's user: install -d -m 700 -o USER DIR."
        case .storeURL(let source, let mistake): "\(source): \(mistake)"
        case .cluster(let source, let mistake): "\(source): \(mistake)"
        case .archive(let source, let mistake): "\(source): \(mistake)"
        case .badConsole(let source, let error): "\(source): There is no console. \(error)"
        case .badAddress(let source, let error), .badSocket(let source, let error):
            "\(source): \(error)"
        case .unreadableForDaemon(let path, let user, let directory):
            "\(path): user \(user), who owns \(directory), may not read this file: the daemon could"
                + " not start again. Let everybody read the configuration (chmod o+r), and have"
                + " systemd pass on what is secret: LoadCredential=NAME:/PATH in the unit, and"
                + " credential:NAME in the place of the path here."
        case .unchangeableForDaemon(let path, let user, let directory):
            "\(path): user \(user), who owns \(directory), may not read and write it: the daemon"
                + " would not start, or do without. Give it to them: chown -R"
                + " --reference=\(directory) \(directory); chmod -R u+rwX \(directory)."
        }
    }

    /// The mistakes that are not in a file.
    private var usage: String {
        switch self {
        case .unknownCommand(let word, let nearest):
            "There is no command \(LogText.quoted(word))."
                + Self.suggestion(nearest, list: "--help")
        case .unexpectedArgument(let word, let command):
            "\(LogText.quoted(word)) is one word too many."
                + " Flags start with --; see syncdaemon \(command) --help."
        case .missingFile(let command):
            "Say which file: syncdaemon \(command) FILE; see syncdaemon \(command) --help."
        case .unknownFlag(let flag, let command, let nearest):
            "\(LogText.bare(flag)): there is no such flag."
                + Self.suggestion(nearest, list: (command.map { $0 + " " } ?? "") + "--help")
        case .unknownVariable(let name, let nearest):
            "\(LogText.bare(name)): there is no such variable. Did you mean \(nearest)? Rename it,"
                + " or unset it."
        case .missingValue(let flag, let expected):
            "\(flag): the value is missing. Write \(expected) behind it."
        default:
            "Say what to do: syncdaemon serve starts the daemon; syncdaemon --help lists the rest."
        }
    }

    /// The mistakes that only keysets and namespaces can have.
    private var sections: String {
        switch self {
        case .missing(let source, let section, let line):
            "\(source): \(section) has no \(line.prefix { $0 != " " })."
                + " Write a line such as \(line) below it."
        case .sameKey(let source, let name, let key, let other, let otherKey):
            "\(source): [keyset \(name)] \(key) is "
                + (key == otherKey ? "that" : "the \(otherKey)")
                + " of [keyset \(other)] already. Give each keyset a key of its own."
        case .samePattern(let source, let pattern, let section, let other):
            "\(source): \(section) channels names \(LogText.quoted(pattern)), as \(other) does"
                + " already. Keep one of the two."
        case .tooMany(let source, let what, let limit):
            "\(source): there are more than \(limit) \(what)."
                + " Remove some, or run another daemon for them."
        case .listTooLong(let source, let key, let limit):
            "\(source): \(key) has more than \(limit) elements, on this line and above. Remove"
                + " some."
        case .twoSecrets(let source, let name, let key):
            "\(source): [keyset \(name)] has a \(key) already. Keep one of the two."
        default: preconditionFailure("This is no mistake of sections.")
        }
    }

    /// The mistakes about who comes from where.
    private var addresses: String {
        switch self {
        case .sameAddress(let source, let setting, let address, let other):
            "\(source): \(setting) \(address) is where \(other) is, too. Give it a port of its own,"
                + " such as 127.0.0.1:8081."
        case .defaultPort(let source, let origin, let written):
            "\(source): no browser ever sends \(origin): it leaves out a port that is its scheme's"
                + " own. Write \(written)."
        default: preconditionFailure("This is no mistake of addresses.")
        }
    }

    /// The mistakes about what stands outside of the configuration file.
    private var secrets: String {
        switch self {
        case .unreadableSecret(let source, let path, let reason):
            "\(source): the secret in \(LogText.quoted(path)) cannot be read: \(reason). Check the"
                + " path, and that the daemon's user may read it."
        case .badSecret(let source, let path, let key):
            "\(source): what is in \(LogText.quoted(path)) cannot be a \(key). Write there"
                + " \(NamedKeyset.secretExpected), and nothing else."
        case .badWebhookSecret(let source, let path):
            "\(source): what is in \(LogText.quoted(path)) cannot sign requests. Write there"
                + " \(Limits.webhookSecretBytesMin) to \(Limits.webhookSecretBytesMax) visible"
                + " ASCII characters, and nothing else; behind whsec_ they have to be Base64."
        case .badAdminKey(let source, let path):
            "\(source): what is in \(LogText.quoted(path)) cannot be the operators' key. Write"
                + " there \(Limits.adminKeyBytesMin) to \(Limits.adminKeyBytesMax) visible ASCII"
                + " characters, and nothing else: openssl rand -base64 33 makes one."
        case .adminKeyInVain(let source):
            "\(source): admin_key_file is for [server] admin_listen on loopback, and there is none."
                + " Write admin_listen = 127.0.0.1:8081, or leave the key out: admin_socket needs"
                + " none."
        case .badWebKeys(let source, let path, let reason):
            "\(source): what is in \(LogText.quoted(path)) cannot be a JSON Web Key Set. \(reason)"
        case .badServerKeys(let source, let path, let reason):
            "\(source): what is in \(LogText.quoted(path)) cannot be server keys. \(reason)"
        case .noCredentials(let source, let name):
            "\(source): there is no credential \(name), because CREDENTIALS_DIRECTORY is not set."
                + " Have systemd pass it, with LoadCredential=\(name):/PATH in the unit, or name a"
                + " file."
        case .noCertificate(let source, let missing):
            "\(source): [tls] \(missing) is missing. TLS takes a certificate and its key: name both"
                + " files."
        case .badCertificate(let source, let path, let error):
            "\(source): \(LogText.quoted(path)) cannot be used. \(error)"
        default: preconditionFailure("This is no mistake of secrets.")
        }
    }

    private static func suggestion(_ nearest: String?, list: String) -> String {
        nearest.map { " Did you mean \($0)?" } ?? " See syncdaemon \(list)."
    }
}

/// Finds what somebody meant to write.
enum Spelling {
    /// The candidate with the fewest edits, if those are few for its length or at most `limit`.
    static func nearest(
        to word: String, among candidates: [String], edits limit: Int? = nil
    ) -> String? {
        let scored = candidates.map { (word: $0, edits: edits(from: word, to: $0)) }
        guard let best = scored.min(by: { $0.edits < $1.edits }),
            best.edits <= limit ?? max(2, best.word.count / 4)
        else { return nil }
        return best.word
    }

    /// Levenshtein distance: insertions, deletions and replacements.
    static func edits(from source: String, to target: String) -> Int {
        let target = Array(target.utf8)
        var row = Array(0...target.count)
        for (line, byte) in source.utf8.prefix(256).enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in target.indices {
                let replaced = diagonal + (byte == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[target.count]
    }
}
