// ARCHITECTURE.md walks through the code with a reaction: it is to be short, and true.

import Testing

@Suite("Walk")
struct WalkTests {
    private static let stationsMax = 20
    private static let changesOfRoomMax = 12

    @Test("each function of the written walk exists and calls the next")
    func isTrue() throws {
        let walk = Walk(
            below: "## The walk of a reaction", in: try SourceFile.text("ARCHITECTURE.md"))
        let files = try SourceFile.all(under: "Sources/SyncDaemon")

        #expect(walk.breaches(files) == [])
        #expect((15...Self.stationsMax).contains(walk.stations.count))
        #expect((8...Self.changesOfRoomMax).contains(walk.changesOfRoom))
        #expect(walk.stations.first?.room == "Transport")
        #expect(walk.stations.last?.room == "Transport")
    }

    private static let files = [
        SourceFile(
            path: "Sources/SyncDaemon/Low/Low.swift",
            text: """
                final class Low {
                    func take() {
                        for one in mailbox.all { print(one) }
                    }
                    func put() { mailbox.add(1) }  // take
                }
                """),
        SourceFile(
            path: "Sources/SyncDaemon/High/High.swift",
            text: """
                extension High {
                    func start() {
                        low.put()
                    }
                }
                """),
    ]

    @Test(
        "a walk that is not so is found out",
        arguments: [
            (["1 High High.start", "2 Low Low.put ⇢ mailbox", "3 Low Low.take"], []),
            (["1 High High.begin"], ["High.begin is not in High"]),
            (["1 Low High.start"], ["High.start is not in Low"]),
            (["1 High High.start", "2 Low Low.take"], ["High.start does not say take"]),
            (["1 Low Low.put", "2 Low Low.take"], ["Low.put does not say take"]),
            (
                ["1 Low Low.put ⇢ queue", "2 Low Low.take"],
                ["Low.take takes nothing from queue", "Low.put does not say queue"]
            ),
            (["1 High High.start", "2 Low Low.put", "3 Low Low.put ↩ High.start"], []),
            (
                ["1 High High.start", "2 Low Low.put ↩ High.begin"],
                ["Low.put is called by no station above"]
            ),
        ] as [([Substring], [String])])
    func planted(lines: [Substring], breaches: [String]) {
        #expect(Walk(lines).breaches(Self.files) == breaches)
    }
}
