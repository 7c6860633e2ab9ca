// Counts a word in a text that comes in pieces.

/// How often a word has come by.
struct TextCounter {
    let word: [UInt8]
    private(set) var count = 0
    private var tail: [UInt8] = []

    init(_ word: String) {
        self.word = Array(word.utf8)
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
        guard !word.isEmpty else { return }
        let text = tail + bytes
        var index = 0
        while index + word.count <= text.count {
            if text[index] == word[0], text[index..<index + word.count].elementsEqual(word) {
                count += 1
                index += word.count
            } else {
                index += 1
            }
        }
        tail = Array(text[max(index, text.count - word.count + 1)...])
    }
}
