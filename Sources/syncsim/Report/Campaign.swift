// Many seeds in several processes, with progress and a report.

import Glibc

/// Lives through many worlds.
struct Campaign {
    private let program: String
    private let bug: PlantedBug?
    private let count: Int
    private let isTerminal = isatty(1) == 1
    private let start = Self.seconds()
    private var done = 0
    private var tally = Tally()
    private var failures: [(seed: UInt64, text: String)] = []
    private var lastProgress = 0.0

    init(_ program: String, count: Int, bug: PlantedBug?) {
        self.program = program
        self.count = count
        self.bug = bug
    }

    /// Seeds of one process: the memory that its worlds took goes back when it ends.
    private static let portion = 50

    /// - Returns: Whether every promise was kept.
    mutating func run(from first: UInt64, workers: Int) -> Bool {
        var working: [Worker] = []
        var begun = 0
        while true {
            while working.count < workers, begun < count {
                let part = min(Self.portion, count - begun)
                guard
                    let worker = Worker(
                        program, first: first + UInt64(begun), count: part, bug: bug)
                else {
                    print("syncsim: no worker could be started. Are there too many processes?")
                    return false
                }
                working.append(worker)
                begun += part
            }
            guard !working.isEmpty else { break }
            var polls = working.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&polls, nfds_t(polls.count), 1000) >= 0 else { break }
            for (index, each) in polls.enumerated().reversed() where each.revents != 0 {
                let (results, isOver) = working[index].read()
                for result in results { take(result) }
                guard isOver else { continue }
                if let seed = working[index].end() {
                    failures.append((seed, "seed \(seed): the process crashed"))
                    report(failures[failures.count - 1])
                }
                working.remove(at: index)
            }
            showProgress(isLast: false)
        }
        showProgress(isLast: true)
        summarise()
        return failures.isEmpty && done == count
    }

    private mutating func take(_ result: SeedResult) {
        done += 1
        tally.add(result.tally)
        guard let text = result.failure else { return }
        failures.append((result.seed, text))
        report(failures[failures.count - 1])
    }

    private func report(_ failure: (seed: UInt64, text: String)) {
        if isTerminal { print("\r\u{1B}[K", terminator: "") }
        let planted = bug.map { " --bug \($0.rawValue)" } ?? ""
        print(failure.text)
        print("  replay: \(program) --seed \(failure.seed)\(planted)")
    }

    private mutating func showProgress(isLast: Bool) {
        let now = Self.seconds() - start
        guard isLast || now - lastProgress >= (isTerminal ? 0.5 : 5) else { return }
        lastProgress = now
        let rate = Double(done) / max(now, 0.001)
        let line =
            "\(done) of \(count) seeds, \(failures.count) failed, \(Int(now)) s, "
            + "\(Int(rate * 10) / 10) seeds/s"
        print(
            isTerminal ? "\r\u{1B}[K\(line)" : line, terminator: isTerminal && !isLast ? "" : "\n")
        fflush(nil)
    }

    private func summarise() {
        let groups: [(String, (String) -> Bool)] = [
            ("Rungs", { $0.hasPrefix("rung ") || Self.repairs.contains($0) }),
            (
                "Faults",
                { Self.faults.contains($0) || $0.hasPrefix("close ") || $0.hasPrefix("refused ") }
            ),
            ("The rest", { _ in true }),
        ]
        var shown: Set<String> = []
        for (title, isMember) in groups {
            print("\(title):")
            for (name, amount) in tally.counts.sorted(by: { $0.key < $1.key })
            where isMember(name) && shown.insert(name).inserted {
                let dots = String(repeating: ".", count: max(2, 40 - name.count))
                print("  \(name) \(dots) \(amount)")
            }
        }
    }

    private static let repairs: Set<String> = [
        "repaired", "repaired amid changes", "segments that differ", "all segments differ",
        "more symbols", "repair gave up", "mismatch found",
    ]

    private static let faults: Set<String> = [
        "backup", "broken disk", "clock step", "corrupted cache", "cut connection", "daemon crash",
        "device crash", "drain", "durable, but nobody was told", "full disk", "full disk begins",
        "half-open connection", "killed poller", "clock step of months", "offline", "partition",
        "power loss", "power loss at the start", "replaced store",
        "restored backup", "slow reader", "stalled reactor",
    ]

    private static func seconds() -> Double {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
