// Waits for bytes on a socket that has no other owner yet. With EventLoop the only user of libuv.

import CUV
import Glibc

/// A socket that an event loop watches until someone takes it back.
///
/// Only on the loop's thread. libuv allows one watcher per descriptor: ``stop()`` comes before
/// anything else may watch it.
@safe final class SocketWatcher {
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var descriptor: FileDescriptor?
    private let whenReady: (_ hasEnded: Bool) -> Void

    /// - Parameters:
    ///   - loop: It must outlive `self`.
    ///   - whenReady: Called each time that bytes can be read; `hasEnded` says that the peer sends
    ///     no more. It may drop the last reference to `self`.
    /// - Returns: `nil`, and a closed socket, when the kernel cannot watch it.
    init?(
        _ descriptor: consuming FileDescriptor, on loop: EventLoop,
        whenReady: @escaping (_ hasEnded: Bool) -> Void
    ) {
        self.whenReady = whenReady
        let socket = descriptor.rawValue
        self.descriptor = consume descriptor
        unsafe handle = nil
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let rawLoop = unsafe loop.rawLoop.assumingMemoryBound(to: uv_loop_t.self)
        guard unsafe uv_poll_init(rawLoop, poll, socket) == 0 else {
            unsafe poll.deallocate()
            return nil
        }
        unsafe handle = unsafe poll
        unsafe poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let events = Int32(UV_READABLE.rawValue | UV_DISCONNECT.rawValue)
        guard unsafe uv_poll_start(poll, events, socketIsReady) == 0 else { return nil }
    }

    deinit {
        closeHandle()
    }

    /// Gives the socket back, no longer watched; `nil` the second time.
    func stop() -> FileDescriptor? {
        closeHandle()
        return descriptor.take()
    }

    fileprivate func report(hasEnded: Bool) {
        whenReady(hasEnded)
    }

    private func closeHandle() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        // libuv forgets the descriptor at once, and the handle in its next turn.
        unsafe handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { closing in
            unsafe uv_close(closing) { closed in unsafe free(closed) }
        }
    }
}

private func socketIsReady(_ handle: UnsafeMutablePointer<uv_poll_t>?, status: Int32, events: Int32)
{
    guard let data = unsafe handle?.pointee.data else { return }
    let watcher = unsafe Unmanaged<SocketWatcher>.fromOpaque(data).takeUnretainedValue()
    let hasEnded = status < 0 || UInt32(events) & UV_DISCONNECT.rawValue != 0
    watcher.report(hasEnded: hasEnded)
}
