// The command line of the simulator.

/// What is asked for.
enum Invocation {
    /// Many seeds from a first one on, in several processes.
    case many(count: Int, first: UInt64?, workers: Int, PlantedBug?)
    /// One seed with a full trace.
    case replay(UInt64, PlantedBug?, isQuiet: Bool)
    /// A worker of many: some seeds from a first one on.
    case work(first: UInt64, count: Int, PlantedBug?)
    /// Power cuts under a real store.
    case powerCuts(count: Int, first: UInt64?)
    case help

    /// What was meant when the rest makes no sense.
    struct Mistake: Error {
        let text: String
    }

    static let helpText = """
        syncsim lives through random worlds: the real daemon, its devices and long polls, with
        faults. In a third of them the store is SQLite's, on a disk that loses power, fills up
        and fails.

        Usage: syncsim [--seeds N] [--first SEED] [--workers N] [--bug NAME]
               syncsim --seed SEED [--bug NAME] [--quiet]
               syncsim --power-cuts N [--first SEED]

          --seeds N      so many seeds (default: 1000)
          --first SEED   the first of them (default: random)
          --workers N    processes (default: one per processor)
          --seed SEED    one seed, with everything that happens in it
          --quiet        without that: only how often each thing happened
          --power-cuts N no worlds: N power cuts amid writes to the real ledger and store
          --bug NAME     plants a bug, to see whether it is found:
                         \(PlantedBug.allCases.map(\.rawValue).joined(separator: ", "))

        Exit codes: 0, 1 a promise was broken, 2 the command line makes no sense.
        """

    static func parse(_ arguments: [String], processors: Int) throws(Mistake) -> Invocation {
        var values: [String: String] = [:]
        var isQuiet = false
        var index = 0
        while index < arguments.count {
            let name = arguments[index]
            index += 1
            switch name {
            case "--help", "-h": return .help
            case "--quiet": isQuiet = true
            case "--seeds", "--first", "--workers", "--seed", "--bug", "--work",
                "--power-cuts":
                guard index < arguments.count else { throw Mistake(text: "\(name) needs a value.") }
                values[name] = arguments[index]
                index += 1
            default: throw Mistake(text: "\(name) is none of its options.")
            }
        }
        func number(_ name: String) throws(Mistake) -> UInt64? {
            guard let text = values[name] else { return nil }
            guard let number = UInt64(text) else {
                throw Mistake(text: "\(name) needs a number of 0 or more, not \(text).")
            }
            return number
        }
        let bug = values["--bug"].flatMap(PlantedBug.init)
        if let name = values["--bug"], bug == nil {
            throw Mistake(text: "\(name) is no bug that can be planted.")
        }
        if let seed = try number("--seed") { return .replay(seed, bug, isQuiet: isQuiet) }
        let count = Int(clamping: try number("--seeds") ?? 1000)
        if let first = try number("--work") {
            return .work(first: first, count: count, bug)
        }
        if let cuts = try number("--power-cuts") {
            return .powerCuts(count: Int(clamping: cuts), first: try number("--first"))
        }
        let workers = Int(clamping: try number("--workers") ?? UInt64(processors))
        return .many(
            count: max(1, count), first: try number("--first"), workers: min(max(1, workers), 64),
            bug)
    }
}
