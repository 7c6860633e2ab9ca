// Owns one libuv loop. The only file that runs it; Transport lends it to libwebsockets.

import CUV

/// An event loop that belongs to the thread that runs it.
///
/// It lives as long as the process: libwebsockets 4.1.6 has a use-after-free in the destruction of
/// a context (upstream 694e2fae3), so neither the context nor the loop under it is ever taken down.
@safe final class EventLoop {
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private let waker: UnsafeMutablePointer<uv_async_t>
    private let timer: UnsafeMutablePointer<uv_timer_t>

    init() {
        unsafe loop = .allocate(capacity: 1)
        unsafe waker = .allocate(capacity: 1)
        unsafe timer = .allocate(capacity: 1)
        let status = unsafe (
            uv_loop_init(loop), uv_async_init(loop, waker, { _ in }), uv_timer_init(loop, timer)
        )
        precondition(status == (0, 0, 0), "libuv could not make an event loop: out of descriptors?")
        let isCounting = unsafe sync_uv_count_idle_time(loop) == 0
        precondition(isCounting, "libuv 1.39 or later counts the time that it waits.")
    }

    /// The `uv_loop_t *`, as libwebsockets wants it in `foreign_loops`.
    var rawLoop: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(loop) }

    /// Waits for events, a wake-up or the time limit, and runs the callbacks of all that is ready.
    ///
    /// libuv counts from when it last looked at the clock, and runs timers that are due before it
    /// waits: one that is due by then would not end the wait (libuv 1.44, `uv_run`). So the clock
    /// is read anew, and the timer goes on.
    func runOnce(waitingAtMost milliseconds: UInt64) {
        guard milliseconds > 0 else {
            unsafe uv_timer_stop(timer)
            unsafe uv_run(loop, UV_RUN_NOWAIT)
            return
        }
        unsafe uv_update_time(loop)
        unsafe uv_timer_start(timer, { _ in }, milliseconds, milliseconds)
        unsafe uv_run(loop, UV_RUN_ONCE)
    }

    /// Nanoseconds that it has waited in all.
    var idleNanoseconds: UInt64 { unsafe uv_metrics_idle_time(loop) }

    /// A call that interrupts ``runOnce(waitingAtMost:)`` from any thread.
    var wake: @Sendable () -> Void {
        let waker = unsafe Waker(handle: waker)
        return { waker.wake() }
    }
}

/// `@unchecked`: `uv_async_send` is the one call that libuv documents as safe from any thread, and
/// the handle is never freed.
@safe private struct Waker: @unchecked Sendable {
    let handle: UnsafeMutablePointer<uv_async_t>

    func wake() {
        unsafe uv_async_send(handle)
    }
}
