// Every refusal that a PubNub SDK can get, with its status and its text.

import EventModel
import JSON

// MARK: What any endpoint may answer

extension PubNubError {
    /// A URL with broken percent-encoding.
    static func couldNotParse(_ family: Family) -> PubNubError {
        PubNubError(family: family, status: 400, message: "Could Not Parse Request")
    }

    /// A wrong value; the message says which, and what it must be.
    static func invalid(_ expectation: String, _ family: Family) -> PubNubError {
        PubNubError(family: family, status: 400, message: expectation)
    }

    static func invalidSubscribeKey(_ family: Family) -> PubNubError {
        family == .actions
            ? PubNubError(family: .actions, status: 400, message: "Invalid Subkey")
            : PubNubError(family: .gateway, status: 400, message: "Invalid Subscribe Key")
    }

    static func invalidJSON(_ family: Family) -> PubNubError {
        PubNubError(family: family, status: 400, message: "Invalid JSON")
    }

    /// What is wrong with a text that was to be JSON.
    static func json(_ error: JSONError, _ family: Family) -> PubNubError {
        guard case .tooDeep(let limit) = error else { return invalidJSON(family) }
        return invalid("The JSON has more than \(limit) levels of nesting.", family)
    }

    static func invalidChannel(_ family: Family) -> PubNubError {
        invalid(
            "A channel name has 1 to \(Limits.channelNameBytesMax) bytes, no comma and no control "
                + "character.", family)
    }

    static func invalidGroup(_ family: Family) -> PubNubError {
        invalid(
            "A channel group's name has 1 to \(Limits.channelNameBytesMax) bytes.", family)
    }

    /// A request that nobody in particular can make.
    static func missingUser(_ family: Family) -> PubNubError {
        family == .actions
            ? invalidAction("Missing field", "uuid", in: "query")
            : invalid("The uuid is missing: say in the query who you are, as uuid=NAME.", family)
    }

    static func tooManyChannels(_ limit: Int, _ family: Family) -> PubNubError {
        invalid("At most \(limit) channels and groups per request.", family)
    }

    /// - Parameter path: As the client sent it.
    static func notFound(_ path: some StringProtocol, _ family: Family) -> PubNubError {
        PubNubError(
            family: family, status: 404, message: "Not found: '\(path.prefix(400))'",
            service: "SyncDaemon")
    }

    /// - Parameter methods: What the path does answer, as the `Allow` header lists it.
    static func methodNotAllowed(_ methods: String, _ family: Family) -> PubNubError {
        PubNubError(
            family: family, status: 405, message: "Method not allowed. Use \(methods).",
            service: "SyncDaemon", headers: [HTTPResponse.Header(name: "Allow", value: methods)])
    }

    /// A part of PubNub that is not here.
    static func notImplemented(_ feature: String) -> PubNubError {
        PubNubError(
            family: .gateway, status: 501, message: "This server does not have \(feature).",
            service: "SyncDaemon")
    }

    /// The request's line is longer than the daemon reads.
    static let requestTooLong = PubNubError(
        family: .gateway, status: 414, message: "Request URI Too Long", service: "Balancer")

    /// No token, or one that does not reach as far.
    static func forbidden(
        _ family: Family, channels: [String] = [], groups: [String] = []
    ) -> PubNubError {
        let cause = [HTTPResponse.Header(name: "X-Pn-Cause", value: "9999")]
        guard family != .actions else {
            return PubNubError(
                family: .actions, status: 403,
                message: "Supplied authorization key does not have the permissions required to "
                    + "perform this operation.", headers: cause)
        }
        return PubNubError(
            family: .gateway, status: 403, message: "Forbidden", channels: channels,
            groups: groups, headers: cause)
    }

    static let tokenExpired = PubNubError(
        family: .gateway, status: 403, message: "Token is expired.",
        headers: [HTTPResponse.Header(name: "X-Pn-Cause", value: "9999")])

    static let tokenRevoked = PubNubError(
        family: .gateway, status: 403, message: "Token is revoked",
        headers: [HTTPResponse.Header(name: "X-Pn-Cause", value: "4001")])

    static let noSecretKey = PubNubError(
        family: .gateway, status: 403,
        message: "This keyset has no secret_key in the daemon's configuration: nobody can sign.")

