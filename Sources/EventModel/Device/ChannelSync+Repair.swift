// A repair: which segments differ, then which of their rows; of a small channel the rows at once.

extension ChannelSync {
    mutating func startRepair(_ reply: SubscribedChannel, _ step: inout Step) {
        guard !isTail, window == nil, incoming == nil, reply.key ?? base.key != nil else {
            return startSnapshot(&step)
        }
        accept(reply, &step)
        if reply.cursor < base.cursor { step.rows += base.rewind(to: reply.cursor) }
        rung = .repair
        needsRepair = true
        repairs += 1
        phase = .repairing
        send(reply.segmentMessages.map { .segments(ofMessages: $0) } ?? .whole, &step)
    }

    /// Begins with the symbols of one level.
    private mutating func send(_ source: SymbolQuestions.Source, _ step: inout Step) {
        symbols = SymbolQuestions(of: source)
        step.questions += symbols.begin(with: base, name, attempt)
    }

    /// The server answers symbols.
    mutating func repaired(_ reply: RepairStep, attempt: Int) -> Step {
        var step = Step()
        guard phase == .repairing, attempt == self.attempt else { return step }
        symbols.answered()
        switch (reply, symbols.source) {
        case (.needsSymbols(let count), _):
            if let more = symbols.goOn(upTo: count, with: base, name, attempt) {
                step.questions += more
            } else {
                startSnapshot(&step)
            }
        case (.segments(let stretches, let states, let count), .segments):
            if let findings = base.findings(in: stretches, comparedWith: states) {
                send(.chosen(stretches, findings), &step)
            } else {
                send(.rows(stretches, symbols: count), &step)
            }
        case (.missing(let timetokens), .chosen(let stretches, var findings)):
            if findings.miss(timetokens) {
                send(.chosen(stretches, findings), &step)
            } else {
                startSnapshot(&step)
            }
        case (.whole, .segments), (.whole, .rows), (.whole, .chosen): send(.whole, &step)
        case (.snapshot, _), (.segments, _), (.missing, _), (.whole, _): startSnapshot(&step)
        case (.difference(var difference), let source):
            if case .chosen(_, let findings) = source { difference.dropped += findings.dropped }
            take(difference, &step)
        }
        return step
    }

    private mutating func take(_ difference: RepairDifference, _ step: inout Step) {
        step.rows = base.apply(difference)
        step.hasMoved = true
        step.healedBy = .repair
        if let state = difference.state, base.digest != state { return startSnapshot(&step) }
        needsRepair = false
        phase = .following
        // Else the pushes say what it comes to.
        if difference.state != nil { agreed() }
    }
}
