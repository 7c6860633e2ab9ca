// Answers to grant and audit of version 2, as PubNub's service writes them.

import EventModel
import JSON

extension PubNubReplyEncoder {
    /// - Source: Recorded answers of PubNub's; SDKs read `level`, `subscribe_key` and the maps.
    static func granted(
        _ request: PubNubRequest.KeyGrantRequest, in keyset: String
    ) -> HTTPResponse {
        let query = KeyGrantQuery(
            channels: request.channels, groups: request.groups, authKeys: request.authKeys)
        return keyGrants(query.level, in: keyset) { json in
            // What was taken back has no time; the service says one minute.
            json.member("ttl", request.bits == 0 ? 1 : request.minutes)
            if query.level == "subkey" { write(request.bits, into: &json) }
            func rights(_ json: inout JSONWriter) {
                guard !request.authKeys.isEmpty else { return write(request.bits, into: &json) }
                json.beginObject("auths")
                for key in request.authKeys {
                    json.name(escaping: key)
                    json.beginObject()
                    write(request.bits, into: &json)
                    json.endObject()
                }
                json.endObject()
            }
            if let only = query.onlyName {
                // The service's own spelling: one channel, and for one group the plural.
                let name: StaticString = query.groups.isEmpty ? "channel" : "channel-groups"
                json.member(name, only)
                rights(&json)
            } else {
                map("channels", request.channels, into: &json, rights)
                map("channel-groups", request.groups, into: &json, rights)
            }
        }
    }

    /// - Parameter grants: Sorted by name, everybody's first.
    static func audited(
        _ grants: [KeyGrant], for query: KeyGrantQuery, in keyset: String, at now: Int64
    ) -> HTTPResponse {
        keyGrants(query.level, in: keyset) { json in
            func write(_ grant: KeyGrant, into json: inout JSONWriter) {
                self.write(grant.bits, into: &json)
                guard grant.expiry != KeyGrant.never else { return }
                json.member("ttl", Int((grant.expiry - now + 59) / 60))
            }
            func rights(_ grants: ArraySlice<KeyGrant>, into json: inout JSONWriter) {
                var keyed = grants
                if let all = grants.first, all.subject.authKey == nil {
                    write(all, into: &json)
                    keyed = grants.dropFirst()
                }
                json.beginObject("auths")
                for grant in keyed {
                    json.name(escaping: grant.subject.authKey?.string ?? "")
                    json.beginObject()
                    write(grant, into: &json)
                    json.endObject()
                }
                json.endObject()
            }
            func map(
                _ name: StaticString, _ level: KeyGrantSubject.Level, into json: inout JSONWriter
            ) {
                var rest = grants.filter { $0.subject.level == level }[...]
                json.beginObject(name)
                while let name = rest.first?.subject.name {
                    let ofName = rest.prefix { $0.subject.name == name }
                    rest = rest.dropFirst(ofName.count)
                    json.name(escaping: name.string)
                    json.beginObject()
                    rights(ofName, into: &json)
                    json.endObject()
                }
                json.endObject()
            }
            if let only = query.onlyName {
                let name: StaticString = query.groups.isEmpty ? "channel" : "channel-group"
                json.member(name, only)
                return rights(grants[...], into: &json)
            }
            if query.level == "subkey", let all = grants.first(where: { $0.isOfKeyset }) {
                write(all, into: &json)
            }
            map("channels", .channel, into: &json)
            map("channel-groups", .group, into: &json)
        }
    }

    private static func keyGrants(
        _ level: String, in keyset: String, _ payload: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.member("message", "Success")
            json.beginObject("payload")
            json.member("level", level)
            json.member("subscribe_key", keyset)
            payload(&json)
            json.endObject()
            json.member("service", "Access Manager")
            json.member("status", 200)
            json.endObject()
        }
    }

    private static func map(
        _ name: StaticString, _ names: [String], into json: inout JSONWriter,
        _ rights: (inout JSONWriter) -> Void
    ) {
        guard !names.isEmpty else { return }
        json.beginObject(name)
        for name in names {
            json.name(escaping: name)
            json.beginObject()
            rights(&json)
            json.endObject()
        }
        json.endObject()
    }

    private static func write(_ bits: UInt8, into json: inout JSONWriter) {
        for (letter, bit) in KeyGrant.letters { json.member(letter, bits & bit == 0 ? 0 : 1) }
    }
}

extension KeyGrant {
    fileprivate var isOfKeyset: Bool { subject.level == .keyset }
}

extension KeyGrantQuery {
    /// What it is about, in PubNub's words.
    fileprivate var level: String {
        switch (channels.isEmpty, groups.isEmpty, authKeys.isEmpty) {
        case (true, true, _): "subkey"
        case (_, false, true): "channel-group"
        case (_, false, false): "channel-group+auth"
        case (false, true, true): "channel"
        case (false, true, false): "user"
        }
    }

    /// The one channel or group, when auth keys are named too: then it stands by itself.
    fileprivate var onlyName: String? {
        authKeys.isEmpty || channels.count + groups.count != 1 ? nil : (channels + groups).first
    }
}
