// What comes first of many, without keeping the rest in order.

/// A binary heap: the least element is first; which of two equal ones is, is not said.
///
/// Inlinable, as `Queue` is.
public struct Heap<Element: Comparable> {
    /// Each element is not less than its parent, which is at (index - 1) / 2.
    @usableFromInline var elements: [Element] = []

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count }
    @inlinable public var isEmpty: Bool { elements.isEmpty }
    @inlinable public var first: Element? { elements.first }

    /// - Complexity: O(log count).
    @inlinable
    public mutating func insert(_ element: Element) {
        var child = elements.count
        elements.append(element)
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// - Complexity: O(log count).
    @discardableResult @inlinable
    public mutating func popFirst() -> Element? {
        guard !elements.isEmpty else { return nil }
        elements.swapAt(0, elements.count - 1)
        let first = elements.removeLast()
        sink(from: 0)
        return first
    }

    /// Keeps only what is wanted.
    ///
    /// - Complexity: O(count).
    @inlinable
    public mutating func keep(where isWanted: (Element) -> Bool) {
        elements.removeAll { !isWanted($0) }
        for parent in (0..<elements.count / 2).reversed() { sink(from: parent) }
    }

    @inlinable
    public mutating func removeAll(keepingCapacity: Bool = false) {
        elements.removeAll(keepingCapacity: keepingCapacity)
    }

    @inlinable
    mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != parent else { return }
            elements.swapAt(parent, least)
            parent = least
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
