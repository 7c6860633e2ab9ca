// Very many things in the order of their keys, of which some come and go all the time.

/// Values by key, ascending, in chunks: what is done to one of a million costs what it costs among
/// a thousand.
package struct OrderedChunks<Key: Comparable, Value> {
    private typealias Entry = (key: Key, value: Value)

    /// None is empty.
    private var chunks: [[Entry]] = []
    package private(set) var count = 0

    /// Entries at which a chunk is parted in two.
    private static var chunkMax: Int { 512 }

    package init() {}

    /// In order.
    package var keys: some BidirectionalCollection<Key> {
        chunks.lazy.joined().map(\.key)
    }

    /// - Complexity: O(chunks), which is little more than the logarithm in practice.
    /// - Precondition: There is none of this key.
    package mutating func insert(_ value: Value, as key: Key) {
        count += 1
        let chunk = max(0, firstChunk(behind: key) - 1)
        guard chunk < chunks.count else { return chunks.append([(key, value)]) }
        let place = Self.place(of: key, in: chunks[chunk])
        if chunks[chunk].count == Self.chunkMax {
            // What only ever grows at its end leaves full chunks behind.
            if chunk == chunks.count - 1, place == Self.chunkMax {
                return chunks.append([(key, value)])
            }
            part(chunk)
            let half = chunks[chunk].count
            if place > half {
                return chunks[chunk + 1].insert((key, value), at: place - half)
            }
        }
        chunks[chunk].insert((key, value), at: place)
    }

    package mutating func remove(_ key: Key) {
        let chunk = firstChunk(behind: key) - 1
        guard chunk >= 0 else { return }
        let place = Self.place(of: key, in: chunks[chunk])
        guard place < chunks[chunk].count, chunks[chunk][place].key == key else { return }
        count -= 1
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) } else { join(chunk) }
    }

    /// Values in order.
    ///
    /// - Complexity: O(limit + chunks).
    package func page(from offset: Int, limit: Int) -> [Value] {
        var page: [Value] = []
        var skipped = max(0, offset)
        for chunk in chunks {
            guard page.count < limit else { break }
            guard skipped < chunk.count else {
                skipped -= chunk.count
                continue
            }
            page += chunk[skipped...].prefix(limit - page.count).map(\.value)
            skipped = 0
        }
        return page
    }

    private mutating func part(_ chunk: Int) {
        let half = chunks[chunk].count / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeLast(chunks[chunk].count - half)
    }

    /// Puts two small neighbours together, so that there are not many chunks of few.
    private mutating func join(_ chunk: Int) {
        guard chunk + 1 < chunks.count,
            chunks[chunk].count + chunks[chunk + 1].count < Self.chunkMax / 2
        else { return }
        chunks[chunk] += chunks.remove(at: chunk + 1)
    }

    /// The first chunk that begins behind a key.
    private func firstChunk(behind key: Key) -> Int {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if key < chunks[middle][0].key { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Where a key is, or would be.
    private static func place(of key: Key, in chunk: [Entry]) -> Int {
        var (low, high) = (0, chunk.count)
        while low < high {
            let middle = (low + high) / 2
            if chunk[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension OrderedChunks: Sendable where Key: Sendable, Value: Sendable {}
