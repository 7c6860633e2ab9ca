// Refusals of the native protocol in words that say what to do over HTTP.

import EventModel

extension ProtocolError {
    static let serverKeyOfSeveral = ProtocolError(
        status: 401, code: tokenInvalid.code,
        message: "This key is of several keysets: name one with keyset= in the query.")

    /// - Parameter name: Which parameter it is in; `nil`: a name itself.
    static func invalidEncoding(of name: String?) -> ProtocolError {
        let place = name.map { "The parameter \"\($0.prefix(40))\"" } ?? "A name in the query"
        return ProtocolError(
            status: 400, code: "invalid_field",
            message: "\(place) is wrongly encoded. Write it as percent-encoded UTF-8, without "
                + "U+0000.")
    }

    /// What `/v1/` has not; some operations are a session's.
    static func noSuchOperation(_ name: Substring) -> ProtocolError {
        let isOfSessions = Command.Operation(rawValue: String(name)) != nil
        return ProtocolError(
            status: 404, code: "not_found",
            message: isOfSessions
                ? "The operation \(name) is a session's: send it over a WebSocket. "
                    + "/v1/openapi.json lists those that are here."
                : "There is no operation \(name.prefix(40)); /v1/openapi.json lists them.")
    }

    /// The same status and code; what a session would do is what a request does.
    var ofAPI: ProtocolError {
        let words: String? =
            switch code {
            case Self.tokenMissing.code:
                "This keyset admits only who shows a server key or a token: send one as "
                    + "Authorization: Bearer."
            case Self.tokenInvalid.code where self != .serverKeyOfSeveral:
                "This is no server key of this keyset, and no token that one of its keys made: or "
                    + "it begins later, or says what nobody knows. Send another as Authorization: "
                    + "Bearer."
            case Self.invalidPublishKey.code:
                "Who publishes in this keyset names its publish key, as publishKey in the query, "
                    + "or shows a server key. You gave none, or another. Ask the operator for it."
            case Self.notAnObject.code:
                #"Send one JSON object as the body, such as {"channel":"room","payload":1}."#
            case "not_json", Self.forbidden.code, "too_many_channels":
                message.replacing("object per message", with: "object as the body")
                    .replacing("Your token", with: "Your server key or token")
                    .replacing(", or unsubscribe from some", with: "")
            default: nil
            }
        guard let words else { return self }
        return ProtocolError(
            status: status, code: code, message: words, retryAfterSeconds: retryAfterSeconds)
    }
}
