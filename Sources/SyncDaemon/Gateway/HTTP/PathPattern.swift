// Which paths a route is for.

/// Words between slashes; those in braces are the client's, and one with dots in them, the last,
/// stands for any number of words.
struct PathPattern: Sendable {
    private let words: [String]
    private let literals: [[UInt8]?]
    private let isOpen: Bool

    /// - Parameter text: Such as `v2/history/sub-key/{sub}`, without a slash before it.
    init(_ text: String) {
        words = text.split(separator: "/").map(String.init)
        literals = words.map { $0.hasPrefix("{") ? nil : Array($0.utf8) }
        isOpen = text.hasSuffix("...}")
    }

    /// Whether a path is one of these; its own words have to be spelled without escapes.
    func matches(_ target: RequestTarget) -> Bool {
        let count = target.segments.count
        return (isOpen ? literals.count <= count : literals.count == count)
            && zip(literals, target.segments).allSatisfy { literal, segment in
                literal.map { segment.elementsEqual($0) } ?? true
            }
    }

    /// The place of a word that the client chose.
    func index(of name: String) -> Int? { words.firstIndex(of: "{\(name)}") }

    /// As people read it.
    var description: String { "/" + words.joined(separator: "/") }
}
