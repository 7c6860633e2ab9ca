// What lets somebody bring one file, or fetch one: a part of an address, signed by this process.

import EventModel
import JSON

/// A permission that was given, for a while.
struct FileTicket: Hashable, Sendable {
    enum Purpose: String, Sendable {
        case upload, download
    }

    var purpose: Purpose
    /// Unix seconds.
    var expires: Int64
    var channel: Channel
    var id: FileID
    var name: String
    /// Who was given it.
    var userID: String
    /// What they showed for it.
    var holder = FileHolder.anybody
    /// Those that may be brought, at most; or those that there are, as the row of the file says.
    var bytes = 0
}

/// What signs tickets: random, and gone with the process, so that no store need keep it.
struct FileTicketKey: Sendable {
    private let key: [UInt8]

    init(using generator: inout some RandomNumberGenerator) {
        key = (0..<Signing.hashBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator)
        }
    }

    func text(of ticket: FileTicket) -> String {
        var json = JSONWriter()
        json.beginArray()
        for text in [
            ticket.purpose.rawValue, String(ticket.expires), ticket.channel.keyset,
            ticket.channel.name, ticket.id.text, ticket.name, ticket.userID,
            String(ticket.bytes), ticket.holder.text,
        ] { json.string(text) }
        json.endArray()
        let code = Signing.code(of: json.bytes, key: key)
        return Base64URL.text(json.bytes, isPadded: false) + "."
            + Base64URL.text(code, isPadded: false)
    }

    /// - Parameter now: Unix seconds.
    /// - Returns: `nil` for what is not of this process, for something else, or over.
    func ticket(_ text: String, for purpose: FileTicket.Purpose, at now: Int64) -> FileTicket? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let claims = Base64URL.bytes(parts[0], isPadded: false),
            let code = Base64URL.bytes(parts[1], isPadded: false),
            Signing.areEqual(code, Signing.code(of: claims, key: key)),
            let json = try? JSONValue(
                parsing: String(decoding: claims, as: UTF8.self), depthMax: Limits.jsonDepthMax)
        else { return nil }
        guard json.isArray, json.count == 9 else { return nil }
        let texts = (0..<json.count).map { json.element(at: $0).string ?? "" }
        guard texts[0] == purpose.rawValue, let expires = Int64(texts[1]),
            let id = FileID(texts[4]), let bytes = Int(texts[7]),
            let holder = FileHolder(texts[8]), now < expires
        else { return nil }
        return FileTicket(
            purpose: purpose, expires: expires,
            channel: Channel(texts[3], keyset: texts[2]), id: id, name: texts[5],
            userID: texts[6], holder: holder, bytes: bytes)
    }
}
