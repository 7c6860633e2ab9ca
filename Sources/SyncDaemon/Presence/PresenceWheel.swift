// Deadlines of very many things, most of which move later before they come.

import Basis

/// What waits in a wheel.
protocol Timed: AnyObject {
    /// When it is due. It may move later without a word to the wheel.
    var deadline: PresenceTick { get }
    /// Belongs to the wheel: where it waits, `nil` when it does not.
    var place: WheelPlace? { get set }
}

/// A moment on the clock that never steps back, in steps of 250 ms.
///
/// Nobody sees whether a user vanished a quarter of a second earlier, and few moments are cheap to
/// keep in order.
struct PresenceTick: Hashable, Comparable {
    static let milliseconds: UInt64 = 250
    /// Long ago.
    static let zero = PresenceTick(notBefore: 0)

    let number: UInt64

    /// The first tick at this moment or after it.
    init(notBefore milliseconds: UInt64) {
        number = milliseconds / Self.milliseconds + (milliseconds % Self.milliseconds > 0 ? 1 : 0)
    }

    var milliseconds: UInt64 { number * Self.milliseconds }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

struct WheelPlace {
    fileprivate var tick: PresenceTick
    fileprivate var index: Int
}

/// Items by the tick at which the wheel looks at them.
///
/// That tick is never after an item's deadline, but may be before it: then the wheel looks, sees
/// that the deadline has moved, and puts the item back. So moving a deadline later is one
/// assignment, and an item is put back at most once per span that it once asked for.
struct PresenceWheel<Item: Timed> {
    private var slots: [PresenceTick: [Item]] = [:]
    /// Of the slots; one entry per slot.
    private var ticks = Heap<PresenceTick>()

    /// When to call `takeDue` next; an emptied slot is only noticed then.
    var nextTick: PresenceTick? { ticks.first }

    /// Makes sure that the wheel looks at an item at its deadline or earlier.
    ///
    /// - Complexity: O(1), and O(log ticks) for the first item of a slot.
    mutating func schedule(_ item: Item) {
        if let place = item.place {
            guard item.deadline < place.tick else { return }
            remove(item)
        }
        insert(item)
    }

    /// - Complexity: O(1): the slot's last item takes the free place.
    mutating func remove(_ item: Item) {
        guard let place = item.place else { return }
        item.place = nil
        guard let last = slots[place.tick]?.popLast(), last !== item else { return }
        slots[place.tick]?[place.index] = last
        last.place = place
    }

    /// Takes from the earliest slot, until it is empty.
    ///
    /// - Parameter limit: Items that are looked at; the others stay for the next call.
    /// - Returns: Those whose deadline it was, in no particular order; the others wait again.
    mutating func takeDue(atMost limit: Int) -> [Item] {
        guard let tick = ticks.first else { return [] }
        var due: [Item] = []
        var looked = 0
        while looked < limit, let item = slots[tick]?.popLast() {
            looked += 1
            item.place = nil
            if item.deadline > tick { insert(item) } else { due.append(item) }
        }
        guard slots[tick]?.isEmpty ?? true else { return due }
        slots[tick] = nil
        ticks.popFirst()
        return due
    }

    private mutating func insert(_ item: Item) {
        let tick = item.deadline
        let index = slots[tick]?.count ?? 0
        if slots[tick] == nil { ticks.insert(tick) }
        slots[tick, default: []].append(item)
        item.place = WheelPlace(tick: tick, index: index)
    }
}
