// How a message says that it tells of a file: by its type.
//
// So nothing but PubNub's door knows of such messages: they are stored, repaired, exported and
// shown by native clients as any other.

import EventModel
import JSON

/// The types of messages that PubNub's SDKs get as events of files (`e` 4).
enum FileMessage {
    private static let word = "pn.file"

    /// - Parameter custom: The application's own name for the kind of message; a client of PubNub's
    ///   cannot write one with a dot.
    static func type(_ custom: String?) -> String { custom.map { "\(word):\($0)" } ?? word }

    static func isType(_ type: String?) -> Bool {
        guard let type else { return false }
        return ExactText(type) == ExactText(word) || type.utf8.starts(with: "\(word):".utf8)
    }

    /// The application's own name.
    static func custom(_ type: String) -> String? {
        guard isType(type), type.utf8.count > word.utf8.count + 1 else { return nil }
        return String(decoding: type.utf8.dropFirst(word.utf8.count + 1), as: UTF8.self)
    }
}

extension ReplyEncoder {
    static func encode(_ files: [FileEntry], next: Timetoken?, into json: inout JSONWriter) {
        json.beginArray("files")
        for file in files {
            json.beginObject()
            json.member("id", file.id)
            json.member("name", file.name)
            json.member("size", file.size)
            json.member("created", quoted: file.created.rawValue)
            json.endObject()
        }
        json.endArray()
        json.member("next", quoted: next?.rawValue)
    }
}

extension FileMessage {
    /// What PubNub's clients see of a message's type.
    static func customOrSame(_ type: String) -> String? { isType(type) ? custom(type) : type }
}
