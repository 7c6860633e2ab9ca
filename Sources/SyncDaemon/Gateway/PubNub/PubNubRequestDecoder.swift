// A PubNub SDK's request as a value, or as the error that the SDK understands.

import EventModel

/// Reads requests as PubNub's service does; it knows every limit.
enum PubNubRequestDecoder {
    /// Reads one request.
    ///
    /// - Parameters:
    ///   - now: The time of the answer, which some errors carry.
    ///   - owner: The user whom a token of a tenant names, given by its subscribe key: whoever
    ///     shows it and names nobody is that user.
    /// - Returns: `nil` when the path is none of PubNub's.
    static func decode(
        _ request: HTTPRequest, now: Timetoken,
        owner: @escaping (_ token: String, _ subscribeKey: String) -> String? = { _, _ in nil }
    ) -> Result<PubNubRequest, PubNubError>? {
        guard let target = RequestTarget(request.target), let area = PubNubArea(target) else {
            return nil
        }
        if request.method == .options {
            return .success(PubNubRequest(subscribeKey: "", userID: "", endpoint: .preflight))
        }
        let family: PubNubError.Family
        switch area {
        case .publish: family = .publish(now)
        case .other(let other): family = other
        }
        do throws(PubNubError) {
            let route = try route(request, target, family)
            let reader = try PubNubRequestReader(
                route: route, target: target, request: request, family: family, now: now)
            return .success(try reader.request(owner))
        } catch {
            return .failure(error)
        }
    }

    private static func route(
        _ request: HTTPRequest, _ target: RequestTarget, _ family: PubNubError.Family
    ) throws(PubNubError) -> PubNubRoute {
        // What comes after says the path back.
        guard !request.target.utf8.contains(0) else { throw .couldNotParse(family) }
        let routes = PubNubRoute.all(for: target)
        guard !routes.isEmpty else { throw .notFound(request.path, family) }
        let method = request.method == .head ? .get : request.method
        if let route = routes.first(where: { $0.method == method }) { return route }
        let methods = routes.map { $0.method == .get ? "GET, HEAD" : $0.method.rawValue }
        throw .methodNotAllowed((methods + ["OPTIONS"]).joined(separator: ", "), family)
    }
}

/// One request whose endpoint is known, while its parts are read.
struct PubNubRequestReader {
    let route: PubNubRoute
    let target: RequestTarget
    let query: RequestQuery
    let body: [UInt8]
    let ifMatch: String?
    let family: PubNubError.Family
    let now: Timetoken

    init(
        route: PubNubRoute, target: RequestTarget, request: HTTPRequest,
        family: PubNubError.Family, now: Timetoken
    ) throws(PubNubError) {
        self.route = route
        self.target = target
        body = request.body
        ifMatch = request.fields.ifMatch
        self.family = family
        self.now = now
        do throws(RequestTargetError) {
            query = try target.query()
        } catch {
            throw .couldNotParse(family)
        }
    }

    func request(
        _ owner: (_ token: String, _ subscribeKey: String) -> String?
    ) throws(PubNubError) -> PubNubRequest {
        let subscribeKey = try route.path.index(of: "sub") == nil ? "" : subscribeKey()
        var userID = query["uuid"] ?? ""
        if userID.isEmpty, !subscribeKey.isEmpty, let token = query["auth"] {
            userID = owner(token, subscribeKey) ?? ""
        }
        guard userID.utf8.count <= Limits.identifierBytesMax else { throw invalidUser }
        let request = PubNubRequest(
            subscribeKey: subscribeKey, publishKey: try publishKey(), userID: userID,
            token: query["auth"], endpoint: try endpoint())
        guard !userID.isEmpty || !route.kind.needsUser else { throw .missingUser(family) }
        return request
    }

    private func endpoint() throws(PubNubError) -> PubNubRequest.Endpoint {
        switch route.kind {
        case .time: .time
        case .publish: .publish(try publication())
        case .signal: try signal()
        case .subscribe: .subscribe(try poll())
        case .heartbeat: .heartbeat(try beat())
        case .leave:
            .leave(
                channels: try channels().withoutPresence(), groups: try groups().withoutPresence())
        case .hereNow: .hereNow(try census())
        case .whereNow: .whereNow(userID: try user())
        case .state: .state(channels: try channels(), groups: try groups(), userID: try user())
        case .setState: try setState()
        case .addAction: try addAction()
        case .removeAction: try removeAction()
        case .actions: .actions(try actionsPage())
        case .history: .history(try history())
        case .fetch: .fetch(try fetch(withActions: false))
        case .fetchWithActions: .fetch(try fetch(withActions: true))
        case .messageCounts: .messageCounts(try messageCounts())
        case .deleteMessages: try deleteMessages()
        case .listGroups: .group(.listAll)
        case .group: .group(try groupRequest())
        case .deleteGroup: .group(.delete(group: try group()))
        case .uploadURL, .fileList, .fileURL, .removeFile: try files()
        case .publishFile: try filePublication()
        case .device, .appleDevice: try push(removes: false)
        case .removeDevice, .removeAppleDevice: try push(removes: true)
        case .grant: try grant()
        case .revoke: .revoke(try text("token"))
        case .grantKeys: .grantKeys(try keyGrants())
        case .auditKeys: .auditKeys(try keyGrantQuery())
        case .users, .user, .memberships, .channelList, .channel, .members: try objects()
        case .setUser, .setMemberships, .setChannel, .setMembers: try changedObjects()
        case .removeUser: try removedObject(.users, try user())
        case .removeChannel: try removedObject(.channels, try writableChannel())
        }
    }

    private func subscribeKey() throws(PubNubError) -> String {
        let key = try text("sub")
        guard (1...Limits.identifierBytesMax).contains(key.utf8.count) else {
            throw .invalidSubscribeKey(family)
        }
        return key
    }

    private func publishKey() throws(PubNubError) -> String? {
        guard route.path.index(of: "pub") != nil else { return nil }
        let key = try text("pub")
        guard (1...Limits.identifierBytesMax).contains(key.utf8.count) else {
            throw .invalidPublishKey(at: now)
        }
        return key
    }
}
