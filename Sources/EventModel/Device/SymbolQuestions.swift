// The device's side of a repair: symbols of what it has, until the server knows the difference.

/// How far the symbols of one level of a repair were sent.
struct SymbolQuestions {
    /// What they are of.
    enum Source: Hashable {
        /// All rows.
        case whole
        /// The states of segments, of so many messages each.
        case segments(ofMessages: Int)
        /// The rows on some messages; so many symbols will probably do.
        case rows([MessageRange], symbols: Int)
        /// The rows in those stretches of which what they come to did not tell enough.
        case chosen([MessageRange], StretchFindings)
    }

    /// Bytes of symbols in one command, so that its base64 stays under the daemon's 32 KiB.
    static let bytesMax = 22_500

    let source: Source
    private var sent = 0
    /// Commands without an answer.
    private var open = 0

    init(of source: Source = .whole) {
        self.source = source
    }

    /// Symbols of the first question: enough for ten differences, or for ten segments that differ,
    /// of which both sides' states are to be told.
    private var firstCount: Int {
        switch source {
        case .whole: 32
        case .segments: 48
        case .rows(_, let count): min(max(8, count), Limits.repairSymbolsMax)
        case .chosen(_, let findings): findings.symbolCount
        }
    }

    private var level: RepairLevel {
        switch source {
        case .whole: .whole
        case .segments: .segments
        case .rows, .chosen: .rows
        }
    }

    mutating func begin(
        with base: ChannelBase, _ channel: String, _ attempt: Int
    ) -> [ChannelSync.Question] {
        ask(upTo: firstCount, with: base, channel, attempt)
    }

    mutating func answered() { open -= 1 }

    /// Sends more, because the server asks for `count` in all.
    ///
    /// - Returns: `nil` when there would be too many: a snapshot is cheaper.
    mutating func goOn(
        upTo count: Int, with base: ChannelBase, _ channel: String, _ attempt: Int
    ) -> [ChannelSync.Question]? {
        // Only the answer to the last of several commands knows all symbols.
        guard open == 0 else { return [] }
        let next = max(count, sent + 8)
        guard next <= Limits.repairSymbolsMax else { return nil }
        return ask(upTo: next, with: base, channel, attempt)
    }

    /// What was not sent yet, in as many commands as it takes.
    private mutating func ask(
        upTo count: Int, with base: ChannelBase, _ channel: String, _ attempt: Int
    ) -> [ChannelSync.Question] {
        let encoder = symbols(sent..<count, of: base)
        var questions: [ChannelSync.Question] = []
        // What nothing is to be compared of has no symbols, and is asked all the same.
        repeat {
            // A symbol has at most 26 bytes, and seldom more than 18.
            var run = encoder.run(sent..<min(count, sent + 1200))
            if run.bytes.count > Self.bytesMax {
                run = encoder.run(sent..<min(count, sent + 850))
            }
            let choice = sent == 0 ? choice : nil
            sent += run.symbols.count
            open += 1
            let request = RepairRequest(channel: channel, level: level, choice: choice, run: run)
            questions.append(.repair(request, attempt: attempt))
        } while sent < count
        return questions
    }

    private var choice: RepairChoice? {
        guard case .chosen(_, let findings) = source else { return nil }
        return findings.choice
    }

    private func symbols(_ range: Range<Int>, of base: ChannelBase) -> RatelessEncoder {
        switch source {
        case .whole: base.symbols(range)
        case .segments(let mean): base.symbols(range, ofSegmentsOf: mean)
        case .rows(let stretches, _): base.symbols(range, ofRowsIn: stretches)
        case .chosen(let stretches, let findings):
            base.symbols(range, ofRowsIn: findings.choice.only.map { stretches[$0] })
        }
    }
}
