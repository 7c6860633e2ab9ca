// What waits for one session's socket: references to shared frames, never copies.

import EventModel

/// What a queued batch would bring forward: where to read again when it is dropped.
struct QueuedPush {
    let subscription: Subscription
    /// The subscription's position before the batch.
    let before: Timetoken
}

/// Frames in the order in which they must leave, with their size.
struct SendQueue {
    private(set) var byteCount = 0
    private var head = 0
    private var frames: [Frame] = []
    /// Beside each frame; `nil` for replies.
    private var pushes: [QueuedPush?] = []

    /// No frame is empty: each has a header.
    var isEmpty: Bool { byteCount == 0 }

    mutating func append(_ frame: Frame, _ push: QueuedPush? = nil) {
        frames.append(frame)
        pushes.append(push)
        byteCount += frame.bytes.count
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
        let first = next()
        guard !isEmpty, first.bytes.count + frames[head].bytes.count <= bytesMax else {
            body(first.bytes.span)
            return
        }
        scratch.removeAll(keepingCapacity: true)
        scratch += first.bytes
        while !isEmpty, scratch.count + frames[head].bytes.count <= bytesMax {
            scratch += next().bytes
        }
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
        for index in head..<frames.count {
            if let push = pushes[index] {
                dropped.append(push)
            } else {
                rest.append(frames[index])
            }
        }
        self = rest
        return dropped
    }

    private mutating func next() -> Frame {
        let frame = frames[head]
        head += 1
        byteCount -= frame.bytes.count
        if head == frames.count {
            pushes.removeAll(keepingCapacity: frames.count <= 16)
            frames.removeAll(keepingCapacity: frames.count <= 16)
            head = 0
        } else if head >= 64 {
            frames.removeFirst(head)
            pushes.removeFirst(head)
            head = 0
        }
        return frame
    }
}
