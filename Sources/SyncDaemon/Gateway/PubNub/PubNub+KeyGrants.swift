// grant and audit of version 2: what backends of old ask, and what becomes of it here.

import EventModel

extension PubNubRouter {
    /// Grants; only who signs with the secret key gets here.
    static func grantKeys(
        _ request: PubNubRequest.KeyGrantRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        let grants = request.grants(in: context.keyset.subscribeKey, at: context.engine.seconds)
        let outcome = Operations.grant(grants, minutes: request.minutes, by: context)
        return response(to: outcome, in: context)
    }

    /// Shows what is granted; likewise.
    static func auditKeys(_ query: KeyGrantQuery, in context: PubNubContext) -> HTTPResponse {
        let keyset = context.keyset.subscribeKey
        let now = context.engine.seconds
        guard let grants = context.engine.keyGrants.granted(query, in: keyset, at: now) else {
            return PubNubError.invalidKeyGrant(
                "Too many grants",
                "There are more than \(Limits.keyGrantsPerAuditMax). Name channels, channel "
                    + "groups or auth keys.", "channel", .audit
            ).response
        }
        return PubNubReplyEncoder.audited(grants, for: query, in: keyset, at: now)
    }
}

extension PubNubRequest.KeyGrantRequest {
    /// Each name with each key.
    func grants(in keyset: String, at now: Int64) -> [KeyGrant] {
        let expiry = minutes == 0 ? KeyGrant.never : now + Int64(minutes) * 60
        let keys = authKeys.isEmpty ? [nil] : authKeys.map { ExactText($0) }
        func grants(_ level: KeyGrantSubject.Level, _ name: String) -> [KeyGrant] {
            keys.map { key in
                let subject = KeyGrantSubject(
                    keyset: ExactText(keyset), level: level, name: ExactText(name), authKey: key)
                return KeyGrant(subject: subject, bits: bits, expiry: expiry)
            }
        }
        guard !channels.isEmpty || !groups.isEmpty else { return grants(.keyset, "") }
        return channels.flatMap { grants(.channel, $0) } + groups.flatMap { grants(.group, $0) }
    }
}

extension PubNubError {
    /// What is wrong with a grant of version 2, or with the question which there are.
    static func invalidKeyGrant(
        _ message: String, _ detail: String, _ location: String, _ family: Family = .grant
    ) -> PubNubError {
        PubNubError(
            family: family, status: 400, message: message,
            details: [Detail(message: detail, location: location, locationType: "query")])
    }
}
