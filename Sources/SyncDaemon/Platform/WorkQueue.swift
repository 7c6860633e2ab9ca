// A bounded queue whose readers are threads that sleep while it is empty.

import Basis
import Glibc

/// Work for one or more threads that do nothing else.
///
/// Unlike a ``Mailbox`` it has no event loop behind it: a reader waits in the kernel.
///
/// `@unchecked`: its variables are touched only while `mutex` is held.
@safe final class WorkQueue<Item: Sendable>: @unchecked Sendable {
    private var items = Queue<Item>()
    private var waitingCost = 0
    private var isClosed = false
    /// How often all readers were asked to come round.
    private var nudges: UInt64 = 0
    private let capacity: Int
    private let costMax: Int
    private let cost: @Sendable (Item) -> Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// - Parameters:
    ///   - capacity: Items that may wait; the writer decides what to do when it is full.
    ///   - costMax: What the waiting items may cost together.
    ///   - cost: What one item costs, bytes for example.
    init(
        capacity: Int, costMax: Int = .max, cost: @escaping @Sendable (Item) -> Int = { _ in 0 }
    ) {
        precondition(capacity > 0)
        self.capacity = capacity
        self.costMax = costMax
        self.cost = cost
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        // A wall clock that steps must not stretch a wait.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let status = unsafe (
            pthread_mutex_init(mutex, nil), pthread_cond_init(condition, &attributes)
        )
        unsafe pthread_condattr_destroy(&attributes)
        precondition(status == (0, 0))
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Adds an item and wakes one reader.
    ///
    /// - Parameter wakesReader: Whether a reader that sleeps takes the item now, or some time after
    ///   ``wakeReader()``.
    /// - Returns: `false` when the queue is full or closed; the item was not taken.
    func put(_ item: Item, wakesReader: Bool = true) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let itemCost = cost(item)
        guard !isClosed, items.count < capacity, waitingCost <= costMax - itemCost else {
            return false
        }
        items.append(item)
        waitingCost += itemCost
        if wakesReader { unsafe pthread_cond_signal(condition) }
        return true
    }

    /// Wakes one reader for items that were put without.
    func wakeReader() {
        unsafe pthread_cond_signal(condition)
    }

    /// Waits for work and takes up to `limit` items, oldest first.
    ///
    /// - Returns: An empty array once the queue is closed and everything in it was taken, and after
    ///   a ``nudge()`` that found nothing to do.
    func take(atMost limit: Int) -> [Item] {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let seen = nudges
        while items.isEmpty, !isClosed, nudges == seen {
            unsafe pthread_cond_wait(condition, mutex)
        }
        return takeNow(atMost: limit)
    }

    /// Has every reader that waits in ``take(atMost:)`` come round once.
    func nudge() {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        nudges &+= 1
        unsafe pthread_cond_broadcast(condition)
    }

    /// Waits for work, but no longer than so many milliseconds.
    ///
    /// - Returns: An empty array, too, when nothing came in time.
    func take(atMost limit: Int, waitingAtMost milliseconds: UInt64) -> [Item] {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        var end = Clock.monotonic(in: milliseconds)
        while items.isEmpty, !isClosed {
            guard unsafe pthread_cond_timedwait(condition, mutex, &end) == 0 else { break }
        }
        return takeNow(atMost: limit)
    }

    /// Takes up to `limit` items that wait already, oldest first.
    ///
    /// - Returns: `nil` once the queue is closed and everything in it was taken.
    func takeWaiting(atMost limit: Int) -> [Item]? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard !items.isEmpty || !isClosed else { return nil }
        return takeNow(atMost: limit)
    }

    /// - Precondition: The mutex is held.
    private func takeNow(atMost limit: Int) -> [Item] {
        let taken = items.popFirst(atMost: limit)
        for item in taken { waitingCost -= cost(item) }
        return taken
    }

    /// Refuses further items; readers take what is left and then get nothing.
    func close() {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        isClosed = true
        unsafe pthread_cond_broadcast(condition)
    }

    /// Items that wait now.
    var count: Int {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return items.count
    }
}
