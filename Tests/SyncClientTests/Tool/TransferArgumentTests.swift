// The command lines of exports and imports.

import SyncDaemon
import Testing

@testable import syncctl

@Suite("Command line: export and import")
struct TransferArgumentTests {
    private func job(_ line: String) throws -> Job {
        let parser = ArgumentParser(surroundings: Surroundings(environment: ["USER": "ada"]))
        let words = line.split(separator: " ").map(String.init)
        guard case .run(let job, _) = try parser.parse(words) else {
            throw UsageError(message: "not a job")
        }
        return job
    }

    @Test("export")
    func export() throws {
        #expect(try job("export --all") == .export(ExportRequest()))
        #expect(try job("export --all --output -") == .export(ExportRequest()))
        #expect(
            try job(
                "export --keyset k --channel a,b --tombstones --output f --data-dir d"
                    + " --files e")
                == .export(
                    ExportRequest(
                        directory: "d", output: "f", keyset: "k", channels: ["a", "b"],
                        includesRemoved: true, files: "e")))
        #expect(
            try job("export --channel=a --database=copy.db")
                == .export(ExportRequest(database: "copy.db", channels: ["a"])))
        for line in [
            "export", "export room", "export --all --keyset k",
            "export --all --data-dir d "
                + "--database f",
        ] {
            #expect(throws: UsageError.self, "\(line)") { try job(line) }
        }
    }

    /// Found by an operator: an empty list of channels was all channels.
    @Test(
        "an empty name of a channel is a mistake",
        arguments: [
            "export --channel=", "export --channel ,", "export --channel a,",
            "export --channel a,,b", "export --all --channel=", "export --keyset k --channel ,",
            "import --from pubnub f --channel=", "import --from pubnub f --channel a,b",
        ])
    func emptyNames(line: String) {
        let error = #expect(throws: UsageError.self) { try job(line) }
        #expect(error?.message.hasPrefix("--channel ") == true)
    }

    @Test("import")
    func `import`() throws {
        #expect(try job("import f") == .import(ImportRequest(input: "f")))
        #expect(try job("import -") == .import(ImportRequest(input: "-")))
        #expect(
            try job("import --input f --into k --keep --dry-run --data-dir d --files e")
                == .import(
                    ImportRequest(
                        directory: "d", input: "f", into: "k", keepsContradicted: true,
                        isTrial: true, files: "e")))
        #expect(
            try job("import --from pubnub f --channel room")
                == .import(ImportRequest(input: "f", origin: .pubnub, channel: "room")))
        for line in [
            "import", "import a b", "import --input a b", "import f --from slack",
            "import f --channel room", "import f --keyset k", "import --from stream f --files d",
        ] {
            #expect(throws: UsageError.self, "\(line)") { try job(line) }
        }
    }
}
