// A value behind a mutex, for what the service thread and the tasks of a client share.
//
// Not `Synchronization.Mutex`: on Linux that is a bare futex, which ThreadSanitizer cannot see, so
// it reports races that are not there.

import Glibc

/// Guards a value so that any thread may use it, one at a time.
///
/// `@unchecked`: `value` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`.
@safe final class Locked<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
