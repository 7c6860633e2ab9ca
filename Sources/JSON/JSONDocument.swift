// A text that was checked, and where its values stand.

/// A text and where its values stand; what all values of the text share.
final class JSONDocument {
    let bytes: [UInt8]
    let nodes: [JSONNode]
    let hasBlanks: Bool
    /// The element that was asked for last: lists are read from their beginning to their end.
    private var last = (array: -1, element: 0, node: 0)

    init(bytes: [UInt8], nodes: [JSONNode], hasBlanks: Bool) {
        self.bytes = bytes
        self.nodes = nodes
        self.hasBlanks = hasBlanks
    }

    func text(of string: Int) -> String {
        let node = nodes[string]
        guard node.isPlain else { return String(decoding: bytes.unescaped(node), as: UTF8.self) }
        return String(decoding: bytes[Int(node.start) + 1..<Int(node.end) - 1], as: UTF8.self)
    }

    func says(_ text: String, at string: Int) -> Bool {
        let node = nodes[string]
        guard node.isPlain else { return bytes.unescaped(node).elementsEqual(text.utf8) }
        return Int(node.end - node.start) - 2 == text.utf8.count
            && bytes[Int(node.start) + 1..<Int(node.end) - 1].elementsEqual(text.utf8)
    }

    func element(_ index: Int, of array: Int) -> Int {
        if last.array != array || last.element > index { last = (array, 0, array + 1) }
        while last.element < index {
            last.node = Int(nodes[last.node].next)
            last.element += 1
        }
        return last.node
    }
}

extension ArraySlice<UInt8> {
    /// JSON without the blanks outside of its strings.
    func withoutBlanks() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var isInString = false
        var isEscaped = false
        for byte in self {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte <= 0x20 {
                continue
            } else {
                isInString = byte == UInt8(ascii: "\"")
            }
            text.append(byte)
        }
        return text
    }
}
