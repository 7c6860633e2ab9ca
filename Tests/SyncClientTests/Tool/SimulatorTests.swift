// `syncctl sim`, which hands over to a program that no package has.

import Testing

@testable import syncctl

@Suite("syncctl sim")
struct SimulatorTests {
    @Test("it passes everything on")
    func simulates() throws {
        let invocation = try ArgumentParser(surroundings: Surroundings()).parse([
            "sim", "--seed", "7", "--help",
        ])

        #expect(invocation == .simulate(["--seed", "7", "--help"]))
    }

    @Test("it is listed where the simulator is, and nowhere else", arguments: [true, false])
    func listed(isThere: Bool) {
        let text = Help.text(for: nil, hasSimulator: isThere)

        #expect(text.contains("\n  sim ") == isThere)
        #expect(text.contains("\n\nA MESSAGE is"))
        #expect(!text.contains("\n\n\n"))
    }
}