    /// A request that was signed well, at another time than now.
    static let invalidTimestamp = PubNubError(
        family: .gateway, status: 400, message: "Invalid Timestamp")

    static let wrongSignature = PubNubError(
        family: .gateway, status: 403, message: "Signature Does Not Match")

    /// What is wrong with what a token is to hold.
    static func invalidGrant(
        _ message: String, _ detail: String, _ location: String
    ) -> PubNubError {
        PubNubError(
            family: .grant, status: 400, message: message,
            details: [Detail(message: detail, location: location, locationType: "body")])
    }

    /// Why a token cannot be taken back.
    static func invalidToken(_ detail: String) -> PubNubError {
        PubNubError(
            family: .revoke, status: 400, message: "Invalid token",
            details: [Detail(message: detail, location: "token", locationType: "path")])
    }

    static func tooManyRequests(_ family: Family) -> PubNubError {
        PubNubError(
            family: family, status: 429,
            message: family == .actions
                ? "You have exceeded the maximum number of requests per second allowed for your "
                    + "subscriber key." : "Too many requests.",
            headers: [retryAfter])
    }

    /// The tenant has all that it may have of something, or memory is short: whoever reads it need
    /// not guess.
    static func comeBackLater(
        _ error: ProtocolError, status: Int, _ family: Family
    ) -> PubNubError {
        PubNubError(
            family: family, status: status, message: error.message,
            headers: [
                HTTPResponse.Header(
                    name: "Retry-After",
                    value: String(error.retryAfterSeconds ?? Limits.retryAfterSeconds))
            ])
    }

    static func serviceUnavailable(_ family: Family) -> PubNubError {
        PubNubError(
            family: family, status: 503,
            message: family == .actions
                ? "The server took longer to respond than the maximum allowed processing time."
                : "Service Unavailable", headers: [retryAfter])
    }

    static func unexpected(_ family: Family) -> PubNubError {
        PubNubError(
            family: family, status: 500,
            // The spelling is the service's: SDKs compare the text.
            message: "An unexpected error ocurred while processing the request.")
    }

    private static let retryAfter = HTTPResponse.Header(
        name: "Retry-After", value: String(Limits.retryAfterSeconds))
}

// MARK: What one kind of endpoint answers

extension PubNubError {
    static func invalidPublishKey(at now: Timetoken) -> PubNubError {
        PubNubError(family: .publish(now), status: 400, message: "Invalid Key")
    }

    static func messageTooLarge(at now: Timetoken) -> PubNubError {
        PubNubError(family: .publish(now), status: 400, message: "Message Too Large")
    }

    static func signalTooLarge(at now: Timetoken) -> PubNubError {
        PubNubError(family: .publish(now), status: 400, message: "Signal size too large")
    }

    /// - Parameter problem: What is wrong with the filter, and where.
    static func malformedFilter(_ problem: String) -> PubNubError {
        PubNubError(family: .gateway, status: 481, message: problem, service: "SyncDaemon")
    }

    static let noState = PubNubError(
        family: .presence, status: 400, message: "No state specified.")

    static func invalidAction(_ problem: String, _ location: String, in place: String)
        -> PubNubError
    {
        PubNubError(
            family: .actions, status: 400,
            message: "Request payload contained invalid input.",
            details: [Detail(message: problem, location: location, locationType: place)])
    }

    static let actionIsNotJSON = PubNubError(
        family: .actions, status: 415, message: "Request payload must be in JSON format.")

    static let actionTooLarge = PubNubError(
        family: .actions, status: 413,
        message: "Request payload is over \(Limits.frameBytesMax) bytes.")

    static let actionExists = PubNubError(
        family: .actions, status: 409, message: "Action Already Added")

    static let wrongActionOwner = PubNubError(
        family: .actions, status: 400,
        message: "Not deleting message action: wrong uuid specified")

    static let noMatchingAction = PubNubError(
        family: .actions, status: 400, message: "No matching message actions to delete")

    static let invalidHistoryArguments = PubNubError(
        family: .history, status: 400, message: "Invalid Arguments")

    /// The keyset stores no messages.
    static let historyDisabled = PubNubError(
        family: .history, status: 403,
        message: "Use of the history API requires the Storage & Playback which is not enabled for "
            + "this subscribe key. Enable it in the server's configuration.")

