// A value behind a mutex, for what threads share.
//
// Not `Synchronization.Mutex`: on Linux that is a bare futex, which ThreadSanitizer cannot see, so
// it reports races that are not there. The price is about 30 ns a lock, and posts are batched.

#if canImport(Darwin)
public import Darwin
#else
public import Glibc
#endif

/// Guards a value so that any thread may use it, one at a time.
///
/// `@unchecked`: `value` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`.
@safe public final class Locked<Value: Sendable & ~Copyable>: @unchecked Sendable {
    @usableFromInline var value: Value
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    public init(_ value: consuming Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    @inlinable
    public func withLock<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
