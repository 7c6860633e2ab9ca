// What makes a cluster, and what is wrong with one.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct ClusterCheckTests {
    private static let key = String(repeating: "k", count: 32)
    private static let good = [
        "SYNCDAEMON_STORE_KIND": "postgres", "SYNCDAEMON_STORE_URL": "host=/tmp",
        "SYNCDAEMON_STORE_DIRECTORY": "/tmp/none", "SYNCDAEMON_CLUSTER_LISTEN": "127.0.0.1:8090",
        "SYNCDAEMON_CLUSTER_KEY_FILE": "/key",
    ]

    private func examine(
        _ changes: [String: String?], key: String = key, file text: String? = nil
    ) -> Examination {
        var environment = Self.good
        for (name, value) in changes { environment[name] = value }
        return Configuration.examine(
            arguments: ServeArguments(), environment: environment,
            file: text.map { ConfigurationFile(path: "sync.ini", text: $0) },
            readSecret: { _ in .text(SecretText(text: key, isForOthers: false)) })
    }

    private func mistakes(_ examination: Examination) -> [ClusterMistake] {
        examination.mistakes.compactMap {
            if case .cluster(_, let mistake) = $0 { mistake } else { nil }
        }
    }

    @Test func aListenerAKeyAndAServerMakeOne() {
        let found = examine([:], key: Self.key + "\n")
        #expect(found.mistakes.isEmpty)
        let address = ListenAddress(host: "127.0.0.1", port: 8090)
        #expect(
            found.configuration.cluster
                == ClusterSettings(
                    listen: address, advertise: address, key: Array(Self.key.utf8)))
    }

    @Test func whereOthersComeMayBeElsewhere() {
        let found = examine([
            "SYNCDAEMON_CLUSTER_LISTEN": "0.0.0.0:8090",
            "SYNCDAEMON_CLUSTER_ADVERTISE": "10.0.0.1:8091",
        ])
        #expect(found.configuration.cluster?.advertise.description == "10.0.0.1:8091")
    }

    @Test func withoutOneThereIsNone() {
        let found = examine([
            "SYNCDAEMON_CLUSTER_LISTEN": nil, "SYNCDAEMON_CLUSTER_KEY_FILE": nil,
        ])
        #expect(found.mistakes.isEmpty && found.configuration.cluster == nil)
    }

    @Test func whatIsWrongIsSaid() {
        #expect(
            mistakes(examine(["SYNCDAEMON_CLUSTER_LISTEN": nil])) == [.noListener])
        #expect(
            mistakes(examine(["SYNCDAEMON_CLUSTER_LISTEN": "0.0.0.0:8090"])) == [.nowhere])
        #expect(mistakes(examine(["SYNCDAEMON_CLUSTER_KEY_FILE": nil])) == [.noKey])
        #expect(
            mistakes(
                examine(["SYNCDAEMON_STORE_KIND": "sqlite", "SYNCDAEMON_STORE_URL": nil]))
                == [.noServer])
    }

    @Test func aClusterHasNoFiles() {
        let text = "[keyset a]\nsubscribe_key = a\nfiles = yes\n"
        #expect(mistakes(examine([:], file: text)) == [.files])
    }

    @Test(arguments: [
        "short", String(repeating: "k", count: 1025), String(repeating: "k ", count: 20),
        "", String(repeating: "k", count: 40) + "\nand something else",
    ])
    func aBadKeyIsRefused(key: String) {
        #expect(mistakes(examine([:], key: key)) == [.badKey(path: "/key")])
    }
}
