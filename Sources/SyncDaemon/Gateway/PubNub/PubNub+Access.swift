// Who an SDK's request speaks for, and the tokens that backends have made.

import EventModel

extension PubNubRouter {
    /// Makes a token; only who signs with the secret key gets here.
    static func grant(_ token: AccessToken, in context: PubNubContext) -> HTTPResponse {
        guard let secretKey = context.keyset.secretKey else {
            return context.refusal(.forbidden)
        }
        let key = AccessTokenKey(
            secretKey: secretKey, subscribeKey: context.keyset.subscribeKey)
        do throws(GrantError) {
            let text = try token.text(signedWith: key)
            let keys = AccessKeys(context.keyset)
            if let grant = try? keys.grant(for: text, at: context.engine.seconds) {
                context.audit.granted(grant, minutes: token.minutes)
            }
            return PubNubReplyEncoder.granted(text)
        } catch {
            let isOfTime = if case .minutes = error { true } else { false }
            return PubNubError.invalidGrant(
                isOfTime ? "Invalid ttl" : "Invalid permissions", "\(error)",
                isOfTime ? "ttl" : "permissions"
            ).response
        }
    }

    /// Takes a token back; only who signs with the secret key gets here.
    static func revoke(_ token: String, in context: PubNubContext) -> HTTPResponse? {
        do throws(AccessRefusal) {
            return response(to: try Operations.revoke(token, by: context), in: context)
        } catch {
            let reason =
                switch error {
                case .expired: "Token is expired."
                case .notYet: "The token's time has not begun."
                case .wrongTenant: "The token is for another keyset, issuer or audience."
                case .badSignature: "None of this keyset's keys made the token."
                default: "This is no token."
                }
            return PubNubError.invalidToken(reason).response
        }
    }
}

extension PubNubRequest {
    /// What the caller showed: a signature, or a token.
    ///
    /// A signature is looked at where it can be right; where everything is open anyway, it only
    /// matters to who makes tokens.
    func credential(
        _ asking: HTTPAsking, in keyset: Keyset
    ) throws(PubNubError) -> Credential {
        guard endpoint.hasTenant else { return .unguarded }
        guard !endpoint.isSigned || keyset.secretKey != nil else {
            // That a keyset lacks a secret tells nothing to who has misspelt its key.
            throw asking.tenants.keysets[subscribeKey] == nil
                ? .invalidSubscribeKey(.gateway) : .noSecretKey
        }
        if keyset.secretKey != nil, keyset.isAccessControlled || endpoint.isSigned,
            let signed = SignedRequest(asking.request)
        {
            return try credential(signed, asking, in: keyset)
        }
        do throws(ProtocolError) {
            let credential = try asking.tenants.credential(
                for: token,
                of: Author(keyset: subscribeKey, userID: userID, deviceID: ""), in: keyset,
                from: asking.origin.session, takesAuthKeys: true, at: asking.hub.engine.seconds)
            return waiting(by: credential, asking)
        } catch {
            throw PubNubError(error, for: endpoint, at: asking.hub.engine.wallTime)
        }
    }
}

extension PubNubRequest {
    /// What a signature is worth, made with any of the keys that an SDK may be configured with.
    private func credential(
        _ signed: SignedRequest, _ asking: HTTPAsking, in keyset: Keyset
    ) throws(PubNubError) -> Credential {
        var isOfAnotherTime = false
        for secretKey in keyset.secretKeys {
            for key in Set([publishKey, keyset.publishKey, ""].compactMap(\.self)) {
                do throws(AccessRefusal) {
                    try signed.check(
                        secretKey: secretKey, publishKey: key, subscribeKey: subscribeKey,
                        at: asking.hub.engine.seconds)
                    return .secretKey
                } catch {
                    if [.expired, .notYet].contains(error) { isOfAnotherTime = true }
                }
            }
        }
        asking.tenants.audit.refusedSignature(
            in: keyset, isOfAnotherTime: isOfAnotherTime, from: asking.origin.session)
        throw isOfAnotherTime ? .invalidTimestamp : .wrongSignature
    }

    /// Has a poll by an auth key end with the first of the grants that it rests on.
    private func waiting(by credential: Credential, _ asking: HTTPAsking) -> Credential {
        guard case .subscribe = endpoint, case .authKey(var bearer) = credential else {
            return credential
        }
        let engine = asking.hub.engine
        bearer.end =
            asking.tenants.keyGrants.grant(
                to: bearer, for: endpoint.need(at: engine.wallTime), at: engine.seconds
            ).end
        return .authKey(bearer)
    }
}

extension PubNubRequest.Endpoint {
    /// Whether only the secret key opens it.
    var isSigned: Bool {
        switch self {
        case .grant, .revoke, .grantKeys, .auditKeys: true
        default: false
        }
    }
}

extension SignedRequest {
    /// - Returns: `nil` for a request without a signature.
    fileprivate init?(_ request: HTTPRequest) {
        guard let target = RequestTarget(request.target), let query = try? target.query(),
            query["signature"] != nil
        else { return nil }
        self.init(
            method: request.method.rawValue, path: String(request.path),
            query: query.members.map { ($0.name, $0.value) }, body: request.body)
    }
}
