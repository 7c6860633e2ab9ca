// Power cuts, one after the other: what `syncsim --power-cuts N` does.

/// A promise that a power cut broke; the seed in it brings it back.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// What became of some power cuts.
struct PowerCuts {
    /// Cuts that one machine lives through, on one file.
    static let cutsPerMachine = 20

    private(set) var cuts = 0
    private(set) var cutsAtStart = 0
    private(set) var acknowledged = 0
    private(set) var unknown = 0
    private(set) var survived = 0

    /// Lives through so many, on machines with consecutive seeds.
    ///
    /// - Parameter isDiskHonest: Whether a synced byte is on the disk; one that only says so has to
    ///   be found.
    /// - Throws: The first promise that was broken.
    init(count: Int, first seed: UInt64, isDiskHonest: Bool = true) throws(BrokenPromise) {
        var machine = CutMachine(seed: seed, isDiskHonest: isDiskHonest)
        var number: UInt64 = 0
        while cuts < count {
            if cuts > 0, cuts.isMultiple(of: Self.cutsPerMachine) {
                add(machine)
                number += 1
                machine = CutMachine(seed: seed + number, isDiskHonest: isDiskHonest)
            }
            try machine.live()
            cuts += 1
        }
        add(machine)
    }

    private mutating func add(_ machine: CutMachine) {
        cutsAtStart += machine.cutsAtStart
        acknowledged += machine.acknowledged
        unknown += machine.unknown
        survived += machine.survived
    }

    var text: String {
        """
        \(cuts) power cuts, \(cutsAtStart) of them during a start: 0 lost, 0 twice, 0 corrupt.
        \(acknowledged) writes were acknowledged; \(unknown) were under way, of which \(survived) \
        were durable.
        """
    }
}
