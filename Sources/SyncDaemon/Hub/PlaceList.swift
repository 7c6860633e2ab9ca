// A list whose elements know their places, so that any of them can leave at once.

/// Something that is in one ``PlaceList``.
protocol Placed: AnyObject {
    /// Where; kept by the list.
    var place: Int { get set }
}

/// Elements in no order.
struct PlaceList<Element: Placed> {
    private(set) var elements: [Element] = []

    var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }

    /// - Complexity: O(1).
    mutating func add(_ element: Element) {
        element.place = elements.count
        elements.append(element)
    }

    /// Takes an element of this list out.
    ///
    /// - Complexity: O(1): the last one takes the free place.
    mutating func remove(_ element: Element) {
        let last = elements.removeLast()
        guard last !== element else { return }
        elements[element.place] = last
        last.place = element.place
    }
}
