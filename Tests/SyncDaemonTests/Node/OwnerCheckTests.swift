// Whose the files and directories are that decide who comes in.

import Foundation
import Testing

@testable import SyncDaemon

@Suite("Owners of files")
final class OwnerCheckTests {
    private let root: String
    private let line = ConfigurationSource.file(path: "sync.ini", line: 3)

    init() throws {
        root =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "owners-\(UUID())").path
        try make(root)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func make(_ path: String, mode: Int = 0o755) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func write(_ path: String) throws {
        try Data("k".utf8).write(to: URL(filePath: path))
    }

    private func look(at path: String, directory: String = "") -> [ConfigurationWarning] {
        var examination = Examination()
        examination.configuration.directory = directory
        examination.secretFiles = [(line, path)]
        examination.lookAtOwners()
        // What this machine's own directories are like is not the test's.
        return examination.warnings.filter { $0.description.contains(root) }
    }

    @Test("a directory that others may write, wherever on the way", arguments: ["", "/more"])
    func directory(more: String) throws {
        let path = root + "/open" + more + "/secret"
        try make(root + "/open" + more)
        try write(path)
        #expect(look(at: path).isEmpty)

        try make(root + "/open", mode: 0o757)
        #expect(
            look(at: path) == [
                .directoryWritableByOthers(line, path: root + "/open", of: path)
            ])
        try make(root + "/open", mode: 0o1777)
        #expect(look(at: path).isEmpty, "There nobody takes away what is another's.")
    }

    @Test("a link leads there, too")
    func link() throws {
        try make(root + "/open")
        try write(root + "/open/secret")
        try FileManager.default.createSymbolicLink(
            atPath: root + "/link", withDestinationPath: root + "/open/secret")
        try make(root + "/open", mode: 0o757)

        #expect(
            look(at: root + "/link") == [
                .directoryWritableByOthers(line, path: root + "/open", of: root + "/link")
            ])
    }

    @Test("what is above the data, and each thing once")
    func data() throws {
        try make(root + "/open/data", mode: 0o700)
        try write(root + "/open/secret")
        try make(root + "/open", mode: 0o757)

        let path = root + "/open/secret"
        #expect(look(at: path, directory: root + "/open/data").count == 1)
        let other = look(at: root + "/nowhere", directory: root + "/open/data")
        #expect(
            other == [
                .directoryWritableByOthers(
                    .standard, path: root + "/open", of: root + "/open/data")
            ])
    }

    @Test("a file of another user", .enabled(if: geteuid() == 0, "It takes root to make one."))
    func owner() throws {
        let path = root + "/secret"
        try write(path)
        try #require(unsafe chown(path, 4711, 0) == 0)
        #expect(look(at: path) == [.ownedByAnother(line, path: path, user: 4711)])

        try make(root + "/data", mode: 0o700)
        try #require(unsafe chown(root + "/data", 4711, 0) == 0)
        #expect(look(at: path, directory: root + "/data").isEmpty, "It is the daemon's own.")
    }

    @Test(
        "places of the system stay as they are",
        arguments: ["/dev/null", "/tmp", "/proc/", "/var/tmp/", "/", "/var/lib"])
    func system(path: String) {
        for warning in [
            ConfigurationWarning.secretFileForOthers(line, path: path, isOurs: true),
            .writableByOthers(line, path: path), .directoryForAll(line, path: path, mode: 0o777),
            .directoryWritableByOthers(line, path: path, of: "/x"),
        ] {
            #expect(!warning.description.contains("chmod"))
            #expect(warning.description.contains("name one of the daemon's own"))
        }
    }

    @Test("the advice names the setting", arguments: ["key_file", "jwks_file", "secret_key_file"])
    func advice(setting: String) {
        let warning = ConfigurationWarning.secretFileForOthers(
            line, path: "/srv/key", isOurs: false, setting: setting)
        #expect(warning.description.contains(" and \(setting) = credential:NAME here; "))
    }
}
