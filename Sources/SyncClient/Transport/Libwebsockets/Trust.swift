// Whose certificates a connection believes, and what is said about one that it does not.

#if os(Linux)

import CWebsockets
import Glibc

/// Whom a connection trusts to say who the other side is.
enum Trust: Hashable, Sendable {
    /// It is not encrypted, and asks nobody.
    case nobody
    /// The authorities of the machine.
    case system
    /// Those of a PEM file, and nobody else.
    case authorities(file: String)
}

extension Trust {
    /// Looks at the file before lws does, which goes on without it.
    ///
    /// - Returns: What is wrong with it; `nil`: nothing.
    var problem: String? {
        guard case .authorities(let path) = self else { return nil }
        guard let file = unsafe fopen(path, "r") else {
            return "the CA file \(path) cannot be read: \(unsafe String(cString: strerror(errno)))"
        }
        defer { unsafe fclose(file) }
        guard let certificate = unsafe PEM_read_X509(file, nil, nil, nil) else {
            return "the CA file \(path) has no certificate in PEM form"
        }
        unsafe X509_free(certificate)
        return nil
    }

    /// Says why a certificate was refused, and what helps.
    ///
    /// - Parameter code: OpenSSL's `X509_V_ERR_…`.
    func refusal(of host: String, _ code: CInt) -> String {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "its certificate has expired"
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "its certificate is not valid yet, by this machine's clock"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "its certificate is for another host than \(host)"
        default:
            let reason = unsafe X509_verify_cert_error_string(Int(code))
                .map { unsafe String(cString: $0) }
            let whom = if case .authorities(let file) = self { file } else { "this machine" }
            return "no authority that \(whom) trusts has signed its certificate "
                + "(\(reason ?? "error \(code)"))"
        }
    }
}

#endif
