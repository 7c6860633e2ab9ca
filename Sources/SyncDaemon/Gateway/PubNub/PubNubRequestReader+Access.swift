// What a token is to hold: the body of a grant.

import EventModel
import JSON

extension PubNubRequestReader {
    /// - Source: PubNub's SDKs for JavaScript and Python, `grant_token`.
    func grant() throws(PubNubError) -> PubNubRequest.Endpoint {
        let body: JSONValue
        do throws(JSONError) {
            body = try unsafe JSONValue(
                parsing: self.body.span.bytes, depthMax: Limits.jsonDepthMax)
        } catch {
            throw .invalidGrant("Invalid JSON", "\(error)", "body")
        }
        guard body.isObject else { throw .invalidGrant("Invalid JSON", "Send an object.", "body") }
        var token = AccessToken(
            issued: Int64(now.rawValue / 10_000_000), minutes: try minutes(of: body))
        guard let permissions = body.member("permissions"), permissions.isObject else {
            throw .invalidGrant("Invalid permissions", "Must be an object.", "permissions")
        }
        token.resources = try scopes("resources", of: permissions)
        token.patterns = try scopes("patterns", of: permissions)
        token.meta = try meta(of: permissions)
        if let user = permissions.member("uuid") {
            guard let text = user.string, !text.isEmpty,
                text.utf8.count <= Limits.identifierBytesMax, !text.utf8.contains(0)
            else {
                throw .invalidGrant(
                    "Invalid uuid", "Must be a string of 1 to \(Limits.identifierBytesMax) bytes.",
                    "permissions.uuid")
            }
            token.user = ExactText(text)
        }
        return .grant(token)
    }

    /// Old SDKs write the number as a string.
    private func minutes(of body: borrowing JSONValue) throws(PubNubError) -> Int64 {
        let ttl = body.member("ttl")
        guard let minutes = ttl?.integer ?? ttl?.string.flatMap({ Int64($0) }),
            (1...Int64(Limits.tokenMinutesMax)).contains(minutes)
        else { throw .invalidGrant("Invalid ttl", GrantError.minutes.description, "ttl") }
        return minutes
    }

    /// Rights by name, for each kind of thing; SDKs leave out what is empty.
    private func scopes(
        _ name: String, of permissions: borrowing JSONValue
    ) throws(PubNubError) -> AccessScopes {
        var scopes = AccessScopes()
        guard let all = permissions.member(name) else { return scopes }
        scopes.channels = try bits("channels", of: all, in: name)
        scopes.groups = try bits("groups", of: all, in: name)
        scopes.users = try bits("uuids", of: all, in: name)
        scopes.spaces = try bits("spaces", of: all, in: name)
        scopes.legacyUsers = try bits("users", of: all, in: name)
        return scopes
    }

    private func bits(
        _ kind: String, of scopes: borrowing JSONValue, in name: String
    ) throws(PubNubError) -> [ExactText: UInt8] {
        guard let table = scopes.member(kind) else { return [:] }
        let place = "permissions.\(name).\(kind)"
        guard table.isObject else {
            throw .invalidGrant("Invalid permissions", "Must be an object.", place)
        }
        var bits: [ExactText: UInt8] = [:]
        for (name, value) in table.members {
            guard let number = value.integer, let byte = UInt8(exactly: number) else {
                throw .invalidGrant("Invalid permissions", "Must be 0 to 255.", "\(place).\(name)")
            }
            bits[ExactText(name)] = byte
        }
        return bits
    }

    /// The backend's own notes: single values only.
    private func meta(
        of permissions: borrowing JSONValue
    ) throws(PubNubError) -> [ExactText: AccessToken.MetaValue] {
        guard let table = permissions.member("meta") else { return [:] }
        var meta: [ExactText: AccessToken.MetaValue] = [:]
        for (name, value) in table.members {
            guard let value = AccessToken.MetaValue(value) else {
                throw .invalidGrant(
                    "Invalid meta", "Must be a string, a number, a boolean or null.",
                    "permissions.meta.\(name)")
            }
            meta[ExactText(name)] = value
        }
        return meta
    }
}

extension AccessToken.MetaValue {
    fileprivate init?(_ value: borrowing JSONValue) {
        if let text = value.string {
            self = .text(text)
        } else if let integer = value.integer {
            self = .integer(integer)
        } else if let number = value.number, number.isFinite {
            self = .number(number)
        } else if let flag = value.bool {
            self = .flag(flag)
        } else {
            guard !value.isObject, !value.isArray else { return nil }
            self = .null
        }
    }
}
