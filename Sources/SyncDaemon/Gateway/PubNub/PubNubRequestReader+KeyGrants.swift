// What is to be granted by version 2, and what is to be shown: all of it stands in the query.

import EventModel

extension PubNubRequestReader {
    /// - Source: PubNub's SDKs for JavaScript and Python, `grant`.
    func keyGrants() throws(PubNubError) -> PubNubRequest.KeyGrantRequest {
        let names = try keyGrantNames(.grant)
        let (channels, groups, keys) = (names.channels, names.groups, names.authKeys)
        guard keys.isEmpty || !channels.isEmpty || !groups.isEmpty else {
            throw .invalidKeyGrant(
                "Invalid auth", "Name the channels or channel groups of these auth keys.", "auth")
        }
        let count = max(1, channels.count + groups.count) * max(1, keys.count)
        guard count <= Limits.keyGrantsPerRequestMax else {
            throw .invalidKeyGrant(
                "Too many grants",
                "One request makes at most \(Limits.keyGrantsPerRequestMax), names times auth "
                    + "keys. Make more requests.", "channel")
        }
        // Who reads the first and who reads the last would differ.
        for name in KeyGrant.letters.map(\.0.description) + ["ttl"] where query.repeats(name) {
            throw .invalidKeyGrant("Invalid \(name)", "It stands there twice.", name)
        }
        var bits: UInt8 = 0
        for (letter, bit) in KeyGrant.letters where try isSet(letter.description) {
            bits |= bit
        }
        return PubNubRequest.KeyGrantRequest(
            channels: channels, groups: groups, authKeys: keys, bits: bits,
            minutes: try minutes())
    }

    /// - Source: The same SDKs, `audit`.
    func keyGrantQuery() throws(PubNubError) -> KeyGrantQuery {
        let query = try keyGrantNames(.audit)
        let count = query.channels.count + query.groups.count + query.authKeys.count
        guard count <= Limits.keyGrantsPerRequestMax else {
            throw .invalidKeyGrant(
                "Too many names",
                "One request names at most \(Limits.keyGrantsPerRequestMax) channels, channel "
                    + "groups and auth keys.", "channel", .audit)
        }
        return query
    }

    private func keyGrantNames(
        _ family: PubNubError.Family
    ) throws(PubNubError) -> KeyGrantQuery {
        for name in ["target-uuid", "category"] where !query.list(name).isEmpty {
            throw .notImplemented("grants of version 2 by \(name): use grant_token")
        }
        // Who names nothing means everybody, or all: an empty variable of a backend is not that.
        for name in ["channel", "channel-group", "auth"] where query.hasEmptyElement(name) {
            throw .invalidKeyGrant(
                "Invalid \(name)", "A name is empty. Leave \(name) out, or name all of it.", name,
                family)
        }
        let names = KeyGrantQuery(
            channels: query.list("channel").withoutRepeats(),
            groups: query.list("channel-group").withoutRepeats(),
            authKeys: query.list("auth").withoutRepeats())
        for (list, place) in [(names.channels, "channel"), (names.groups, "channel-group")]
        where !list.allSatisfy(isValidName) {
            throw .invalidKeyGrant(
                "Invalid \(place)",
                "A name has 1 to \(Limits.channelNameBytesMax) bytes and no control characters.",
                place, family)
        }
        guard names.authKeys.allSatisfy(isAuthKey) else {
            throw .invalidKeyGrant(
                "Invalid auth",
                "An auth key has 1 to \(Limits.authKeyBytesMax) bytes and no control characters.",
                "auth", family)
        }
        return names
    }

    private func isAuthKey(_ text: String) -> Bool {
        text.utf8.count <= Limits.authKeyBytesMax && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
    }

    private func isSet(_ letter: String) throws(PubNubError) -> Bool {
        switch query[letter] {
        case "1": true
        case nil, "0", "": false
        default: throw .invalidKeyGrant("Invalid \(letter)", "Must be 0 or 1.", letter)
        }
    }

    private func minutes() throws(PubNubError) -> Int {
        guard let text = query["ttl"] else { return Limits.keyGrantMinutesDefault }
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let minutes = Int(text), minutes <= Limits.keyGrantMinutesMax
        else {
            throw .invalidKeyGrant(
                "Invalid ttl",
                "Range should be 0 (without end) to \(Limits.keyGrantMinutesMax) minute(s).", "ttl")
        }
        return minutes
    }
}
