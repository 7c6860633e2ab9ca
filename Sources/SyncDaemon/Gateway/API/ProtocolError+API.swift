// Refusals of the native protocol in words that say what to do over HTTP.

import EventModel

extension ProtocolError {
    /// The same status and code; what a session would do is what a request does.
    var ofAPI: ProtocolError {
        let words: String? =
            switch code {
            case Self.tokenMissing.code:
                "This keyset admits only who shows a server key or a token: send one as "
                    + "Authorization: Bearer."
            case Self.tokenInvalid.code:
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
