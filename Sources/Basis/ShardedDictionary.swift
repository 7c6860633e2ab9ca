// A dictionary that never grows all at once.

/// A dictionary of many parts, for large tables in a loop that others wait for.
///
/// One that doubles moves all that it has, which takes 0.2 s for a million entries. A part moves a
/// 256th of that, and not all parts are full at the same moment.
public struct ShardedDictionary<Key: Hashable, Value> {
    @usableFromInline var shards: [[Key: Value]]

    @usableFromInline static var shardCount: Int { 256 }

    @inlinable public init() { shards = Array(repeating: [:], count: Self.shardCount) }

    /// - Complexity: O(1); the key is hashed twice.
    @inlinable public subscript(key: Key) -> Value? {
        get { shards[Self.shard(of: key)][key] }
        _modify { yield &shards[Self.shard(of: key)][key] }
    }

    @inlinable
    public subscript(
        key: Key, default value: @autoclosure () -> Value
    ) -> Value {
        get { shards[Self.shard(of: key)][key] ?? value() }
        _modify { yield &shards[Self.shard(of: key)][key, default: value()] }
    }

    /// - Complexity: O(parts).
    public var count: Int { shards.reduce(0) { $0 + $1.count } }

    /// All values, in no order.
    public var values: some Sequence<Value> { shards.lazy.flatMap { $0.values } }

    /// All entries, in no order.
    public var entries: some Sequence<(key: Key, value: Value)> { shards.lazy.flatMap { $0 } }

    /// By the upper bits: a part's own places come from others, of another hash.
    @inlinable static func shard(of key: Key) -> Int {
        Int(UInt(bitPattern: key.hashValue) >> (UInt.bitWidth - 8))
    }
}

extension ShardedDictionary: Sendable where Key: Sendable, Value: Sendable {}
