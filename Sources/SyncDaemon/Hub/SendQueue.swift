// What waits for one session's socket: references to shared frames, never copies.

/// Frames in the order in which they must leave, with their size.
struct SendQueue {
    private var frames: [Frame] = []
    private var head = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { head == frames.count }

    mutating func append(_ frame: Frame) {
        frames.append(frame)
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
        frames = []
        head = 0
        byteCount = 0
    }

    private mutating func next() -> Frame {
        let frame = frames[head]
        head += 1
        byteCount -= frame.bytes.count
        if head == frames.count {
            frames.removeAll(keepingCapacity: frames.count <= 16)
            head = 0
        } else if head >= 64 {
            frames.removeFirst(head)
            head = 0
        }
        return frame
    }
}
