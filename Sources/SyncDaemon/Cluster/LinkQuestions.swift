// What a daemon that follows has asked of the one that orders: the deciding half of its end.

import EventModel

/// Questions under their numbers, and what the news from the other end comes to here.
struct LinkQuestions {
    /// Who waits for what.
    enum Question: Sendable {
        case order(Origin)
        case recall(told: @Sendable (Result<Reply, ProtocolError>?) -> Void)
        case presence(PresenceRequest, Origin)
        case mark(Int)
    }

    /// What is to be done about news.
    enum Finding {
        /// - Parameter mark: The newest that has come back with it.
        case step(Commit, mark: Int?)
        case recalled(Result<Reply, ProtocolError>?, told: (Result<Reply, ProtocolError>?) -> Void)
        case presence(PresenceAnswer)
        case shares([TenantShare])
        case nothing
    }

    private var asked: [CommandID: Question] = [:]
    private var last: CommandID = 0
    /// Of the step that comes next.
    private var answers: [Answer] = []
    private var mark: Int?
    private(set) var isLost = false
    /// Of what was asked, what waits for the ledger of the one that orders, or for its order.
    private(set) var waiting = 0
    private let countMax: Int

    init(countMax: Int = Limits.linkAskedMax) { self.countMax = countMax }

    /// - Returns: Under what it is asked; `nil` when too much is, or there is nobody to ask.
    mutating func number(_ question: Question) -> Origin? {
        guard !isLost, asked.count < countMax else { return nil }
        last += 1
        asked[last] = question
        if question.waitsForLedger { waiting += 1 }
        return Origin(number: last)
    }

    /// Takes a question back.
    ///
    /// - Returns: Whether it was still there.
    mutating func takeBack(_ number: Origin) -> Bool {
        take(number) != nil
    }

    private mutating func take(_ number: Origin) -> Question? {
        let question = asked.removeValue(forKey: number.command)
        if question?.waitsForLedger == true { waiting -= 1 }
        return question
    }

    /// The link has ended.
    ///
    /// - Returns: Who waits in vain.
    mutating func lose() -> [Question] {
        isLost = true
        defer { (asked, waiting) = ([:], 0) }
        return Array(asked.values)
    }

    mutating func hear(_ news: LinkNews) -> Finding {
        switch news {
        case .answers(let numbered):
            for answer in numbered { hear(answer) }
            return .nothing
        case .step(var step):
            defer { (answers, mark) = ([], nil) }
            step.answers = answers
            return .step(step, mark: mark)
        case .recalled(let number, let answer):
            guard case .recall(let told)? = take(number) else { return .nothing }
            return .recalled(answer?.result, told: told)
        case .presence(let number, let reply):
            guard case .presence(let request, let origin)? = take(number) else { return .nothing }
            return .presence(PresenceAnswer(origin: origin, request: request, reply: reply))
        case .shares(let shares): return .shares(shares)
        case .alive: return .nothing
        }
    }

    private mutating func hear(_ answer: Answer) {
        switch take(answer.origin) {
        case .order(let origin)?: answers.append(Answer(origin: origin, result: answer.result))
        case .mark(let number)?: mark = number
        case .recall?, .presence?, nil: break
        }
    }
}

extension LinkQuestions.Question {
    fileprivate var waitsForLedger: Bool {
        switch self {
        case .order, .recall: true
        case .presence, .mark: false
        }
    }
}
