// What the messages of this chat say.

struct Note: Codable, Sendable {
    var text: String
}
