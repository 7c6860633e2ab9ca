// Very many things in the order of their names, of which some come and go all the time.

import EventModel

/// Values by name, ascending, in chunks: a page of it costs what the page holds.
struct OrderedNames<Value> {
    private typealias Entry = (name: ExactText, value: Value)

    /// None is empty.
    private var chunks: [[Entry]] = []
    private(set) var count = 0

    /// Entries at which a chunk is parted in two.
    private static var chunkMax: Int { 512 }

    /// - Complexity: O(chunks), which is little more than the logarithm in practice.
    /// - Precondition: There is none of this name.
    mutating func insert(_ value: Value, as name: ExactText) {
        count += 1
        let chunk = max(0, firstChunk(behind: name) - 1)
        guard chunk < chunks.count else { return chunks.append([(name, value)]) }
        let place = Self.place(of: name, in: chunks[chunk])
        chunks[chunk].insert((name, value), at: place)
        guard chunks[chunk].count > Self.chunkMax else { return }
        let half = chunks[chunk].count / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeLast(chunks[chunk].count - half)
    }

    mutating func remove(_ name: ExactText) {
        let chunk = firstChunk(behind: name) - 1
        guard chunk >= 0 else { return }
        let place = Self.place(of: name, in: chunks[chunk])
        guard place < chunks[chunk].count, chunks[chunk][place].name == name else { return }
        count -= 1
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) } else { join(chunk) }
    }

    /// Values in order.
    ///
    /// - Complexity: O(limit + chunks).
    func page(from offset: Int, limit: Int) -> [Value] {
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

    /// Puts two small neighbours together, so that there are not many chunks of few.
    private mutating func join(_ chunk: Int) {
        guard chunk + 1 < chunks.count,
            chunks[chunk].count + chunks[chunk + 1].count < Self.chunkMax / 2
        else { return }
        chunks[chunk] += chunks.remove(at: chunk + 1)
    }

    /// The first chunk that begins behind a name.
    private func firstChunk(behind name: ExactText) -> Int {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if name < chunks[middle][0].name { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Where a name is, or would be.
    private static func place(of name: ExactText, in chunk: [Entry]) -> Int {
        var (low, high) = (0, chunk.count)
        while low < high {
            let middle = (low + high) / 2
            if chunk[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