    /// The keyset lets nobody delete.
    static let deletingDisabled = PubNubError(
        family: .history, status: 403,
        message: "Use of the history Delete API is not enabled for this subscribe key. "
            + "Enable it in the server's configuration.")

    /// A body that is longer than the daemon reads, whatever is in it.
    ///
    /// - Returns: `nil` for what no SDK asks.
    static func bodyTooLarge(for request: HTTPRequest, at now: Timetoken) -> HTTPResponse? {
        switch RequestTarget(request.target).flatMap(PubNubArea.init) {
        case .publish: messageTooLarge(at: now).response
        case .other(.actions): actionTooLarge.response
        default: nil
        }
    }

    static let reservedCharacter = PubNubError(
        family: .groups, status: 400, message: "Reserved character in input parameters.")

    static let tooManyGroupChannels = PubNubError(
        family: .groups, status: 400,
        message: "At most \(Limits.channelsPerGroupChangeMax) channels per call. Make more calls.")

    static let tooManyGroupsToList = PubNubError(
        family: .groups, status: 400,
        message: "There are more than \(Limits.groupsListedMax) groups, too many for one list. "
            + "Keep their names yourself.")
}

// MARK: The daemon's own refusals

extension PubNubError {
    /// What a refusal of the daemon looks like to an SDK.
    ///
    /// - Parameters:
    ///   - now: The time of the answer.
    ///   - refused: What the caller may not have; `nil`: all that the request names.
    init(
        _ error: ProtocolError, for endpoint: PubNubRequest.Endpoint, at now: Timetoken,
        refusing refused: Need? = nil
    ) {
        let family = endpoint.family(at: now)
        switch error {
        case .tokenExpired: self = .tokenExpired
        case .tokenRevoked: self = .tokenRevoked
        case .tokenMissing, .tokenInvalid, .tokenOfAnother,
            _ where error.code == ProtocolError.forbidden.code:
            let need = refused ?? endpoint.need(at: now)
            self = .forbidden(family, channels: need.channels, groups: need.groups)
        case _ where error.code == ProtocolError.unknownKeyset("").code:
            self = .invalidSubscribeKey(family)
        case .tooManyChannels(Limits.channelsPerSessionMax, per: "request"):
            self = .tooManyChannels(Limits.channelsPerSessionMax, family)
        case .invalidPublishKey: self = .invalidPublishKey(at: now)
        case .historyDisabled: self = .historyDisabled
        case .deletingDisabled: self = .deletingDisabled
        case .rateLimited, .tooManyInFlight:
            self = .tooManyRequests(family)
        case _ where error.status == 429:
            self = .comeBackLater(error, status: 429, family)
        case .memoryShort:
            self = .comeBackLater(error, status: endpoint.isSubscribe ? 429 : 503, family)
        case .overloaded, .behind, .draining, .storeUnavailable, .interceptorFailed,
            .interceptorUnclear:
            if endpoint.isSubscribe {
                self = .tooManyRequests(.gateway)
            } else {
                self = .serviceUnavailable(family)
            }
        case .storeDamaged:
            // SDKs take 5xx for the server's fault, and repeat a subscribe.
            self.init(family: family, status: 500, message: error.message)
        case .entryModified: self = .objectModified(endpoint)
        case .storeFull, .tooManyRevoked, .tooManyKeyGrants:
            self.init(family: family, status: error.status, message: error.message)
        default:
            if error.status >= 500 {
                self = .unexpected(family)
            } else {
                self.init(family: family, status: error.status, message: error.message)
            }
        }
    }
}

extension PubNubRequest.Endpoint {
    /// The SDK for Swift repeats a subscribe after 429 and 500, and gives up after a 503.
    fileprivate var isSubscribe: Bool { if case .subscribe = self { true } else { false } }

    /// How this endpoint's errors look.
    func family(at now: Timetoken) -> PubNubError.Family {
        switch self {
        case .time, .subscribe, .preflight: .gateway
        case .publish, .signal: .publish(now)
        case .heartbeat, .leave, .hereNow, .whereNow, .state, .setState: .presence
        case .addAction, .removeAction, .actions: .actions
        case .history, .fetch, .messageCounts, .deleteMessages: .history
        case .group: .groups
        case .push: .push
        case .files: .files
        case .grant: .grant
        case .revoke: .revoke
        case .grantKeys: .grant
        case .auditKeys: .audit
        case .objects, .changeObjects: .objects
        }
    }
}
