// What the messages of a chat say, in each of the forms in which programs write it.

import JSON
import SyncModels

/// The text of a message: the member `text` of an object, or a payload that is a string.
struct ChatPayload: Codable, Hashable, Sendable {
    var text: String
    /// Whether it is one of these forms; of anything else the text is its JSON.
    var isText = true
    /// The whole object, so that an edit keeps its other members; `nil` for a string.
    var object: String?

    /// As swift-chat and the web components write it.
    init(saying text: String) {
        self.text = text
        object = "{}"
    }

    init(parsing payload: String) {
        let json = try? JSONValue(parsing: payload, depthMax: 64)
        if let string = json?.string {
            text = string
        } else if let string = json?.member("text")?.string {
            text = string
            object = payload
        } else {
            text = payload
            isText = false
        }
    }

    /// As JSON text.
    var json: String {
        guard let object, let value = try? JSONValue(parsing: object, depthMax: 64) else {
            return isText ? JSONValue.quoted(text) : text
        }
        let others = value.members.filter { $0.name != "text" }.map {
            "\(JSONValue.quoted($0.name)):\($0.value.compactText)"
        }
        return "{\((["\"text\":" + JSONValue.quoted(text)] + others).joined(separator: ","))}"
    }

    static let coding = PayloadCoding<ChatPayload>(
        decode: { ChatPayload(parsing: $0) }, encode: { $0.json })
}
