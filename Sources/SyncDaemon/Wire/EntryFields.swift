// Which fields entries of directories have, and what may be in them: one rule for all doors.

import EventModel
import JSON

/// What a field may hold.
struct EntryFieldRule {
    /// What an entry is of.
    enum Kind {
        case user, channel, membership
    }

    enum Content {
        /// At most ``Limits/entryTextBytesMax``.
        case text
        /// Anything, by names of the application's own.
        case object
    }

    let name: String
    let content: Content

    /// - Source: PubNub's App Context, whose names they have.
    static func all(of kind: Kind) -> [EntryFieldRule] {
        let shared = [
            EntryFieldRule(name: "custom", content: .object),
            EntryFieldRule(name: "status", content: .text),
            EntryFieldRule(name: "type", content: .text),
        ]
        let names =
            switch kind {
            case .user: ["name", "externalId", "profileUrl", "email"]
            case .channel: ["name", "description"]
            case .membership: [] as [String]
            }
        return names.map { EntryFieldRule(name: $0, content: .text) } + shared
    }

    /// Each once.
    static let all: [EntryFieldRule] = {
        let users = all(of: .user)
        let names = users.map(\.name)
        return users + all(of: .channel).filter { !names.contains($0.name) }
    }()

    /// Reads what is to be changed.
    ///
    /// - Parameter names: Members that are no fields.
    static func fields(
        of set: borrowing JSONValue, _ kind: Kind, besides names: [String]
    ) throws(EntryFieldError) -> [EntryField] {
        let rules = all(of: kind)
        var fields: [EntryField] = []
        for (name, value) in set.members where !names.contains(name) {
            guard let rule = rules.first(where: { $0.name == name }) else {
                let known = rules.map(\.name).joined(separator: ", ")
                throw EntryFieldError(name: name, expectation: "one of \(known)")
            }
            fields.removeAll { $0.name == name }
            fields.append(EntryField(name: name, value: try rule.text(of: value)))
        }
        return fields
    }

    /// - Returns: `nil` for what is to be taken away.
    private func text(of value: JSONValue) throws(EntryFieldError) -> String? {
        guard !value.isNull else { return nil }
        switch content {
        case .object:
            guard value.isObject else {
                throw EntryFieldError(name: name, expectation: "an object, or null")
            }
        case .text:
            guard let text = value.string, text.utf8.count <= Limits.entryTextBytesMax,
                !text.utf8.contains(0)
            else {
                throw EntryFieldError(
                    name: name,
                    expectation: "a string of at most \(Limits.entryTextBytesMax) bytes without"
                        + " U+0000, or null")
            }
        }
        return value.compactText
    }
}

/// A field that cannot be what a client wants.
struct EntryFieldError: Error {
    let name: String
    /// What it must be.
    let expectation: String
}

extension Directory {
    /// Whether its entries are about entries of another one.
    var hasSubjects: Bool {
        switch self {
        case .users, .channels: false
        case .members, .memberships: true
        }
    }
}
