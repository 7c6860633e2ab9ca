// Who waits for an interceptor, and who waits behind them: nobody overtakes their own writes.

import Basis
import EventModel

/// A question to an interceptor.
struct InterceptorQuestion: Sendable {
    /// Ascending in the order in which questions came up.
    let number: UInt64
    let interceptor: Interceptor
    let item: Intercepted
    /// When the answer has to be there, in milliseconds.
    let deadline: UInt64
}

/// The writes that wait, a line for each connection.
///
/// While the first of a connection's writes waits for an answer its later ones wait, too, whatever
/// they are: a removal must not come before its add. Lines of different connections overtake.
struct InterceptionQueue {
    /// What becomes of a write that comes.
    enum Taken {
        /// It waits for nothing.
        case passes
        /// - Parameter question: `nil`: it waits behind others only.
        case waits(InterceptorQuestion?)
        case full
    }

    /// What a write has come to; `nil`: it may happen.
    typealias Decided = (item: Intercepted, refusal: ProtocolError?)

    fileprivate struct Line: Hashable {
        let reactor: Int
        let session: SessionID
    }

    private struct Place {
        let number: UInt64
        /// Whose room it takes.
        let interceptor: String
        var item: Intercepted
        var isDecided: Bool
        var refusal: ProtocolError?
    }

    private var lines: [Line: [Place]] = [:]
    private var counts: [String: Int] = [:]
    private var bytes = 0
    private var next: UInt64 = 0

    var isEmpty: Bool { lines.isEmpty }

    /// Writes that wait, by the interceptor that they wait for.
    var waiting: [String: Int] { counts }

    /// - Parameter interceptor: Whom to ask; `nil`: nobody.
    mutating func take(
        _ item: Intercepted, asking interceptor: Interceptor?, at now: UInt64
    ) -> Taken {
        let line = Line(item)
        guard let holder = interceptor?.name ?? lines[line]?.last?.interceptor else {
            return .passes
        }
        let size = item.size
        guard counts[holder, default: 0] < Limits.interceptedMax,
            bytes + size <= Limits.interceptedBytesMax
        else { return .full }
        counts[holder, default: 0] += 1
        bytes += size
        next += 1
        lines[line, default: []].append(
            Place(number: next, interceptor: holder, item: item, isDecided: interceptor == nil))
        return .waits(
            interceptor.map {
                InterceptorQuestion(
                    number: next, interceptor: $0, item: item,
                    deadline: now + UInt64($0.timeoutMilliseconds))
            })
    }

    /// Takes what a write has come to.
    ///
    /// - Returns: Whatever waits for nothing any more, in its order.
    /// - Complexity: O(the connection's writes that wait).
    mutating func decide(
        _ question: InterceptorQuestion, _ verdict: InterceptorVerdict
    ) -> [Decided] {
        let line = Line(question.item)
        guard var places = lines[line],
            let index = places.firstIndex(where: { $0.number == question.number })
        else { preconditionFailure("A question was answered twice.") }
        places[index].isDecided = true
        switch verdict {
        case .allowed(nil, nil): break
        case .allowed(let payload, let meta):
            // Room was made for what came, and is given back for that.
            let changed = places[index].item.saying(payload: payload, meta: meta)
            bytes += changed.size - places[index].item.size
            places[index].item = changed
        case .refused(let reason): places[index].refusal = .refusedByInterceptor(reason)
        case .unusable: places[index].refusal = .refusedByInterceptor("")
        case .unasked: places[index].refusal = .overloaded
        case .failed:
            if question.interceptor.failing == .refuse {
                places[index].refusal = .interceptorFailed
            }
        }
        let decided = places.prefix(while: \.isDecided)
        places.removeFirst(decided.count)
        lines[line] = places.isEmpty ? nil : places
        for place in decided {
            bytes -= place.item.size
            let left = counts[place.interceptor, default: 0] - 1
            counts[place.interceptor] = left == 0 ? nil : left
        }
        return decided.map { ($0.item, $0.refusal) }
    }
}

extension InterceptionQueue {
    /// Ends all waiting, with a refusal for whatever was not let go yet.
    ///
    /// - Returns: What waited, each connection's in its order.
    mutating func end(with refusal: ProtocolError) -> [Decided] {
        let ended = lines.values.flatMap { places in
            places.map { (item: $0.item, refusal: ProtocolError?.some($0.refusal ?? refusal)) }
        }
        (lines, counts, bytes) = ([:], [:], 0)
        return ended
    }
}

extension InterceptionQueue.Line {
    fileprivate init(_ item: Intercepted) {
        self.init(reactor: item.origin.reactor, session: item.origin.session)
    }
}
