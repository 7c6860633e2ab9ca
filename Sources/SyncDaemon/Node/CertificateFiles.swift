// Reads the certificate and the key that `[tls]` names, and says what is wrong with them.

import EventModel

extension Examination {
    /// Gets the certificate and its key, when there are any.
    ///
    /// - Parameters:
    ///   - seconds: Now, since 1970.
    ///   - read: Looks at a file.
    mutating func takeCertificate(
        _ environment: [String: String], at seconds: Int, read: (_ path: String) -> SecretFile
    ) {
        let sources = configuration.sources
        func line(_ key: String) -> ConfigurationSource { sources["tls.\(key)"] ?? .standard }
        switch (configuration.certificateSource, configuration.certificateKeySource) {
        case (nil, nil):
            guard configuration.tlsListen != nil else { return }
            mistakes.append(.noCertificate(line("listen"), missing: "certificate_file"))
        case (_, nil):
            mistakes.append(.noCertificate(line("certificate_file"), missing: "key_file"))
        case (nil, _):
            mistakes.append(.noCertificate(line("key_file"), missing: "certificate_file"))
        case (let certificate?, let key?):
            // Both are looked at, so that somebody can mend both at once.
            let chain = text(of: certificate, environment, line("certificate_file"), read)
            let secret = text(of: key, environment, line("key_file"), read)
            guard let chain, let secret else { return }
            if secret.text.isForOthers {
                warnings.append(
                    .secretFileForOthers(
                        line("key_file"), path: secret.path, isOurs: secret.text.isOurs,
                        setting: "key_file"))
            } else if chain.text.isForOthers, chain.text.text.contains(" PRIVATE KEY-----") {
                // OpenSSL takes no notice of it there, and whoever reads the file does.
                warnings.append(
                    .secretFileForOthers(
                        line("certificate_file"), path: chain.path, isOurs: chain.text.isOurs,
                        setting: "certificate_file"))
            }
            do throws(TLSIdentityError) {
                let identity = try TLSIdentity(
                    certificates: chain.text.text, key: secret.text.text)
                configuration.tlsIdentity = identity
                if identity.start > seconds {
                    warnings.append(
                        .certificateBegins(
                            line("certificate_file"), path: chain.path,
                            seconds: identity.start - seconds))
                }
                let left = identity.expiry - seconds
                if CertificateWatch.isSoon(left) {
                    warnings.append(
                        .certificateEnds(
                            line("certificate_file"), path: chain.path, seconds: left))
                }
            } catch {
                let name = error.isOfKey ? "key_file" : "certificate_file"
                mistakes.append(
                    .badCertificate(
                        line(name), path: error.isOfKey ? secret.path : chain.path, error))
            }
        }
    }
}
