// A token as lines for people, or as one line for programs. Pure.

import Glibc
import JSON

struct TokenFormat {
    /// Unix seconds.
    let now: Int64

    func lines(for token: InspectedToken) -> [String] {
        var rows = [("kind", token.kind == .pubNub ? "PubNub's, version 3" : "JSON Web Token")]
        rows += token.facts.map { ($0.name, printable($0.value)) }
        if let issued = token.issued { rows.append(("issued", Self.date(issued))) }
        rows.append(("expires", token.expires.map(end) ?? "not said"))
        for entry in token.entries {
            let rights = entry.rights.isEmpty ? "nothing" : entry.rights.joined(separator: " ")
            let kind = entry.kind + (entry.isPattern ? " ~" : "")
            rows.append((kind, "\(printable(entry.name))  \(printable(rights))"))
        }
        if token.entries.isEmpty { rows.append(("rights", "none")) }
        rows.append(("signature", Self.words(for: token)))
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { name, value in
            name + String(repeating: " ", count: width - name.count) + value
        }
    }

    func line(for token: InspectedToken) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("kind", token.kind.rawValue)
        for fact in token.facts {
            json.name(escaping: fact.name)
            json.string(fact.value)
        }
        json.member("issued", token.issued.map(Int.init))
        json.member("expires", token.expires.map(Int.init))
        json.member("isOver", token.expires.map { $0 <= now } ?? true)
        json.beginArray("rights")
        for entry in token.entries {
            json.beginObject()
            json.member("on", entry.kind)
            json.name(escaping: entry.isPattern ? "pattern" : "name")
            json.string(entry.name)
            json.beginArray("rights")
            for right in entry.rights { json.string(right) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.member("signature", token.signature.rawValue)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func end(_ expires: Int64) -> String {
        let left = expires.subtractingReportingOverflow(now).partialValue
        return Self.date(expires) + (left > 0 ? " (in \(left) s)" : " (it is over)")
    }

    private static func words(for token: InspectedToken) -> String {
        switch token.signature {
        case .good: "good: the secret key made it"
        case .bad: "bad: another key made it, or it was changed"
        case .unchecked where token.kind == .webToken: "not checked: that takes the daemon's keys"
        case .unchecked: "not checked: that takes the secret key and --keyset"
        }
    }

    /// In UTC.
    private static func date(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "\(seconds)" }
        var text = [CChar](repeating: 0, count: 40)
        let count = unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(
            decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
