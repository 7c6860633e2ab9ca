// Where a secret stands that does not stand in the configuration: a file, or systemd's credentials.

import EventModel

/// Names a secret without holding it.
enum SecretSource: Hashable, Sendable, CustomStringConvertible {
    case file(path: String)
    /// In `$CREDENTIALS_DIRECTORY`: systemd.exec(5), `LoadCredential=`.
    case credential(name: String)

    private static let credentialPrefix = "credential:"

    init?(_ text: String) {
        if text.hasPrefix(Self.credentialPrefix) {
            let name = text.dropFirst(Self.credentialPrefix.count)
            guard SectionName.isValid(String(name)), name.first != "." else { return nil }
            self = .credential(name: String(name))
        } else {
            guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                return nil
            }
            self = .file(path: text)
        }
    }

    var description: String {
        switch self {
        case .file(let path): path
        case .credential(let name): Self.credentialPrefix + name
        }
    }
}

/// What a look at the file of a secret came to.
enum SecretFile: Hashable, Sendable {
    case text(SecretText)
    case unreadable(reason: String)
}

struct SecretText: Hashable, Sendable {
    let text: String
    let isForOthers: Bool
    /// Whether the file is this process's user's, who is not root.
    var isOurs = false
    /// Whether others than its owner may write it.
    var isWritable = false

    /// The only line, which editors end with a line feed; `nil` when something stands behind it.
    var onlyLine: String? {
        let line = text.prefix { !$0.isNewline }
        return text[line.endIndex...].allSatisfy(\.isNewline) ? String(line) : nil
    }
}

extension NamedKeyset {
    /// Where each secret key goes, and where it may come from.
    fileprivate static var secrets:
        [(
            key: String, value: WritableKeyPath<NamedKeyset, String?>,
            source: KeyPath<NamedKeyset, SecretSource?>
        )]
    {
        [
            ("secret_key", \.keyset.secretKey, \.secretSource),
            ("secret_key_previous", \.keyset.previousSecretKey, \.previousSource),
        ]
    }
}

extension Examination {
    /// Gets the secrets that stand elsewhere, and says who else may read those that there are.
    ///
    /// - Parameter read: Looks at a file.
    mutating func takeSecrets(
        from file: ConfigurationFile?, _ environment: [String: String],
        read: (_ path: String) -> SecretFile
    ) {
        if let file, file.isWritable {
            warnings.append(.writableByOthers(.file(path: file.path, line: 1), path: file.path))
        }
        for index in configuration.namedKeysets.indices {
            let named = configuration.namedKeysets[index]
            lookForKeys(of: named)
            let place = "keyset \(named.name)."
            for secret in NamedKeyset.secrets {
                let written = configuration.sources[place + secret.key]
                let source = named[keyPath: secret.source]
                if let written, source != nil {
                    mistakes.append(.twoSecrets(written, keyset: named.name, key: secret.key))
                } else if let source {
                    let line = configuration.sources[place + secret.key + "_file"] ?? .standard
                    if let (path, text) = self.text(of: source, environment, line, read) {
                        configuration.namedKeysets[index][keyPath: secret.value] = secretKey(
                            of: text, at: path, line, key: secret.key)
                    }
                } else if let file, file.isForOthers, let written,
                    named[keyPath: secret.value] != nil
                {
                    warnings.append(.secretForOthers(written, path: file.path, isOurs: file.isOurs))
                }
            }
            if let source = named.webKeySource {
                let line = configuration.sources[place + "jwks_file"] ?? .standard
                if let (path, text) = self.text(of: source, environment, line, read) {
                    configuration.namedKeysets[index].keyset.webKeys = webKeys(
                        of: text, at: path, line)
                }
            }
            if let source = named.serverKeySource {
                let line = configuration.sources[place + "server_keys_file"] ?? .standard
                if let (path, text) = self.text(of: source, environment, line, read) {
                    configuration.namedKeysets[index].keyset.serverKeys = serverKeys(
                        of: text, at: path, line)
                }
            }
        }
    }

    /// Says so when nobody could ever come in.
    private mutating func lookForKeys(of named: NamedKeyset) {
        let place = "keyset \(named.name)."
        let keys = [
            "secret_key", "secret_key_file", "secret_key_previous", "secret_key_previous_file",
            "jwks_file", "server_keys_file",
        ]
        // Of a key that is there and wrong somebody is told already.
        guard named.keyset.isAccessControlled,
            keys.allSatisfy({ configuration.sources[place + $0] == nil })
        else { return }
        let line = configuration.sources[place + "access_control"] ?? .standard
        warnings.append(.noKeyForTokens(line, keyset: named.name))
    }

    /// Says where SDKs cannot sign rightly.
    mutating func lookForPublishKeys() {
        for named in configuration.namedKeysets {
            let place = "keyset \(named.name)."
            let sources = configuration.sources
            guard let secret = sources[place + "secret_key"] ?? sources[place + "secret_key_file"],
                sources[place + "publish_key"] == nil
            else { continue }
            warnings.append(.noPublishKeyToSign(secret, keyset: named.name))
        }
    }

    private mutating func path(
        of source: SecretSource, _ environment: [String: String], _ line: ConfigurationSource
    ) -> String? {
        switch source {
        case .file(let path): return path
        case .credential(let name):
            guard let directory = environment["CREDENTIALS_DIRECTORY"] else {
                mistakes.append(.noCredentials(line, name: name))
                return nil
            }
            return directory + "/" + name
        }
    }

    mutating func text(
        of source: SecretSource, _ environment: [String: String], _ line: ConfigurationSource,
        _ read: (_ path: String) -> SecretFile
    ) -> (path: String, text: SecretText)? {
        guard let path = path(of: source, environment, line) else { return nil }
        secretFiles.append((line, path))
        switch read(path) {
        case .text(let text):
            if text.isWritable { warnings.append(.writableByOthers(line, path: path)) }
            return (path, text)
        case .unreadable(let reason):
            mistakes.append(.unreadableSecret(line, path: path, reason: reason))
            return nil
        }
    }

    /// The text of a key set that can be used.
    private mutating func webKeys(
        of file: SecretText, at path: String, _ line: ConfigurationSource
    ) -> String? {
        do throws(JSONWebKeyError) {
            let keys = try JSONWebKeySet(file.text)
            if file.isForOthers, keys.hasSharedKey {
                warnings.append(
                    .secretFileForOthers(
                        line, path: path, isOurs: file.isOurs, setting: "jwks_file"))
            }
            return file.text
        } catch {
            mistakes.append(.badWebKeys(line, path: path, reason: "\(error)"))
            return nil
        }
    }

    /// The text of server keys that can be used.
    private mutating func serverKeys(
        of file: SecretText, at path: String, _ line: ConfigurationSource
    ) -> String? {
        if file.isForOthers {
            warnings.append(
                .secretFileForOthers(
                    line, path: path, isOurs: file.isOurs, setting: "server_keys_file"))
        }
        do throws(ServerKeyError) {
            _ = try ServerKeys(file.text)
            return file.text
        } catch {
            mistakes.append(.badServerKeys(line, path: path, reason: "\(error)"))
            return nil
        }
    }

    private mutating func secretKey(
        of file: SecretText, at path: String, _ line: ConfigurationSource, key name: String
    ) -> String? {
        if file.isForOthers {
            warnings.append(
                .secretFileForOthers(
                    line, path: path, isOurs: file.isOurs, setting: name + "_file"))
        }
        guard let key = file.onlyLine, NamedKeyset.isSecretKey(key) else {
            mistakes.append(.badSecret(line, path: path, key: name))
            return nil
        }
        return key
    }
}
