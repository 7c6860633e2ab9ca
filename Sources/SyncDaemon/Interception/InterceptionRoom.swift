// Who has how much of the room for writes that wait for interceptors.

import Basis
import EventModel

/// The room of all interceptors, and what each tenant and each user has of it.
///
/// Of the places of an interceptor, and of all bytes, a tenant has no more than is left for the
/// others, and a user no more than the tenant may still get. So a flood fills a third of the room,
/// is refused itself, and leaves some to whoever comes, however many are flooding.
struct InterceptionRoom {
    private struct Holder: Hashable {
        /// `nil`: bytes, which are counted for all interceptors together.
        let interceptor: String?
        let keyset: ExactText
        /// `nil`: all users of the tenant.
        let user: ExactText?
    }

    private var held: [Holder: Int] = [:]
    /// Writes that wait, by the interceptor that they wait for.
    private(set) var counts: [String: Int] = [:]
    private var bytes = 0

    var isEmpty: Bool { held.isEmpty }

    /// Takes room for a write.
    ///
    /// - Returns: `false` when it may not have it.
    mutating func take(_ item: Intercepted, at interceptor: String) -> Bool {
        let size = item.size
        guard
            counts[interceptor, default: 0] + shares(of: item, at: interceptor)
                < Limits.interceptedMax,
            bytes + size + shares(of: item, at: nil) <= Limits.interceptedBytesMax
        else { return false }
        add(1, size, item, at: interceptor)
        return true
    }

    /// Gives the room of a write back.
    mutating func leave(_ item: Intercepted, at interceptor: String) {
        add(-1, -item.size, item, at: interceptor)
    }

    /// Hears that a write says something else now, for which it has room.
    mutating func change(_ before: Intercepted, to item: Intercepted) {
        add(0, item.size - before.size, item, at: nil)
    }

    /// What the tenant has, and what the user has of that.
    private func shares(of item: Intercepted, at interceptor: String?) -> Int {
        Self.holders(of: item, at: interceptor).reduce(0) { $0 + held[$1, default: 0] }
    }

    private mutating func add(
        _ count: Int, _ size: Int, _ item: Intercepted, at interceptor: String?
    ) {
        if let interceptor {
            let left = counts[interceptor, default: 0] + count
            counts[interceptor] = left == 0 ? nil : left
            for holder in Self.holders(of: item, at: interceptor) { add(count, to: holder) }
        }
        bytes += size
        for holder in Self.holders(of: item, at: nil) { add(size, to: holder) }
    }

    private mutating func add(_ amount: Int, to holder: Holder) {
        let left = held[holder, default: 0] + amount
        held[holder] = left == 0 ? nil : left
    }

    private static func holders(of item: Intercepted, at interceptor: String?) -> [Holder] {
        let keyset = ExactText(item.channel.keyset)
        return [nil, ExactText(item.userID)].map {
            Holder(interceptor: interceptor, keyset: keyset, user: $0)
        }
    }
}
