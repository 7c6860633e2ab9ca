// What one seed came to, and how a worker tells it.

/// One line: the seed, the violation if there was one, and the counts.
struct SeedResult {
    let seed: UInt64
    let failure: String?
    let tally: Tally

    /// Lives through a world.
    init(living seed: UInt64, bug: PlantedBug?) {
        self.seed = seed
        do throws(Violation) {
            tally = try World(seed: seed, bug: bug).run()
            failure = nil
        } catch {
            tally = Tally()
            failure = error.description
        }
    }

    var line: String {
        let failure = failure.map { text in
            String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        }
        return "\(seed)\t\(failure ?? "")\t\(tally.text)\n"
    }

    /// Reads ``line``.
    init?(_ line: some StringProtocol) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 3, let seed = UInt64(parts[0]) else { return nil }
        self.seed = seed
        failure = parts[1].isEmpty ? nil : String(parts[1])
        tally = Tally(parts[2])
    }
}
