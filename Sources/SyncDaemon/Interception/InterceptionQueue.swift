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
///
/// Of writes under one mutation the later one's question comes up when the earlier one has gone:
/// by then it can be known whether it is a retry. So each waits for earlier ones only.
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
    typealias Decided = (item: Intercepted, answer: Result<Reply, ProtocolError>?)

    /// What waits for nothing any more.
    struct Released {
        /// Each connection's in its order.
        var writes: [Decided] = []
        /// Those whose time has come.
        var questions: [InterceptorQuestion] = []
    }

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
        var answer: Result<Reply, ProtocolError>?
        /// Of a write that was asked about.
        let mutation: InterceptedMutation?
    }

    private var lines: [Line: [Place]] = [:]
    /// Mutations of writes that were asked about and did not go yet; and those behind each.
    private var later: [InterceptedMutation: Queue<InterceptorQuestion>] = [:]
    private var room = InterceptionRoom()
    private var next: UInt64 = 0

    var isEmpty: Bool { lines.isEmpty }

    /// Writes that wait, by the interceptor that they wait for.
    var waiting: [String: Int] { room.counts }

    /// - Parameter interceptor: Whom to ask; `nil`: nobody.
    mutating func take(
        _ item: Intercepted, asking interceptor: Interceptor?, at now: UInt64
    ) -> Taken {
        let line = Line(item)
        guard let holder = interceptor?.name ?? lines[line]?.last?.interceptor else {
            return .passes
        }
        guard room.take(item, at: holder) else { return .full }
        next += 1
        let mutation = interceptor == nil ? nil : InterceptedMutation(item)
        lines[line, default: []].append(
            Place(
                number: next, interceptor: holder, item: item, isDecided: interceptor == nil,
                mutation: mutation))
        guard let interceptor else { return .waits(nil) }
        let question = InterceptorQuestion(
            number: next, interceptor: interceptor, item: item,
            deadline: now + UInt64(interceptor.timeoutMilliseconds))
        guard let mutation else { return .waits(question) }
        guard later[mutation]?.append(question) == nil else { return .waits(nil) }
        later[mutation] = Queue()
        return .waits(question)
    }

    /// Takes what an interceptor says to a write.
    ///
    /// - Complexity: O(the connection's writes that wait).
    mutating func decide(
        _ question: InterceptorQuestion, _ verdict: InterceptorVerdict
    ) -> Released {
        switch verdict {
        case .allowed(nil, nil): release(question)
        case .allowed(let payload, let meta):
            release(question, as: question.item.saying(payload: payload, meta: meta))
        case .refused(let reason): answer(question, .failure(.refusedByInterceptor(reason)))
        case .unusable: answer(question, .failure(.refusedByInterceptor("")))
        case .unasked: answer(question, .failure(.overloaded))
        case .failed: fail(question, .interceptorFailed)
        case .unclear: fail(question, .interceptorUnclear)
        }
    }

    private mutating func fail(
        _ question: InterceptorQuestion, _ error: ProtocolError
    ) -> Released {
        switch question.interceptor.failing {
        case .allow: release(question)
        case .refuse: answer(question, .failure(error))
        }
    }

    /// Takes an answer to a write that is not to happen, or has happened before.
    mutating func answer(
        _ question: InterceptorQuestion, _ answer: Result<Reply, ProtocolError>
    ) -> Released {
        release(question, with: answer)
    }

    private mutating func release(
        _ question: InterceptorQuestion, as item: Intercepted? = nil,
        with answer: Result<Reply, ProtocolError>? = nil
    ) -> Released {
        let line = Line(question.item)
        guard var places = lines[line],
            let index = places.firstIndex(where: { $0.number == question.number })
        else { preconditionFailure("A question was answered twice.") }
        (places[index].isDecided, places[index].answer) = (true, answer)
        if let item {
            // Room was made for what came, and is given back for that.
            room.change(places[index].item, to: item)
            places[index].item = item
        }
        let decided = places.prefix(while: \.isDecided)
        places.removeFirst(decided.count)
        lines[line] = places.isEmpty ? nil : places
        var released = Released()
        for place in decided {
            room.leave(place.item, at: place.interceptor)
            released.writes.append((place.item, place.answer))
            guard let mutation = place.mutation else { continue }
            if let question = later[mutation]?.popFirst() {
                released.questions.append(question)
            } else {
                later[mutation] = nil
            }
        }
        return released
    }
}

extension InterceptionQueue {
    /// Ends all waiting, with a refusal for whatever was not let go yet.
    ///
    /// - Returns: What waited, each connection's in its order.
    mutating func end(with refusal: ProtocolError) -> [Decided] {
        let ended = lines.values.flatMap { places in
            places.map { Decided($0.item, $0.answer ?? .failure(refusal)) }
        }
        (lines, later, room) = ([:], [:], InterceptionRoom())
        return ended
    }
}

extension InterceptionQueue.Line {
    fileprivate init(_ item: Intercepted) {
        self.init(reactor: item.origin.reactor, session: item.origin.session)
    }
}

/// A mutation of one author's.
private struct InterceptedMutation: Hashable {
    let author: Author
    let name: ExactText

    /// - Returns: `nil` for what has no name: sent again, it is another write.
    init?(_ item: Intercepted) {
        guard let write = item.named, let mutation = write.mutation else { return nil }
        (author, name) = (write.author, ExactText(mutation))
    }
}
