// How a connection over URLSession ended, in words, and what is known of why.

#if canImport(Darwin) || URLSESSION

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension WebSocketClosure {
    /// The other side closed.
    init(code: URLSessionWebSocketTask.CloseCode, reason: Data?) {
        let said = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
        self.init(
            code: UInt16(exactly: code.rawValue), reason: said.isEmpty ? "the daemon closed" : said)
    }

    /// - Parameter error: What URLSession says; `nil`: that it is over.
    init(_ error: (any Error)?) {
        guard let error else {
            self.init(reason: "the connection broke")
            return
        }
        guard let code = (error as? URLError)?.code else {
            self.init(reason: error.localizedDescription)
            return
        }
        // Foundation of Linux says nothing but the number, and Apple's says it in the user's
        // language, in which nobody could search for it.
        let (reason, cause) =
            Self.known[code] ?? ("\(error.localizedDescription) (\(code.rawValue))", .other)
        self.init(reason: reason, cause: cause)
    }

    private static let known: [URLError.Code: (reason: String, cause: Cause)] = [
        .cannotFindHost: ("no address is known for it", .unknownHost),
        .dnsLookupFailed: ("no address is known for it", .unknownHost),
        .cannotConnectToHost: ("nothing listens there", .other),
        .notConnectedToInternet: ("there is no network", .other),
        .networkConnectionLost: ("the connection broke", .other),
        .timedOut: ("nothing came for too long", .other),
        .cancelled: ("the connection was given up", .other),
        .badServerResponse: ("it does not speak WebSocket there", .notWebSocket),
        .secureConnectionFailed: ("it does not speak TLS as it should", .otherScheme),
        .serverCertificateUntrusted: ("its certificate is nobody's that is trusted", .untrusted),
        .serverCertificateHasUnknownRoot: (
            "its certificate is nobody's that is trusted", .untrusted
        ),
        .serverCertificateHasBadDate: ("the time of its certificate is over", .untrusted),
        .serverCertificateNotYetValid: ("the time of its certificate has not come", .untrusted),
        .clientCertificateRequired: ("it wants a certificate of this device", .other),
        .appTransportSecurityRequiresSecureConnection: (
            "the system allows no ws:// there: use wss://, or make an exception in Info.plist",
            .other
        ),
        .unsupportedURL: ("this system's URLSession has no WebSocket", .other),
        .dataLengthExceedsMaximum: ("a message was too large", .other),
    ]
}

#endif
