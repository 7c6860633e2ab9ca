// A request's target taken apart: path segments, query members and lists, each decoded once.

import EventModel

/// A target that says nothing: broken percent-encoding, bytes that are not UTF-8, or a zero.
struct RequestTargetError: Error, Hashable {
    /// Of the parameter whose value it is in, if that is where it is.
    var parameter: String?
}

/// A path and a query, split before anything in them is decoded.
///
/// It works on bytes: as characters, a `/` with an accent behind it would be no slash.
struct RequestTarget: Sendable, Hashable {
    /// As the client sent them, escapes included, without the slash that leads the path.
    let segments: [ArraySlice<UInt8>]
    private let rawQuery: ArraySlice<UInt8>

    /// - Returns: `nil` for a target that is not a path.
    init?(_ target: String) {
        let bytes = Array(target.utf8)
        guard bytes.first == UInt8(ascii: "/") else { return nil }
        let pathEnd = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        segments = bytes[1..<pathEnd].split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        rawQuery = bytes[pathEnd...].dropFirst()
    }

    func segment(_ index: Int) throws(RequestTargetError) -> String {
        try percentDecoded(segments[index])
    }

    /// The items of a segment; none for a lone `,`.
    ///
    /// Split before decoding: a comma that belongs to an item is escaped.
    func list(_ index: Int) throws(RequestTargetError) -> [String] {
        var items: [String] = []
        for item in segments[index].split(separator: UInt8(ascii: ",")) {
            items.append(try percentDecoded(item))
        }
        return items
    }

    /// - Parameter isForm: Whether a `+` is a blank, as most of today's HTTP clients write one
    ///   (application/x-www-form-urlencoded); else it stands for itself, as SDKs of PubNub mean it.
    func query(isForm: Bool = false) throws(RequestTargetError) -> RequestQuery {
        func decoded(_ raw: ArraySlice<UInt8>) throws(RequestTargetError) -> String {
            guard isForm else { return try percentDecoded(raw) }
            let blank = UInt8(ascii: " ")
            return try percentDecoded(ArraySlice(raw.map { $0 == UInt8(ascii: "+") ? blank : $0 }))
        }
        var members: [RequestQuery.Member] = []
        for member in rawMembers {
            let end = member.firstIndex(of: UInt8(ascii: "=")) ?? member.endIndex
            let name = try decoded(member[..<end])
            do throws(RequestTargetError) {
                let value = try decoded(member[end...].dropFirst())
                members.append(RequestQuery.Member(name: name, value: value))
            } catch { throw RequestTargetError(parameter: name) }
        }
        return RequestQuery(members: members)
    }

    /// The parts between `&`, and between a stray `?` and what C-core appends behind it.
    ///
    /// It adds `?pnsdk=…` to the URL of a next page, which has a query already. A `?` elsewhere is
    /// a letter: Swift and Python leave it as it is in values.
    private var rawMembers: [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        var start = rawQuery.startIndex
        for index in rawQuery.indices {
            let byte = rawQuery[index]
            guard byte == UInt8(ascii: "&") || byte == UInt8(ascii: "?") && isAppended(after: index)
            else { continue }
            members.append(rawQuery[start..<index])
            start = index + 1
        }
        members.append(rawQuery[start...])
        return members.filter { !$0.isEmpty }
    }

    private func isAppended(after index: Int) -> Bool {
        Self.appendedNames.contains { rawQuery[(index + 1)...].starts(with: $0) }
    }

    /// - Source: C-core, pbcc_get_actions_more_prep and, up to version 2.5, pbcc_publish_prep.
    private static let appendedNames = ["auth=", "pnsdk=", "store="].map { Array($0.utf8) }
}

/// The members of a query, decoded.
struct RequestQuery: Sendable, Hashable {
    struct Member: Sendable, Hashable {
        var name: String
        /// Empty for a member without one.
        var value: String
    }

    /// In the order of the query; names may repeat.
    let members: [Member]

    /// The value of the first member with this name.
    subscript(name: String) -> String? {
        members.first { $0.name == name }?.value
    }

    /// Whether two members have this name.
    func repeats(_ name: String) -> Bool { members.count { $0.name == name } > 1 }

    /// Whether a list is there and has an empty element, or none.
    func hasEmptyElement(_ name: String) -> Bool {
        members.contains { member in
            member.name == name
                && member.value.utf8.split(
                    separator: UInt8(ascii: ","), omittingEmptySubsequences: false
                ).contains(where: \.isEmpty)
        }
    }

    /// The items of all members with this name; none for a lone `,`.
    ///
    /// Split after decoding: some SDKs escape the commas between items.
    func list(_ name: String) -> [String] {
        members.filter { $0.name == name }.flatMap { member in
            member.value.utf8.split(separator: UInt8(ascii: ",")).compactMap { String($0) }
        }
    }
}

extension [String] {
    /// Without those that were there before, byte for byte.
    func withoutRepeats() -> [String] {
        var seen: Set<ExactText> = []
        return filter { seen.insert(ExactText($0)).inserted }
    }
}

/// Decodes once; a `+` stands for itself.
private func percentDecoded(_ raw: ArraySlice<UInt8>) throws(RequestTargetError) -> String {
    guard let bytes = PercentEscapes.decode(raw), !bytes.contains(0),
        let text = String(validating: bytes, as: UTF8.self)
    else { throw RequestTargetError() }
    return text
}
