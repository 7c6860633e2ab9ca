// What waits for one session's socket: references to shared frames, never copies.

import Basis
import EventModel

/// What a queued batch would bring forward: where to read again when it is dropped.
struct QueuedPush {
    let subscription: Subscription
    /// The subscription's position before the batch.
    let before: Timetoken
    /// Whether what it sums up was sent already.
    var isSummary = false
}

/// Frames in the order in which they must leave, with their size.
struct SendQueue {
    /// What it takes in memory, were each frame in no other queue.
    private(set) var byteCount = 0
    /// Each frame, and beside it what it brings forward; `nil` for replies.
    private var frames = Queue<(frame: Frame, push: QueuedPush?)>()

    var isEmpty: Bool { byteCount == 0 }

    /// What a frame takes in a queue.
    static func bytes(of frame: Frame) -> Int {
        HeapBytes.place(of: (frame: Frame, push: QueuedPush?)?.self)
            + HeapBytes.array(frame.bytes)
    }

    mutating func append(_ frame: Frame, _ push: QueuedPush? = nil) {
        frames.append((frame, push))
        byteCount += Self.bytes(of: frame)
    }

    /// Takes whole frames of at most `bytesMax` in all; always at least one.
    ///
    /// One frame is lent as it is. Several are put together in `scratch`, because one write of two
    /// frames costs the kernel half of two writes.
    ///
    /// - Precondition: The queue is not empty.
    mutating func takeNext(
        atMost bytesMax: Int, scratch: inout [UInt8], _ body: (Span<UInt8>) -> Void
    ) {
        guard let first = next(atMost: .max) else { preconditionFailure("Nothing waits.") }
        guard let second = next(atMost: bytesMax - first.bytes.count) else {
            body(first.bytes.span)
            return
        }
        scratch.removeAll(keepingCapacity: true)
        scratch += first.bytes
        scratch += second.bytes
        while let frame = next(atMost: bytesMax - scratch.count) { scratch += frame.bytes }
        body(scratch.span)
    }

    mutating func removeAll() {
        self = SendQueue()
    }

    /// Drops the batches, keeps the replies, and gives the memory back.
    ///
    /// - Returns: What was dropped, oldest first.
    mutating func dropPushes() -> [QueuedPush] {
        var rest = SendQueue()
        var dropped: [QueuedPush] = []
        while let (frame, push) = frames.popFirst() {
            if let push { dropped.append(push) } else { rest.append(frame) }
        }
        self = rest
        return dropped
    }

    /// Takes the next frame, if it is no longer than that.
    private mutating func next(atMost bytesMax: Int) -> Frame? {
        let next = frames.popFirst { $0.frame.bytes.count <= bytesMax }
        byteCount -= next.map { Self.bytes(of: $0.frame) } ?? 0
        return next?.frame
    }
}
