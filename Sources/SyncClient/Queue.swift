// First in, first out, without moving the rest at each step.

/// A queue in one array: taking from the front is O(1), amortised.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts elements in front of all others, keeping their own order.
    mutating func prepend(contentsOf earlier: [Element]) {
        elements.replaceSubrange(..<head, with: earlier.map(Optional.some))
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head > 32, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes everything that matches out, in order.
    mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
        let all = elements[head...].compactMap(\.self)
        elements = all.filter { !matches($0) }
        head = 0
        return all.filter(matches)
    }

    mutating func removeAll() {
        elements = []
        head = 0
    }
}

extension Queue: Sendable where Element: Sendable {}
