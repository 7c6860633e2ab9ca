// One end of a link: what is to be said waits for the thread that writes it.

import Basis
import EventModel

/// Frames on their way to one daemon; any thread may send.
final class LinkPipe: Sendable {
    private let socket: LinkSocket
    private let waiting: WorkQueue<[UInt8]>
    private let isEnded = Locked(false)

    /// Starts the thread that writes.
    ///
    /// - Parameter alive: What it writes when there was nothing to say for a while.
    init(_ socket: LinkSocket, name: String, alive: [UInt8]) {
        self.socket = socket
        waiting = WorkQueue(capacity: 1 << 20, costMax: Limits.linkQueueBytesMax) { $0.count }
        _ = OSThread(name: name) { [self] in
            while !isEnded.withLock({ $0 }) {
                let frames = waiting.take(
                    atMost: 256, waitingAtMost: Limits.linkIdleMilliseconds)
                do throws(LinkEnd) {
                    switch frames.count {
                    case 0: try socket.write(alive)
                    case 1: try socket.write(frames[0])
                    default: try socket.write(frames.reduce(into: []) { $0 += $1 })
                    }
                } catch {
                    return end()
                }
            }
        }
    }

    /// Queues a frame.
    ///
    /// - Returns: `false` when too much waits, or the link has ended.
    @discardableResult
    func send(_ frame: [UInt8]) -> Bool { waiting.put(frame) }

    /// Ends the link; who reads from it notices.
    func end() {
        isEnded.withLock { $0 = true }
        waiting.close()
        socket.end()
    }
}
