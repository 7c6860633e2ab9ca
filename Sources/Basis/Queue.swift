// First in, first out, without moving the rest at each step.

/// A queue in one array: adding at the end and taking from the front are O(1), amortised.
///
/// What was taken is not kept alive by its old place, and an empty queue keeps little memory.
/// Inlinable, as it is in the way of every delivery.
public struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - head }
    @inlinable public var isEmpty: Bool { head == elements.count }
    @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

    @inlinable
    public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts an element in front of all others.
    @inlinable
    public mutating func prepend(_ element: Element) {
        prepend(contentsOf: [element])
    }

    /// Puts elements in front of all others, keeping their own order.
    ///
    /// - Complexity: O(elements) where as many were taken before, else O(count).
    @inlinable
    public mutating func prepend(contentsOf earlier: [Element]) {
        let start = max(0, head - earlier.count)
        elements.replaceSubrange(start..<head, with: earlier.lazy.map(Optional.some))
        head = start
    }

    /// Takes the first element.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 16)
            head = 0
        } else if head > 32, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes the first element if it is one that is asked for.
    @inlinable
    public mutating func popFirst(where isWanted: (Element) -> Bool) -> Element? {
        guard let first, isWanted(first) else { return nil }
        return popFirst()
    }

    /// Takes up to `limit` elements, in order.
    @inlinable
    public mutating func popFirst(atMost limit: Int) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(min(limit, count))
        while taken.count < limit, let element = popFirst() { taken.append(element) }
        return taken
    }

    /// Takes everything that matches out, in order.
    ///
    /// - Complexity: O(count).
    @discardableResult @inlinable
    public mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
        let all = elements[head...].compactMap(\.self)
        elements = all.filter { !matches($0) }
        head = 0
        return all.filter(matches)
    }

    @inlinable
    public mutating func removeAll() {
        self = Queue()
    }
}

extension Queue: Sendable where Element: Sendable {}
