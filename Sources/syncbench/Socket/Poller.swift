// Owns one epoll instance.

import CLinux
import Glibc

/// Waits for sockets; each is known by a number of its owner's choice.
@safe struct Poller: ~Copyable {
    private let descriptor: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init() throws(BenchError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        unsafe events = .allocate(capacity: 256)
        guard descriptor >= 0 else {
            throw BenchError("epoll cannot be used: \(SystemError.text).")
        }
    }

    deinit {
        close(descriptor)
        unsafe events.deallocate()
    }

    func add(_ socket: Int32, as number: Int, writes: Bool) {
        control(EPOLL_CTL_ADD, socket, number, writes: writes)
    }

    func change(_ socket: Int32, as number: Int, writes: Bool) {
        control(EPOLL_CTL_MOD, socket, number, writes: writes)
    }

    func remove(_ socket: Int32) {
        _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, nil)
    }

    /// Appends the numbers of sockets that can be read, written, or are broken.
    func wait(milliseconds: Int, into ready: inout [Int]) {
        let count = unsafe epoll_wait(
            descriptor, events.baseAddress, Int32(events.count), Int32(clamping: milliseconds))
        for index in 0..<max(0, Int(count)) {
            unsafe ready.append(Int(events[index].data.u64))
        }
    }

    private func control(_ action: Int32, _ socket: Int32, _ number: Int, writes: Bool) {
        let events = EPOLLIN.rawValue | (writes ? EPOLLOUT.rawValue : 0)
        var event = unsafe epoll_event(
            events: events, data: epoll_data_t(u64: UInt64(number)))
        _ = unsafe epoll_ctl(descriptor, action, socket, &event)
    }
}
