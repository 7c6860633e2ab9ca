// The arguments of a statement, as PostgreSQL takes them in binary.

import CLibPQ
import SQL

/// Arguments of one call after the other; it keeps its memory.
@safe struct PostgresArguments {
    private var bytes: [UInt8] = []
    /// Where each begins in ``bytes``; -1 for NULL.
    private var starts: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    mutating func set(_ values: [SQLValue]) {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                starts.append(-1)
            case .integer(let number):
                starts.append(start)
                bytes.append(number)
            case .text(let text):
                starts.append(start)
                bytes.append(contentsOf: text.utf8)
            }
            lengths.append(Int32(bytes.count - start))
        }
        end()
    }

    /// The same, of values in binary.
    mutating func set(_ values: [[UInt8]]) {
        starts.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        for value in values {
            starts.append(bytes.count)
            bytes += value
            lengths.append(Int32(value.count))
        }
        end()
    }

    private mutating func end() {
        // So that a text without bytes, which is not NULL, points somewhere.
        bytes.append(0)
        if formats.count < starts.count {
            formats = [Int32](repeating: 1, count: starts.count)
        }
    }

    /// Queues a call of a prepared statement, with its answer in binary.
    ///
    /// - Returns: What libpq says: 1 when it is queued.
    func send(_ statement: String, to connection: OpaquePointer) -> Int32 {
        unsafe bytes.withUnsafeBytes { bytes in
            let values = unsafe starts.map { start -> UnsafePointer<CChar>? in
                guard start >= 0, let base = bytes.baseAddress else { return nil }
                return unsafe (base + start).assumingMemoryBound(to: CChar.self)
            }
            return unsafe PQsendQueryPrepared(
                connection, statement, Int32(values.count), values, lengths, formats, 1)
        }
    }
}
