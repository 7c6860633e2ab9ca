// The device's side of a repair: symbols of what it has, until the server knows the difference.

/// How far the symbols of one repair were sent.
struct SymbolQuestions {
    /// The symbols of the first question: enough for ten differences.
    static let firstCount = 32
    /// Bytes of symbols in one command, so that its base64 stays under the daemon's 32 KiB.
    static let bytesMax = 22_500

    private var sent = 0
    /// Commands without an answer.
    private var open = 0

    mutating func begin(
        with base: ChannelBase, _ channel: String, _ attempt: Int
    ) -> [ChannelSync.Question] {
        ask(upTo: Self.firstCount, with: base, channel, attempt)
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
        let encoder = base.symbols(sent..<count)
        var questions: [ChannelSync.Question] = []
        while sent < count {
            // A symbol has at most 26 bytes, and seldom more than 18.
            var run = encoder.run(sent..<min(count, sent + 1200))
            if run.bytes.count > Self.bytesMax {
                run = encoder.run(sent..<min(count, sent + 850))
            }
            sent += run.symbols.count
            open += 1
            questions.append(.repair(RepairRequest(channel: channel, run: run), attempt: attempt))
        }
        return questions
    }
}
